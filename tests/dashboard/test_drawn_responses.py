"""A random draw of responses for authors' labels: blind, and back again as gold scores."""

import csv
import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.execution import finished_run
from analysis.models import Result
from judge.models import GoldSet
from survey.models import Response, Study
from survey.tidy import counted_sources
from tests.dashboard.reading import text_of

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]  # a file; test_import_gold.py stores

PAGE, API = "/studies/small/gold/", "/api/studies/small/gold/drawn.csv"


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def sent(page: Client, address: str) -> list[dict[str, str]]:
    return rows_of(b"".join(page.get(address).streaming_content).decode("utf-8-sig"))  # type: ignore[attr-defined]


def test_a_draw_is_blind_and_its_filled_file_agrees_with_the_raters(
    study: Study, page: Client, tmp_path: Path
) -> None:
    texts = {one.public_id: one for one in Response.objects.filter(scenario__study=study)}
    drawn = tmp_path / "labels.csv"
    call_command("draw_responses", "small", n=6, seed=3, out=drawn, verbosity=0)
    rows = rows_of(drawn.read_text())
    assert [int(row["number"]) for row in rows] == list(range(1, 7))
    assert len({row["response_id"] for row in rows}) == 6
    assert all(texts[row["response_id"]].text == row["response"] for row in rows)
    assert not {"model", "condition", "set"} & set(rows[0])
    # the page and the API draw the same with the same seed, another seed others
    assert sent(page, f"{PAGE}drawn.csv?n=6&seed=3") == rows == sent(page, f"{API}?n=6&seed=3")
    assert sent(page, f"{API}?n=6&seed=4") != rows
    # an empty cell and an unknown id are one line each
    with pytest.raises(CommandError, match=r"labels\.csv, line 2: column 'gold': is empty"):
        call_command("import_gold", "small", gold=drawn, name="authors", verbosity=0)
    filled = [row | {"gold": str(i % 5 + 1), "gold_by": "authors"} for i, row in enumerate(rows)]
    for wrong in (True, False):
        with drawn.open("w", newline="") as file:
            writer = csv.DictWriter(file, filled[0])
            writer.writeheader()
            writer.writerows([filled[0] | {"response_id": "nobody"}] if wrong else filled)
        if wrong:
            with pytest.raises(CommandError, match="'nobody' is not the id of a response"):
                call_command("import_gold", "small", gold=drawn, name="authors", verbosity=0)
    assert not GoldSet.objects.filter(name="authors").exists()
    call_command("import_gold", "small", gold=drawn, name="authors", verbosity=0)
    kept = GoldSet.objects.get(name="authors").scores.select_related("response")
    given = {score.response.public_id: score.value for score in kept}
    assert given == {row["response_id"]: float(row["gold"]) for row in filled}
    run = finished_run(study=study, sources=counted_sources())
    table = Result.objects.get(run=run, kind=Result.Kind.TABLE, name="judge_agreement").content
    of_source = table["columns"].index("judge")
    assert "authors" in str({row[of_source] for row in table["rows"]})


def test_what_cannot_be_drawn_is_said_in_one_line(
    study: Study, page: Client, tmp_path: Path
) -> None:
    n = Response.objects.filter(scenario__study=study).count()
    said = f"n is {n + 1}, but small@1 has {n} responses to draw from"
    out = tmp_path / "labels.csv"
    with pytest.raises(CommandError, match=said):
        call_command("draw_responses", "small", n=n + 1, out=out)
    assert not out.exists()
    out.write_text("mine")
    with pytest.raises(CommandError, match="is there already"):
        call_command("draw_responses", "small", n=1, out=out)
    assert out.read_text() == "mine"
    assert said in text_of(page.get(f"{PAGE}drawn.csv?n={n + 1}", follow=True))
    refused = page.get(f"{API}?n={n + 1}")
    assert (refused.status_code, said in text_of(refused)) == (400, True)
    assert page.get(f"{API}?n=0").status_code == 400
    assert "Seed: " in text_of(page.get(f"{PAGE}drawn.csv?seed=x", follow=True))
