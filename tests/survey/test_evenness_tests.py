"""χ² tests of orders: exact against all permutations, and against scipy."""

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise, permutations

import pytest
from scipy import stats

from survey.counterbalance import rows_of_square, williams_row
from survey.evenness_tests import (
    ChiSquare,
    chi_square_tail,
    choice_test,
    place_test,
    succession_test,
    together_test,
)

Orders = list[tuple[int, ...]]


def places(orders: Orders, m: int) -> list[list[int]]:
    """How often each of m things stood at each place."""
    counts = Counter(cell for order in orders for cell in enumerate(order))
    return [[counts[place, thing] for place in range(len(orders[0]))] for thing in range(m)]


def followers(orders: Orders, k: int) -> list[list[int]]:
    counts = Counter(pair for order in orders for pair in pairwise(order))
    return [[counts[i, j] for j in range(k)] for i in range(k)]


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 11, 16, 64, 529, 2001])
def test_tail_is_that_of_scipy(df: int) -> None:
    for factor in (0.01, 0.5, 0.9, 1.0, 1.1, 1.5, 3.0, 20.0):
        assert chi_square_tail(factor * df, df) == pytest.approx(
            stats.chi2.sf(factor * df, df), rel=1e-9, abs=1e-300
        )


def test_tail_of_nothing_is_certain() -> None:
    assert chi_square_tail(0, 5) == chi_square_tail(3, 0) == 1


@pytest.mark.parametrize(("m", "k"), [(2, 2), (3, 3), (5, 5), (3, 1), (5, 2), (6, 3), (4, 3)])
def test_place_statistic_is_its_degrees_of_freedom_on_average(m: int, k: int) -> None:
    tests = [place_test([places([order], m)]) for order in permutations(range(m), k)]
    df = (m - 1) * min(k, m - 1)
    assert {test.df for test in tests} == {df}
    assert sum(test.statistic for test in tests) / len(tests) == pytest.approx(df)


@pytest.mark.parametrize(("k", "df"), [(3, 1), (4, 5), (5, 11), (6, 19)])
def test_succession_statistic_is_its_degrees_of_freedom_on_average(k: int, df: int) -> None:
    tests = [succession_test([followers([order], k)]) for order in permutations(range(k))]
    assert {test.df for test in tests} == {df}
    assert sum(test.statistic for test in tests) / len(tests) == pytest.approx(df)


SOME = pytest.mark.parametrize(("n", "k"), [(3, 2), (4, 2), (5, 2), (5, 3), (6, 4), (6, 5), (7, 3)])


@SOME
def test_succession_statistic_of_some_items_is_its_degrees_of_freedom_on_average(
    n: int, k: int
) -> None:
    tests = [succession_test([followers([order], n)], k) for order in permutations(range(n), k)]
    assert {test.df for test in tests} == {n * n - 3 * n + 1}
    assert sum(test.statistic for test in tests) / len(tests) == pytest.approx(n * n - 3 * n + 1)


@SOME
def test_statistics_of_choices_are_their_degrees_of_freedom_on_average(n: int, k: int) -> None:
    choices = list(combinations(range(n), k))
    tests = [choice_test([chosen([choice], n)], k) for choice in choices]
    assert sum(test.statistic for test in tests) / len(tests) == pytest.approx(n - 1)
    assert {test.df for test in tests} == {n - 1}
    tests = [together_test([together([choice], n)], k) for choice in choices]
    df = n * (n - 3) / 2 if n - k >= 2 and n > 3 else 0  # else the choices say it all
    assert sum(test.statistic for test in tests) / len(tests) == pytest.approx(df)
    assert {test.df for test in tests} == {df}


def chosen(choices: Orders, n: int) -> list[int]:
    return [sum(item in choice for choice in choices) for item in range(n)]


def together(choices: Orders, n: int) -> list[list[int]]:
    return [
        [sum(i != j and {i, j} <= set(choice) for choice in choices) for j in range(n)]
        for i in range(n)
    ]


def test_place_statistic_of_a_full_table_is_andersons() -> None:
    draw = random.Random(1)
    table = places([tuple(draw.sample(range(5), 5)) for _ in range(50)], 5)
    pearson = stats.chisquare([count for row in table for count in row]).statistic
    assert place_test([table]).statistic == pytest.approx(pearson * 4 / 5)


@pytest.mark.parametrize(
    "kind",
    [
        *("place", "place of some", "succession", "succession of some", "choice"),
        pytest.param("together", marks=pytest.mark.slow),
    ],
)
def test_random_orders_give_uniform_p_values(kind: str) -> None:
    draw = random.Random(2)
    ps = []
    for _ in range(400):
        if kind == "place of some":
            ps.append(place_test([places([tuple(draw.sample(range(8), 3)) for _ in range(60)], 8)]))
            continue
        if kind in OF_SOME:
            some = [tuple(draw.sample(range(8), 3)) for _ in range(200)]
            ps.append(OF_SOME[kind](some))
            continue
        orders = [tuple(draw.sample(range(5), 5)) for _ in range(60)]
        if kind == "place":
            ps.append(place_test([places(orders, 5)]))
        else:
            ps.append(succession_test([followers(orders, 5)]))
    assert stats.kstest([test.p for test in ps], "uniform").pvalue > 0.01


OF_SOME: dict[str, Callable[[Orders], ChiSquare]] = {
    "succession of some": lambda orders: succession_test([followers(orders, 8)], 3),
    "choice": lambda orders: choice_test([chosen(orders, 8)], 3),
    "together": lambda orders: together_test([together(orders, 8)], 3),
}


@pytest.mark.parametrize("n", [3, 4, 5, 8])
def test_williams_square_is_perfectly_even(n: int) -> None:
    orders = [tuple(williams_row(n, row)) for row in range(rows_of_square(n))]
    assert place_test([places(orders, n)]).statistic == 0
    assert succession_test([followers(orders, n)]).statistic == pytest.approx(0)


def test_one_order_for_everybody_is_found_out() -> None:
    orders: Orders = [(0, 1, 2, 3, 4)] * 60
    assert place_test([places(orders, 5)]).p < 1e-30
    assert succession_test([followers(orders, 5)]).p < 1e-30


def test_circle_is_even_in_places_and_found_out_by_succession() -> None:
    orders = [tuple((start + i) % 5 for i in range(5)) for start in range(5)] * 12
    assert place_test([places(orders, 5)]).p == 1
    assert succession_test([followers(orders, 5)]).p < 1e-30


def test_independent_tables_add_up() -> None:
    one, two = [[3, 1], [1, 3]], [[5, 2, 2], [2, 5, 2], [2, 2, 5]]
    assert place_test([one, two]) == place_test([one]) + place_test([two])
    assert place_test([one]) == ChiSquare(1.0, 1)


def test_nothing_to_test_has_no_degrees_of_freedom() -> None:
    assert place_test([]).df == place_test([[[0, 0], [0, 0]]]).df == 0
    assert succession_test([[[0, 4], [4, 0]]]).df == 0
