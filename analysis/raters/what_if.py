"""What other thresholds would do: the funnel and the main results, at once and without pandas.

The numbers are those that an analysis by these thresholds would store, worked out from what the
last one left: each rater's indices and difference a − b, and sums of ratings. A page can ask for
them while somebody moves a slider; nothing is decided by it.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from analysis.definition import DECISION, QualityRules, RuleName, StepName
from analysis.stats.student_t import t_quantile

#: As in `raters.funnel`: numbers this close count as equal.
TOLERANCE = 1e-9


class Rater(NamedTuple):
    """A rater as the funnel sees them; None where something is not known.

    `entered` who finished or left; `left` who did not finish. Everybody else is still at it.
    `decided` whom a decision excludes.
    """

    key: int
    entered: bool
    left: bool
    minutes: float | None
    failures: int | None
    sigma: float | None
    mae: float | None
    sex: str
    decided: bool = False


def _outside_window(rater: Rater, rules: QualityRules) -> bool:
    if rater.minutes is None:
        return False
    window = rules.duration_minutes
    early = rater.minutes < window.minimum - TOLERANCE
    return early or rater.minutes > window.maximum + TOLERANCE


def _failed_attention(rater: Rater, rules: QualityRules) -> bool:
    return rater.failures is not None and rater.failures > rules.attention.failures_allowed


def _flat_and_far(rater: Rater, rules: QualityRules) -> bool:
    if rater.sigma is None or rater.mae is None:
        return False
    limits = rules.sigma_mae
    flat = rater.sigma < limits.sigma_below - TOLERANCE
    return flat and rater.mae > limits.mae_above + TOLERANCE


MATCHES: dict[RuleName, Callable[[Rater, QualityRules], bool]] = {
    "duration": _outside_window,
    "attention": _failed_attention,
    "early_exit": lambda rater, rules: rater.left,
    "sigma_mae": _flat_and_far,
}


@dataclass
class Step:
    """A row of funnel.csv."""

    name: StepName
    excluded: int = 0
    remaining: int = 0
    alone: int = 0
    by_sex: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Funnel:
    """The steps in order, how many entered, who is left after the last, and which step was the
    first to exclude the others.
    """

    steps: list[Step]
    entered: int
    included: frozenset[int]
    excluded: dict[int, StepName]


def funnel(raters: Sequence[Rater], rules: QualityRules) -> Funnel:
    """The rules applied in their order: what `raters.funnel.apply_rules` gives."""
    remaining = [rater for rater in raters if rater.entered]
    entered = list(remaining)
    sexes = sorted({rater.sex for rater in entered})
    steps = []
    excluded: dict[int, StepName] = {}
    decided = {rater.key for rater in entered if rater.decided}
    matches: dict[StepName, set[int]] = {DECISION: decided} if decided else {}
    for rule in rules.order:
        matches[rule] = {
            rater.key for rater in entered if not rater.decided and MATCHES[rule](rater, rules)
        }
    for name, matching in matches.items():
        step = Step(name, alone=len(matching), by_sex=dict.fromkeys(sexes, 0))
        for rater in remaining:
            if rater.key in matching:
                step.excluded += 1
                excluded[rater.key] = name
                step.by_sex[rater.sex] += 1
        remaining = [rater for rater in remaining if rater.key not in matching]
        step.remaining = len(remaining)
        steps.append(step)
    included = frozenset(rater.key for rater in remaining)
    return Funnel(steps, len(entered), included, excluded)


class Sum(NamedTuple):
    """The ratings of something: their sum and their number."""

    total: int
    n: int

    def plus(self, other: "Sum", times: int = 1) -> "Sum":
        return Sum(self.total + times * other.total, self.n + times * other.n)

    def above(self, other: "Sum") -> bool:
        """Whether this mean is greater than the other one, exactly."""
        return self.total * other.n > other.total * self.n


NONE = Sum(0, 0)


class Item(NamedTuple):
    """A response as shown in one set, on one dimension."""

    scenario: str
    set: str
    model: str
    condition: str
    dimension: str


@dataclass
class Wins:
    """What wins_summary.csv says of a dimension over all scenarios."""

    a: int = 0
    b: int = 0
    ties: int = 0
    reference_points: int = 0
    reference_points_max: int = 0


def wins(
    sums: Mapping[Item, Sum], pair: tuple[str, str], reference: tuple[str, str] | None
) -> dict[str, Wins]:
    """Wins by dimension: the higher mean of a model and scenario, as in `tables.wins`.

    `sums` are the included raters' ratings of every item, also of those that nobody rated.
    """
    cells: dict[tuple[str, str, str], tuple[list[Sum], set[str]]] = {}
    of_reference: dict[tuple[str, str, str], Sum] = {}
    for item, of_item in sums.items():
        if item.condition in pair:
            key = (item.model, item.scenario, item.dimension)
            both, sets = cells.setdefault(key, ([NONE, NONE], set()))
            side = pair.index(item.condition)
            both[side] = both[side].plus(of_item)
            sets.add(item.set)
        if (item.model, item.condition) == reference:
            place = (item.scenario, item.dimension, item.set)
            of_reference[place] = of_reference.get(place, NONE).plus(of_item)
    found: dict[str, Wins] = {}
    for (_, scenario, dimension), ((a, b), sets) in cells.items():
        counted = found.setdefault(dimension, Wins())
        if not (a.n and b.n):
            continue
        counted.a += a.above(b)
        counted.b += b.above(a)
        counted.ties += not (a.above(b) or b.above(a))
        own = NONE
        for name in sets:
            own = own.plus(of_reference.get((scenario, dimension, name), NONE))
        if own.n:
            counted.reference_points += own.above(a) + own.above(b)
            counted.reference_points_max += 2
    return found


@dataclass(frozen=True)
class Difference:
    """The mean of the raters' a − b, with its interval where two raters or more differ."""

    n: int
    mean: float | None
    low: float | None = None
    high: float | None = None


def mean_difference(differences: Iterable[float], confidence: float) -> Difference:
    """Mean and t interval over raters: F1 of contrasts.csv, over all models."""
    values = list(differences)
    n = len(values)
    if not n:
        return Difference(0, None)
    mean = math.fsum(values) / n
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1) if n > 1 else 0.0
    if variance < TOLERANCE**2:
        return Difference(n, mean)
    half = t_quantile((1 + confidence) / 2, n - 1) * math.sqrt(variance / n)
    return Difference(n, mean, mean - half, mean + half)


def spread(by_block: Collection[tuple[Sum, int]], *, over: str, ddof: int) -> float | None:
    """A rater's σ from the sum, number and sum of squares of their ratings in each block.

    `over` all ratings, or the mean rating of each block (`blocks`).
    """
    if over == "blocks":
        means = [total / n for (total, n), _ in by_block]
        if len(means) <= ddof:
            return None
        mean = math.fsum(means) / len(means)
        return math.sqrt(math.fsum((m - mean) ** 2 for m in means) / (len(means) - ddof))
    n = sum(of_block.n for of_block, _ in by_block)
    if n <= ddof:
        return None
    total = sum(of_block.total for of_block, _ in by_block)
    squares = sum(of_squares for _, of_squares in by_block)
    return math.sqrt((n * squares - total**2) / (n * (n - ddof)))
