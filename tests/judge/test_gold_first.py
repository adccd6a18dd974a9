"""A budget that is too short for every judge goes to the gold one first."""

from collections.abc import Callable
from typing import Any

import pytest

from judge import leases, runs
from judge.configure import move_judges_here
from judge.models import Judge
from survey.models import Study
from tests.judge.judging import counts, describe_judging, queue

# Which judge waits is decided by rows alone, which test_spending.py counts on every database.
pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture
def two(study: Study, server_with: Callable[..., object]) -> Callable[..., tuple[Judge, Judge]]:
    """Gives the small study the judges `early`, whose calls are first in the queue, and `gold`."""

    def give(**section: Any) -> tuple[Judge, Judge]:
        server_with()
        judges = [{"name": name, "replicates": 1} for name in ("early", "gold")]
        describe_judging(study, judges=judges, gold="gold", **section)
        early, gold = (queue(judge) for judge in move_judges_here(study))
        return early, gold

    return give


def test_other_judges_wait_while_gold_scores_are_missing(two: Callable[..., Any]) -> None:
    early, gold = two(budget={"requests": 12})
    runs.run(early.pk)
    assert counts(early) == {"waiting": 10}
    assert leases.judges_to_wake() == [gold.pk]
    runs.run(gold.pk)
    assert counts(gold) == {"answered": 10}
    assert leases.judges_to_wake() == [early.pk]
    runs.run(early.pk)
    assert counts(early) == {"answered": 2, "waiting": 8}


def test_nobody_waits_for_a_gold_judge_that_is_stopped(two: Callable[..., Any]) -> None:
    early, gold = two(budget={"requests": 12})
    Judge.objects.filter(pk=gold.pk).update(stopped="its key is wrong")
    runs.run(early.pk)
    assert counts(early) == {"answered": 10}


def test_without_a_budget_nobody_waits(two: Callable[..., Any]) -> None:
    early, _ = two()
    runs.run(early.pk)
    assert counts(early) == {"answered": 10}
