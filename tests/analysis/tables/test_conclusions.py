"""What makes a conclusion another one."""

import math

import pytest

from analysis.tables.conclusions import NOTHING, Finding, moved


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        (Finding(0.2, 0.01), Finding(0.4, 0.04), ""),
        (Finding(0.2, 0.01), Finding(0.2, 0.05), "significance"),  # p below the level, not at it
        (Finding(0.2, 0.05), Finding(0.2, 0.04), "significance"),
        (Finding(0.2, 0.3), Finding(-0.2, 0.3), "sign"),
        (Finding(0.2, 0.3), Finding(0.0, 0.3), "sign"),
        (Finding(0.2, 0.01), Finding(-0.2, 0.3), "sign and significance"),
        (Finding(0.2, math.nan), Finding(0.1, 0.9), ""),  # no p is no significance
        (Finding(0.2, math.nan), Finding(0.1, 0.01), "significance"),
        (Finding(0.2, 0.01), NOTHING, "not estimable"),
        (NOTHING, Finding(0.2, 0.01), "estimable"),
        (NOTHING, NOTHING, ""),
    ],
)
def test_sign_and_significance_make_the_conclusion(
    before: Finding, after: Finding, what: str
) -> None:
    assert moved(before, after, confidence=0.95) == what


def test_level_is_what_the_confidence_leaves() -> None:
    assert moved(Finding(1, 0.04), Finding(1, 0.06), confidence=0.9) == ""
    assert moved(Finding(1, 0.04), Finding(1, 0.11), confidence=0.9) == "significance"
