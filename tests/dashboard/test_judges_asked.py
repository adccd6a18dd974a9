"""Judges asked by page, API and command queue the same calls."""

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from judge.models import Call
from survey.models import Study, StudyEvent
from tests.dashboard.conftest import Woken
from tests.dashboard.judging import describe
from tests.dashboard.reading import text_of

pytestmark = pytest.mark.embedded

PAGE, API = "/studies/small/gold/score/", "/api/studies/small/judges/"


@pytest.fixture
def asked(study: Study, settings: Settings) -> Study:
    """A study with two judges that can be asked."""
    settings.JUDGE_STAND_IN = True
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    describe(study, {"name": "one"}, {"name": "two"})
    return study


@pytest.fixture
def woken(woken: Woken, monkeypatch: pytest.MonkeyPatch) -> Woken:
    """With what a command wakes."""
    monkeypatch.setattr(
        "judge.management.commands.judge.wake", lambda task, row: woken.append((task, row))
    )
    return woken


def judge_command(*arguments: str) -> None:
    call_command("judge", "small", *arguments, stdout=StringIO())


def queued() -> tuple[list[Any], Any]:
    """What is queued and logged; it is deleted."""
    calls = Call.objects.order_by("judge__name", "response", "replicate")
    events = StudyEvent.objects.filter(action="judges asked").order_by("id")
    told = [event.detail for event in events]
    kept = list(calls.values_list("judge__name", "response", "replicate", "state")), told
    events.delete()
    calls.delete()
    return kept


@pytest.mark.parametrize("judge", ["", "two"])
def test_same_calls_are_queued_by_page_api_and_command(
    page: Client, asked: Study, woken: Woken, judge: str
) -> None:
    stored, wakings = [], []
    surfaces: list[Callable[[], object]] = [
        lambda: page.post(PAGE, {"judge": judge}),
        lambda: page.post(API, {"judge": judge}),
        lambda: judge_command(*(["--judge", judge] if judge else [])),
    ]
    for ask in surfaces:
        ask()
        stored.append(queued())
        wakings.append(woken.copy())
        woken.clear()
    assert stored[0] == stored[1] == stored[2]
    assert wakings[0] == wakings[1] == wakings[2]
    calls, told = stored[0]
    names = [judge] if judge else ["one", "two"]
    assert {name for name, *_ in calls} == set(names)
    of_each = [sum(name == one for one, *_ in calls) for name in names]
    assert told == [{"name": name, "calls": n} for name, n in zip(names, of_each, strict=True)]


def test_judge_that_is_none_is_refused_by_all_in_the_same_words(
    page: Client, asked: Study, woken: Woken
) -> None:
    why = "small@1 has no judge 'tow'; there are one, two"
    assert why in text_of(page.post(PAGE, {"judge": "tow"}, follow=True))
    answer = page.post(API, {"judge": "tow"})
    assert answer.status_code == 400 and answer.json()["judge"][0].startswith(why)
    with pytest.raises(CommandError, match=why):
        judge_command("--judge", "tow")
    assert not Call.objects.exists() and woken == []
    assert not StudyEvent.objects.filter(action="judges asked").exists()
