"""Raters excluded by page, API and command are stored alike."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.models import AnalysisRun, ManualDecision
from survey.models import Study, StudyEvent
from survey.tidy import counted_sources
from tests.dashboard.conftest import Woken, likes_tuned
from tests.dashboard.reading import text_of
from tests.factories import add_participant, make_study

API = "/api/studies/small/decisions/"


@pytest.fixture
def study(db: None) -> Study:
    study = make_study()
    for name in ("ann", "ben"):
        add_participant(study, pseudonym=name, rate=likes_tuned)
    return study


@pytest.fixture
def woken(woken: Woken, monkeypatch: pytest.MonkeyPatch) -> Woken:
    """With what a command wakes."""
    monkeypatch.setattr(
        "dashboard.management.deciding.wake", lambda task, row: woken.append((task, row))
    )
    return woken


def by_page(page: Client, study: Study, *, excluded: bool, reason: str) -> str:
    address = f"/studies/small/raters/{study.participants.get(pseudonym='ann').pk}/"
    sent = {"excluded": str(excluded).lower(), "reason": reason}
    return text_of(page.post(address, sent, follow=True))


def by_api(page: Client, **sent: object) -> Any:
    return page.post(API, {"raters": ["ann"], **sent}, content_type="application/json")


def by_command(*arguments: str) -> str:
    out = StringIO()
    call_command("exclude", "small", "ann", *arguments, stdout=out)
    return out.getvalue()


def decided() -> list[tuple[Any, ...]]:
    """What is stored of decisions and their analyses; all of it is deleted."""
    rows = ManualDecision.objects.values_list("participant__pseudonym", "excluded", "reason")
    runs = AnalysisRun.objects.values_list("state", "sources", "is_automatic")
    events = StudyEvent.objects.filter(action__in=["excluded", "exclusion taken back"])
    kept = [*rows, *runs, *events.values_list("action", "detail")]
    for each in (ManualDecision.objects, AnalysisRun.objects, events):
        each.all().delete()
    return kept


def test_same_decision_is_stored_by_page_api_and_command(
    page: Client, study: Study, woken: Woken
) -> None:
    assert "Excluded 1 participant." in by_page(page, study, excluded=True, reason=" forged ")
    of_page = decided()
    answer = by_api(page, excluded=True, reason=" forged ")
    assert (answer.status_code, answer.json()["changed"]) == (201, ["ann"])
    assert decided() == of_page
    assert by_command("--reason", " forged ") == "small@1: Excluded 1 participant.\n"
    assert decided() == of_page
    assert of_page == [
        ("ann", True, "forged"),
        ("waiting", counted_sources(), False),
        ("excluded", {"participants": 1}),
    ]
    assert [task for task, _ in woken] == ["analysis.run"] * 3


def test_all_let_a_rater_count_again(page: Client, study: Study, woken: Woken) -> None:
    stored = []
    for let in (
        lambda: by_page(page, study, excluded=False, reason="error"),
        lambda: by_api(page, excluded=False, reason="error"),
        lambda: by_command("--undo", "--reason", "error"),
    ):
        by_command("--reason", "forged")
        let()
        stored.append(decided())
    assert stored[0] == stored[1] == stored[2]
    assert ("ann", False, "error") in stored[0]


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        (" ", "Give a reason"),
        ("x" * 501, "at most 500 characters"),
    ],
)
def test_reason_that_cannot_be_is_refused_by_all(
    page: Client, study: Study, woken: Woken, reason: str, why: str
) -> None:
    assert why in by_page(page, study, excluded=True, reason=reason)
    answer = by_api(page, excluded=True, reason=reason)
    assert answer.status_code == 400 and list(answer.json()) == ["reason"]
    with pytest.raises(CommandError, match=why):
        by_command("--reason", reason)
    assert decided() == [] and woken == []
