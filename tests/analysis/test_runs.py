"""Runs are asked for, taken once, and stored whole; data that changed makes another run."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoDbBlocker
from pytest_django.fixtures import Settings

from analysis.execution import finished_run, plain
from analysis.manual_decisions import decide_on
from analysis.models import AnalysisRun, Exclusion, RaterQuality, RuleSet
from analysis.quality_rules import QualityRules
from analysis.queries import latest_run, rater_decisions, results_of
from analysis.rule_sets import current_rule_set, current_rules, rules_of, set_rules
from analysis.runs import State, request_run
from jobs import leases
from jobs.leases import MAX_ATTEMPTS
from jobs.runner import NotDone, run_job
from survey.models import Participant, Rating, Response, Study
from survey.tidy import counted_sources
from tests.factories import add_gold, add_judge, add_participant, make_study
from tests.shared_rows import undone_after_the_file

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def analysed(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[int]:
    """The run of a study that all tests of this file start from."""
    with undone_after_the_file(django_db_blocker):
        with django_db_blocker.unblock():
            study = make_study()
            add_participant(study, pseudonym="anna", demographics={"age": 30, "sex": "Female"})
            add_participant(study, pseudonym="bert", minutes=5)
            add_participant(study, pseudonym="carl", checks_passed=False)
            run = finished_run(study=study, sources=counted_sources())
        yield run.pk


@pytest.fixture
def run(analysed: int, study: Study) -> AnalysisRun:
    return AnalysisRun.objects.get(pk=analysed)


@pytest.fixture
def study(analysed: int, db: None, request: pytest.FixtureRequest) -> Study:
    """The study, analysed only for tests that ask for its `run`."""
    study = Study.objects.get()
    if "run" not in request.fixturenames:
        study.analysis_runs.all().delete()
    return study


def test_run_stores_tables_decisions_and_manifest(study: Study, run: AnalysisRun) -> None:
    assert run.state == State.DONE
    funnel = results_of(run, "table")["funnel"]
    steps = [row[: funnel["columns"].index("alone") + 1] for row in funnel["rows"]]
    assert steps == [
        ["duration", 1, 2, 1],
        ["attention", 1, 1, 1],
        ["early_exit", 0, 1, 0],
        ["sigma_mae", 0, 1, 0],
    ]
    excluded = Exclusion.objects.filter(run=run).values_list("participant__pseudonym", "rule")
    assert list(excluded) == [("bert", "duration"), ("carl", "attention")]
    included = RaterQuality.objects.filter(run=run).values_list(
        "participant__pseudonym", "included"
    )
    assert list(included) == [("anna", True), ("bert", False), ("carl", False)]
    assert run.manifest["snapshot_hash"] == run.snapshot_hash
    assert run.manifest["n_participants"] == 3
    assert latest_run(study, counted_sources()) == run


def test_same_data_are_not_analysed_twice(study: Study, run: AnalysisRun) -> None:
    assert finished_run(study=study, sources=counted_sources()) == run


def change_rating() -> None:
    rating = Rating.objects.select_related("presentation").earliest("pk")
    Rating.objects.filter(pk=rating.pk).update(value=1)
    person = Participant.objects.filter(pk=rating.presentation.participant_id)
    person.update(last_seen_at=timezone.now())


def send_a_page_again_before_others() -> None:
    """The newest `last_seen_at` of all participants stays the same."""
    first = Participant.objects.order_by("last_seen_at")[0]
    later = first.last_seen_at + timedelta(milliseconds=1)
    Participant.objects.filter(pk=first.pk).update(last_seen_at=later)


def delete_one_and_add_another() -> None:
    Participant.objects.get(pseudonym="anna").delete()
    add_person()


def add_person() -> None:
    add_participant(Study.objects.get(), pseudonym="dora")


def score_a_response() -> None:
    study = Study.objects.get()
    response = study.scenarios.earliest("pk").responses.earliest("pk")
    add_gold(study, {(response.pk, "warmth"): 3.0})


def change_rules() -> None:
    set_rules(study=Study.objects.get(), rules=QualityRules(order=["attention"]))


def exclude_a_rater() -> None:
    study = Study.objects.get()
    anna = study.participants.filter(pseudonym="anna")
    decide_on(study=study, participants=anna, excluded=True, reason="forged", at=timezone.now())


@pytest.mark.parametrize(
    "change",
    [
        *(add_person, delete_one_and_add_another, score_a_response),
        *(change_rules, exclude_a_rater),
    ],
)
def test_changed_data_gold_or_rules_make_another_run(
    study: Study, run: AnalysisRun, change: Callable[[], None]
) -> None:
    change()

    assert request_run(study=study, sources=counted_sources()) != run


@pytest.mark.parametrize("change", [change_rating, send_a_page_again_before_others])
def test_pages_of_people_who_go_on_make_another_run(
    study: Study, change: Callable[[], None]
) -> None:
    study.participants.update(status=Participant.Status.IN_PROGRESS)
    run = finished_run(study=study, sources=counted_sources())

    change()

    assert request_run(study=study, sources=counted_sources()) != run


def test_decision_is_stored_with_the_run_as_the_first_step(study: Study) -> None:
    exclude_a_rater()
    run = finished_run(study=study, sources=counted_sources())

    anna = Exclusion.objects.get(run=run, participant__pseudonym="anna")
    assert (anna.rule, anna.value, anna.threshold) == ("decision", {"reason": "forged"}, {})
    assert rater_decisions(run)["anna"][2:] == (False, "decision", "forged")
    funnel = results_of(run, "table")["funnel"]
    assert [row[:2] for row in funnel["rows"]][:2] == [["decision", 1], ["duration", 1]]


def test_decision_about_other_sources_makes_no_other_run(study: Study, run: AnalysisRun) -> None:
    robot = add_participant(study, pseudonym="robot", source="simulated")
    decide_on(study=study, participants=[robot], excluded=True, reason="odd", at=timezone.now())

    assert finished_run(study=study, sources=counted_sources()) == run


def test_somebody_who_falls_silent_makes_another_run(study: Study) -> None:
    here = add_participant(study, pseudonym="dora", status="in_progress")
    Participant.objects.filter(pk=here.pk).update(last_seen_at=timezone.now())
    active = finished_run(study=study, sources=counted_sources())
    assert rater_decisions(active)["dora"] == (0.0, None, False, "", "")

    hours_ago = timezone.now() - timedelta(hours=3)
    Participant.objects.filter(pk=here.pk).update(last_seen_at=hours_ago)
    left = finished_run(study=study, sources=counted_sources())
    assert rater_decisions(left)["dora"] == (0.0, None, False, "early_exit", "")


def test_runs_of_other_sources_are_kept_apart(study: Study, run: AnalysisRun) -> None:
    add_participant(study, pseudonym="robot", source="simulated")
    both = finished_run(study=study, sources=counted_sources(["simulated"]))

    assert "robot" not in rater_decisions(run)
    assert rater_decisions(both)["robot"][2] is True
    assert latest_run(study, counted_sources()) == run


def test_tables_name_the_test_people_they_include(study: Study) -> None:
    add_participant(study, pseudonym="robot", source="simulated")
    run = finished_run(study=study, sources=counted_sources(["simulated"]))

    for name, table in results_of(run, "table").items():
        assert table["columns"][-1] == "sources", name
        named = {row[-1] for row in table["rows"]}
        assert named <= {"prolific, link, import, simulated"}, name
    assert run.manifest["included_by_name"] == ["simulated"]


def test_scores_of_a_stand_in_are_named_where_they_appear(study: Study, settings: Settings) -> None:
    settings.JUDGE_STAND_IN = True
    responses = Response.objects.values_list("id", flat=True)
    add_judge(study, {(response, "warmth"): [3] for response in responses}, name="pretender")
    add_participant(study, pseudonym="flo", rate=lambda key: 1)  # flat, and far from all scores
    run = finished_run(study=study, sources=counted_sources())

    tables = results_of(run, "table")
    name = "pretender@1 (stand-in, no language model)"
    assert run.manifest["gold"] == name
    for table in ("raters", "items", "guard_raters"):
        assert tables[table]["columns"][-1] == "gold_by"
        assert {row[-1] for row in tables[table]["rows"]} == {name}
    assert {row[0] for row in tables["judge_consistency"]["rows"]} == {name}


def test_failure_is_recorded_with_its_reason(study: Study) -> None:
    # Rules that no version of the software ever wrote.
    run = request_run(study=study, sources=counted_sources())
    RuleSet.objects.filter(pk=run.rule_set_id).update(rules={"order": ["astrology"]})

    with pytest.raises(NotDone, match="astrology"):
        execute_or_raise(run)
    run.refresh_from_db()
    assert run.state == State.FAILED
    assert run.results.count() == 0


def execute_or_raise(run: AnalysisRun) -> None:
    assert run_job(AnalysisRun, run.pk)
    run.refresh_from_db()
    if run.state == State.FAILED:
        raise NotDone(run.error)


def test_run_is_taken_once(study: Study) -> None:
    run = request_run(study=study, sources=counted_sources())

    assert leases.claim(AnalysisRun, run.pk) == run
    assert leases.claim(AnalysisRun, run.pk) is None
    assert run_job(AnalysisRun, run.pk) is False


def test_run_that_a_withdrawal_erases_while_it_is_taken_is_none(study: Study) -> None:
    run = request_run(study=study, sources=counted_sources())

    def erased_once_it_is_taken(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        done = execute(sql, *given)
        if sql.startswith("UPDATE") and "lease_until" in sql.split("WHERE", maxsplit=1)[0]:
            AnalysisRun.objects.filter(pk=run.pk).delete()
        return done

    with connection.execute_wrapper(erased_once_it_is_taken):
        assert run_job(AnalysisRun, run.pk) is False
    assert not AnalysisRun.objects.exists()


def test_run_of_a_lost_worker_is_taken_again(study: Study) -> None:
    run = request_run(study=study, sources=counted_sources())
    leases.claim(AnalysisRun, run.pk)
    AnalysisRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert run_job(AnalysisRun, run.pk) is True
    run.refresh_from_db()
    assert (run.state, run.attempts) == (State.DONE, 2)


def test_run_that_kills_its_workers_is_given_up(study: Study) -> None:
    run = request_run(study=study, sources=counted_sources())
    for _ in range(MAX_ATTEMPTS):
        assert leases.claim(AnalysisRun, run.pk) == run
        AnalysisRun.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert leases.claim(AnalysisRun, run.pk) is None
    run.refresh_from_db()
    assert run.state == State.FAILED
    assert run.error.startswith(f"the worker was lost {MAX_ATTEMPTS} times")


def test_finished_run_does_not_wait_for_a_worker_that_is_at_it(study: Study) -> None:
    at_it = request_run(study=study, sources=counted_sources())
    leases.claim(AnalysisRun, at_it.pk)

    run = finished_run(study=study, sources=counted_sources())

    assert run.state == State.DONE
    assert run != at_it


def test_rules_stored_before_a_key_existed_are_the_same_rules(study: Study) -> None:
    first = current_rule_set(study)
    del first.rules["sigma_mae"]["sigma_over"]
    first.rules_hash = "that of the shorter text"
    first.save()

    assert set_rules(study=study, rules=QualityRules()) == first


def test_rules_are_versions_with_author_and_time(study: Study, admin_user: User) -> None:
    first = current_rule_set(study)
    strict = QualityRules(order=["attention", "duration"])
    second = set_rules(study=study, rules=strict, author=admin_user)
    again = set_rules(study=study, rules=strict)

    assert [first.version, second.version] == [1, 2]
    assert again == second
    assert second.author == admin_user
    assert current_rules(study) == strict
    assert rules_of(first) == QualityRules()


def test_what_is_stored_is_plain_json() -> None:
    value = {"a": float("nan"), "b": [np.int64(1), np.float64(0.5), pd.NA], "c": np.array([True])}

    assert plain(value) == {"a": None, "b": [1, 0.5, None], "c": [True]}
    with pytest.raises(TypeError, match="nothing that a table holds"):
        plain(object())


def test_changed_labels_make_a_new_run_whose_figures_have_them(study: Study) -> None:
    first = finished_run(study=study, sources=counted_sources())
    study.settings["labels"] = {"rules": {"duration": "Rushed & <late>"}}
    study.save()
    second = finished_run(study=study, sources=counted_sources())
    assert second != first
    labels = ["Too fast or too slow", "Rushed &amp; &lt;late&gt;"]
    for run, label in zip((first, second), labels, strict=True):
        consort = results_of(run, "figure")["consort"]
        texts = [box.get("text", "") for box in consort["layout"]["annotations"]]
        assert any(label in text.replace("<br>", " ") for text in texts)
    tables = [results_of(run, "table") for run in (first, second)]
    assert tables[0] == tables[1]
