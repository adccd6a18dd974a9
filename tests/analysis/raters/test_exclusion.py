"""The engine of exclusions: what its tables and the page of thresholds are made from."""

from typing import Any, get_args

import numpy as np
import pytest

from analysis.exclusion_rule import RaterArrays
from analysis.quality_rules import MEASURES, SECTIONS, SETTINGS, QualityRules, RuleName, SigmaOver
from analysis.raters.exclusion import exclude, sigmas


def raters(n: int, **different: Any) -> RaterArrays:
    """So many raters whom no rule matches, but for what is said of them."""
    usual: dict[str, Any] = {"minutes": 20.0, "failures": 0.0, "sigma": 1.0, "mae": 0.5}
    usual |= {"entered": True, "left": False, "decided": False, "sex": "Female"}
    arrays = {
        name: np.array(different.get(name, [value] * n), dtype=type(value))
        for name, value in usual.items()
    }
    measures = {name: arrays.pop(name) for name in MEASURES}
    return RaterArrays(**arrays, measures=measures)


def test_steps_say_who_is_excluded_who_is_left_and_what_each_rule_does_alone() -> None:
    found = exclude(
        raters(
            5,
            minutes=[20, 5, 5, np.nan, 20],
            left=[False, False, True, True, False],
            entered=[True, True, True, True, False],
            sex=["Female", "Male", "Female", "unspecified", "Other"],
        ),
        QualityRules(order=["duration", "early_exit"]),
    )
    assert [(s.name, s.excluded, s.remaining, s.alone) for s in found.steps] == [
        ("duration", 2, 2, 2),
        ("early_exit", 1, 1, 2),
    ]
    assert found.steps[0].by_sex == {"Female": 1, "Male": 1, "unspecified": 0}
    assert found.entered == 4
    assert found.included.tolist() == [True, False, False, False, False]
    assert found.excluded_by.tolist() == ["", "duration", "duration", "early_exit", ""]


def test_funnel_without_rules_keeps_whoever_entered() -> None:
    found = exclude(raters(2, entered=[True, False]), QualityRules(order=[]))
    assert (found.steps, found.entered, found.included.tolist()) == ([], 1, [True, False])


def test_funnel_of_nobody_counts_nobody() -> None:
    found = exclude(raters(0), QualityRules())
    assert [(s.excluded, s.remaining, s.by_sex) for s in found.steps] == [(0, 0, {})] * 4


#: The ratings 1 and 3 in a block, and 3 and 3 in another; a third rater gave one rating. The second
#: and the last of four raters gave none.
BLOCKS = {
    "rater": np.array([0, 0, 2]),
    "n": np.array([2, 2, 1]),
    "total": np.array([4, 6, 5]),
    "squares": np.array([10, 18, 25]),
}


@pytest.mark.parametrize(
    ("over", "ddof", "expected"),
    [
        ("ratings", 1, [1.0, np.nan, np.nan, np.nan]),
        ("ratings", 0, [0.75**0.5, np.nan, 0.0, np.nan]),
        ("blocks", 1, [0.5**0.5, np.nan, np.nan, np.nan]),
        ("blocks", 0, [0.5, np.nan, 0.0, np.nan]),
    ],
)
def test_sigma_is_over_ratings_or_over_the_means_of_blocks(
    over: SigmaOver, ddof: int, expected: list[float]
) -> None:
    sigma, n = sigmas(**BLOCKS, raters=4, over=over, ddof=ddof)
    assert sigma == pytest.approx(expected, nan_ok=True)
    assert n.tolist() == ([4, 0, 1, 0] if over == "ratings" else [2, 0, 1, 0])


def test_every_rule_has_its_section_words_and_measures() -> None:
    assert set(SECTIONS) == set(get_args(RuleName))
    rules = QualityRules()
    for name in SECTIONS:
        rule = rules.rule(name)
        assert rule.name == name
        assert rule.in_short() and rule.in_words()
        assert set(rule.measures) <= set(MEASURES)
    assert all(setting.about.label for setting in SETTINGS.values())


def test_rules_about_ratings_are_not_applied_where_nothing_is_rated() -> None:
    assert QualityRules().applied(rated=True) == QualityRules()
    assert QualityRules().applied(rated=False).order == ["duration", "attention", "early_exit"]
