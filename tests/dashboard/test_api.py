"""The API gives what the pages show, and describes itself fully."""

import codecs
import csv
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from config.version import VERSION
from dashboard.accounts.tokens import create_token
from dashboard.api.throttling import RequestsOfToken
from dashboard.api.urls import api_patterns
from judge.models import GoldDecision, Judge
from survey.models import Rating, Study
from survey.tidy import counted_sources
from tests.dashboard.conftest import likes_tuned
from tests.dashboard.judging import answer_calls, planned
from tests.factories import add_participant, make_study

# What is read: the database changes nothing of it.
pytestmark = pytest.mark.embedded

REAL = ["prolific", "link", "import"]


def test_token_opens_the_api(client: Client, researcher: User, study: Study) -> None:
    key = create_token(user=researcher, name="notebook", expires_at=None)
    answer = client.get("/api/studies/", headers={"authorization": f"Token {key}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_staff": False}])
def test_token_of_somebody_who_lost_access_opens_nothing(
    client: Client, researcher: User, study: Study, change: dict[str, bool]
) -> None:
    key = create_token(user=researcher, name="notebook", expires_at=None)
    User.objects.update(**change)
    answer = client.get("/api/studies/", headers={"authorization": f"Token {key}"})
    assert answer.status_code in (401, 403)


def test_studies_lists_versions_with_counts(page: Client, study: Study) -> None:
    make_study(slug="other")
    answer = page.get("/api/studies/").json()
    assert [row["name"] for row in answer["results"]] == ["other@1", "small@1"]
    assert answer["results"][1] == {
        "name": "small@1",
        "slug": "small",
        "version": 1,
        "title": "The small study",
        "state": "open",
        "is_rehearsal": False,
        "loaded_at": study.loaded_at.isoformat().replace("+00:00", "Z"),
        "frozen_at": None,
        "content_hash": study.content_hash,
        "arrived": 4,
        "in_progress": 0,
        "completed": 4,
        "not_counted": 1,
    }
    assert page.get("/api/studies/small/").json() == answer["results"][1]


def test_counts_are_those_of_the_overview(page: Client, study: Study, run: AnalysisRun) -> None:
    answer = page.get("/api/studies/small/counts/").json()
    everybody = {
        "arrived": 4, "reading": 0, "active": 0, "silent": 0, "completed": 4, "declined": 0,
        "screened_out": 0, "failed_comprehension": 0, "excluded": {"duration": 1},
    }  # fmt: skip
    robot = everybody | {"arrived": 1, "completed": 1, "excluded": {}}
    assert answer["real"] == everybody
    assert answer["sources"] == [
        everybody | {"source": "link", "is_counted": True},
        robot | {"source": "simulated", "is_counted": False},
    ]
    assert answer["inactive_minutes"] == 120
    assert datetime.fromisoformat(answer["analysed_at"]) == run.finished_at


def test_raters_of_the_newest_run(page: Client, study: Study, run: AnalysisRun) -> None:
    answer = page.get("/api/studies/small/raters/").json()
    assert answer["run"]["id"] == run.pk
    assert answer["run"]["snapshot_hash"] == run.snapshot_hash
    assert (answer["run"]["sources"], answer["run"]["gold"]) == (REAL, "imported")
    assert [row["participant"] for row in answer["results"]] == ["ann", "ben", "cat", "dot"]
    assert answer["results"][3] == {
        "participant": "dot",
        "source": "link",
        "flags": "",
        "n_ratings": 12,
        "duration_seconds": 120.0,
        "sigma": 0.0,
        "mae": 0.5,
        "included": False,
        "exclusion": "duration",
        "value": {"minutes": 2.0},
        "threshold": {"minimum": 10.0, "maximum": 75.0},
    }


def test_raters_with_simulated_are_named(
    page: Client, study: Study, run: AnalysisRun, run_with_simulated: AnalysisRun
) -> None:
    answer = page.get("/api/studies/small/raters/?include=simulated").json()
    assert answer["run"]["sources"] == [*REAL, "simulated"]
    assert [row["participant"] for row in answer["results"] if row["source"] == "simulated"] == [
        "robot"
    ]


def test_raters_without_analysis(page: Client, study: Study) -> None:
    nobody: dict[str, Any] = {"run": None, "next": None, "previous": None, "results": []}
    assert page.get("/api/studies/small/raters/").json() == nobody


def test_wins_of_the_newest_run(page: Client, study: Study, run: AnalysisRun) -> None:
    answer = page.get("/api/studies/small/wins/").json()
    winners = [(row["model"], row["scenario"], row["winner"]) for row in answer["wins"]]
    assert sorted(winners) == [
        ("Ant", "S1", "b"), ("Ant", "S2", "b"), ("Bee", "S1", "b"), ("Bee", "S2", "a"),
    ]  # fmt: skip
    assert answer["summary"][-1] == {
        "scenario": "all",
        "dimension": "warmth",
        "a_wins": 1,
        "b_wins": 3,
        "ties": 0,
        "a_percent": 25.0,
        "b_percent": 75.0,
        "reference_points": 8,
        "reference_points_max": 8,
        "reference_percent": 100.0,
        "not_compared": 0,
    }


def test_wins_of_a_study_without_contrast_say_why(page: Client, db: None) -> None:
    study = make_study(contrast=None)
    add_participant(study, pseudonym="ann")
    finished_run(study=study, sources=counted_sources())
    answer = page.get("/api/studies/small/wins/").json()
    assert answer["absent"] == "the study names no two conditions to compare"
    assert answer["wins"] == answer["summary"] == []


def text(value: Any) -> str:
    """A JSON value as a cell of a CSV."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def test_ratings_are_those_of_the_export(page: Client, study: Study, run: AnalysisRun) -> None:
    answer = page.get("/api/studies/small/ratings/").json()
    file = page.get("/api/studies/small/exports/ratings_all.csv")
    exported = list(csv.DictReader(file.getvalue().decode().splitlines()))
    shown = [
        {column: text(value) for column, value in row.items() if column != "source"}
        for row in answer["results"]
    ]
    assert len(exported) == answer["count"] == 48

    def key(row: dict[str, str]) -> list[str]:
        return [row[column] for column in ("participant", "scenario", "set", "model", "condition")]

    for row in [*exported, *shown]:
        for column in ("gold", "block_seconds"):
            row[column] = text(float(row[column]))
    assert sorted(shown, key=key) == sorted(exported, key=key)


def test_ratings_come_in_pages_that_name_whose_they_are(page: Client, study: Study) -> None:
    first = page.get("/api/studies/small/ratings/?include=simulated&limit=40").json()
    assert (first["count"], len(first["results"])) == (60, 40)
    assert first["sources"] == [*REAL, "simulated"]
    assert first["gold"] == "imported"
    second = page.get(first["next"]).json()
    assert {row["participant"] for row in first["results"] + second["results"]} == {
        "ann", "ben", "cat", "dot", "robot",
    }  # fmt: skip


def test_half_points_are_given_as_such(page: Client, study: Study) -> None:
    rating = Rating.objects.filter(presentation__participant__pseudonym="ann").earliest("id")
    Rating.objects.filter(pk=rating.pk).update(value=3.5)
    shown = page.get("/api/studies/small/ratings/?limit=2").json()["results"]
    assert [json.dumps(row["rating"]) for row in shown] == ["3.5", "2"]


def ratings_along(page: Client, url: str | None, link: str) -> list[list[dict[str, Any]]]:
    """The pages that follow each other by this link."""
    pages = []
    while url is not None:
        answer = page.get(url).json()
        assert answer["count"] == 60
        pages.append(answer["results"])
        url = answer[link]
    return pages


@pytest.mark.parametrize("limit", [5, 7, 12, 59, 60, 1000])
def test_links_lead_through_every_rating_once_and_back(
    page: Client, study: Study, limit: int
) -> None:
    start = f"/api/studies/small/ratings/?include=simulated&limit={limit}"
    there = ratings_along(page, start, "next")
    everything = page.get(start.replace(f"limit={limit}", "limit=60")).json()["results"]
    assert [row for rows in there for row in rows] == everything
    assert [len(rows) for rows in there[:-1]] == [limit] * (len(there) - 1)
    last = start
    while (following := page.get(last).json()["next"]) is not None:
        last = following
    back = ratings_along(page, last, "previous")
    assert back[::-1] == there


def test_ratings_that_come_or_go_shift_no_page(page: Client, study: Study) -> None:
    first = page.get("/api/studies/small/ratings/?limit=24").json()  # Ann's and Ben's
    study.participants.get(pseudonym="ann").delete()
    second = page.get(first["next"]).json()
    assert [row["participant"] for row in second["results"]] == ["cat"] * 12 + ["dot"] * 12
    assert second["count"] == 36


@pytest.mark.parametrize("place", ["", "1", "1.2", "1.2.x", "1.2.3.4", "-1.2.3", "9" * 30 + ".1.1"])
@pytest.mark.parametrize("name", ["after", "before"])
def test_place_that_is_none_is_refused(page: Client, study: Study, name: str, place: str) -> None:
    answer = page.get(f"/api/studies/small/ratings/?{name}={place}")
    assert answer.status_code == 400
    said = f"{place!r} is no place in the list: take it from the links next and previous."
    assert answer.json() == {name: [said]}


def test_page_is_after_or_before_a_rating_not_both(page: Client, study: Study) -> None:
    answer = page.get("/api/studies/small/ratings/?after=1.1.1&before=2.2.2")
    assert (answer.status_code, list(answer.json())) == (400, ["before"])


def test_place_of_another_study_shows_nothing_of_it(page: Client, study: Study) -> None:
    other = make_study(slug="other")
    add_participant(other, pseudonym="zoe")
    shown = page.get("/api/studies/small/ratings/?limit=60").json()
    assert (shown["next"], len(shown["results"])) == (None, 48)
    end = "999999999.1.1"
    assert page.get(f"/api/studies/small/ratings/?after={end}").json()["results"] == []
    before = page.get(f"/api/studies/small/ratings/?before={end}").json()
    assert before["results"] == shown["results"]
    assert before["previous"] is None


def test_too_many_requests_of_a_token_wait_and_others_do_not(
    client: Client, researcher: User, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    monkeypatch.setattr(RequestsOfToken, "THROTTLE_RATES", {"api": "3/min"})
    tokens = [
        create_token(user=user, name="notebook", expires_at=None)
        for user in (researcher, User.objects.create_user("bob", is_staff=True))
    ]

    def ask(token: str) -> Any:
        return client.get("/api/studies/", headers={"authorization": f"Token {token}"})

    assert [ask(tokens[0]).status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = ask(tokens[0])
    assert 0 < int(refused["Retry-After"]) <= 60
    assert "Request was throttled" in refused.json()["detail"]
    assert ask(tokens[1]).status_code == 200


def test_ratings_name_a_stand_in(page: Client, study: Study, settings: Any) -> None:
    settings.JUDGE_STAND_IN = True
    GoldDecision.objects.all().delete()
    judge = planned(study, name="puppet", replicates=1)
    answer_calls(judge.calls.filter(response__text="Ant plain answers S1"), lambda *_: 2)
    shown = page.get("/api/studies/small/ratings/").json()
    assert shown["gold"] == "puppet@1 (stand-in, no language model)"
    assert {row["gold"] for row in shown["results"]} == {2.0, None}


@pytest.mark.parametrize("address", ["raters/", "wins/", "ratings/", "exports/ratings.csv"])
def test_include_of_something_else_is_refused(
    page: Client, study: Study, run: AnalysisRun, address: str
) -> None:
    answer = page.get(f"/api/studies/small/{address}?include=everybody")
    assert answer.status_code == 400
    said = "include takes panel or simulated or preview or none, not everybody."
    assert answer.json() == {"include": [said]}


@pytest.mark.parametrize(
    "file", ["participants.csv", "ratings.csv", "ratings_all.csv", "gold.csv", "codebook.csv"]
)
def test_export_is_the_file_of_the_page(
    page: Client, study: Study, run: AnalysisRun, file: str
) -> None:
    answer = page.get(f"/api/studies/small/exports/{file}")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    of_page = page.get(f"/studies/small/downloads/{file}").getvalue()
    assert of_page == codecs.BOM_UTF8 + answer.getvalue()


def test_exports_lists_what_can_be_downloaded_and_where(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    answer = page.get("/api/studies/small/exports/").json()
    assert answer["run"]["id"] == run.pk
    files = {row["file"]: row for row in answer["files"]}
    assert files["ranks.csv"] == {
        "file": "ranks.csv",
        "about": "The ranks and choices of all raters",
        "absent": "the study asks for no ranks and no choices",
        "url": None,
    }
    there = {name: row["url"] for name, row in files.items() if not row["absent"]}
    assert list(there) == [
        "participants.csv", "ratings.csv", "ratings_all.csv", "gold.csv", "judge_scores.csv",
        "presentations.csv", "shown_responses.csv", "attention_checks.csv", "page_times.csv",
        "certificate.csv", "codebook.csv",
    ]  # fmt: skip
    for name, url in there.items():
        assert url == f"http://testserver/api/studies/small@1/exports/{name}"
        assert page.get(url).status_code == 200


def test_exports_with_simulated_lead_to_files_with_them(
    page: Client, study: Study, run: AnalysisRun, run_with_simulated: AnalysisRun
) -> None:
    answer = page.get("/api/studies/small/exports/?include=simulated").json()
    assert answer["run"]["id"] == run_with_simulated.pk
    people = page.get(answer["files"][0]["url"]).getvalue().decode()
    assert "robot,simulated," in people


def test_exports_without_analysis_are_none(page: Client, study: Study) -> None:
    assert page.get("/api/studies/small/exports/").json() == {"run": None, "files": []}


def test_export_without_analysis_says_why(page: Client, study: Study) -> None:
    answer = page.get("/api/studies/small/exports/ratings.csv")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "No analysis of small@1 has finished yet."}


def routes_of(patterns: list[Any], before: str) -> Iterator[str]:
    for pattern in patterns:
        path = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from routes_of(pattern.url_patterns, path)
        else:
            yield path


def test_schema_describes_every_address_without_a_warning(page: Client, tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    call_command(
        "spectacular", format="openapi-json", validate=True, fail_on_warn=True, file=str(file)
    )
    schema = json.loads(file.read_text())
    routes = {re.sub(r"<\w+:(\w+)>", r"{\1}", route) for route in routes_of(api_patterns, "/api/")}
    assert set(schema["paths"]) == routes - {"/api/schema/"}
    judge = schema["components"]["schemas"]["Judge"]["properties"]
    assert judge["stopped"]["description"] == Judge._meta.get_field("stopped").help_text
    assert page.get("/api/schema/").status_code == 200


@pytest.mark.embedded
def test_query_count_does_not_grow_with_people(page: Client, study: Study) -> None:
    def queries(name: str) -> int:
        page.get(f"/api/studies/small/{name}")
        with CaptureQueriesContext(connection) as captured:
            assert page.get(f"/api/studies/small/{name}").status_code == 200
        return len(captured)

    names = ["", "counts/", "judges/", "raters/", "wins/", "ratings/", "exports/"]
    study.participants.exclude(pseudonym="ann").delete()
    finished_run(study=study, sources=counted_sources())
    with_one = {name: queries(name) for name in names}
    for pseudonym in ("eve", "fay"):
        add_participant(study, pseudonym=pseudonym, rate=likes_tuned)
    finished_run(study=study, sources=counted_sources())
    assert {name: queries(name) for name in names} == with_one


def test_schema_takes_no_version_from_the_address(page: Client, study: Study) -> None:
    answer = page.get("/api/schema/?version=%00%22x")
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'inline; filename="Fivefold ({VERSION}).yaml"'
