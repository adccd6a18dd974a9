"""A table with a row for each rater is kept in parts, of which its page reads those that it shows.
What the page says is what it says of the whole table.
"""

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from analysis import table_parts
from analysis.execution import finished_run
from analysis.models import AnalysisRun, Result
from analysis.recipe import shipped_recipes
from dashboard.results.table_parts import tables_in_parts
from dashboard.shared import result_tables
from survey.tidy import counted_sources
from tests.factories import Key, add_participant, make_study
from tests.rows_read import counted_reads

pytestmark = [pytest.mark.embedded, pytest.mark.django_db]  # what a page says of a stored table
PAGE, API = "/studies/small/results/raters/", "/api/studies/small/results/raters/"
ASKED = (
    *("", "?raters=all", "?raters=*", "?recipe=paper", "?recipe=sound&raters=all"),
    *("?rater_fit-page=2", "?rater_fit-page=3&raters=*", "?rater_fit-page=99"),
    *("?rater_fit-sort=severity,-infit", "?rater_fit-sort=-dimension", "?rater_fit-sort=note"),
    *("?rater_fit-sort=infit", "?rater_fit-sort=-participant&rater_fit-page=2"),
)


@pytest.fixture
def run(db: None, monkeypatch: pytest.MonkeyPatch) -> AnalysisRun:
    """Of ten raters, one of whom was too quick; a page shows four rows, and a part has three."""
    monkeypatch.setattr(result_tables, "ROWS_SHOWN", 4)
    monkeypatch.setattr("dashboard.results.views.ROWS_SHOWN", 4)
    monkeypatch.setattr(table_parts, "ROWS_IN_PART", 3)
    study = make_study(recipes=list(shipped_recipes().values()))
    for number in range(10):

        def rate(key: Key, number: int = number) -> int:
            return 1 + (len(key[2]) + number * sum(map(ord, "".join(key)))) % 5

        add_participant(study, pseudonym=f"p{number}", rate=rate, minutes=20 if number else 1)
    return finished_run(study=study, sources=counted_sources())


def parts(run: AnalysisRun) -> list[str]:
    rows = run.results.filter(kind=Result.Kind.PAGE, name__contains=": part")
    return list(rows.values_list("name", flat=True))


def shown(client: Client, asked: str) -> str:
    (section,) = LexborHTMLParser(client.get(PAGE + asked).content).css("#rater_fit")
    return section.html or ""


def test_the_page_says_of_parts_what_it_says_of_the_whole_table(
    run: AnalysisRun, page: Client
) -> None:
    in_parts = {asked: shown(page, asked) for asked in ASKED}
    told = page.get(API).json()
    assert "rater_fit: part 6" in parts(run)
    run.results.filter(name__in=parts(run)).delete()
    whole = {asked: shown(page, asked) for asked in ASKED}
    assert in_parts == whole
    assert page.get(API).json() == told
    assert "1–4 of 9 rows" in whole[""]
    assert "<caption>" in whole[""], "what all rows have in common"


def test_a_page_reads_the_parts_that_it_shows(run: AnalysisRun) -> None:
    table = tables_in_parts(run, ["rater_fit"])["rater_fit"]
    rows = table.data({"raters": "all"})
    with counted_reads() as reads:
        assert len(rows) == 10
    assert reads.queries == 0
    with counted_reads() as reads:
        assert len(rows[4:8]) == 4
    assert (reads.queries, reads.rows) == (1, 2), "of four parts"
    with counted_reads() as reads:
        assert rows[10:] == []
    assert reads.queries == 0
    assert [row["participant"] for row in rows] == [row["participant"] for row in rows[:]]


def test_short_tables_and_those_of_no_page_are_whole(run: AnalysisRun) -> None:
    assert {name.partition(":")[0] for name in parts(run)} == {"rater_fit"}
    assert run.results.get(name="raters").content["rows"]
    assert table_parts.cut("rater_fit", {"columns": [], "rows": []}) == {}


def test_parts_are_alike_in_what_a_page_chooses_by_and_their_examples_show_what_differs() -> None:
    columns = ["recipe", "raters", "participant", "n", "note"]
    rows = [["sound", "included", "a", 1, ""], ["sound", "included", "b", 1, "few"]]
    rows += [["sound", "all", name, n, ""] for n, name in enumerate("abcd" * 300)]
    kept = table_parts.cut("rater_fit", {"columns": columns, "rows": rows})
    about = table_parts.TableParts.read(kept["rater_fit: parts"])
    assert [part.n for part in about.parts] == [2, 1000, 200]
    assert [row for place in range(3) for row in kept[f"rater_fit: part {place}"]] == rows
    assert about.parts[0].examples == [
        ["sound", "included", "a", 1, "few"],
        ["sound", "included", "b", 1, ""],
    ]
