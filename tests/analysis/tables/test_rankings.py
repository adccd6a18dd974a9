"""Ranks of systems: raters' means, Friedman's test, and pairs of systems."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import PermutationMethod, friedmanchisquare, rankdata, ttest_1samp, wilcoxon

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM
from analysis.tables.rankings import ranking_pairs, ranking_tests, rankings
from tests.oracle.closed_form.stored import WITH_TABLES, inputs, reference

PAPER, SOUND = shipped_recipes().values()


def pages(*ranked: tuple[str, str, str, dict[str, float]], dimension: str = "") -> DataFrame:
    """Each page: rater, scenario, set, and the rank of each system on it."""
    rows = [
        (rater, scenario, name, system, "told", dimension, rank)
        for rater, scenario, name, ranks in ranked
        for system, rank in ranks.items()
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rank"]).astype({"rank": float})
    return table.assign(choice="").astype(dict.fromkeys(ITEM, "category"))


def page(
    rater: str, scenario: str, order: str, name: str = ""
) -> tuple[str, str, str, dict[str, float]]:
    """Systems in the order in which they were put."""
    return rater, scenario, name, {system: place for place, system in enumerate(order, start=1)}


def row(table: DataFrame, **wanted: str) -> "pd.Series":
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (found for _, found in table.iterrows())
    return only


#: Raters' mean ranks of x, y, z: r1 1, 2.5, 2.5; r2 1.5, 1.5, 3; r3 2.5, 1.5, 2.
ORDERS = [("r1", "xyz", "xzy"), ("r2", "xyz", "yxz"), ("r3", "yxz", "zyx")]
STUDY = pages(
    *(page(rater, scenario, order)
      for rater, *orders in ORDERS for scenario, order in zip(["S1", "S2"], orders, strict=True))
)  # fmt: skip
MEANS = DataFrame({"x": [1, 1.5, 2.5], "y": [2.5, 1.5, 1.5], "z": [2.5, 3, 2]})


def test_mean_rank_is_that_of_raters_means_with_an_interval_over_raters() -> None:
    table = rankings(STUDY, SOUND, raters="all")
    assert table["model"].tolist() == ["x", "y", "z"]
    assert set(table["set"]) == {"all"}
    found = row(table, model="x")
    bounds = ttest_1samp(MEANS["x"], 0).confidence_interval()
    assert (found.mean_rank, found.sd) == pytest.approx((5 / 3, MEANS["x"].std()))
    assert (found.ci_low, found.ci_high) == pytest.approx(tuple(bounds))
    assert (found.systems, found.n, found.n_ranks, found.note) == (
        3,
        3,
        6,
        "the interval leaves the scale (1 to 3): Student's t does not know where the scale ends",
    )


def test_shares_of_first_and_last_places_are_of_raters_pages() -> None:
    table = rankings(STUDY, SOUND, raters="all").set_index("model")
    assert table["share_first"].tolist() == [3 / 6, 2 / 6, 1 / 6]
    assert table["share_last"].tolist() == [1 / 6, 1 / 6, 4 / 6]


def test_rater_with_more_pages_weighs_no_more() -> None:
    more = pages(*(page("r1", f"S{at}", "xy") for at in range(9)), page("r2", "S1", "yx"))
    assert row(rankings(more, SOUND, raters="all"), model="x").mean_rank == 1.5


def test_equal_ranks_share_their_middle_and_their_place() -> None:
    data = pages(
        ("r1", "S1", "", {"x": 1, "y": 1, "z": 2}), ("r2", "S1", "", {"x": 1, "y": 2, "z": 3})
    )
    table = rankings(data, SOUND, raters="all").set_index("model")
    assert table["mean_rank"].tolist() == [1.25, 1.75, 3]
    assert table["share_first"].tolist() == [1, 0.5, 0]


def test_single_rater_and_raters_who_agree_have_no_interval() -> None:
    alone = rankings(STUDY[STUDY["participant"] == "r1"], SOUND, raters="all")
    assert set(alone["note"]) == {"no interval, because there is one rater"}
    agreed = rankings(pages(page("r1", "S1", "xy"), page("r2", "S1", "xy")), SOUND, raters="all")
    assert set(agreed["note"]) == {"no interval, because every rater has the same mean"}
    assert agreed["mean_rank"].tolist() == [1, 2]


@pytest.mark.parametrize("name", WITH_TABLES)
def test_friedman_and_w_are_those_of_r(name: str) -> None:
    table = np.array(inputs(name)["systems"], dtype=float)
    complete = np.round(table[~np.isnan(table).any(axis=1)], 9)
    ranked = rankdata(complete, axis=1)
    data = pages(
        *((f"r{at:03}", "S1", "", {f"s{n}": float(rank) for n, rank in enumerate(ranks)})
          for at, ranks in enumerate(ranked))
    )  # fmt: skip
    found = row(ranking_tests(data, SOUND, raters="all"))
    expected = reference(name)["systems"]
    assert (found.chi_squared, found.df, found.w) == pytest.approx(
        tuple(expected[key] for key in ("chi_squared", "df", "w")), rel=1e-9
    )
    assert found.p == pytest.approx(expected["p"], abs=0.002)  # R's is that of χ²
    assert found.p_adjusted == found.p
    assert found.w_ci_low < found.w < found.w_ci_high
    assert found.w_within_blocks == pytest.approx(found.w)  # a single block


def test_w_is_of_raters_mean_ranks_and_beside_it_that_of_single_blocks() -> None:
    found = row(ranking_tests(STUDY, SOUND, raters="all"))
    expected = friedmanchisquare(*(MEANS[system] for system in "xyz"))
    assert found.chi_squared == pytest.approx(expected.statistic)
    assert (found.p, found.method) == (pytest.approx(0.5556, abs=5e-5), "exact")  # 120 of 6³
    assert found.w == pytest.approx(expected.statistic / (3 * 2))
    # Rank sums are 4, 5, 9 in S1 and 6, 6, 6 in S2; W = 12 S / (m² (k³ − k)).
    assert found.w_within_blocks == pytest.approx((12 * 14 / (9 * 24) + 0) / 2)
    assert (found.n, found.left_out, found.blocks, found.pages) == (3, 0, 2, 6)


def test_sets_with_other_systems_stand_by_themselves() -> None:
    raters = ["r1", "r2", "r3"]
    data = pages(
        *(page(rater, "S1", order, "1") for rater, order in zip(raters, ["xyr", "xry", "yxr"],
                                                                strict=True)),
        *(page(rater, "S1", order, "2") for rater, order in zip(raters, ["ruv", "ruv", "urv"],
                                                                strict=True)),
    )  # fmt: skip
    table = rankings(data, SOUND, raters="all")
    assert table[["set", "model"]].to_numpy().tolist() == [
        *(["1", system] for system in "rxy"),
        *(["2", system] for system in "ruv"),
    ]
    assert row(table, model="r", set="1").mean_rank == pytest.approx(8 / 3)
    assert row(table, model="r", set="2").mean_rank == pytest.approx(4 / 3)
    tests = ranking_tests(data, SOUND, raters="all")
    assert tests["set"].tolist() == ["1", "2"]
    assert tests["p_adjusted"].tolist() == adjust(tests["p"], "holm").p.tolist()
    pairs = ranking_pairs(data, SOUND, raters="all")
    assert pairs[["set", "model_a", "model_b"]].agg("".join, axis=1).tolist() == [
        *("1rx", "1ry", "1xy", "2ru", "2rv", "2uv"),
    ]
    assert pairs["p_adjusted"].tolist() == adjust(pairs["p"], "holm").p.tolist()


def test_blocks_of_a_set_with_different_systems_have_pairs_alone() -> None:
    data = pages(
        *(page(rater, "S1", "xyz") for rater in ("r1", "r2")),
        *(page(rater, "S2", "wx") for rater in ("r1", "r2")),
    )
    found = row(ranking_tests(data, SOUND, raters="all"))
    assert found.note == (
        "not estimable, because its blocks show different systems; pairs are tested where they "
        "meet, and strengths compare all systems at once"
    )
    assert pd.isna(found.p)
    pairs = ranking_pairs(data, SOUND, raters="all")
    apart = row(pairs, model_a="w", model_b="y")
    assert apart.note == "not estimable, because no page shows both systems"
    # x is first in S1 and last in S2: only S1 shows it beside y.
    found = row(pairs, model_a="x", model_b="y")
    assert (found.mean_a, found.mean_b, found.rank_biserial) == (1, 2, 1)
    table = rankings(data, SOUND, raters="all")
    assert set(table["note"].str.partition(";")[0]) == {
        "mean over blocks that show different systems"
    }


def test_pages_that_show_some_systems_of_a_block_have_mean_ranks_and_pairs() -> None:
    """x is above y, and y above z; each page shows two of them. r5 left out one of a page."""
    first = {"r1": "xy", "r2": "xy", "r3": "xz", "r4": "yz", "r5": "x"}
    second = {"r1": "yz", "r2": "yz", "r3": "xy", "r4": "xz"}
    data = pages(
        *(page(rater, "S1", order) for rater, order in first.items()),
        *(page(rater, "S2", order) for rater, order in second.items()),
    ).assign(on_page=2)
    table = rankings(data, SOUND, raters="all").set_index("model")
    assert table["mean_rank"].to_dict() == {"x": 1, "y": 1.5, "z": 2}
    assert set(table["systems"]) == {2}
    assert table["note"].str.startswith("mean over pages that show different systems").all()
    found = row(ranking_tests(data, SOUND, raters="all"))
    assert found.note.startswith("not estimable, because its pages show different systems")
    assert (found.pages, found.pages_left_out) == (8, 1)
    pair = row(ranking_pairs(data, SOUND, raters="all"), model_a="x", model_b="z")
    assert (pair.n, pair.mean_a, pair.mean_b) == (2, 1, 2)


def test_page_ranked_in_part_is_left_out_and_counted() -> None:
    whole = [page(rater, "S1", "xyz") for rater in ("r1", "r2")]
    partial = pages(*whole, page("r3", "S1", "yx"))
    found = row(ranking_tests(partial, SOUND, raters="all"))
    assert (found.n, found.pages, found.pages_left_out) == (2, 2, 1)
    table = rankings(partial, SOUND, raters="all")
    assert table["mean_rank"].tolist() == [1, 2, 3]
    nothing = pages(page("r1", "S1", "xy"), page("r2", "S1", "yz"))
    because = "no page was ranked in full"
    assert row(ranking_tests(nothing, SOUND, raters="all")).note.endswith(because)
    for make in (rankings, ranking_pairs):
        with pytest.raises(NotAvailable, match="ranked in full"):
            make(nothing, SOUND, raters="all")


def many(orders: Sequence[str]) -> DataFrame:
    return pages(*(page(f"r{at}", "S1", order) for at, order in enumerate(orders)))


def test_pairs_are_wilcoxons_test_in_which_the_better_rank_is_above() -> None:
    data = many(["xyz", "xyz", "xzy", "zxy", "yxz", "xyz", "yxz"])
    table = ranking_pairs(data, SOUND, raters="all")
    found = row(table, model_a="x", model_b="z")
    ranks = data.pivot_table(index="participant", columns="model", values="rank", observed=True)
    differences = (ranks["x"] - ranks["z"]).to_numpy(float)
    expected = wilcoxon(differences, method=PermutationMethod(n_resamples=2**7))
    assert (found.wilcoxon, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert (found.mean_a, found.mean_b) == pytest.approx((10 / 7, 18 / 7))
    total = 7 * 8 / 2
    assert found.rank_biserial == pytest.approx((2 * found.t_plus - total) / total)
    assert found.rank_biserial > 0
    assert list(table["p_adjusted"]) == list(adjust(table["p"], "holm").p)


def test_what_cannot_be_tested_is_said() -> None:
    alone = STUDY[STUDY["participant"] == "r1"]
    assert row(ranking_tests(alone, SOUND, raters="all")).note == (
        "not estimable, because one rater judged every system"
    )
    ties = pages(*((rater, "S1", "", {"x": 1.0, "y": 1.0}) for rater in ("r1", "r2")))
    assert row(ranking_tests(ties, SOUND, raters="all")).note == (
        "not estimable, because every rater gave all systems the same"
    )
    found = row(ranking_pairs(ties, SOUND, raters="all"))
    assert (found.n, found.note) == (2, "not estimable, because all 2 differences are zero")


def test_one_dimension_has_nothing_to_do_with_another() -> None:
    both = [pages(page("r1", "S1", order), page("r2", "S1", order), dimension=name)
            for name, order in [("advice", "yx"), ("warmth", "xy")]]  # fmt: skip
    data = pd.concat(both).astype({"dimension": "category"})
    table = rankings(data, SOUND, raters="all")
    assert row(table, dimension="advice", model="x").mean_rank == 2
    assert row(table, dimension="warmth", model="x").mean_rank == 1


def test_rows_in_any_order_give_the_same_tables() -> None:
    mixed = STUDY.sample(frac=1, random_state=3)
    for make in (rankings, ranking_tests, ranking_pairs):
        pd.testing.assert_frame_equal(
            make(mixed, SOUND, raters="all"), make(STUDY, SOUND, raters="all")
        )


def test_study_without_ranks_has_no_table() -> None:
    choices_alone = STUDY.assign(rank=np.nan)
    for make in (rankings, ranking_tests, ranking_pairs):
        for data in (choices_alone, STUDY.head(0)):
            with pytest.raises(NotAvailable, match="there are no ranks"):
                make(data, SOUND, raters="all")
