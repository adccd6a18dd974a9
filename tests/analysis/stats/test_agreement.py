"""Agreement: published examples, and what is computed by hand."""

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame, Series

from analysis.stats.agreement import (
    Alpha,
    Level,
    Limits,
    alpha_over_clusters,
    krippendorff_alpha,
    krippendorff_interval,
    limits_of_agreement,
    pairwise_spearman,
)
from analysis.stats.bootstrap import resampled
from analysis.stats.inestimable import Inestimable

_ = np.nan
#: Four observers and twelve units, K. Krippendorff (2011), section D.
PUBLISHED = DataFrame(
    {
        "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
        "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
        "C": [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
        "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
    }
)


class TestAlpha:
    @pytest.mark.parametrize(
        ("level", "alpha"),
        [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
    )
    def test_is_that_of_the_published_example(self, level: Level, alpha: float) -> None:
        found = krippendorff_alpha(PUBLISHED, level)
        assert found is not None
        assert round(found, 3) == alpha

    def test_knows_neither_the_order_of_raters_nor_of_units(self) -> None:
        mixed = PUBLISHED[["C", "A", "D", "B"]].sample(frac=1, random_state=1)
        assert krippendorff_alpha(mixed) == pytest.approx(krippendorff_alpha(PUBLISHED))

    def test_of_perfect_agreement_is_one_and_of_systematic_disagreement_below_zero(self) -> None:
        assert krippendorff_alpha(DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]})) == 1
        opposed = krippendorff_alpha(DataFrame({"a": [1, 3], "b": [3, 1]}), "nominal")
        assert opposed == pytest.approx(-0.5)  # observed 1; expected 8 of 12 pairs

    def test_a_constant_added_to_one_rater_lowers_it(self) -> None:
        shifted = DataFrame({"a": [1, 2, 3, 4], "b": [2, 3, 4, 5]})
        found = krippendorff_alpha(shifted, "interval")
        # Eight values in all. Squared differences over both orders: 8 within units, 192 at large.
        assert found == pytest.approx(1 - 7 * 8 / 192)

    @pytest.mark.parametrize(
        "ratings",
        [
            DataFrame({"a": [3.0, 3.0], "b": [3.0, 3.0]}),
            DataFrame({"a": [1.0, _], "b": [_, 2.0]}),
            DataFrame({"a": [1.0, 2.0]}),
            DataFrame({"a": Series(dtype=float), "b": Series(dtype=float)}),
        ],
        ids=["all the same", "nobody shares a unit", "one rater", "nothing"],
    )
    def test_is_none_where_nothing_can_be_disagreed_on(self, ratings: DataFrame) -> None:
        assert krippendorff_alpha(ratings) is None
        assert krippendorff_interval(ratings, seed=1) is None

    def test_interval_holds_it_narrows_with_more_units_and_repeats_with_its_seed(self) -> None:
        draw = np.random.default_rng(3)
        truth = draw.integers(1, 6, 400)
        raters = {name: np.clip(truth + draw.integers(-1, 2, 400), 1, 5) for name in "abcd"}
        few, many = DataFrame(raters).head(40), DataFrame(raters)
        widths = []
        for ratings in (few, many):
            bounds = krippendorff_interval(ratings, seed=2, resamples=400)
            alpha = krippendorff_alpha(ratings)
            assert bounds is not None
            assert alpha is not None
            assert bounds[0] < alpha < bounds[1]
            widths.append(bounds[1] - bounds[0])
        assert widths[1] < widths[0] / 2
        again = krippendorff_interval(many, seed=2, resamples=400)
        assert again == bounds


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_interval_is_of_alpha_over_the_units_that_were_drawn(level: Level) -> None:
    # One unit has a single value: it tells nothing, so the resamples are of the other eleven.
    kept = PUBLISHED[PUBLISHED.count(axis=1) >= 2]
    weights = resampled(11, seed=5, resamples=200)
    units = [np.repeat(np.arange(11), row.astype(int)) for row in weights]
    alphas = [krippendorff_alpha(kept.iloc[drawn], level) for drawn in units]
    known = np.array([alpha for alpha in alphas if alpha is not None])
    found = krippendorff_interval(PUBLISHED, level, seed=5, resamples=200)
    assert found == pytest.approx(np.quantile(known, [0.025, 0.975]))


def test_replicates_are_compared_two_by_two_over_what_both_have() -> None:
    replicates = DataFrame(
        {"1": [1, 2, 3, 4, _], "2": [1, 3, 2, 4, 5], "3": [2, 2, 2, 2, 2], "4": [4, 3, _, _, 1]}
    )
    found = pairwise_spearman(replicates).set_index(["first", "second"])
    assert found.loc[("1", "2"), "rho"] == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert found.loc[("1", "2"), "n"] == 4
    assert found.loc[("2", "4"), "rho"] == pytest.approx(-1)
    assert found.index[found["rho"].isna()].tolist() == [
        *(("1", "3"), ("1", "4"), ("2", "3"), ("3", "4"))
    ]


def test_limits_of_agreement_are_the_bias_and_two_bounds() -> None:
    found = limits_of_agreement(Series([1.0, 2.0, 3.0, _]))
    assert found == Limits(2.0, 2 - 1.96, 2 + 1.96, 3)
    assert limits_of_agreement(Series([1.0, _])) is None
    assert limits_of_agreement(pd.Series(dtype=float)) is None


class TestAlphaOverClusters:
    LONG = (
        PUBLISHED.reset_index(names="unit")
        .melt("unit", var_name="rater", value_name="value")
        .dropna()
        .assign(cluster=lambda ratings: ratings["unit"])
    )

    @pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
    def test_of_a_long_table_is_that_of_the_wide_one(self, level: Level) -> None:
        found = alpha_over_clusters(self.LONG.sample(frac=1, random_state=2), level, seed=3)
        assert isinstance(found, Alpha)
        assert found.estimate == pytest.approx(krippendorff_alpha(PUBLISHED, level))
        assert found.interval == pytest.approx(krippendorff_interval(PUBLISHED, level, seed=3))
        assert (found.units, found.clusters, found.resamples) == (11, 11, 2000)

    def test_interval_draws_the_units_of_a_cluster_together(self) -> None:
        halves = self.LONG.assign(cluster=self.LONG["unit"] % 2)
        found = alpha_over_clusters(halves, "ordinal", seed=1, resamples=200)
        assert isinstance(found, Alpha)
        even, odd = (
            krippendorff_alpha(pd.concat([PUBLISHED.iloc[half::2]] * 2)) for half in (0, 1)
        )
        # Two clusters can be drawn as both, or as one of them twice.
        assert found.interval == pytest.approx(sorted([even or 0, odd or 0]))
        one = alpha_over_clusters(self.LONG.assign(cluster=0), "ordinal", seed=1)
        assert isinstance(one, Alpha)
        assert one.interval is None

    @pytest.mark.slow
    def test_of_very_many_units_has_fewer_resamples_and_says_so(self) -> None:
        units = 20_000
        draw = np.random.default_rng(1)
        ratings = DataFrame(
            {"unit": np.repeat(np.arange(units), 2), "value": draw.integers(1, 4, 2 * units)}
        )
        found = alpha_over_clusters(ratings.assign(cluster=ratings["unit"]), "interval", seed=1)
        assert isinstance(found, Alpha)
        assert (found.units, found.resamples) == (units, 1000)

    @pytest.mark.parametrize(
        ("ratings", "kind"),
        [
            (LONG.head(0), "no_values"),
            (LONG.drop_duplicates("unit"), "incomplete"),
            (LONG.assign(value=3), "constant"),
        ],
        ids=["nothing", "one rating each", "all the same"],
    )
    def test_says_why_it_cannot_be_had(self, ratings: DataFrame, kind: str) -> None:
        found = alpha_over_clusters(ratings, "ordinal", seed=1)
        assert isinstance(found, Inestimable)
        assert found.kind == kind
