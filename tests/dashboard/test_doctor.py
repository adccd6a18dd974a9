"""`manage.py doctor`: sound data pass; each planted violation is named with its study and row."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models
from django.test import Client
from django.utils import timezone

from analysis.models import AnalysisRun, Exclusion, LockedPlan, RaterQuality
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set
from dashboard.management.doctor import INVARIANTS
from dashboard.payments.models import BonusRequest, PaymentOrder, SubmissionDecision
from dashboard.raters.models import SubmissionOnProlific
from judge.models import Attempt, Call, GoldScore, GoldSet, Score
from survey.models import (
    Participant,
    Presentation,
    Rating,
    Response,
    Slot,
    Study,
    Withdrawal,
)
from survey.withdrawal import withdraw
from tests.factories import add_judge, make_study
from tests.prolific import arrival
from tests.survey import small_study
from tests.survey.visiting import begin, take

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(client: Client) -> Study:
    """The small study: one person has answered everything but the last page, one has withdrawn."""
    study = small_study.load()
    begin(client)
    take(client, range(1, 7))
    other = Client()
    gone = begin(other, f"/s/small/{arrival('gone', study='st', session='s')}")
    take(other, range(1, 4))
    withdraw(participant=gone, at=timezone.now())
    run_of(study)
    answered_call(study)
    return study


def run_of(study: Study) -> AnalysisRun:
    """A finished analysis that counted the person."""
    run = AnalysisRun.objects.create(
        study=study,
        rule_set=current_rule_set(study),
        recipe_set=current_recipe_set(study),
        sources=["prolific", "link"],
        state="done",
        snapshot_hash="0" * 64,
        manifest={"software": {"python": "3"}},
        finished_at=timezone.now(),
    )
    RaterQuality.objects.create(run=run, participant=person(), included=True, indices={})
    return run


def answered_call(study: Study) -> Call:
    response = Response.objects.earliest("pk")
    judge = add_judge(study, name="llama")
    call = Call.objects.create(
        judge=judge, response=response, dimension="warmth", replicate=1, state="answered"
    )
    attempt_of(call, 1)
    Score.objects.create(call=call, response=response, value=2)
    return call


def attempt_of(call: Call, number: int, outcome: str = "answered") -> Attempt:
    return Attempt.objects.create(
        call=call, number=number, request_id=f"r{number}", request={}, outcome=outcome
    )


def person() -> Participant:
    return Participant.objects.earliest("pk")


def page() -> Presentation:
    return Presentation.objects.filter(position=2).earliest("pk")


def examined() -> tuple[list[str], str]:
    """The violations of `doctor`, without their indent, and its last line; empty if all is well."""
    out, refusal = StringIO(), ""
    try:
        call_command("doctor", stdout=out)
    except CommandError as error:
        refusal = str(error)
    found = [line.strip() for line in out.getvalue().splitlines() if line.startswith(" " * 11)]
    return found, refusal


def test_sound_data_pass(study: Study) -> None:
    assert examined() == ([], "")


def test_empty_installation_passes() -> None:
    assert examined() == ([], "")


def test_each_rule_says_what_is_checked_or_why_not() -> None:
    out = StringIO()
    call_command("doctor", rules=True, stdout=out)
    assert len(INVARIANTS) == 10
    for rule in INVARIANTS:
        assert rule.title in out.getvalue()
        assert rule.checks or rule.not_checked
        assert all(check.__doc__ for check in rule.checks)


# ── Planted violations: what is done to the data, and what is then said ──────────────────────


def other_order() -> str:
    shown = page()
    assert shown.response_order is not None
    Presentation.objects.filter(pk=shown.pk).update(response_order=shown.response_order[::-1])
    return (
        f"small@1, participant {person()} (row {shown.pk} of survey_presentation): page "
        f"{shown.page}, position 2, does not have the order that seed {person().order_seed} and "
        "slot 0 give. "
    )


def order_gone() -> str:
    Presentation.objects.filter(pk=page().pk).update(response_order=None)
    return (
        f"small@1, participant {person()} (row {page().pk} of survey_presentation): "
        "has no stored order. "
    )


def response_of_another_block() -> str:
    shown = page()
    stranger = Response.objects.exclude(blocks=shown.block).earliest("pk")
    assert shown.response_order is not None
    order = [stranger.pk, *shown.response_order[1:]]
    Presentation.objects.filter(pk=shown.pk).update(response_order=order)
    return (
        f"small@1, participant {person()} (row {shown.pk} of survey_presentation): its order has a "
        "response twice, or one that is not of its block. "
    )


def answer_lost() -> str:
    shown = page()
    shown.ratings.earliest("pk").delete()
    return (
        f"small@1, participant {person()}, page {shown.page} (row {shown.pk} of "
        "survey_presentation): is answered and has 2 values instead of 3. "
    )


def answer_of_another_page() -> str:
    rating = page().ratings.earliest("pk")
    stranger = Response.objects.exclude(blocks=page().block).earliest("pk")
    Rating.objects.filter(pk=rating.pk).update(response=stranger)
    return (
        f"small@1, participant {person()} (row {rating.pk} of survey_rating): is about response "
        f"{stranger.pk}, which its page did not show. "
    )


def progress_without_answer() -> str:
    Participant.objects.update(pages_done=1)
    first = Presentation.objects.earliest("page")
    return (
        f"small@1, participant {person()} (row {first.pk} of survey_presentation): page "
        f"{first.page} has an answer, and their progress is page 1. "
    )


def name_in_public_id() -> str:
    response = Response.objects.earliest("pk")
    Response.objects.filter(pk=response.pk).update(public_id="ant-tuned")
    return (
        f"small@1, row {response.pk} of survey_response: its public id 'ant-tuned' is not a "
        "random one. "
    )


def withdrawn_and_here() -> str:
    Withdrawal.objects.update(key=person().identity.key)
    return (
        f"small@1, participant {person()} (row {person().pk} of survey_participant): withdrew on "
    )


def result_of_before_a_withdrawal() -> str:
    run = AnalysisRun.objects.get()
    AnalysisRun.objects.update(finished_at=timezone.now() - timedelta(days=1))
    return (
        f"small@1, analysis {run.pk} (row {run.pk} of analysis_analysisrun): its results are from "
        "before a withdrawal on "
    )


def excluded_and_included() -> str:
    run = AnalysisRun.objects.get()
    Exclusion.objects.create(run=run, participant=person(), rule="duration", value=1, threshold=2)
    quality = RaterQuality.objects.get()
    return (
        f"small@1, analysis {run.pk} (row {quality.pk} of analysis_raterquality): includes "
        f"participant {person()}, whom the same run excludes. "
    )


def text_changed() -> str:
    response = Response.objects.earliest("pk")
    Response.objects.filter(pk=response.pk).update(text="Something else.")
    return (
        f"small@1, row {response.pk} of survey_response: the text of this response was changed "
        "after it was loaded. "
    )


def question_changed() -> str:
    study = Study.objects.get()
    study.definition["tasks"][0]["dimensions"][0]["question"] = "How kind?"
    study.save()
    return (
        f"small@1, row {study.pk} of survey_study: its texts, tasks or responses are not those "
        "that were loaded: their hash differs. "
    )


def not_frozen() -> str:
    Study.objects.update(frozen_at=None)
    return (
        f"small@1, row {Study.objects.get().pk} of survey_study: people have consented and it is "
        "not frozen. "
    )


def loaded_again() -> str:
    Study.objects.update(loaded_at=timezone.now() + timedelta(days=1))
    return f"small@1, row {Study.objects.get().pk} of survey_study: it was loaded on "


def versions_mixed() -> str:
    second = small_study.load(csv=small_study.CSV.replace("Time heals.", "Time will heal."))
    shown, block = page(), second.blocks.earliest("position")
    Presentation.objects.filter(pk=shown.pk).update(block=block)
    return (
        f"small@1, participant {person()} (row {shown.pk} of survey_presentation): page "
        f"{shown.page} is a block of small@2. "
    )


def back_to_draft() -> str:
    Study.objects.update(state="draft")
    return (
        f"small@1, row {Study.objects.get().pk} of survey_study: it is a draft, and 1 real people "
        "have begun it. "
    )


def preview_person_counted() -> str:
    Participant.objects.update(source="preview")
    Slot.objects.update(pool="preview")
    Participant.objects.update(held_pool="preview")
    run, quality = AnalysisRun.objects.get(), RaterQuality.objects.get()
    return (
        f"small@1, analysis {run.pk} (row {quality.pk} of analysis_raterquality): counts "
        f"participant {person()}, who is preview. "
    )


def simulated_person_in_a_real_slot() -> str:
    Participant.objects.update(source="simulated")
    return (
        f"small@1, participant {person()} (row {person().pk} of survey_participant): (simulated) "
        "holds real slot 0. "
    )


def without_hash() -> str:
    run = AnalysisRun.objects.get()
    AnalysisRun.objects.update(snapshot_hash="")
    return (
        f"small@1, analysis {run.pk} (row {run.pk} of analysis_analysisrun): lacks the hash of its "
        "data. "
    )


def plan_changed() -> str:
    plan = LockedPlan.objects.create(study=Study.objects.get(), content="{}", sha256="0" * 64)
    return (
        f"small@1, plan 1 (row {plan.pk} of analysis_lockedplan): its text was changed after it "
        "was locked. "
    )


def gold_not_the_mean() -> str:
    gold_set = GoldSet.objects.create(study=Study.objects.get(), name="experts")
    golds = [
        GoldScore.objects.create(
            gold_set=gold_set, response=response, dimension="warmth", value=value, calls=[1, 2, 2]
        )
        for response, value in zip(Response.objects.order_by("pk"), (1.67, 2.0), strict=False)
    ]
    return (
        f"small@1, gold scores experts (row {golds[1].pk} of judge_goldscore): the score 2.0 is "
        "not the mean of its single scores, 1.66667. "
    )


def lease_run_out() -> str:
    run = AnalysisRun.objects.get()
    earlier = timezone.now() - timedelta(hours=2)
    AnalysisRun.objects.update(state="running", lease_until=earlier)
    return f"run {run.pk} of small@1 (row {run.pk} of analysis_analysisrun): its worker has been "


def answered_twice() -> str:
    call = Call.objects.get()
    attempt_of(call, 2)
    return (
        f"small@1, call {call} (row {call.pk} of judge_call): was answered 2 times, and paid as "
        "often. "
    )


def answer_without_score() -> str:
    call = Call.objects.get()
    Score.objects.all().delete()
    return (
        f"small@1, call {call} (row {call.pk} of judge_call): counts as answered and has no score. "
    )


def request_without_call() -> str:
    call = Call.objects.get()
    attempt = attempt_of(call, 2, outcome="in_flight")
    return (
        f"small@1, call {call} (row {call.pk} of judge_call): its request 2 (row {attempt.pk} of "
        "judge_attempt) is in flight, and the call is answered. "
    )


def bonus_never_asked() -> str:
    one = bonus()
    return (
        f"small@1, Bonus (row {one.pk} of dashboard_submissiondecision): is a bonus that counts as "
        "done, and Prolific was never asked for it. "
    )


def bonus_too_large() -> str:
    one = bonus()
    request = BonusRequest.objects.create(order=one.order, prolific_bonus_id="b", total_cents=100)
    SubmissionDecision.objects.update(bonus_request=request, asked_at=timezone.now())
    return (
        f"small@1, row {request.pk} of dashboard_bonusrequest: its bonuses are 150 cents together, "
        "and Prolific was to charge 100. "
    )


def unclear_for_days() -> str:
    one = bonus()
    SubmissionDecision.objects.update(state="asked", asked_at=timezone.now() - timedelta(days=3))
    return f"small@1, Bonus (row {one.pk} of dashboard_submissiondecision): has been unclear since "


def bonus() -> SubmissionDecision:
    study = Study.objects.get()
    submission = SubmissionOnProlific.objects.create(
        study=study, slug="small", submission_id="s1", prolific_id="p1", status="APPROVED"
    )
    order = PaymentOrder.objects.create(study=study, address="https://api.prolific.com/api/v1")
    return SubmissionDecision.objects.create(
        order=order,
        submission=submission,
        kind="bonus",
        purpose="bonus",
        reason="good",
        cents=150,
        state="done",
        done_at=timezone.now(),
    )


PLANTED: list[Callable[[], str]] = [
    *(other_order, order_gone, response_of_another_block),
    *(answer_lost, answer_of_another_page, progress_without_answer),
    *(name_in_public_id, withdrawn_and_here, result_of_before_a_withdrawal, excluded_and_included),
    *(text_changed, question_changed, not_frozen, loaded_again, versions_mixed, back_to_draft),
    *(preview_person_counted, simulated_person_in_a_real_slot),
    *(without_hash, plan_changed, gold_not_the_mean, lease_run_out),
    *(answered_twice, answer_without_score, request_without_call),
    *(bonus_never_asked, bonus_too_large, unclear_for_days),
]


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_violation_is_named_with_its_row(study: Study, plant: Callable[[], str]) -> None:
    expected = plant()
    found, refusal = examined()
    assert [line for line in found if line.startswith(expected)], found
    assert all(line.endswith(".") for line in found)
    assert "break a rule; see above" in refusal


# ── What the database forbids can only be there after somebody has removed the prohibition ───


@contextmanager
def without(model: type[models.Model], name: str) -> Iterator[None]:
    """A database that lacks one of its constraints. Its rows are removed before it comes back."""
    every = model._meta.constraints
    [constraint] = [one for one in every if one.name == name]
    with connection.schema_editor() as editor:
        model._meta.constraints = [one for one in every if one is not constraint]
        editor.remove_constraint(model, constraint)
        model._meta.constraints = every
    try:
        yield
    finally:
        model._default_manager.all().delete()
        with connection.schema_editor() as editor:
            editor.add_constraint(model, constraint)


@pytest.mark.django_db(transaction=True)
def test_second_value_and_lost_constraint_are_named(study: Study) -> None:
    with without(Rating, "rating_once"):
        rating = page().ratings.earliest("pk")
        rating.pk = None
        rating.save(force_insert=True)
        found, _ = examined()
        assert [line.partition(". ")[0] for line in found] == [
            f"small@1, participant {person()} (row {rating.pk} of survey_rating): is the second "
            f"value of likert 'warmth' for response {rating.response_id} in this block",
            "table survey_rating: the database lacks the constraint rating_once",
            f"small@1, participant {person()}, page {page().page} (row {page().pk} of "
            "survey_presentation): is answered and has 4 values instead of 3",
        ]


@pytest.mark.django_db(transaction=True)
def test_second_decision_of_a_purpose_is_named(study: Study) -> None:
    with without(SubmissionDecision, "decision_once_a_purpose"):
        one = bonus()
        SubmissionDecision.objects.update(asked_at=timezone.now())
        one.pk, one.asked_at = None, timezone.now()
        one.save(force_insert=True)
        found, _ = examined()
        assert found[-1].startswith(
            f"small@1, Bonus (row {one.pk} of dashboard_submissiondecision): is the second "
            f"decision of purpose 'bonus' for submission {one.submission_id}. "
        )


def test_many_rows_of_one_kind_are_counted() -> None:
    make_study(scenarios=["S1", "S2", "S3", "S4"])
    for response in Response.objects.all():
        Response.objects.filter(pk=response.pk).update(public_id=f"name-{response.pk}")
    n = Response.objects.count()
    assert n > 10
    found, refusal = examined()
    assert found[-1] == f"… and {n - 10} rows more"
    assert refusal.startswith(f"{n} rows break a rule")
