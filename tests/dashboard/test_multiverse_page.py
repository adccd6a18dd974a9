"""The multiverse of an analysis: asked for by page or command, computed once, kept with its run."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from analysis.execution import finished_run
from analysis.models import AnalysisRun, LockedPlan, Multiverse, Result
from analysis.multiverses import request_multiverse
from analysis.recipe import MixedModels, shipped_recipes
from analysis.recipe_sets import set_recipes
from dashboard.share.packages import request_package
from jobs import leases
from jobs.leases import to_wake
from jobs.runner import run_job
from survey.models import Participant, Study
from survey.tidy import counted_sources
from survey.withdrawal import withdraw
from tests.dashboard.conftest import Woken
from tests.dashboard.reading import text_of
from tests.factories import add_participant, make_study

# What is computed and shown: the database changes nothing of it.
pytestmark = pytest.mark.embedded

ASK = "/studies/small/results/multiverse/ask/"
PAGE = "/studies/small/results/order/"
State = Multiverse.State


@pytest.fixture(scope="module")
def analysed(taken: Study, django_db_blocker: DjangoDbBlocker) -> int:
    """The newest analysis, by a recipe that is quickly computed."""
    sound = shipped_recipes()["sound"]
    light = {"bootstrap": None, "mixed_models": MixedModels(links=["linear"])}
    with django_db_blocker.unblock():
        set_recipes(study=taken, recipes=[sound.model_copy(update=light)])
        return finished_run(study=taken, sources=counted_sources()).pk


def computed(run: AnalysisRun) -> Multiverse:
    multiverse = request_multiverse(run)
    run_job(Multiverse, multiverse.pk)
    multiverse.refresh_from_db()
    return multiverse


def test_button_asks_once_and_wakes_a_worker(page: Client, run: AnalysisRun, woken: Woken) -> None:
    assert "Compute the multiverse" in page.get(PAGE).content.decode()
    for _ in range(2):
        answer = page.post(ASK)
        assert answer.headers["Location"] == "/studies/small@1/results/order/#multiverse-asked"
    asked = Multiverse.objects.get()
    assert asked.run == run and woken == [("analysis.multiverse", asked.pk)] * 2
    assert to_wake(Multiverse) == [asked.pk]
    assert "Waiting for a worker" in text_of(page.get(PAGE))
    run.refresh_from_db()
    assert not run.is_automatic


@pytest.mark.embedded
def test_page_shows_what_was_found(page: Client, run: AnalysisRun) -> None:
    assert computed(run).state == State.DONE

    text = text_of(page.get(PAGE))
    assert "How many defensible choices agree with the main result?" in text
    assert "each a choice of exclusion rules and an analysis" in text
    names = set(Result.objects.filter(run=run).values_list("kind", "name"))
    assert {("table", "multiverse"), ("table", "multiverse_summary"), ("figure", "multiverse")} <= (
        names
    )
    answer = page.get(f"/studies/small/results/{run.pk}/multiverse.csv")
    assert b"mixed_linear" in b"".join(answer.streaming_content)  # type: ignore[attr-defined]


@pytest.mark.embedded
def test_progress_says_when_it_is_over(page: Client, run: AnalysisRun) -> None:
    asked = request_multiverse(run)
    Multiverse.objects.update(
        state=State.RUNNING, percent=40, lease_until=timezone.now() + timedelta(minutes=1)
    )
    address = f"/studies/small/jobs/multiverse/{asked.pk}/state/"
    answer = page.get(address)
    assert "Computing: 40 % done" in text_of(answer) and "X-Finished" not in answer.headers
    Multiverse.objects.filter(pk=asked.pk).update(state=State.DONE)
    assert page.get(address).headers["X-Finished"] == "1"


def test_no_row_of_it_is_part_of_a_locked_plan(study: Study, run: AnalysisRun) -> None:
    LockedPlan.objects.create(study=study, content="{}", sha256="0" * 64)
    computed(run)
    for name in ("multiverse", "multiverse_summary"):
        table = Result.objects.get(run=run, name=name, kind="table").content
        plan, differs = (table["columns"].index(column) for column in ("plan", "plan_differs"))
        assert {(row[plan], row[differs]) for row in table["rows"]} == {
            ("exploratory", "a multiverse is no part of a locked plan")
        }


def test_data_that_changed_are_refused(page: Client, study: Study, run: AnalysisRun) -> None:
    add_participant(study, pseudonym="eve")

    failed = computed(run)
    assert failed.state == State.FAILED and "recompute it, then ask again" in failed.error
    assert not Result.objects.filter(run=run, name="multiverse").exists()
    assert "recompute it, then ask again" in text_of(page.get(PAGE))


def test_it_goes_with_its_run_when_a_rater_withdraws(study: Study, run: AnalysisRun) -> None:
    computed(run)
    withdraw(participant=Participant.objects.get(study=study, pseudonym="ann"), at=timezone.now())
    assert not Multiverse.objects.exists()


def test_download_is_prepared_again(run: AnalysisRun, tmp_path: Any, settings: Any) -> None:
    settings.PACKAGES_DIR = tmp_path
    before = request_package(run=run, recipe="both", images=False)
    before.path.write_text("zip")
    type(before).objects.filter(pk=before.pk).update(state=State.DONE)
    assert request_package(run=run, recipe="both", images=False) == before
    computed(run)
    assert request_package(run=run, recipe="both", images=False) != before


@pytest.mark.embedded
def test_command_computes_it_and_says_what_it_found(run: AnalysisRun) -> None:
    for _ in range(2):  # the second time it is there
        out = io.StringIO()
        call_command("multiverse", "small", stdout=out, stderr=io.StringIO())
        assert "Warmth: Over 8 specifications" in out.getvalue()
        assert "/studies/small@1/results/order/#multiverse" in out.getvalue()
    assert Multiverse.objects.get().attempts == 1


def test_command_ends_with_another_code_while_a_worker_is_at_it(run: AnalysisRun) -> None:
    assert leases.claim(Multiverse, request_multiverse(run).pk)
    with pytest.raises(CommandError, match="a worker is at") as refused:
        call_command("multiverse", "small", stderr=io.StringIO())
    assert refused.value.returncode == 75
    with pytest.raises(CommandError, match="there is no study 'nowhere'") as refused:
        call_command("multiverse", "nowhere")
    assert refused.value.returncode == 1


@pytest.mark.embedded
@pytest.mark.django_db
def test_study_without_two_conditions_has_none_and_no_analysis_is_made() -> None:
    study = make_study(contrast=None)
    with pytest.raises(CommandError, match="names no two conditions to compare"):
        call_command("multiverse", "small", stderr=io.StringIO())
    assert not AnalysisRun.objects.filter(study=study).exists()


@pytest.mark.embedded
def test_study_without_ratings_has_none_and_says_why(run: AnalysisRun, study: Study) -> None:
    study.participants.all().delete()
    with pytest.raises(CommandError, match="there are no ratings"):
        call_command("multiverse", "small", stderr=io.StringIO())
