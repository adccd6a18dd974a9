"""Agreement, choices and discordant pairs equal R's, on three data sets, to a millionth."""

from typing import Any, get_args

import numpy as np
import pytest
from pandas import DataFrame, Index, MultiIndex, Series

from analysis.stats.agreement import (
    Alpha,
    Level,
    Limits,
    alpha_over_clusters,
    krippendorff_alpha,
    limits_of_agreement,
    pairwise_spearman,
)
from analysis.stats.careless import contradictions
from analysis.stats.choices import (
    ChoiceTest,
    Concord,
    choice_shares,
    free_marginal_kappa,
    goodness_of_fit,
)
from analysis.stats.rankings import WithinBlocks, concordance_within_blocks
from tests.oracle.closed_form.stored import DATA_SETS, WITH_TABLES, inputs, reference

LEVELS: tuple[Level, ...] = get_args(Level)


def texts(name: str) -> DataFrame:
    """Things (rows) by raters."""
    return DataFrame(inputs(name)["texts"], dtype=float)


def long(table: DataFrame) -> DataFrame:
    """A row per rating: `unit`, `rater` and `value`."""
    return table.reset_index(names="unit").melt("unit", var_name="rater").dropna()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", WITH_TABLES)
def test_alpha(name: str, level: Level) -> None:
    expected = pytest.approx(reference(name)["alpha"][level], rel=1e-6)
    assert krippendorff_alpha(texts(name), level) == expected
    ratings = long(texts(name)).assign(cluster=0)
    found = alpha_over_clusters(ratings, level, seed=1)
    assert isinstance(found, Alpha)
    assert found.estimate == expected


@pytest.mark.parametrize("name", WITH_TABLES)
def test_concordance_within_blocks(name: str) -> None:
    expected = reference(name)["concordance"]
    block, _ = Series(inputs(name)["blocks_of_texts"]).factorize()
    ratings = long(texts(name)).rename(columns={"unit": "system"})
    judged = ratings.assign(block=block[ratings["system"]])
    found = concordance_within_blocks(judged, seed=1, resamples=200)
    assert isinstance(found, WithinBlocks)
    assert found.w == pytest.approx(expected["w"], rel=1e-6)
    assert found.blocks == expected["blocks"]


@pytest.mark.parametrize("name", WITH_TABLES)
def test_free_marginal_kappa(name: str) -> None:
    expected = reference(name)["kappa"]
    chosen = DataFrame(inputs(name)["chosen"], dtype=float)
    found = free_marginal_kappa(chosen, seed=1, resamples=200)
    assert isinstance(found, Concord)
    assert found.kappa == pytest.approx(expected["kappa"], rel=1e-6)
    assert found.blocks == expected["blocks"]


@pytest.mark.parametrize("name", WITH_TABLES)
def test_choices_of_one_block_per_rater(name: str) -> None:
    """The points of the scale are what is chosen, each by as many as gave it."""
    expected, given = reference(name)["choices"], inputs(name)["given"]
    picks = np.repeat(np.arange(len(given)), given)
    shown = MultiIndex.from_product([range(len(picks)), range(len(given))])
    who, system = (shown.get_level_values(at).to_numpy() for at in (0, 1))
    choice = np.where(picks[who] == system, "best", "")
    choices = DataFrame({"rater": who, "block": 1, "system": system, "choice": choice})
    test = goodness_of_fit(choices, "best")
    assert isinstance(test, ChoiceTest)
    found: dict[str, Any] = {"statistic": test.statistic, "df": test.df, "p": test.p}
    assert found == {key: pytest.approx(expected[key], rel=1e-6, abs=0) for key in found}
    shares = choice_shares(choices, "best", seed=1)
    assert shares["ci_low"].tolist() == pytest.approx(expected["low"], rel=1e-6)
    assert shares["ci_high"].tolist() == pytest.approx(expected["high"], rel=1e-6)


@pytest.mark.parametrize("name", WITH_TABLES)
def test_contradictions_of_ranks_that_follow_everybodys_means(name: str) -> None:
    given = inputs(name)
    answers = DataFrame(given["answers"], dtype=float)
    ranks = (-answers.mean()).groupby(given["blocks"]).rank()
    rows = long(answers.T).rename(columns={"unit": "place", "value": "rating"})
    about = {"block": Series(given["blocks"], dtype=object), "rank": ranks}
    found = contradictions(
        rows.assign(**{key: rows["place"].map(of) for key, of in about.items()}),
        Index(answers.index),
    )
    expected = np.array(reference(name)["indices"]["contradictions"], dtype=float)
    assert found["share"].to_numpy() == pytest.approx(expected, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("name", DATA_SETS)
def test_spearman_and_limits_of_agreement(name: str) -> None:
    given, expected = DataFrame(inputs(name)["pairs"], dtype=float), reference(name)["replicates"]
    (pair,) = pairwise_spearman(given).itertuples()
    assert pair.rho == pytest.approx(expected["rho"], rel=1e-6)
    limits = limits_of_agreement(given["a"] - given["b"])
    assert isinstance(limits, Limits)
    assert limits.bias == pytest.approx(expected["bias"], rel=1e-6)
    assert [limits.lower, limits.upper] == pytest.approx(expected["limits"], rel=1e-6)
