"""Systems beside the reference: R's numbers, what is adjusted, margins, and what cannot be had."""

import numpy as np
import pandas as pd
import pytest
from pandas import DataFrame
from scipy.stats import t

from analysis.not_available import NotAvailable
from analysis.recipe import Margins, MixedModels, shipped_recipes
from analysis.study_data import ITEM, Contrast
from analysis.tables.reference_contrasts import reference_contrasts
from analysis.tables.told_apart import told_apart
from tests.oracle.mixed.stored import HERE as ORACLE

PAPER, SOUND = shipped_recipes().values()
LINEAR = SOUND.model_copy(
    update={"mixed_models": MixedModels(links=["linear"]), "margins": Margins(reference=5)}
)
CONTRAST = Contrast(None, None, ("refA", "human"))
#: lme4 with pbkrtest's degrees of freedom: each system's mean less that of refA.
R = {
    "sysA": (-5.97415, 1.833022, 27.77122),
    "sysB": (-9.168875, 1.834182, 27.82156),
    "sysC": (-6.149643, 1.825856, 27.35049),
    "sysD": (-3.903173, 1.824568, 27.26068),
    "sysE": (-1.467522, 1.843391, 28.33834),
}


def ratings() -> DataFrame:
    data = pd.read_csv(ORACLE / "human_mt.csv").rename(columns={"rater": "participant"})
    return data.assign(set="1", dimension="quality").astype(dict.fromkeys(ITEM, "category"))


@pytest.fixture(scope="module")
def found() -> DataFrame:
    return reference_contrasts(ratings(), CONTRAST, LINEAR, raters="included").set_index("model")


@pytest.mark.parametrize("model", R)
def test_each_system_is_held_against_the_reference_as_r_does(model: str, found: DataFrame) -> None:
    row, (difference, se, df) = found.loc[model], R[model]
    assert (row.condition, row.reference_model, row.reference_condition) == ("mt", "refA", "human")
    assert row.difference == pytest.approx(difference, abs=1e-4)
    assert row.se == pytest.approx(se, abs=1e-4) and row.df == pytest.approx(df, abs=1e-2)
    assert row.p == pytest.approx(2 * t.sf(abs(difference / se), df), rel=1e-3)


def test_it_is_the_estimate_of_the_systems_means(found: DataFrame) -> None:
    means = told_apart(ratings(), LINEAR, raters="included").groups.set_index("model")["estimate"]
    for model in R:
        assert found.loc[model].difference == pytest.approx(means[model] - means["refA"])


def test_interval_excludes_zero_where_the_adjusted_test_tells_apart(found: DataFrame) -> None:
    without = (found["ci_high"] < 0) | (found["ci_low"] > 0)
    assert list(without) == list(found["p_adjusted"] < 0.05)
    assert 0 < without.sum() < 5


def test_system_approaches_where_it_is_not_worse_by_the_margin(found: DataFrame) -> None:
    row = found.loc["sysE"]
    assert row.p_non_inferior == pytest.approx(t.sf((row.difference + 5) / row.se, row.df))
    upper = t.cdf((row.difference - 5) / row.se, row.df)
    assert row.p_equivalent == pytest.approx(max(row.p_non_inferior, upper))
    wide = LINEAR.model_copy(update={"margins": Margins(reference=30)})
    near = reference_contrasts(ratings(), CONTRAST, wide, raters="included")
    assert near["approaches"].all() and near["equivalent"].all()
    assert not found["approaches"].any()


def test_without_a_margin_there_are_the_differences() -> None:
    plain = LINEAR.model_copy(update={"margins": Margins(groups=5)})
    table = reference_contrasts(ratings(), CONTRAST, plain, raters="included")
    assert len(table) == 5 and table["p_adjusted"].notna().all()
    assert table[["margin", "p_non_inferior", "approaches", "equivalent"]].isna().all(axis=None)


def test_model_that_cannot_be_had_is_one_row_with_the_reason() -> None:
    one = ratings().query("participant == 'r3'")
    (row,) = reference_contrasts(one, CONTRAST, LINEAR, raters="all").to_dict("records")
    assert row["note"].startswith("not estimable, because ") and np.isnan(row["difference"])


def test_absent_table_says_why() -> None:
    with pytest.raises(NotAvailable, match="names no reference"):
        reference_contrasts(ratings(), Contrast("human", "mt", None), LINEAR, raters="all")
    with pytest.raises(NotAvailable, match="no mixed models"):
        reference_contrasts(ratings(), CONTRAST, PAPER, raters="all")
    elsewhere = Contrast(None, None, ("refB", "human"))
    with pytest.raises(NotAvailable, match="no system was rated beside the reference"):
        reference_contrasts(ratings(), elsewhere, LINEAR, raters="all")
    only = ratings().query("model == 'refA'")
    with pytest.raises(NotAvailable, match="no system was rated beside the reference"):
        reference_contrasts(only, CONTRAST, LINEAR, raters="all")
