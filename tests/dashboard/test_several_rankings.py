"""A study that ranks responses by several dimensions: imported, exported and analysed by each."""

import csv
from pathlib import Path

import pytest
from django.core.management import call_command

from survey.models import Rating, Study
from survey.tidy import counted_sources, rank_rows
from tests.dashboard.importing import Files, refusal, run
from tests.survey.wide_study import csv_of, yaml_of

pytestmark = pytest.mark.django_db
TASKS = (
    "  - {kind: ranking, question: By fluency, dimension: fluency}\n",
    "  - {kind: ranking, question: Overall, dimension: overall, ties: true}\n",
)
PEOPLE = "participant,status\nanna,completed\nbert,completed\ncora,completed\n"
HEADER = "participant,scenario,model,condition,dimension,rank\n"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    folder = tmp_path / "wide"
    folder.mkdir()
    (folder / "study.yaml").write_text(yaml_of(tasks=TASKS))
    (folder / "responses.csv").write_text(csv_of(3))
    call_command("load_study", str(folder))
    return Study.objects.get()


def ranked(*ranks: tuple[str, str, int, int, int]) -> str:
    """Rows of people who rank the three systems of the first scenario."""
    return HEADER + "".join(
        f"{name},S1,M{place},plain,{dimension},{rank}\n"
        for name, dimension, *given in ranks
        for place, rank in enumerate(given, start=1)
    )


GIVEN = ranked(
    ("anna", "fluency", 1, 2, 3),
    ("anna", "overall", 2, 1, 2),
    ("bert", "fluency", 1, 3, 2),
    ("bert", "overall", 3, 2, 1),
    ("cora", "fluency", 1, 2, 3),
    ("cora", "overall", 3, 1, 2),
)


def test_ranks_of_each_dimension_come_and_go(study: Study, files: Files, tmp_path: Path) -> None:
    run(study, files(participants=PEOPLE, ranks=GIVEN))
    assert Rating.objects.count() == 18
    before = list(rank_rows(study, counted_sources()))
    call_command("export", str(study), out=tmp_path / "out")
    study.participants.all().delete()
    run(study, {n: tmp_path / "out" / f"{n}.csv" for n in ("participants", "ranks")})
    assert list(rank_rows(study, counted_sources())) == before


def test_rows_without_a_rank_are_left_out_and_counted(study: Study, files: Files) -> None:
    given = GIVEN.replace("cora,S1,M3,plain,overall,2", "cora,S1,M3,plain,overall,")
    said = run(study, files(participants=PEOPLE, ranks=given))
    assert "ranks.csv: 1 row has no rank and is left out (first: line 19)" in said
    assert "17 ranks" in said
    assert Rating.objects.count() == 17


def test_tables_have_each_dimension_in_the_order_of_the_study(
    study: Study, files: Files, tmp_path: Path
) -> None:
    run(study, files(participants=PEOPLE, ranks=GIVEN))
    call_command("analyze", str(study), out=tmp_path / "out", images=False)
    with (tmp_path / "out" / "rankings.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["raters"] == "included"]
    means = {(row["dimension"], row["model"]): float(row["mean_rank"]) for row in rows}
    assert means["fluency", "M1"] == 1
    assert list(dict.fromkeys(row["dimension"] for row in rows)) == ["fluency", "overall"]


def test_ranks_say_by_which_dimension(study: Study, files: Files) -> None:
    given = GIVEN.replace("anna,S1,M1,plain,fluency", "anna,S1,M1,plain,")
    assert refusal(study, files(participants=PEOPLE, ranks=given)) == [
        "ranks.csv, line 2: column 'dimension': is empty; the study ranks by fluency, overall"
    ]


def test_ties_are_those_of_the_dimension(study: Study, files: Files) -> None:
    given = ranked(("anna", "fluency", 1, 1, 2))
    assert refusal(study, files(participants=PEOPLE, ranks=given)) == [
        "ranks.csv, line 3: column 'rank': 1 is on line 2 already, for the same block"
    ]
