"""Raters who gave one rating each, as between subjects: models of texts alone.

The values are those of R for small.csv without its raters:

    lme4::lmer(rating ~ system + (1 | item))
    ordinal::clmm(factor(rating) ~ system + (1 | item), link = "probit")
"""

import numpy as np
import pandas as pd
import pytest

from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import (
    Crossed,
    MixedFit,
    contrasts,
    crossed,
    fit_linear,
    fit_ordinal,
    pairs,
)
from tests.oracle.mixed.stored import ratings


def single(groups: tuple[str, str] = ("rater", "item")) -> Crossed:
    frame = ratings("small").dropna()
    frame = frame.assign(rater=np.arange(len(frame)))
    return crossed(frame, rating="rating", fixed=["system"], groups=groups)


def test_linear_is_that_of_lmer() -> None:
    found = fit_linear(single())
    assert isinstance(found, MixedFit)
    assert found.coefficients.to_numpy() == pytest.approx([3.6639562823, -0.8663507498], abs=1e-6)
    assert found.standard_errors.to_numpy() == pytest.approx([0.3860403992, 0.5474432454], abs=1e-6)
    assert found.sds == pytest.approx({"item": 0.6734968887}, abs=1e-6)
    assert found.residual_sd == pytest.approx(0.8825374135, abs=1e-6)
    assert found.log_likelihood == pytest.approx(-60.36586447, abs=1e-7)


def test_ordinal_is_that_of_clmm() -> None:
    found = fit_ordinal(single(), restricted=False)
    assert isinstance(found, MixedFit)
    assert found.coefficients["system[b]"] == pytest.approx(-1.041540173, abs=1e-5)
    assert found.standard_errors["system[b]"] == pytest.approx(0.580433625, abs=1e-4)
    assert found.sds == pytest.approx({"item": 0.6537557}, abs=1e-5)
    assert found.log_likelihood == pytest.approx(-58.27762412, abs=1e-6)


def test_it_does_not_matter_which_side_it_is() -> None:
    (one,) = contrasts(fitted(single()), "system", pairs(["a", "b"])).to_dict("records")
    (other,) = contrasts(fitted(single(("item", "rater"))), "system", pairs(["a", "b"])).to_dict(
        "records"
    )
    assert one == other
    assert one["source"] == "item"


def fitted(data: Crossed) -> MixedFit:
    found = fit_linear(data)
    assert isinstance(found, MixedFit)
    return found


def test_a_note_says_so() -> None:
    assert [note.sentence for note in single().notes] == [
        "There are no effects of rater: each would have a single rating, whose error cannot be "
        "told from it."
    ]
    raters, texts = single().sides
    assert (raters.groups, raters.units, texts.units) == ((), 43, 8)


@pytest.mark.parametrize("fit", [fit_linear, fit_ordinal])
def test_another_text_for_each_rater_leaves_nothing_to_estimate(fit: object) -> None:
    assert callable(fit)
    frame = pd.DataFrame({"rater": range(12), "text": range(12), "system": ["a", "b"] * 6})
    frame["rating"] = [1.0, 2, 3, 4, 5, 4, 3, 2, 1, 2, 3, 4]
    data = crossed(frame, rating="rating", fixed=["system"], groups=("rater", "text"))
    found = fit(data)
    assert isinstance(found, Inestimable)
    assert "each rating is by another rater and of another text" in str(found)
