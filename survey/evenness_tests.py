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


def succession_test(tables: Iterable[Table], shown: int | None = None) -> ChiSquare:
    """Whether each item came directly after each other one equally often (first-order carry-over).

    A table counts, for k items in uniformly random order, `shown` of n (default: all), how often
    the item of a column came directly after that of a row. Row and column sums show how often an
    item was first or last. `place_test` tests that, so they are fitted and removed here. The
    residuals have a symmetric part and an antisymmetric one. Their variances for each order,
    2a − 4b + 4c and 2a + 4b, follow from the chances of a random order: a that one given item comes
    directly after another, b that three given items are neighbours in a given order, c that two
    given pairs are neighbours, each in a given order.
    """
    return sum((_succession_test(table, shown or len(table)) for table in tables), NOTHING)


def _succession_test(table: Table, k: int) -> ChiSquare:
    n = len(table)
    neighbours = sum(map(sum, table))
    if n < 3 or not neighbours:
        return NOTHING
    orders = neighbours / (k - 1)
    every = range(n)
    even = neighbours / (n * (n - 1))
    left = [[table[i][j] - even if i != j else 0.0 for j in every] for i in every]
    rows = [sum(row) for row in left]
    columns = [sum(row[j] for row in left) for j in every]
    above = [((n - 1) * rows[i] + columns[i]) / (n * (n - 2)) for i in every]
    below = [((n - 1) * columns[i] + rows[i]) / (n * (n - 2)) for i in every]
    same = opposite = 0.0
    for i in every:
        for j in range(i):
            one = left[i][j] - above[i] - below[j]
            other = left[j][i] - above[j] - below[i]
            same += (one + other) ** 2
            opposite += (one - other) ** 2
    a = (k - 1) / (n * (n - 1))
    b = (k - 2) / (n * (n - 1) * (n - 2))
    c = (k - 2) * (k - 3) / (n * (n - 1) * (n - 2) * (n - 3)) if n > 3 else 0.0
    statistic = opposite / (2 * a + 4 * b)
    if n > 3:
        statistic += same / (2 * a - 4 * b + 4 * c)
    return ChiSquare(statistic / orders, n * n - 3 * n + 1)


def choice_test(counts: Iterable[Sequence[int]], shown: int) -> ChiSquare:
    """Whether items were chosen equally often; counts of independent choices add up.

    `counts` has how often each of n items was among the `shown` that uniformly random choices took
    from all.
    """
    return sum((_choice_test(each, shown) for each in counts), NOTHING)


def _choice_test(counts: Sequence[int], shown: int) -> ChiSquare:
    n, choices = len(counts), sum(counts) / shown
    if shown >= n or not choices:
        return NOTHING
    variance = choices * shown * (n - shown) / (n * (n - 1))
    even = choices * shown / n
    return ChiSquare(sum((count - even) ** 2 for count in counts) / variance, n - 1)


def together_test(tables: Iterable[Table], shown: int) -> ChiSquare:
    """Whether each two items were chosen together equally often.

    A symmetric table counts, for uniformly random choices of k = `shown` of n items, how often the
    items of its row and column were chosen together. Its sums show how often an item was chosen.
    `choice_test` tests that, so they are fitted and removed here. The variance of a residual is
    that of two items, t = k (k − 1) / (n (n − 1)), times (n − k) (n − k − 1) / ((n − 2) (n − 3)).
    """
    return sum((_together_test(table, shown) for table in tables), NOTHING)


def _together_test(table: Table, k: int) -> ChiSquare:
    n = len(table)
    pairs = sum(map(sum, table)) / 2
    if k < 2 or n < 4 or n - k < 2 or not pairs:
        return NOTHING
    choices = pairs / (k * (k - 1) / 2)
    sums = [sum(table[i][j] for j in range(n) if j != i) for i in range(n)]
    mean = 2 * pairs / ((n - 1) * (n - 2))
    squares = sum(
        (table[i][j] - (sums[i] + sums[j]) / (n - 2) + mean) ** 2
        for i in range(n)
        for j in range(i)
    )
    chance = k * (k - 1) / (n * (n - 1))
    variance = chance * (n - k) * (n - k - 1) / ((n - 2) * (n - 3))
    return ChiSquare(squares / (choices * variance), n * (n - 3) // 2)
