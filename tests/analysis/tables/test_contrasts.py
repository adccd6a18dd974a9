"""One condition against the other, within raters."""

import itertools
import random

import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import PermutationMethod, ttest_rel, wilcoxon

from analysis.not_available import NotAvailable
from analysis.recipe import shipped_recipes
from analysis.stats.multiplicity import adjust
from analysis.study_data import ITEM, Contrast
from analysis.tables.contrasts import contrasts, paired, rater_differences

SOUND = shipped_recipes()["sound"]
CONTRAST = Contrast("plain", "tuned", ("Owl", "reference"))
PEOPLE = [f"p{number}" for number in range(12)]
SCENARIOS = ["S1", "S2", "S3", "S4"]


def ratings(seed: int = 1) -> DataFrame:
    """Two models in both conditions, one in `plain` alone, and a reference, in two sets."""
    draw = random.Random(seed)
    systems = [
        ("1", "Ant", "plain"), ("1", "Ant", "tuned"), ("2", "Bee", "plain"), ("2", "Bee", "tuned"),
        ("2", "Cat", "plain"), ("1", "Owl", "reference"), ("2", "Owl", "reference"),
    ]  # fmt: skip
    rows = [
        (person, scenario, *system, "warmth", draw.randint(1, 5))
        for person, scenario, system in itertools.product(PEOPLE, SCENARIOS, systems)
    ]
    table = DataFrame(rows, columns=["participant", *ITEM, "rating"])
    return table.astype(dict.fromkeys(ITEM, "category"))


def means(data: DataFrame, model: str, condition: str, by: str) -> "pd.Series[float]":
    """Mean ratings of a model in a condition, by participant or by scenario."""
    chosen = data[(data["model"] == model) & (data["condition"] == condition)]
    found: pd.Series[float] = chosen.groupby(by, observed=True)["rating"].mean()
    return found


def row(table: DataFrame, **wanted: str) -> "pd.Series":
    for column, value in wanted.items():
        table = table[table[column] == value]
    (only,) = (found for _, found in table.iterrows())
    return only


@pytest.mark.slow
def test_raters_means_are_compared_by_signed_ranks() -> None:
    data = ratings()
    found = row(paired(data, CONTRAST, SOUND, raters="included"), model="Ant")
    a, b = (means(data, "Ant", condition, "participant") for condition in ("plain", "tuned"))
    every_sign = PermutationMethod(n_resamples=2**12)
    expected = wilcoxon(list(a), list(b), method=every_sign)
    assert (found.n, found.mean_a, found.mean_b) == pytest.approx((12, a.mean(), b.mean()))
    assert (found.wilcoxon, found.p) == pytest.approx((expected.statistic, expected.pvalue))
    n = 12 - found.zeros
    minus = n * (n + 1) / 2 - found.t_plus
    assert found.rank_biserial == pytest.approx((found.t_plus - minus) / (found.t_plus + minus))


def test_effect_is_one_where_every_rater_gave_more_to_a() -> None:
    data = ratings()
    better = data.assign(rating=data["condition"].map({"plain": 5}).astype(float).fillna(1))
    found = row(paired(better, CONTRAST, SOUND, raters="included"), model="Bee")
    assert (found.rank_biserial, found.wilcoxon, found.t_plus) == (1.0, 0.0, 78.0)
    assert (found.p, found.method) == (pytest.approx(2 / 2**12), "exact")
    assert pd.isna(found.ci_low) and found.note.startswith("no interval, because all differences")


def test_many_raters_are_compared_by_the_normal_approximation() -> None:
    data = ratings()
    many = pd.concat([data.assign(participant=data["participant"] + f" {n}") for n in range(5)])
    found = row(paired(many, CONTRAST, SOUND, raters="included"), model="Ant")
    a, b = (means(many, "Ant", condition, "participant") for condition in ("plain", "tuned"))
    expected = wilcoxon(list(a), list(b), method="asymptotic")  # type: ignore[call-overload]  # stubs lag
    assert (found.n, found.method) == (60, "asymptotic")
    assert (found.wilcoxon, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_model_in_one_condition_is_not_compared() -> None:
    models = list(paired(ratings(), CONTRAST, SOUND, raters="all")["model"])
    assert models == ["Ant", "Bee", "all"]


@pytest.mark.parametrize(("to", "by"), [("raters", "participant"), ("scenarios", "scenario")])
def test_difference_holds_for_other_raters_or_other_scenarios(to: str, by: str) -> None:
    data = ratings()
    found = row(contrasts(data, CONTRAST, SOUND, raters="all"), model="Bee", generalises_to=to)
    a, b = (means(data, "Bee", condition, by) for condition in ("plain", "tuned"))
    expected = ttest_rel(a, b)
    interval = expected.confidence_interval()
    assert (found.n, found.difference) == pytest.approx((len(a), (a - b).mean()))
    assert (found.F, found.df2, found.p) == pytest.approx(
        (expected.statistic**2, expected.df, expected.pvalue)
    )
    assert (found.ci_low, found.ci_high) == pytest.approx((interval.low, interval.high))


def test_both_at_once_is_min_f() -> None:
    table = contrasts(ratings(), CONTRAST, SOUND, raters="all")
    f1, f2, both = (
        row(table, model="Ant", generalises_to=to) for to in ("raters", "scenarios", "both")
    )
    assert pytest.approx(f1.F * f2.F / (f1.F + f2.F)) == both.F
    assert both.p >= max(f1.p, f2.p)
    assert pd.isna(both.difference) and pd.isna(both.n)
    assert [each.unit for each in (f1, f2, both)] == ["participant", "scenario", "both"]


def test_all_models_count_equally_whatever_their_number_of_ratings() -> None:
    data = ratings()
    twice = pd.concat([data, data[data["model"] == "Ant"]], ignore_index=True)
    once, more = (
        row(contrasts(each, CONTRAST, SOUND, raters="all"), model="all", generalises_to="raters")
        for each in (data, twice)
    )
    assert more.difference == pytest.approx(once.difference)


def test_p_is_adjusted_over_models() -> None:
    table = contrasts(ratings(), CONTRAST, SOUND, raters="all")
    family = table[(table["generalises_to"] == "raters") & (table["model"] != "all")]
    assert list(family["p_adjusted"]) == list(adjust(family["p"], "holm").p)
    assert table.loc[table["model"] == "all", "p_adjusted"].isna().all()


def test_rater_of_one_condition_alone_is_left_out_and_counted() -> None:
    data = ratings()
    gone = (data["participant"] == "p3") & (data["condition"] == "tuned")
    found = row(paired(data[~gone], CONTRAST, SOUND, raters="all"), model="Ant")
    assert (found.n, found.left_out) == (11, 1)


def test_single_model_is_not_repeated_as_all() -> None:
    data = ratings()
    table = paired(data[data["model"] == "Ant"], CONTRAST, SOUND, raters="all")
    assert table["model"].tolist() == ["Ant"]
    assert table["p_adjusted"].tolist() == table["p"].tolist()


def test_differences_of_raters_are_what_is_averaged_by_raters() -> None:
    data = ratings()
    gone = (data["participant"] == "p3") & (data["condition"] == "tuned")
    found = rater_differences(data[~gone], CONTRAST)
    assert found["participant"].tolist() == sorted(set(PEOPLE) - {"p3"})
    by_raters = row(
        contrasts(data[~gone], CONTRAST, SOUND, raters="all"), model="all", generalises_to="raters"
    )
    assert found["difference"].mean() == pytest.approx(by_raters.difference)


def test_missing_cells_are_counted() -> None:
    data = ratings()
    gone = (data["participant"] == "p3") & (data["scenario"] == "S2")
    table = contrasts(data[~gone], CONTRAST, SOUND, raters="all")
    assert table.set_index("model")["missing_cells"].to_dict() == {"Ant": 1, "Bee": 1, "all": 2}
    nobody = data[~(gone | (data["participant"].isin(["p5"]) & (data["model"] == "Bee")))]
    table = contrasts(nobody, CONTRAST, SOUND, raters="all").set_index("model")
    assert table["missing_cells"].to_dict() == {"Ant": 1, "Bee": 1 + 4, "all": 2 + 4}


def test_missing_ratings_make_no_difference_where_nobody_rated_differently() -> None:
    """Ant is liked, Bee is not, and each rater likes some scenarios more; both conditions are
    alike. Two thirds of the raters lack Bee's `tuned` responses in two scenarios.
    """
    data = ratings()
    liked = data["model"].eq("Ant").astype(int) * 2 + data["scenario"].eq("S1").astype(int)
    data = data.assign(rating=1 + liked + data["participant"].isin(["p1", "p2"]).astype(int))
    gone = (
        (data["model"] == "Bee")
        & (data["condition"] == "tuned")
        & data["scenario"].isin(["S1", "S2"])
        & data["participant"].isin(PEOPLE[:8])
    )
    holed = data[~gone]
    table = contrasts(holed, CONTRAST, SOUND, raters="all")
    assert table["difference"].isna().all()
    assert set(table[table["generalises_to"] == "raters"]["note"]) == {
        "not estimable, because the mean difference is the same for all 12 raters"
    }
    signed = paired(holed, CONTRAST, SOUND, raters="all").set_index("model")
    assert (signed["mean_a"] == signed["mean_b"]).all()
    assert signed["p"].isna().all() and signed["note"].str.startswith("not estimable").all()
    assert (rater_differences(holed, CONTRAST)["difference"] == 0).all()


def test_rater_without_a_page_in_common_is_left_out_with_both_conditions() -> None:
    data = ratings()
    alone = data["participant"].eq("p3") & data["model"].eq("Ant")
    here = data["scenario"].isin(["S1", "S2"]) == data["condition"].eq("plain")
    found = row(paired(data[~alone | here], CONTRAST, SOUND, raters="all"), model="Ant")
    assert (found.n, found.left_out) == (11, 1)


def test_conditions_that_never_share_a_page_are_compared_by_scenario() -> None:
    data = ratings()
    apart = data[data["model"] == "Ant"]
    sets = apart["condition"].map({"plain": "1", "tuned": "2"}).astype(data["set"].dtype)
    found = contrasts(apart.assign(set=sets), CONTRAST, SOUND, raters="all")
    together = contrasts(apart, CONTRAST, SOUND, raters="all")
    assert found.equals(together)
    assert found["missing_cells"].eq(0).all() and found["p"].notna().all()


def test_model_that_nobody_rated_side_by_side_is_named_where_all_are_meant() -> None:
    data = ratings()
    first = data["participant"].isin(PEOPLE[:6])
    bee = data["model"].eq("Bee") & (data["condition"].eq("plain") != first)
    for make in (contrasts, paired):
        table = make(data[~bee], CONTRAST, SOUND, raters="all").set_index("model")
        reason = "no rater rated both conditions side by side"
        assert set(table.loc[["Bee"], "note"]) == {f"not estimable, because {reason}"}
        assert set(table.loc[["all"], "note"]) == {f"without Bee: {reason}"}
        assert table.loc[["all"], "p"].notna().all()


def test_dimension_that_nobody_rated_has_rows_that_say_so() -> None:
    data = ratings()
    known = data[ITEM].drop_duplicates()
    cold = known.assign(dimension="cold")
    both = pd.concat([known, cold], ignore_index=True).astype(dict.fromkeys(ITEM, "category"))
    table = contrasts(data, CONTRAST, SOUND, raters="all", known=both)
    of_cold = table[table["dimension"] == "cold"]
    assert list(of_cold["model"].unique()) == ["Ant", "Bee", "all"]
    assert of_cold["note"].str.startswith("not estimable, because ").all()


def test_raters_and_scenarios_that_are_not_compared_are_not_missing() -> None:
    data = ratings()
    of_cat = data[data["model"].eq("Cat") & data["participant"].eq("p1")]
    more = pd.concat([data, of_cat.assign(participant="q")], ignore_index=True)
    known = data[ITEM].drop_duplicates()
    alone = known["condition"].eq("tuned") & known["scenario"].eq("S3")
    never = more["condition"].eq("tuned") & more["scenario"].eq("S3")
    table = contrasts(more[~never], CONTRAST, SOUND, raters="all", known=known[~alone])
    assert table["missing_cells"].eq(0).all()


def test_model_of_the_study_without_ratings_of_a_condition_says_so() -> None:
    data = ratings()
    holed = data[~((data["model"] == "Bee") & (data["condition"] == "tuned"))]
    known = data[ITEM].drop_duplicates()
    reason = "not estimable, because there are no ratings of tuned"
    for make in (contrasts, paired):
        table = make(holed, CONTRAST, SOUND, raters="all", known=known)
        assert set(table["model"]) == {"Ant", "Bee", "all"}
        assert set(table[table["model"] == "Bee"]["note"]) == {reason}
        of_all = table[table["model"] == "all"]
        assert set(of_all["note"]) == {"without Bee: there are no ratings of tuned"}
        of_ant = table[table["model"] == "Ant"]
        assert list(of_all["p"]) == list(of_ant["p"]) and of_all["p"].notna().all()


def test_what_cannot_be_estimated_is_said() -> None:
    data = ratings()
    alone = data[data["participant"] == "p1"]
    single = data[data["scenario"] == "S1"]
    flat = data.assign(rating=3)
    notes = {
        "one rater": row(
            contrasts(alone, CONTRAST, SOUND, raters="all"), model="Ant", generalises_to="raters"
        ).note,
        "one scenario": row(
            contrasts(single, CONTRAST, SOUND, raters="all"), model="Ant", generalises_to="both"
        ).note,
        "all ties": row(paired(flat, CONTRAST, SOUND, raters="all"), model="Ant").note,
    }
    assert notes == {
        "one rater": "not estimable, because there is one rater",
        "one scenario": "not estimable, because there is one scenario",
        "all ties": "not estimable, because all 12 differences are zero",
    }


def test_tables_are_absent_with_their_reason() -> None:
    data = ratings()
    with pytest.raises(NotAvailable, match="no two conditions"):
        paired(data, Contrast(None, None, None), SOUND, raters="all")
    with pytest.raises(NotAvailable, match="no rating is of either compared condition"):
        contrasts(data[data["condition"] == "reference"], CONTRAST, SOUND, raters="all")
    with pytest.raises(NotAvailable, match="no model has ratings in both compared conditions"):
        paired(data[data["model"] == "Cat"], CONTRAST, SOUND, raters="all")
