"""Does a reader conclude something else when the same is computed in another way?"""

import math
from typing import NamedTuple


class TestedDifference(NamedTuple):
    """A difference and the p value of there being none; NaN where it cannot be estimated."""

    difference: float
    p: float


NOTHING = TestedDifference(math.nan, math.nan)


def moved(before: TestedDifference, after: TestedDifference, *, confidence: float) -> str:
    """What of a finding is not as before, in words; nothing where its sign and its significance at
    p < 1 − `confidence` are the same.
    """
    known = [not math.isnan(finding.difference) for finding in (before, after)]
    if not all(known):
        return "" if not any(known) else "estimable" if known[1] else "not estimable"
    level = round(1 - confidence, 12)
    parts = {
        "sign": _sign(before.difference) != _sign(after.difference),
        "significance": (before.p < level) != (after.p < level),
    }
    return " and ".join(part for part, changed in parts.items() if changed)


def _sign(value: float) -> int:
    return int(value > 0) - int(value < 0)
