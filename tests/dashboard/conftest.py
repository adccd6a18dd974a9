"""A researcher, and a small study that people have taken, with a judge and an analysis."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoDbBlocker, Settings

from analysis.execution import finished_run
from analysis.models import AnalysisRun
from judge.models import GoldDecision, GoldSet, Judge
from survey.models import Study
from survey.tidy import counted_sources
from tests.dashboard.judging import gold_set, planned
from tests.factories import Key, add_participant, make_study
from tests.shared_rows import undone_after_the_file

Woken = list[tuple[str, int]]


@pytest.fixture
def researcher(db: None) -> User:
    """Owner of every study: `test_roles.py` is about those who may do less."""
    return User.objects.create_superuser("ada", password="pw")


@pytest.fixture
def page(client: Client, researcher: User) -> Client:
    """A browser in which a researcher is logged in."""
    client.force_login(researcher)
    return client


def likes_tuned(key: Key) -> int:
    """Tuned responses are rated higher but for model Bee in S2; the reference highest of all."""
    scenario, _, model, condition, _ = key
    if condition == "reference":
        return 5
    wins = "plain" if (model, scenario) == ("Bee", "S2") else "tuned"
    return 4 if condition == wins else 2


def study_taken_by_five(**shape: Any) -> Study:
    """By three raters who count, one who was too quick and a simulated one."""
    study = make_study(**shape)
    gold_set(study)
    for name, age in (("ann", 30), ("ben", 40), ("cat", 50)):
        add_participant(
            study, pseudonym=name, rate=likes_tuned, demographics={"age": age, "sex": "Female"}
        )
    add_participant(study, pseudonym="dot", minutes=2)
    add_participant(study, pseudonym="robot", source="simulated", rate=likes_tuned)
    return study


@pytest.fixture(scope="module")
def taken(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Study]:
    """The study of all tests of a file, who undo what they change."""
    with undone_after_the_file(django_db_blocker):
        with django_db_blocker.unblock():
            study = study_taken_by_five()
        yield study


#: The analyses that a test may ask for, and whom they are about.
ANALYSES = {"run": counted_sources(), "run_with_simulated": counted_sources(["simulated"])}


@pytest.fixture
def study(taken: Study, db: None, request: pytest.FixtureRequest) -> Study:
    """`study_taken_by_five`, with just those analyses that the test asks for."""
    for name, sources in ANALYSES.items():
        if name not in request.fixturenames:
            taken.analysis_runs.filter(sources=sources).delete()
    return Study.objects.get(pk=taken.pk)


@pytest.fixture(scope="module")
def analysed(taken: Study, django_db_blocker: DjangoDbBlocker) -> int:
    with django_db_blocker.unblock():
        return finished_run(study=taken, sources=ANALYSES["run"]).pk


@pytest.fixture(scope="module")
def analysed_with_simulated(taken: Study, django_db_blocker: DjangoDbBlocker) -> int:
    with django_db_blocker.unblock():
        return finished_run(study=taken, sources=ANALYSES["run_with_simulated"]).pk


@pytest.fixture
def run(analysed: int, study: Study) -> AnalysisRun:
    """The newest analysis of those who count."""
    return AnalysisRun.objects.get(pk=analysed)


@pytest.fixture
def run_with_simulated(analysed_with_simulated: int, study: Study) -> AnalysisRun:
    return AnalysisRun.objects.get(pk=analysed_with_simulated)


@pytest.fixture
def woken(monkeypatch: pytest.MonkeyPatch) -> Woken:
    """What workers were woken for."""
    calls: Woken = []
    monkeypatch.setattr("dashboard.shared.pages.wake", lambda task, row: calls.append((task, row)))
    return calls


@pytest.fixture
def commands_wake(monkeypatch: pytest.MonkeyPatch) -> Woken:
    """What commands woke workers for."""
    calls: Woken = []
    monkeypatch.setattr(
        "dashboard.management.gold.wake", lambda task, row: calls.append((task, row))
    )
    return calls


@pytest.fixture
def judge(settings: Settings, study: Study) -> Judge:
    """The study's judge, a stand-in, whose scores are gold and whose calls are planned."""
    settings.JUDGE_STAND_IN = True
    settings.JUDGE_BASE_URL = "http://127.0.0.1:9/v1"
    GoldDecision.objects.all().delete()
    GoldSet.objects.all().delete()
    return planned(study, name="stand-in", replicates=2)


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., dict[str, Path]]:
    """Writes files of the given names and contents."""

    def write(**texts: str | bytes) -> dict[str, Path]:
        paths = {}
        for name, text in texts.items():
            paths[name] = tmp_path / f"{name}.csv"
            paths[name].write_bytes(text.encode() if isinstance(text, str) else text)
        return paths

    return write
