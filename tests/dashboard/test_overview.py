"""The live state of a study: over time, page by page, in minutes, and what needs attention."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from analysis.models import AnalysisRun
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from dashboard.overview.drop_off import drop_off
from dashboard.overview.durations import NEWEST, Timing, timing
from dashboard.overview.live_warnings import SWEEPS
from dashboard.overview.over_time import HOUR, OverTime, over_time
from dashboard.overview.visits import Visits, visits_of
from judge.models import Judge
from survey.content import content_of
from survey.models import Participant, Slot, Study
from survey.studies import set_state
from tests.dashboard.reading import table_headed, text_of
from tests.factories import add_participant, make_study
from tests.survey import small_study

# What pages show and say; test_pages.py opens them on every database.
pytestmark = pytest.mark.embedded

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
LONG_AGO = START - timedelta(hours=3)


def person(study: Study, status: str = "completed", minutes: float = 10, **told: Any) -> None:
    """A rater from Prolific who arrived at START and was just seen, unless told."""
    start = told.setdefault("arrived_at", START)
    end = start + timedelta(minutes=minutes) if status == "completed" else None
    times = {"started_at": start, "last_seen_at": START, "finished_at": end}
    Participant.objects.create(
        study=study, status=status, **{"source": "prolific", **times, **told}
    )


def visits(study: Study) -> Visits:
    since = START - timedelta(minutes=1)
    return visits_of(study, ["prolific", "import"], inactive_since=since)


def shown_over_time(study: Study) -> OverTime | None:
    came = visits(study)
    return over_time(came.arrivals, came.completions)


# ── Results ──────────────────────────────────────────────────────────────────────────────────


def test_what_the_newest_analysis_says_stands_here_below_the_live_state_while_raters_come(
    page: Client, study: Study, run: AnalysisRun
) -> None:
    text = text_of(page.get("/studies/small/"))
    assert "3 of 4 raters included" in text and "All results" in text
    assert "Tuned has the higher observed mean in 3 of 4 comparisons" in text
    who_counts = "1 is excluded by rule: 1 “Too fast or too slow”"
    assert text.index("Tuned has the higher observed mean") < text.index(who_counts)
    assert "Cleaned ratings of all included raters: ratings.csv" in text
    assert text.index("Live state") < text.index("All results")
    set_state(study=study, state="closed")
    text = text_of(page.get("/studies/small/"))
    assert text.index("All results") < text.index("Live state")


def test_a_study_without_an_analysis_shows_no_results(page: Client, study: Study) -> None:
    assert "All results" not in text_of(page.get("/studies/small/"))


# ── Page by page ─────────────────────────────────────────────────────────────────────────────


def reached(study: Study) -> list[tuple[int, int, int]]:
    """Of each page how many reached it, left at it, and are at it."""
    came = visits(study)
    pages = drop_off(came.completed, came.unfinished, content_of(study))
    return [(page.reached, page.left, page.here) for page in pages]


def test_pages_are_reached_by_those_who_came_so_far_and_left_by_those_who_went(db: None) -> None:
    study = small_study.load()
    person(study)
    person(study, "declined")
    person(study, "arrived", last_seen_at=LONG_AGO)
    person(study, "in_progress", pages_done=2)
    person(study, "in_progress", pages_done=2, last_seen_at=LONG_AGO)
    person(study, "in_progress", pages_done=2, returned_at=START)
    person(study, source="import")
    at_consent, instructions, block, third, *rest = reached(study)
    assert at_consent == (6, 2, 0)
    assert instructions == block == (4, 0, 0)
    assert third == (4, 2, 1)
    assert rest == [(1, 0, 0)] * 4


def test_people_screened_out_left_at_the_page_that_they_sent(db: None) -> None:
    study = small_study.load(yaml=small_study.EVERYTHING_YAML)
    person(study, "screened_out", pages_done=1)
    person(study)
    assert reached(study)[:3] == [(2, 0, 0), (2, 1, 0), (1, 0, 0)]


def test_people_who_failed_the_comprehension_check_left_there(db: None) -> None:
    study = small_study.load(yaml=small_study.YAML + small_study.COMPREHENSION)
    person(study, "failed_comprehension", pages_done=2)
    person(study)
    assert reached(study)[:4] == [(2, 0, 0), (2, 0, 0), (2, 1, 0), (1, 0, 0)]


def test_pages_are_named_by_what_they_are(page: Client, db: None) -> None:
    study = small_study.load()
    add_participant(study, pseudonym="eva")
    shown = table_headed(page.get("/studies/small/"), "Page")
    assert [row[0] for row in shown[1:]] == [
        "Consent",
        "1. Instructions",
        *(f"{number}. Block or attention check" for number in range(2, 7)),
        "7. Demographics",
    ]


# ── Over time ────────────────────────────────────────────────────────────────────────────────


def test_arrivals_and_completions_add_up_by_the_hour(db: None) -> None:
    study = small_study.load()
    for hours in (0, 0, 1, 48):
        person(study, arrived_at=START + hours * HOUR, minutes=40)
    person(study, "in_progress")
    person(study, source="import")
    found = shown_over_time(study)
    assert found is not None
    assert found.step == HOUR and found.intervals[0].start == START.replace(minute=0)
    assert [(i.arrived, i.completed) for i in found.intervals[:3]] == [(3, 0), (1, 2), (0, 1)]
    assert (found.last.all_arrived, found.last.all_completed) == (5, 4)


def test_a_study_of_some_hours_is_shown_by_ten_minutes(db: None) -> None:
    study = small_study.load()
    person(study, arrived_at=START + timedelta(minutes=9), minutes=11)
    person(study, "in_progress", arrived_at=START + timedelta(minutes=11))
    found = shown_over_time(study)
    assert found is not None
    assert found.step == timedelta(minutes=10) and found.intervals[0].start == START
    assert [(i.arrived, i.completed) for i in found.intervals] == [(1, 0), (1, 0), (0, 1)]


@pytest.mark.parametrize(("days", "most"), [(0, 2), (0.4, 100), (2, 100), (50, 100), (3000, 110)])
def test_however_long_a_study_runs_its_table_is_short(db: None, days: float, most: int) -> None:
    study = small_study.load()
    person(study, "in_progress")
    person(study, arrived_at=START + timedelta(days=days), minutes=5)
    found = shown_over_time(study)
    assert found is not None
    assert len(found.intervals) <= most
    assert (found.last.all_arrived, found.last.all_completed) == (2, 1)


def test_the_chart_ends_at_what_has_come_together(db: None) -> None:
    study = small_study.load()
    person(study, minutes=5)
    person(study, "in_progress")
    found = shown_over_time(study)
    assert found is not None
    assert (found.arrived_path, found.completed_path) == (
        "M0.0 100.0L1000.0 0.0",
        "M0.0 100.0L1000.0 50.0",
    )


def test_imports_alone_have_neither_arrivals_nor_pages(page: Client, study: Study) -> None:
    study.participants.update(source="import")
    said = text_of(page.get("/studies/small/"))
    assert "Arrivals and completions" not in said and "Drop-off" not in said
    assert "median of" in said


# ── Minutes ──────────────────────────────────────────────────────────────────────────────────


def timed(study: Study) -> Timing:
    people = study.participants.filter(source__in=["prolific", "import"])
    return timing(people, visits(study).timed)


def test_quartiles_are_of_all_who_completed_and_of_the_newest(db: None) -> None:
    study = small_study.load()
    minutes = [*range(60, 60 + NEWEST), 10, 20, 30, 40, 50]
    for days, length in enumerate(minutes):
        person(study, minutes=length, arrived_at=START + timedelta(days=days))
    person(study, "in_progress")
    person(study, minutes=1, clock_stepped=True)
    person(study, minutes=-1)
    person(study, source="simulated")
    found = timed(study)
    for durations, of in ((found.everybody, minutes), (found.newest, minutes[-NEWEST:])):
        assert durations is not None and durations.n == len(of)
        quartiles = durations.lower, durations.median, durations.upper
        assert quartiles == pytest.approx(np.quantile(of, [0.25, 0.5, 0.75]))


def test_imported_people_took_what_their_file_says(db: None) -> None:
    study = small_study.load()
    person(study, source="import", imported_duration_seconds=90, finished_at=None)
    person(study, source="import", minutes=3.5)
    found = timed(study).everybody
    assert found is not None
    assert (found.n, found.lower, found.median, found.upper) == (2, 2.0, 2.5, 3.0)


def test_one_person_is_their_own_median_and_nobody_has_none(db: None) -> None:
    study = small_study.load()
    person(study, "in_progress")
    assert timed(study).everybody is None
    person(study, minutes=12)
    alone = timed(study)
    assert alone.everybody is not None and alone.everybody.median == 12
    assert alone.newest is None


# ── What needs attention ─────────────────────────────────────────────────────────────────────


def warned(page: Client, query: str = "") -> str:
    """The warnings of the small study, in one text."""
    shown = page.get(f"/studies/small/{query}").content.decode()
    _, _, after = shown.partition('<ul class="warnings"')
    return after.partition("</ul>")[0]


@pytest.fixture
def quiet(study: Study) -> Study:
    """The study of these tests, where nothing is to be said."""
    study.state = "paused"
    study.definition["estimated_minutes"] = 20
    study.save()
    return study


def test_a_study_that_runs_well_has_no_warning(page: Client, quiet: Study) -> None:
    assert warned(page) == ""


def many(study: Study, n: int, **told: Any) -> None:
    for number in range(n):
        add_participant(study, pseudonym=f"{told.get('source', 'p')}{number}", **told)


def waits_for_a_worker(study: Study) -> None:
    AnalysisRun.objects.create(
        study=study,
        rule_set=current_rule_set(study),
        recipe_set=current_recipe_set(study),
        sources=[],
        created_at=timezone.now() - timedelta(hours=3),
    )


def nobody_comes(study: Study) -> None:
    Study.objects.update(state="open")


def more_inactive_than_free(study: Study) -> None:
    study.settings["places"]["maximum"] = 6
    study.save()
    many(study, 4, status="in_progress")
    people = study.participants.filter(status="in_progress")
    for number, one in enumerate(people):
        Slot.objects.create(study=study, pool="real", number=number, participant=one)
    people.update(held_pool="real")


def left_at_a_page(study: Study) -> None:
    many(study, 3, status="in_progress")


def slow(study: Study) -> None:
    study.definition["estimated_minutes"] = 10
    study.save()
    many(study, 4)


def quick(study: Study) -> None:
    study.definition["estimated_minutes"] = 60
    study.save()
    many(study, 4)


def inattentive(study: Study) -> None:
    many(study, 8, checks_passed=False)


def without_gold(study: Study) -> None:
    study.gold_decisions.all().delete()


def clock_set_back(study: Study) -> None:
    Participant.objects.filter(pseudonym="ann").update(clock_stepped=True)


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (waits_for_a_worker, "No worker has taken up waiting work for 3 hours."),
        (nobody_comes, "though the study is open."),
        (more_inactive_than_free, "4 participants are inactive and only 2 slots are free."),
        (left_at_a_page, "3 of 7 people (43 %) left at page 1 (instructions)."),
        (slow, "Paid for 10 minutes, they earn 50 % of the planned pay per hour."),
        (quick, "Paid for 60 minutes, they earn 300 % of the planned pay per hour."),
        (inattentive, "8 of the 12 who completed (67 %) failed an attention check."),
        (without_gold, "gold scores are missing, so the rule “Low variance and far from gold”"),
        (clock_set_back, "The server’s clock was set back while 1 person took part"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    page: Client, quiet: Study, harm: Callable[[Study], None], said: str
) -> None:
    harm(quiet)
    assert said in warned(page)


def test_a_judge_that_was_stopped_is_a_warning(page: Client, quiet: Study, judge: Judge) -> None:
    Judge.objects.filter(pk=judge.pk).update(stopped="the key was refused")
    assert "was stopped: the key was refused." in warned(page)


def test_work_that_waits_its_turn_behind_other_work_is_none(page: Client, quiet: Study) -> None:
    waits_for_a_worker(quiet)
    now = timezone.now()
    other = make_study(slug="other")
    waits_for_a_worker(other)
    other.analysis_runs.update(state="running", lease_until=now + timedelta(minutes=1))
    assert "No worker" not in warned(page)
    assert SWEEPS > 4, "who was just woken may still be on the way"


def test_who_opened_the_study_a_minute_ago_waits_without_a_warning(
    page: Client, quiet: Study, researcher: User
) -> None:
    quiet.participants.all().delete()
    set_state(study=quiet, state="open", author=researcher)
    assert "Nobody has arrived" not in warned(page)
    quiet.events.update(at=timezone.now() - timedelta(hours=5))
    assert "Nobody has arrived for 5 hours" in warned(page)


# ── A rehearsal ──────────────────────────────────────────────────────────────────────────────


def test_a_rehearsal_shows_its_test_people(page: Client, quiet: Study) -> None:
    quiet.participants.all().delete()
    many(quiet, 3, source="preview", status="in_progress")
    many(quiet, 5, source="simulated", minutes=90)
    Study.objects.update(state="open", is_rehearsal=True)
    answer = page.get("/studies/small/")
    said = text_of(answer)
    assert "These numbers include preview and simulated participants" in said
    assert table_headed(answer, "Page")[1][1] == "8"
    assert "Half of the 5 who completed took 90.0 minutes" in said
    assert "Nobody has arrived for" not in said
    assert warned(page, "?include=none") == ""
