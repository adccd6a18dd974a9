"""Adjusted p-values by hand; tests without a p are no members of the family."""

import numpy as np
import pytest
from pandas import Series

from analysis.stats.multiplicity import Method, adjust

_ = np.nan
P = Series([0.01, _, 0.04, 0.03, _, 0.02], index=list("abcdef"))


def test_holm_multiplies_the_smallest_most_and_never_falls() -> None:
    found = adjust(P, "holm")
    assert found.p.tolist() == pytest.approx([0.04, _, 0.06, 0.06, _, 0.06], nan_ok=True)
    assert found.p.index.tolist() == list("abcdef")
    assert (found.family, found.left_out) == (4, 2)


def test_benjamini_hochberg_takes_the_least_of_what_follows() -> None:
    found = adjust(P, "benjamini-hochberg")
    assert found.p.tolist() == pytest.approx([0.04, _, 0.04, 0.04, _, 0.04], nan_ok=True)


def test_benjamini_yekutieli_adds_the_harmonic_sum() -> None:
    found = adjust(P, "benjamini-yekutieli")
    factor = 1 + 1 / 2 + 1 / 3 + 1 / 4
    assert found.p.dropna().tolist() == pytest.approx([0.04 * factor] * 4)


@pytest.mark.parametrize("method", ["holm", "benjamini-hochberg", "benjamini-yekutieli"])
def test_one_test_stays_as_it_is_and_none_are_a_family_of_nobody(method: Method) -> None:
    assert adjust(Series([0.3]), method).p.tolist() == [0.3]
    assert adjust(Series([0.9, 1.0]), method).p.max() == 1
    nobody = adjust(Series([_, None], dtype=float), method)
    assert (nobody.family, nobody.left_out) == (0, 2)
    assert nobody.p.isna().all()
    assert adjust(Series(dtype=float), method).family == 0


@pytest.mark.parametrize("p", [-0.1, 1.2])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust(Series([0.5, p]), "holm")
