"""Pairs: hand arithmetic, zeros, ties, exact distributions, and what cannot be compared."""

from itertools import product
from math import comb, erfc, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from analysis.stats.inestimable import Inestimable
from analysis.stats.paired import (
    PairedT,
    SignedRank,
    SignTest,
    paired_t,
    sign_test,
    wilcoxon_signed_rank,
)

_ = np.nan
A, B = [4, 5, 3, _, 2, 5], [3, 3, 3, 4, _, 2]


def test_paired_t_is_of_the_differences_of_complete_pairs() -> None:
    found = paired_t(A, B)
    assert isinstance(found, PairedT)
    # 1, 2, 0, 3: mean 1.5, squares around it 5.
    assert (found.difference, found.n, found.df, found.left_out) == (1.5, 4, 3, 2)
    assert found.sd == pytest.approx(sqrt(5 / 3))
    assert found.t == pytest.approx(1.5 / sqrt(5 / 12))
    assert (found.mean_a, found.mean_b) == (4.25, 2.75)


def signed_rank(differences: list[float], **options: Any) -> SignedRank:
    found = wilcoxon_signed_rank(differences, np.zeros(len(differences)), **options)
    assert isinstance(found, SignedRank)
    return found


def test_signed_ranks_drop_zeros_and_share_ranks_of_ties() -> None:
    found = signed_rank([1, -1, 2, 0, 3, 0])
    # Ranks of 1, 1, 2, 3 are 1½, 1½, 3, 4: T⁺ = 8½, T⁻ = 1½.
    assert (found.statistic, found.n, found.zeros) == (8.5, 4, 2)
    assert found.rank_biserial == pytest.approx(7 / 10)
    variance = (1.5**2 + 1.5**2 + 9 + 16) / 4
    assert found.p == pytest.approx(erfc(3.5 / sqrt(variance) / sqrt(2)))


@pytest.mark.parametrize("sign", [1, -1])
def test_exact_p_counts_all_signs_of_the_ranks(sign: int) -> None:
    differences = [sign * each for each in (1, -1, 2, 2, 3, -4, 4.5)]
    ranks = rankdata(np.abs(differences))
    sums = [ranks[np.array(signs)].sum() for signs in product([False, True], repeat=7)]
    observed = ranks[np.array(differences) > 0].sum()
    expected = min(1, 2 * min(np.mean(sums <= observed), np.mean(sums >= observed)))
    assert signed_rank(differences, method="exact").p == pytest.approx(expected)


def test_five_raters_cannot_have_an_exact_p_below_one_sixteenth() -> None:
    assert signed_rank([1, 2, 3, 4, 5], method="exact").p == 1 / 16
    assert signed_rank([1, 1, 1, 1, 1], method="exact").p == 1 / 16


def test_the_exact_distribution_is_for_so_many_pairs_and_no_more() -> None:
    many = np.arange(1.0, 502)
    found = wilcoxon_signed_rank(many, np.zeros(501), method="exact")
    assert found == Inestimable("too_many", "501 pairs are too many for the exact distribution")
    draw = np.random.default_rng(1).normal(0.1, 1, 400)
    exact, normal = (signed_rank(list(draw), method=each).p for each in ("exact", "asymptotic"))
    assert exact == pytest.approx(normal, rel=0.02)


def test_differences_of_means_are_tied_though_their_last_digits_differ() -> None:
    found = wilcoxon_signed_rank([4 + 2 / 3, 13 / 3, 0.3], [4, 11 / 3, 0.1 + 0.2])
    assert isinstance(found, SignedRank)
    assert (found.n, found.zeros) == (2, 1)
    assert found.statistic == 3


def test_sign_test_is_binomial() -> None:
    found = sign_test(26, 22)
    assert isinstance(found, SignTest)
    tail = sum(comb(48, wins) for wins in range(26, 49)) / 2**48
    assert found.p == pytest.approx(2 * tail)
    assert round(found.p, 2) == 0.67
    assert (found.share, found.n, found.ties) == (26 / 48, 48, 0)
    assert found.interval[0] < 0.5 < found.interval[1]
    six = sign_test(6, 0)
    assert isinstance(six, SignTest)
    assert six.p == 2 / 2**6
    assert six.interval == pytest.approx((0.025 ** (1 / 6), 1))


PAIRED = [paired_t, wilcoxon_signed_rank]


@pytest.mark.parametrize("test", PAIRED)
def test_what_cannot_be_paired_is_said_or_refused(test: Any) -> None:
    nothing = Inestimable("no_values", "there is no complete pair")
    assert test([], []) == nothing
    assert test([1, _], [_, 2]) == nothing
    with pytest.raises(ValueError, match="equally long"):
        test([1, 2], [1])
    with pytest.raises(ValueError, match="infinite"):
        test([1, 2], [1, np.inf])


def test_pairs_without_spread_or_difference_are_said_to_be_so() -> None:
    assert paired_t([1], [2]) == Inestimable("too_few", "there is one pair")
    same = Inestimable("constant", "all 2 differences are the same")
    assert paired_t([1.1, 2.2], [0.1, 1.2]) == same
    zero = Inestimable("no_difference", "all 2 differences are zero")
    assert wilcoxon_signed_rank([3, 4], [3, 4]) == zero
    ties = Inestimable("no_difference", "all 2 comparisons are ties")
    assert sign_test(0, 0, ties=2) == ties
    assert sign_test(0, 0) == Inestimable("no_values", "there are no comparisons")
    with pytest.raises(ValueError, match="not negative"):
        sign_test(-1, 3)
