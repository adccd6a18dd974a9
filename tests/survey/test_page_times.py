"""When each page was shown and answered, also where the server's clock is set back meanwhile."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from survey.answers import LastPage, record_instructions, record_shown
from survey.models import PageTime, Participant, Presentation, Study
from survey.simulated import clock
from survey.tidy import (
    CHECK_COLUMNS,
    PAGE_TIME_COLUMNS,
    PARTICIPANT_COLUMNS,
    PRESENTATION_COLUMNS,
    TAKING_PART_COLUMNS,
    check_rows,
    page_time_rows,
    participant_rows,
    presentation_rows,
    rating_rows,
)
from tests.survey import small_study
from tests.survey.test_screening import RIGHT, SCREENING, WRONG
from tests.survey.visiting import begin

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
CLOSING = """
closing:
  - {kind: text, name: remarks, question: Anything else?}
"""
pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return small_study.load(yaml=small_study.YAML + SCREENING + CLOSING)


class Rater:
    """A simulated rater: their requests carry their time."""

    def __init__(self) -> None:
        self.client = Client()
        self.at = START
        self.get("?PROLIFIC_PID=SIM1")

    @property
    def _headers(self) -> dict[str, str]:
        return {clock.HEADER: clock.sign(person="SIM1", at=self.at, order_seed=1)}

    def get(self, page: str) -> str:
        reply = self.client.get(f"/s/small/{page}", headers=self._headers, follow=True)
        return reply.content.decode()

    def send(self, page: str, seconds: float = 0, **form: str) -> None:
        """Look at a page for some time and send it."""
        self.get(page)
        self.at += timedelta(seconds=seconds)
        reply = self.client.post(f"/s/small/{page}", form, headers=self._headers)
        assert reply.status_code == 302, reply.content

    def take_all(self, seconds: Callable[[int], float] = lambda page: 10) -> None:
        """From consent to the end; page `number` for as long as `seconds` says."""
        self.send("consent/", seconds(0), agree="yes")
        self.send("page/1/", seconds(1), **RIGHT)
        for number in range(2, 10):
            html = self.get(f"page/{number}/")
            radios = {part.split('"')[0] for part in html.split('type="radio" name="')[1:]}
            form = {} if number == 9 else dict.fromkeys(radios, "2")
            self.send(f"page/{number}/", seconds(number), **form)


def table(columns: tuple[str, ...], rows: Any, study: Study) -> list[dict[str, Any]]:
    found = rows(study, [Participant.Source.SIMULATED])
    return [dict(zip(columns, row, strict=True)) for row in found]


def test_every_page_has_its_times_in_order(study: Study) -> None:
    Rater().take_all(lambda page: 10 + page)
    pages = table(PAGE_TIME_COLUMNS, page_time_rows, study)
    kinds = ["consent", "screening", "instructions", *["block"] * 4, "closing", "demographics"]
    check = next(page["page"] for page in pages if page["kind"] == "check")
    kinds.insert(check, "check")
    assert [(page["page"], page["kind"]) for page in pages] == list(enumerate(kinds))
    assert [page["seconds"] for page in pages] == [10 + number for number in range(10)]
    blocks = {page["name"] for page in pages if page["kind"] == "block"}
    assert blocks == {"S1/1", "S1/2", "S2/1", "S2/2"}
    assert pages[check]["name"] == "check_1"
    assert pages[0]["shown_at"] == "2026-01-05T09:00:00Z"
    answered = [page["answered_at"] for page in pages[:-1]]
    assert [page["shown_at"] for page in pages[1:]] == answered
    assert {page["clock_stepped"] for page in pages} == {False}

    [row] = table(CHECK_COLUMNS, check_rows, study)
    assert {name: row[name] for name in ("shown_at", "answered_at", "seconds")} == {
        name: pages[check][name] for name in ("shown_at", "answered_at", "seconds")
    }


def test_a_page_keeps_the_time_when_it_was_first_shown_and_first_answered(study: Study) -> None:
    rater = Rater()
    rater.send("consent/", 5, agree="yes")
    rater.send("page/1/", 5, **RIGHT)
    rater.get("page/2/")
    rater.at += timedelta(seconds=30)
    rater.send("page/2/", 5)
    rater.send("page/2/", 60)  # the instructions once more
    times = PageTime.objects.get(kind="instructions")
    assert times.shown_at == START + timedelta(seconds=10)
    assert times.answered_at == START + timedelta(seconds=45)


def test_page_that_was_sent_without_being_asked_for_has_an_answer_alone(study: Study) -> None:
    participant = begin(Client())
    Participant.objects.update(pages_done=1)
    record_instructions(participant=participant, device={}, page=2, last=LastPage(9), at=START)
    times = PageTime.objects.get()
    assert (times.shown_at, times.answered_at) == (None, START)


def test_those_who_decline_or_are_screened_out_have_times_until_there(study: Study) -> None:
    rater = Rater()
    rater.send("consent/", 5, agree="yes")
    rater.send("page/1/", 7, **WRONG)
    pages = table(PAGE_TIME_COLUMNS, page_time_rows, study)
    assert [(page["kind"], page["seconds"]) for page in pages] == [("consent", 5), ("screening", 7)]

    Participant.objects.all().delete()
    assert not PageTime.objects.exists()
    Rater().send("consent/", 3, decline="yes")
    [page] = table(PAGE_TIME_COLUMNS, page_time_rows, study)
    assert (page["kind"], page["seconds"]) == ("consent", 3)


def test_showing_a_page_takes_one_query_more_until_it_is_answered(study: Study) -> None:
    client = Client()
    begin(client)
    client.post("/s/small/page/1/", RIGHT)

    def about_times() -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            client.get("/s/small/page/2/")
        return [query["sql"] for query in queries if "survey_pagetime" in query["sql"]]

    assert [len(about_times()), len(about_times())] == [1, 1]
    client.post("/s/small/page/2/")
    assert about_times() == []


@pytest.mark.django_db(transaction=True)
def test_page_that_is_shown_while_somebody_withdraws_leaves_nothing(study: Study) -> None:
    participant = begin(Client())
    gone = Participant.objects.get(pk=participant.pk)
    participant.delete()
    with pytest.raises(Participant.DoesNotExist):
        record_shown(participant=gone, kind="instructions", page=2, at=START)
    assert not PageTime.objects.exists()


# ── The server's clock is set back ───────────────────────────────────────────────────────────


def person_of(study: Study) -> dict[str, Any]:
    [row] = participant_rows(study, [Participant.Source.SIMULATED])
    return dict(zip(PARTICIPANT_COLUMNS + TAKING_PART_COLUMNS, row, strict=False))


@pytest.mark.parametrize(
    "back", [pytest.param(30, id="within the survey"), pytest.param(3600, id="to before it")]
)
def test_times_across_a_clock_that_was_set_back_are_empty_and_flagged(
    study: Study, back: int
) -> None:
    steps_at = 3  # the first block, after 30 seconds
    Rater().take_all(lambda page: -back if page == steps_at else 10)
    assert not any(
        seconds is not None and seconds < 0
        for row in rating_rows(study, [Participant.Source.SIMULATED])
        for seconds in [row[-3]]
    )
    for columns, rows, seconds in (
        (PAGE_TIME_COLUMNS, page_time_rows, "seconds"),
        (PRESENTATION_COLUMNS, presentation_rows, "block_seconds"),
    ):
        flagged = [row[seconds] for row in table(columns, rows, study) if row["clock_stepped"]]
        others = [row[seconds] for row in table(columns, rows, study) if not row["clock_stepped"]]
        assert flagged == [None]
        assert set(others) == {10}
    person = person_of(study)
    assert (person["status"], person["duration_seconds"]) == ("completed", None)
    assert person["clock_stepped"] is True


def test_survey_with_a_clock_that_goes_on_is_not_flagged(study: Study) -> None:
    Rater().take_all()
    person = person_of(study)
    assert (person["duration_seconds"], person["clock_stepped"]) == (90, False)


def test_page_that_is_sent_twice_in_either_order_is_no_clock_set_back(study: Study) -> None:
    participant = begin(Client())
    Participant.objects.update(pages_done=1)
    for seconds, stepped in [(1000, False), (995, False), (900, True), (2000, True)]:
        record_instructions(
            participant=participant,
            device={},
            page=2,
            last=LastPage(9),
            at=participant.arrived_at + timedelta(seconds=seconds),
        )
        participant.refresh_from_db()
        assert participant.clock_stepped is stepped, seconds


def test_people_from_before_are_flagged_by_the_times_that_they_have(study: Study) -> None:
    Rater().take_all()
    begin(Client())
    somebody = Participant.objects.get(source=Participant.Source.SIMULATED)
    migration = import_module("survey.migrations.0003_focus_and_page_times")
    migration.find_clock_steps(apps, None)
    assert not Participant.objects.filter(clock_stepped=True).exists()

    page = Presentation.objects.filter(participant=somebody, position=2)
    page.update(answered_at=START - timedelta(hours=1))
    migration.find_clock_steps(apps, None)
    assert list(Participant.objects.filter(clock_stepped=True)) == [somebody]
