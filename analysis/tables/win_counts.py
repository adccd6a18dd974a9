"""Which of two conditions was rated higher, per model, scenario and dimension: exactly. Pure.

Means are compared as Σa·n_b against Σb·n_a, so that equal means are a tie whatever their decimals.
In whole numbers and multiples of ½ these are exact. Sums of other decimals, and of composites of
three parts, differ by rounding: smaller differences than `ROUNDING` are none. The reference earns a
point for each of the two conditions that its mean is above; its ratings are those of the sets in
which the model was shown.

Arrays of numpy in and out, and no pandas: wins.csv, resamples (one column each), and the page on
which a researcher moves thresholds all come from here.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Whole = npt.NDArray[np.int64]
#: Whole numbers, or floats of which sums are exact to far below `ROUNDING`.
Exact = npt.NDArray[np.int64] | npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
Small = npt.NDArray[np.int8]
#: Far below what sums can differ by: the step of the scale, at least 0.0001, divided by the number
#: of parts of a composite.
ROUNDING = 1e-6


class Item(NamedTuple):
    """A response as shown in one set, on one dimension."""

    scenario: str
    set: str
    model: str
    condition: str
    dimension: str


class Comparison(NamedTuple):
    """What is compared: both conditions of a model, in one scenario and on one dimension."""

    model: str
    scenario: str
    dimension: str


@dataclass(frozen=True)
class Sums:
    """Sums and numbers of ratings."""

    total: Exact
    n: Whole

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        return self.total / np.where(self.n > 0, self.n, np.nan)

    def above(self, other: "Sums") -> Truths:
        """Where this mean is greater than the other one."""
        return self.total * other.n - other.total * self.n > ROUNDING


@dataclass(frozen=True)
class WinCounts:
    """How often a and b won or neither, the points of the reference and how many it could have,
    and how many cells could not be compared; a number per column of the outcomes.
    """

    a: Whole
    b: Whole
    ties: Whole
    reference_points: Whole
    reference_points_max: Whole
    not_compared: Whole


@dataclass(frozen=True)
class Outcomes:
    """What came of each cell (row); of resamples in columns.

    `higher` is 1 where a won, −1 where b did, 0 at a tie; it says something where `compared`: both
    conditions have ratings. `points` are the reference's, 0 to 2, where it `has_points`.
    """

    higher: Small
    compared: Truths
    points: Small
    has_points: Truths

    def of(self, rows: Truths) -> "Outcomes":
        """Some of the cells."""
        return Outcomes(
            self.higher[rows], self.compared[rows], self.points[rows], self.has_points[rows]
        )

    def counted(self) -> WinCounts:
        """The cells summed up."""
        a, b = (((self.higher == way) & self.compared).sum(axis=0) for way in (1, -1))
        return WinCounts(
            a,
            b,
            ties=self.compared.sum(axis=0) - a - b,
            reference_points=np.where(self.has_points, self.points, 0).sum(axis=0),
            reference_points_max=2 * self.has_points.sum(axis=0),
            not_compared=(~self.compared).sum(axis=0),
        )


def outcomes_of(a: Sums, b: Sums, reference: Sums) -> Outcomes:
    """Who has the higher mean, and the points of the reference."""
    compared = (a.n > 0) & (b.n > 0)
    return Outcomes(
        a.above(b).astype(np.int8) - b.above(a),
        compared,
        reference.above(a).astype(np.int8) + reference.above(b),
        compared & (reference.n > 0),
    )


@dataclass(frozen=True)
class ItemsByComparison:
    """Which items (by their places) are added up in which cells, sorted by cell."""

    cells: Whole
    items: Whole

    def sums(self, totals: Exact, counts: Whole, *, cells: int) -> Sums:
        """The sums of each of so many `cells`."""
        filled, starts = np.unique(self.cells, return_index=True)
        summed = []
        for values in (totals, counts):
            sums = np.zeros((cells, *values.shape[1:]), dtype=values.dtype)
            sums[filled] = np.add.reduceat(values[self.items], starts, axis=0)
            summed.append(sums)
        return Sums(*summed)


@dataclass(frozen=True)
class Cells:
    """The cells of a study, and whose ratings are added up for each of them."""

    keys: list[Comparison]
    a: ItemsByComparison
    b: ItemsByComparison
    reference: ItemsByComparison

    def sums(self, totals: Exact, counts: Whole) -> tuple[Sums, Sums, Sums]:
        """Those of a, b and the reference, of sums and numbers of ratings by item (rows)."""
        n = len(self.keys)
        a, b, reference = (
            part.sums(totals, counts, cells=n) for part in (self.a, self.b, self.reference)
        )
        return a, b, reference

    def outcomes(self, totals: Exact, counts: Whole) -> Outcomes:
        """What comes of them."""
        return outcomes_of(*self.sums(totals, counts))


def cells_of(
    items: Iterable[Item],
    pair: tuple[str, str],
    reference: tuple[str, str] | None,
    *,
    own_set: bool = True,
) -> Cells:
    """The cells of models that have both conditions of the `pair`, where either exists, in the
    order of the items.

    `reference` is a model and condition; its ratings are those of a cell's own sets, or of all.
    """
    items = list(items)
    of_pair = {(item.model, item.dimension, item.condition) for item in items}
    places: dict[Comparison, int] = {}
    parts: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    sides: dict[Item, list[int]] = {}  # by what the reference was shown with
    of_reference: dict[Item, list[int]] = {}
    for at, item in enumerate(items):
        page = Item(item.scenario, item.set if own_set else "", "", "", item.dimension)
        if all((item.model, item.dimension, each) in of_pair for each in pair) and (
            item.condition in pair
        ):
            key = Comparison(item.model, item.scenario, item.dimension)
            cell = places.setdefault(key, len(places))
            parts[pair.index(item.condition)].append((cell, at))
            sides.setdefault(page, []).append(cell)
        if (item.model, item.condition) == reference:
            of_reference.setdefault(page, []).append(at)
    beside = {
        (cell, at) for page, cells in sides.items() for cell in cells
        for at in of_reference.get(page, [])
    }  # fmt: skip
    return Cells(list(places), *(_part(pairs) for pairs in (*parts, beside)))


def _part(pairs: Iterable[tuple[int, int]]) -> ItemsByComparison:
    cells, items = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return ItemsByComparison(cells, items)
