"""Loading a study folder over what its judges have been asked already."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from dashboard.design import study_folder
from dashboard.design.study_folder import load_folder, read_folder
from judge import calls
from judge.attempts import Claimed
from judge.calls import claim
from judge.configure import move_judges_here
from judge.exchange import ExchangeFailed
from judge.gold import choose_gold
from judge.models import Attempt, Call, Judge
from judge.parsing import Scored
from judge.queries import progress
from judge.spending import Spent, spent_on
from survey.loading import Loaded, load_study
from survey.models import Study
from tests.judge.judging import counts, queue, reply_of
from tests.survey import small_study

SECTIONS = """\
ways_in: [link]
judging:
  budget: {requests: 20}
  judges:
    - {name: single, replicates: 1}
    - {name: whole, replicates: 1, presentation: block}
"""
THANKS = small_study.YAML.replace("Thank you.", "Thanks a lot.")
TASK = small_study.YAML.replace("How warm is", "How kind is")
TEXT = small_study.CSV.replace("Try again.", "Try once more.")
Load = Callable[..., Study]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Writes the study folder and loads it."""

    def write_and_load(yaml: str = small_study.YAML, csv: str = small_study.CSV) -> Study:
        (tmp_path / "study.yaml").write_text(yaml + SECTIONS)
        (tmp_path / "responses.csv").write_text(csv)
        return load_folder(read_folder(tmp_path)).study

    return write_and_load


def judges_of(study: Study) -> tuple[Judge, Judge]:
    single, whole = (queue(judge) for judge in move_judges_here(study))
    return single, whole


def claimed_from(judge: Judge) -> Claimed:
    claimed = claim(judge.pk)
    assert claimed is not None
    return claimed


def answer(claimed: Claimed, cost: str = "0.001") -> None:
    reply = reply_of('{"score": 2}', model="m", cost=Decimal(cost))
    calls.record_scores(claimed, reply, [Scored(2)] * len(claimed.responses))


def answer_all(judge: Judge) -> None:
    while (claimed := claim(judge.pk)) is not None:
        answer(claimed)


def asked(judge: Judge) -> dict[str, int]:
    """The answered calls of a judge by what they are about."""
    answered = judge.calls.filter(state=Call.State.ANSWERED)
    return {f"{call.block or call.response}": call.pk for call in answered}


@pytest.mark.django_db
def test_other_words_around_the_same_content_ask_no_judge_anew(load: Load) -> None:
    study = load()
    single, whole = judges_of(study)
    answer_all(single)
    answer_all(whole)
    before = asked(single) | asked(whole)
    assert len(before) == 14
    assert load(THANKS) == study
    assert asked(single) | asked(whole) == before
    assert spent_on(study) == Spent(14, Decimal("0.014"), Decimal(0), 0)
    for judge in judges_of(study):
        assert claim(judge.pk) is None


@pytest.mark.django_db
def test_changed_response_is_asked_anew_alone_and_what_its_old_text_cost_stays(load: Load) -> None:
    study = load()
    single, whole = judges_of(study)
    answer_all(single)
    answer_all(whole)
    load(csv=TEXT)
    assert (len(asked(single)), len(asked(whole))) == (9, 3)
    assert spent_on(study) == Spent(14, Decimal("0.014"), Decimal(0), 0)
    assert spent_on(study, whole) == Spent(3, Decimal("0.003"), Decimal(0), 0)
    for judge in judges_of(study):
        answer_all(judge)
    assert (counts(single), counts(whole)) == ({"answered": 10}, {"answered": 4})
    assert spent_on(study) == Spent(16, Decimal("0.016"), Decimal(0), 0)
    load(csv=small_study.CSV)
    assert spent_on(study) == Spent(16, Decimal("0.016"), Decimal(0), 0)


@pytest.mark.django_db
def test_changed_task_does_not_begin_the_budget_anew(load: Load) -> None:
    study = load()
    single, whole = judges_of(study)
    answer_all(single)
    answer_all(whole)
    load(TASK)
    assert Attempt.objects.count() == 0
    assert spent_on(study).requests == 14
    single, whole = judges_of(study)
    answer_all(single)
    assert spent_on(study).requests == 20
    assert counts(single) == {"answered": 6, "waiting": 4}
    assert "budget of 20 requests is used up" in progress(single).stopped


@pytest.mark.django_db
def test_request_in_flight_and_those_of_unknown_cost_stay_counted_when_their_calls_go(
    load: Load, settings: Settings
) -> None:
    settings.JUDGE_CONCURRENCY = 4
    study = load()
    choose_gold(study, panel="experts")  # no judge comes first
    single, whole = judges_of(study)
    lost = claimed_from(whole)
    calls.record_failure(lost, ExchangeFailed("no answer", outcome="timeout"))
    answer(claimed_from(single), "0.002")
    in_flight = claimed_from(single)
    assert in_flight.attempt.cost == Decimal("0.002")
    before = spent_on(study)
    assert before == Spent(3, Decimal("0.004"), Decimal("0.002"), unpriced=1)
    load(TASK)
    answer(in_flight)
    assert Attempt.objects.count() == 0
    assert spent_on(study) == before


def wait_until_held_up(act: Future[None]) -> None:
    """Until the other connection waits for this one's."""
    waits = (
        "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    )
    while not act.done():
        with connection.cursor() as cursor:
            cursor.execute(waits)
            if cursor.fetchone():
                return


@pytest.mark.writers_side_by_side
@pytest.mark.django_db(transaction=True)
def test_answer_that_comes_while_a_folder_is_loaded_waits_for_it(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = load()
    single, _ = judges_of(study)
    claimed = claimed_from(single)
    assert claimed.call.response is not None and claimed.call.response.text == "Try again."

    def record() -> None:
        try:
            answer(claimed)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        recorded: list[Future[None]] = []

        def load_then_let_record(**content: Any) -> Loaded:
            """The call is gone, but not committed, when its answer comes."""
            loaded = load_study(**content)
            recorded.append(pool.submit(record))
            wait_until_held_up(recorded[0])
            return loaded

        monkeypatch.setattr(study_folder, "load_study", load_then_let_record)
        load(csv=TEXT)
        recorded[0].result()
    assert counts(single) == {"waiting": 9}
    assert spent_on(study) == Spent(1, Decimal(0), Decimal(0), unpriced=1)
