"""Tables of the newest analysis and the judges' missing calls, by the API."""

import csv
import io

import pytest
from django.test import Client

from analysis import catalogue
from analysis.models import AnalysisRun
from judge.models import Call, Judge
from survey.models import Study
from tests.dashboard.judging import planned
from tests.factories import make_study

pytestmark = pytest.mark.embedded  # what is stored is written as JSON; test_api.py asks on both
TABLES = "/api/studies/small/tables/"


def test_tables_are_listed_with_their_addresses_and_the_rest_with_reasons(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get(TABLES).json()
    assert answer["run"]["id"] == run.pk
    listed = {row["table"]: row for row in answer["tables"]}
    assert listed["funnel"]["about"] == catalogue.table("funnel").title
    assert {"funnel", "wins", "raters"} < set(listed)
    assert listed["wins"]["url"] == "http://testserver/api/studies/small@1/tables/wins/"
    assert "no automatic metric was computed" in answer["absent"]["metric_means"]
    assert not set(listed) & set(answer["absent"])


def test_a_table_has_the_columns_and_rows_of_its_csv(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get(f"{TABLES}funnel/").json()
    address = f"/studies/small/results/{run.pk}/funnel.csv"
    text = b"".join(page.get(address).streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    header, *rows = csv.reader(io.StringIO(text))
    assert answer["columns"] == header
    assert [[row[column] for column in ("step", "excluded")] for row in answer["rows"]] == [
        [row[header.index("step")], int(row[header.index("excluded")])] for row in rows
    ]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("metric_means", "no automatic metric was computed: see docs/metrics.md."),
        ("nothing", "the newest analysis has no such table."),
    ],
)
def test_a_table_that_is_not_there_says_why(
    page: Client, study: Study, run: AnalysisRun, table: str, why: str
) -> None:
    answer = page.get(f"{TABLES}{table}/")
    assert answer.status_code == 404
    assert answer.json()["detail"] == f"small@1 has no table {table}: {why}"


def test_without_an_analysis_there_are_no_tables(page: Client, study: Study) -> None:
    assert page.get(TABLES).json() == {"run": None, "tables": [], "absent": {}}
    assert page.get(f"{TABLES}wins/").status_code == 404


def test_test_people_are_in_tables_where_they_are_asked_for(
    page: Client, study: Study, run: AnalysisRun, run_with_simulated: AnalysisRun
) -> None:
    answer = page.get(f"{TABLES}?include=simulated").json()
    assert answer["run"]["id"] == run_with_simulated.pk
    assert answer["tables"][0]["url"].endswith("?include=simulated")


# ── Judges ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def judged(db: None) -> Judge:
    """A judge with calls that nobody has asked for yet."""
    return planned(make_study(slug="judged"))


def test_missing_calls_are_queued_and_a_worker_is_woken(
    page: Client, judged: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[tuple[str, int]] = []
    monkeypatch.setattr("dashboard.shared.pages.wake", lambda task, row: woken.append((task, row)))
    answer = page.post("/api/studies/judged/judges/", {"judge": judged.name})
    assert answer.status_code == 202, answer.content
    assert woken == [("judge.run", judged.pk)]
    assert answer.json()["judges"][0]["judge"] == f"{judged.name}@1"
    assert Call.objects.filter(judge=judged).exists()


def test_a_judge_that_is_not_there_is_named_and_nothing_queued(page: Client, judged: Judge) -> None:
    before = Call.objects.count()
    answer = page.post("/api/studies/judged/judges/", {"judge": "nobody"})
    assert answer.status_code == 400
    assert answer.json() == {"judge": ["judged@1 has no judge 'nobody'; there are judge."]}
    assert Call.objects.count() == before
