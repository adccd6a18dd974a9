"""Which raters count: the rules applied one after the other, and what each would do alone.

Everyone who consented and then finished or left enters; people who declined, were screened out,
failed the comprehension check, withdrew or are still taking the survey are in no step. The first
rule that matches, in the order of the rule set, is the reason why a rater is excluded. The step
`decision` comes before all rules: who researchers excluded by a recorded decision. It exists if it
excludes people who entered. The rules are about the others, also in the column `alone`.

Arrays of numpy in and out, and no pandas: a worker's tables and the page of thresholds both come
from here. `raters.funnel` makes the tables.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from analysis.exclusion_rule import RaterArrays
from analysis.quality_rules import DECISION, QualityRules, SigmaOver, StepName

Truths = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
#: Whole numbers, or floats, of which sums of multiples of ½ or ¼ are exact.
Exact = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Names = npt.NDArray[np.str_]

#: The sex of raters without a known one.
UNSPECIFIED = "unspecified"


@dataclass(frozen=True)
class Step:
    """A row of funnel.csv: `by_sex` counts the excluded, of every sex that entered."""

    name: StepName
    excluded: int = 0
    remaining: int = 0
    alone: int = 0
    by_sex: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ExclusionOutcome:
    """The steps in their order, how many entered, and for each rater whether they are left after
    the last step, and the first step that excludes them ("" where none does).
    """

    steps: list[Step]
    entered: int
    included: Truths
    excluded_by: Names


def under_rules(raters: RaterArrays) -> Truths:
    """Who the rules apply to: entered, and not excluded by a decision."""
    return raters.entered & ~raters.decided


def exclude(raters: RaterArrays, rules: QualityRules) -> ExclusionOutcome:
    """The rules applied in their order."""
    ruled = under_rules(raters)
    matching: dict[StepName, Truths] = {
        name: ruled & rules.rule(name).matches(raters) for name in rules.order
    }
    decided = raters.entered & raters.decided
    if decided.any():
        matching = {DECISION: decided, **matching}
    sexes, sex = np.unique(raters.sex[raters.entered], return_inverse=True)
    remaining = raters.entered
    excluded_by = np.full(len(remaining), "", dtype=object)
    steps = []
    for name, matches in matching.items():
        excluded, remaining = remaining & matches, remaining & ~matches
        excluded_by[excluded] = name
        counts = np.bincount(sex[excluded[raters.entered]], minlength=len(sexes))
        by_sex = dict(zip(sexes.tolist(), counts.tolist(), strict=True))
        n_excluded, n_left, alone = (int(each.sum()) for each in (excluded, remaining, matches))
        steps.append(Step(name, n_excluded, n_left, alone, by_sex))
    return ExclusionOutcome(steps, int(raters.entered.sum()), remaining, excluded_by.astype(str))


def sigmas(
    rater: Whole, n: Whole, total: Exact, squares: Exact, *, raters: int, over: SigmaOver, ddof: int
) -> tuple[Numbers, Whole]:
    """σ of each of so many `raters`, and how many values it is the standard deviation of.

    A place in the other arrays is ratings of one block by one rater: whose they are (from 0), how
    many, their sum, and the sum of their squares. Where σ is `over` ratings, a place may as well be
    all of a rater's. NaN where there are no more values than `ddof`.
    """
    if over == "ratings":
        # everything before the division is a whole number, or a multiple of ¼, and therefore exact
        count = np.bincount(rater, weights=n, minlength=raters).astype(np.int64)
        sum_, sum_of_squares = (
            np.bincount(rater, weights=values, minlength=raters) for values in (total, squares)
        )
        spread = count * sum_of_squares - sum_**2
        among = count * (count - ddof)
    else:
        count = np.bincount(rater, minlength=raters)
        means = total / n
        first = np.zeros(raters)
        first[rater[::-1]] = means[::-1]
        apart = means - first[rater]  # equal means give exactly 0
        middle = np.bincount(rater, weights=apart, minlength=raters) / np.maximum(count, 1)
        spread = np.bincount(rater, weights=(apart - middle[rater]) ** 2, minlength=raters)
        among = count - ddof
    known = count > ddof
    return np.sqrt(np.where(known, spread / np.where(known, among, 1), np.nan)), count
