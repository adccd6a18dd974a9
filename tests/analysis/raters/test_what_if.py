"""What other thresholds would do, worked out without pandas: the same as an analysis finds."""

import random
from typing import Any

import pytest
from pandas import DataFrame

from analysis.definition import QualityRules
from analysis.raters import funnel as with_pandas
from analysis.raters.what_if import (
    TOLERANCE,
    Item,
    Rater,
    Sum,
    funnel,
    mean_difference,
    spread,
    wins,
)
from tests.analysis.by_hand import rows_of

RULES = QualityRules.model_validate(
    {"order": ["attention", "duration", "sigma_mae", "early_exit"], "attention": {}}
)


def rater(key: int = 1, **values: Any) -> Rater:
    usual = Rater(key, True, False, minutes=20.0, failures=0, sigma=1.0, mae=0.5, sex="Female")
    return usual._replace(**values)


def somebody(key: int, chance: random.Random) -> Rater:
    """Anybody: also who lies on a threshold, or of whom something is not known."""
    status = chance.choice(["completed", "completed", "left", "active"])
    return Rater(
        key,
        entered=status != "active",
        left=status == "left",
        minutes=chance.choice([None, 2.0, 10.0, 20.0, 75.0, 75.1]),
        failures=chance.choice([None, 0, 0, 1, 2]),
        sigma=chance.choice([None, 0.2, 0.6, 0.6 - 1e-12, 1.0]),
        mae=chance.choice([None, 0.3, 0.9, 0.9 + 1e-12, 1.4]),
        sex=chance.choice(["Female", "Male", "unspecified"]),
    )


def as_frame(raters: list[Rater]) -> DataFrame:
    return DataFrame(
        {
            "participant": [str(r.key) for r in raters],
            "status": ["completed" if r.entered and not r.left else "in_progress" for r in raters],
            "active": [not r.entered for r in raters],
            "duration_seconds": [None if r.minutes is None else 60 * r.minutes for r in raters],
            "attention_checks_failed": [r.failures for r in raters],
            "sigma": [r.sigma for r in raters],
            "mae": [r.mae for r in raters],
            "sex": [None if r.sex == "unspecified" else r.sex for r in raters],
        }
    ).astype(dict.fromkeys(["duration_seconds", "attention_checks_failed", "sigma", "mae"], float))


@pytest.mark.parametrize("seed", range(5))
def test_funnel_is_that_of_the_analysis(seed: int) -> None:
    chance = random.Random(seed)
    raters = [somebody(key, chance) for key in range(200)]

    found = funnel(raters, RULES)
    expected = with_pandas.apply_rules(as_frame(raters), RULES)

    assert [
        {
            "step": step.name,
            "excluded": step.excluded,
            "remaining": step.remaining,
            "alone": step.alone,
            **{f"excluded_{sex.lower()}": n for sex, n in step.by_sex.items()},
        }
        for step in found.steps
    ] == rows_of(expected.steps)
    assert found.included == {
        r.key for r, kept in zip(raters, expected.included, strict=True) if kept
    }
    assert found.entered == sum(r.entered for r in raters)


def test_what_counts_as_equal_is_the_same() -> None:
    assert TOLERANCE == with_pandas.TOLERANCE


def test_funnel_without_rules_keeps_whoever_entered() -> None:
    found = funnel([rater(1), rater(2, entered=False)], QualityRules(order=[]))
    assert (found.steps, found.entered, set(found.included)) == ([], 1, {1})


def test_wins_go_to_the_higher_mean_and_points_to_the_reference_of_the_own_set() -> None:
    sums = {
        Item("S1", "1", "Ant", "plain", "warmth"): Sum(6, 3),
        Item("S1", "1", "Ant", "tuned", "warmth"): Sum(4, 2),
        Item("S1", "1", "Oracle", "reference", "warmth"): Sum(5, 2),
        Item("S2", "1", "Ant", "plain", "warmth"): Sum(6, 2),
        Item("S2", "1", "Ant", "tuned", "warmth"): Sum(4, 2),
        Item("S2", "1", "Oracle", "reference", "warmth"): Sum(5, 2),
        Item("S2", "2", "Oracle", "reference", "warmth"): Sum(10, 2),
        Item("S3", "1", "Ant", "plain", "warmth"): Sum(0, 0),
        Item("S3", "1", "Ant", "tuned", "warmth"): Sum(4, 2),
    }
    found = wins(sums, ("plain", "tuned"), ("Oracle", "reference"))["warmth"]
    assert (found.a, found.b, found.ties) == (1, 0, 1)
    assert (found.reference_points, found.reference_points_max) == (3, 4)


def test_mean_difference_has_the_interval_of_a_t_test() -> None:
    found = mean_difference([0.0, 1.0, 2.0], 0.95)
    # 1 ± 4.302653 · 1/√3
    assert (found.n, found.mean) == (3, 1.0)
    assert (found.low, found.high) == pytest.approx((-1.4841377, 3.4841377))


@pytest.mark.parametrize("differences", [[], [0.5], [0.5, 0.5]])
def test_mean_difference_without_spread_has_no_interval(differences: list[float]) -> None:
    found = mean_difference(differences, 0.95)
    assert (found.low, found.high) == (None, None)
    assert found.mean == (0.5 if differences else None)


def test_spread_is_over_ratings_or_over_the_means_of_blocks() -> None:
    blocks = [(Sum(4, 2), 10), (Sum(6, 2), 18)]  # 1 and 3; 3 and 3
    assert spread(blocks, over="ratings", ddof=1) == pytest.approx(1.0)
    assert spread(blocks, over="ratings", ddof=0) == pytest.approx(0.75**0.5)
    assert spread(blocks, over="blocks", ddof=1) == pytest.approx(0.5**0.5)
    assert spread(blocks[:1], over="blocks", ddof=1) is None
    assert spread([(Sum(3, 1), 9)], over="ratings", ddof=1) is None
