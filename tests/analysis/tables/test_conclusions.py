"""What makes a conclusion another one."""

import math

import pytest

from analysis.tables.conclusions import NOTHING, TestedDifference, moved


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (TestedDifference(0.2, 0.01), TestedDifference(0.4, 0.04), ""),
        (
            TestedDifference(0.2, 0.01),
            TestedDifference(0.2, 0.05),
            "significance",
        ),  # p below the level, not at it
        (TestedDifference(0.2, 0.05), TestedDifference(0.2, 0.04), "significance"),
        (TestedDifference(0.2, 0.3), TestedDifference(-0.2, 0.3), "sign"),
        (TestedDifference(0.2, 0.3), TestedDifference(0.0, 0.3), "sign"),
        (TestedDifference(0.2, 0.01), TestedDifference(-0.2, 0.3), "sign and significance"),
        (
            TestedDifference(0.2, math.nan),
            TestedDifference(0.1, 0.9),
            "",
        ),  # no p is no significance
        (TestedDifference(0.2, math.nan), TestedDifference(0.1, 0.01), "significance"),
        (TestedDifference(0.2, 0.01), NOTHING, "not estimable"),
        (NOTHING, TestedDifference(0.2, 0.01), "estimable"),
        (NOTHING, NOTHING, ""),
    ],
)
def test_sign_and_significance_make_the_conclusion(
    before: TestedDifference, after: TestedDifference, what: str
) -> None:
    assert moved(before, after, confidence=0.95) == what


def test_level_is_what_the_confidence_leaves() -> None:
    assert moved(TestedDifference(1, 0.04), TestedDifference(1, 0.06), confidence=0.9) == ""
    assert (
        moved(TestedDifference(1, 0.04), TestedDifference(1, 0.11), confidence=0.9)
        == "significance"
    )
