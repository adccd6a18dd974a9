"""Agreement of raters on ratings and ranks, by statistic, as others' tools would compute it."""

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.stats.agreement import krippendorff_alpha, krippendorff_interval
from analysis.stats.intraclass_correlation import intraclass_correlations
from analysis.stats.rankings import Friedman, friedman
from analysis.study_data import ITEM
from analysis.tables.agreement import AGREEMENT, agreement
from tests.analysis.stats.test_agreement import PUBLISHED
from tests.analysis.tables.test_choices import pages
from tests.oracle.closed_form.stored import WITH_TABLES, inputs, reference

PAPER, SOUND = shipped_recipes().values()
NO_RANKS = DataFrame(columns=["participant", *ITEM, "rank", "choice", "response"])
FORMS = {
    "icc_2_1": "ICC(A,1)",
    "icc_2_k": "ICC(A,k)",
    "icc_3_1": "ICC(C,1)",
    "icc_3_k": "ICC(C,k)",
}


def ratings(table: DataFrame, *, systems: int = 1, value: str = "rating") -> DataFrame:
    """Items × raters as tidy ratings: each `systems` items are one scenario's."""
    rows = [
        (str(rater), f"S{at // systems:03}", "", f"m{at % systems}", "told", "warmth", number, at)
        for at, (_, item) in enumerate(table.iterrows())
        for rater, number in item.items()
        if not np.isnan(number)
    ]
    found = DataFrame(rows, columns=["participant", *ITEM, value, "response"])
    return found.astype(dict.fromkeys(ITEM, "category"))


def statistic(table: DataFrame, name: str) -> "pd.Series":
    (only,) = (found for _, found in table[table["statistic"] == name].iterrows())
    return only


def of(data: DataFrame) -> DataFrame:
    return agreement(data, NO_RANKS, SOUND, raters="all")


ITEMS = DataFrame({"r1": [1, 2, 4, 5, 3, 4], "r2": [2, 2, 5, 5, 3, 3], "r3": [1, 3, 4, 4, 2, 5]})


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_alpha_is_that_of_the_published_example_and_its_interval_draws_items(level: str) -> None:
    found = statistic(of(ratings(PUBLISHED)), f"krippendorff_alpha_{level}")
    assert round(found.value, 3) == {"ordinal": 0.815, "interval": 0.849}[level]
    # The twelfth item has one rating and tells nothing.
    assert (found.n_raters, found.n_items) == (4, 11)
    assert found.interval == "bootstrap of 11 texts, 2000 resamples"
    bounds = krippendorff_interval(
        PUBLISHED, "ordinal" if level == "ordinal" else "interval", seed=1
    )
    assert (found.ci_low, found.ci_high) == pytest.approx(bounds)


def test_items_that_show_one_text_are_drawn_together() -> None:
    data = ratings(ITEMS)
    twice = data.assign(response=data["response"] // 2)
    alone, together = (
        statistic(of(frame), "krippendorff_alpha_ordinal") for frame in (data, twice)
    )
    assert alone.value == together.value == pytest.approx(krippendorff_alpha(ITEMS))
    assert together.interval == "bootstrap of 3 texts, 2000 resamples"
    assert together.n_items == 6
    once = statistic(of(data.assign(response=0)), "krippendorff_alpha_ordinal")
    assert once.note == "no interval, because all items show one text"
    assert pd.isna(once.ci_low)


@pytest.mark.parametrize("name", WITH_TABLES)
def test_intraclass_correlations_are_those_of_r(name: str) -> None:
    texts = DataFrame(inputs(name)["texts"], dtype=float)
    complete = texts[texts.notna().all(axis=1)]
    table = of(ratings(complete))
    for ours, form in FORMS.items():
        found, expected = statistic(table, ours), reference(name)["texts"]["forms"][form]
        assert found.value == pytest.approx(expected["estimate"], rel=1e-6)
        assert (found.n_raters, found.n_items) == complete.shape[::-1]


def test_intraclass_correlations_say_whether_of_one_rater_or_of_the_mean_of_all() -> None:
    table = of(ratings(ITEMS))
    expected = intraclass_correlations(ITEMS)
    assert not hasattr(expected, "because")
    for name, of_what in [("icc_2_1", "single rater"), ("icc_3_k", "mean of 3 raters")]:
        found = statistic(table, name)
        assert found.of == of_what
        assert found.ci_low < found.value < found.ci_high
        assert found.interval == "F distribution"


def test_raters_with_a_gap_are_left_out_of_what_needs_complete_ratings_and_it_is_said() -> None:
    gap = ITEMS.astype(float)
    gap["r4"] = [1, np.nan, np.nan, 2, np.nan, 3]
    table = of(ratings(gap))
    found, whole = (statistic(each, "kendalls_w_ratings") for each in (table, of(ratings(ITEMS))))
    assert found.value == whole.value
    assert found.note == "over the 3 of 4 raters who rated all 6 items"
    assert statistic(table, "krippendorff_alpha_ordinal").n_raters == 4


def test_intraclass_correlations_of_ratings_with_gaps_are_of_all_raters() -> None:
    gap = ITEMS.astype(float)
    gap["r4"] = [1, np.nan, np.nan, 2, np.nan, 3]
    table = of(ratings(gap))
    for name, of_what in [("icc_2_1", "single rater"), ("icc_3_k", "mean of 3.4 raters")]:
        found = statistic(table, name)
        assert (found.of, found.n_raters, found.n_items) == (of_what, 4, 6)
        assert found.ci_low < found.value < found.ci_high
        assert found.interval == "delta method"
        assert found.note == "by a mixed model: not every rater rated every item"


def test_items_with_a_gap_are_left_out_where_that_keeps_more_ratings() -> None:
    gap = ITEMS.astype(float)
    gap.loc[0, "r1"] = gap.loc[1, "r2"] = np.nan
    found = statistic(of(ratings(gap)), "kendalls_w_ratings")
    assert found.note == "over the 4 of 6 items that all 3 raters rated"
    assert (found.n_raters, found.n_items) == (3, 4)


def test_raters_of_different_items_have_no_order_of_all_items() -> None:
    sparse = DataFrame(np.nan, index=range(3), columns=["a", "b", "c"])
    for at, pair in enumerate(["ab", "bc", "ca"]):
        sparse.loc[at, list(pair)] = [at + 1, at + 2]
    table = of(ratings(sparse))
    assert not pd.isna(statistic(table, "krippendorff_alpha_interval").value)
    because = "nobody rated all 3 items, and no item was rated by all 3 raters"
    found = statistic(table, "kendalls_w_ratings")
    assert found.note == f"not estimable, because {because}"
    assert pd.isna(found.value)
    assert (found.n_raters, found.n_items) == (0, 0)


def test_w_of_ratings_is_over_all_items_and_within_blocks_a_mean() -> None:
    table = of(ratings(ITEMS, systems=3))
    whole = friedman(ITEMS.T)
    blocks = [friedman(ITEMS.T[columns]) for columns in ([0, 1, 2], [3, 4, 5])]
    assert isinstance(whole, Friedman)
    found = statistic(table, "kendalls_w_ratings")
    assert found.value == whole.w
    assert found.interval == "bootstrap of 3 raters, 2000 resamples"
    within = statistic(table, "kendalls_w_ratings_within_blocks")
    assert within.value == pytest.approx(np.mean([b.w for b in blocks if isinstance(b, Friedman)]))
    assert within.interval == "bootstrap of 2 blocks, 2000 resamples"


def test_w_of_ranks_stands_beside_that_of_ratings() -> None:
    orders = DataFrame({"r1": [1, 2, 1, 2], "r2": [1, 2, 1, 2], "r3": [1, 2, 2, 1]})
    ranks = (
        ratings(orders, systems=2, value="rank")
        .assign(dimension="", choice="")
        .astype({"dimension": "category"})
    )
    table = agreement(ratings(ITEMS, systems=2), ranks, SOUND, raters="all")
    assert table["dimension"].drop_duplicates().tolist() == ["warmth", ""]
    found = statistic(table, "kendalls_w_ranks_within_blocks")
    # Of three raters of two responses all agree in one block, two in the other: W = 1 and 1/9.
    assert found.value == pytest.approx((1 + 1 / 9) / 2)
    assert (found.n_raters, found.n_items) == (3, 4)
    alone = agreement(ratings(ITEMS).head(0), ranks, SOUND, raters="all")
    assert alone["statistic"].tolist() == ["kendalls_w_ranks_within_blocks"]


def test_choices_agree_on_which_system_stands_out() -> None:
    data = pages(
        ("r1", "Q1", "xyz", "x", "z"),
        ("r2", "Q1", "xyz", "x", "y"),
        ("r1", "Q2", "xyz", "y", "z"),
        ("r2", "Q2", "xyz", "z", "x"),
    ).assign(response=0)
    table = agreement(ratings(ITEMS).head(0), data, SOUND, raters="all")
    assert table["statistic"].tolist() == ["randolphs_kappa_best", "randolphs_kappa_worst"]
    found = statistic(table, "randolphs_kappa_best")
    # All agree in one of two blocks, nobody in the other; guessing agrees once in three times.
    assert found.value == pytest.approx((1 / 2 - 1 / 3) / (1 - 1 / 3))
    assert (found.n_raters, found.n_items) == (2, 2)
    assert found.interval == "bootstrap of 2 blocks, 2000 resamples"


def test_blocks_without_w_are_counted() -> None:
    tied = ITEMS.copy()
    tied.loc[[0, 1, 2]] = 3
    found = statistic(of(ratings(tied, systems=3)), "kendalls_w_ratings_within_blocks")
    assert found.note == (
        "1 of 2 blocks left out, in which no two raters told systems apart; "
        "no interval, because there is one block"
    )


@pytest.mark.parametrize(
    ("data", "alpha", "icc"),
    [
        (ITEMS * 0 + 3, "all ratings are the same", "all ratings are the same"),
        (ITEMS[["r1"]], "nothing was rated by two raters", "there are fewer than two raters"),
        (
            ITEMS.head(1) * 0 + 3,
            "all ratings are the same",
            "one item was rated by all 3 raters, and two are needed",
        ),
    ],
    ids=["constant", "one rater", "one item"],
)
def test_what_cannot_be_estimated_is_said(data: DataFrame, alpha: str, icc: str) -> None:
    table = of(ratings(data))
    reasons = {"krippendorff_alpha_ordinal": alpha, "icc_2_k": icc}
    for name, because in reasons.items():
        found = statistic(table, name)
        assert found.note == f"not estimable, because {because}"
        assert pd.isna(found.value)
    assert table.loc[table["value"].isna(), "note"].str.startswith("not estimable").all()


def test_recipe_without_a_bootstrap_has_the_defaults() -> None:
    of_paper = agreement(ratings(ITEMS), NO_RANKS, PAPER, raters="included")
    of_sound = agreement(ratings(ITEMS), NO_RANKS, SOUND, raters="included")
    assert list(of_paper) == AGREEMENT.names
    assert set(of_paper["recipe"]) == {"paper"}
    pd.testing.assert_frame_equal(of_paper.drop(columns="recipe"), of_sound.drop(columns="recipe"))


def test_rows_in_any_order_give_the_same_table() -> None:
    data = ratings(ITEMS, systems=3)
    pd.testing.assert_frame_equal(of(data.sample(frac=1, random_state=3)), of(data))


def test_nothing_to_agree_on_is_said() -> None:
    with pytest.raises(
        NotAvailable, match="these raters gave neither ratings nor ranks nor choices"
    ):
        of(ratings(ITEMS).head(0))
