"""χ² tests of how evenly orders came out. Pure: counts in, statistics out.

The orders of one page are permutations: two items cannot have the same position. Pearson's χ² with
its usual degrees of freedom assumes independent cells and would be off by a factor. These tests
weigh each part of the deviations by its exact variance under uniformly random orders. Orders that
are balanced by design are more even than random ones: then p is near 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import erfc, exp, lgamma, log, sqrt

Table = Sequence[Sequence[int]]


@dataclass(frozen=True)
class ChiSquare:
    """A test against uniformly random orders; small p means less even than those."""

    statistic: float
    df: int

    @property
    def p(self) -> float:
        """The probability of a statistic at least as large."""
        return chi_square_tail(self.statistic, self.df)

    def __add__(self, other: "ChiSquare") -> "ChiSquare":
        return ChiSquare(self.statistic + other.statistic, self.df + other.df)


NOTHING = ChiSquare(0.0, 0)


def chi_square_tail(statistic: float, df: int) -> float:
    """P(χ² ≥ statistic) with `df` degrees of freedom.

    The finite sums of Abramowitz & Stegun (1964), 26.4.4 and 26.4.5.
    """
    half = statistic / 2
    if half <= 0 or df == 0:
        return 1.0
    odd = df % 2
    powers = (step + odd / 2 for step in range(df // 2))
    terms = [exp(power * log(half) - half - lgamma(power + 1)) for power in powers]
    return min(1.0, sum(terms) + (erfc(sqrt(half)) if odd else 0.0))


def place_test(tables: Iterable[Table]) -> ChiSquare:
    """Whether items appeared equally often at each position; tables of independent orders add up.

    A table has a row for each of m items and a column for each of k ≤ m positions; each order puts
    one item at each position. With k = m this is Anderson's statistic for ranks: R. L. Anderson
    (1959), Use of contingency tables in the analysis of consumer preference studies, Biometrics 15;
    for k < m the same covariance, (I − J/m) ⊗ (I − J/m) / (m − 1), cut to k columns and inverted.
    """
    return sum((_place_test(table) for table in tables), NOTHING)


def _place_test(table: Table) -> ChiSquare:
    things, places = len(table), len(table[0]) if table else 0
    orders = sum(row[0] for row in table) if places else 0
    if things < 2 or not orders:
        return NOTHING
    even = orders / things
    squares = sum((count - even) ** 2 for row in table for count in row)
    if places < things:
        rows = (sum(row) - places * even for row in table)
        squares += sum(row**2 for row in rows) / (things - places)
    return ChiSquare((things - 1) / orders * squares, (things - 1) * min(places, things - 1))


def succession_test(tables: Iterable[Table]) -> ChiSquare:
    """Whether each item came directly after each other one equally often (first-order carry-over).

    A table counts, for k items in uniformly random order, how often the item of a column came
    directly after that of a row. Row and column sums show how often an item was first or last.
    `place_test` tests that, so they are fitted and removed here. The residuals have a symmetric
    part (variance 1/k for each order) and an antisymmetric one ((k + 1) / (k (k − 1))); both
    variances follow from the pairs of neighbours in a random permutation.
    """
    return sum((_succession_test(table) for table in tables), NOTHING)


def _succession_test(table: Table) -> ChiSquare:
    k = len(table)
    neighbours = sum(map(sum, table))
    if k < 3 or not neighbours:
        return NOTHING
    orders = neighbours / (k - 1)
    every = range(k)
    even = orders / k
    left = [[table[i][j] - even if i != j else 0.0 for j in every] for i in every]
    rows = [sum(row) for row in left]
    columns = [sum(row[j] for row in left) for j in every]
    above = [((k - 1) * rows[i] + columns[i]) / (k * (k - 2)) for i in every]
    below = [((k - 1) * columns[i] + rows[i]) / (k * (k - 2)) for i in every]
    same = opposite = 0.0
    for i in every:
        for j in range(i):
            one = left[i][j] - above[i] - below[j]
            other = left[j][i] - above[j] - below[i]
            same += (one + other) ** 2 / 2
            opposite += (one - other) ** 2 / 2
    statistic = (same * k + opposite * k * (k - 1) / (k + 1)) / orders
    return ChiSquare(statistic, k * k - 3 * k + 1)
