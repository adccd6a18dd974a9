"""How good are the systems, in which order, and which are told apart: all by the mixed model.

One model supplies means, their order and its uncertainty, and the tests of all pairs. The interval
of a pair, its test, the letters and the intervals of places have one adjustment, Holm's, and so
cannot contradict each other.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.letters import letters
from analysis.stats.mixed import MixedFit, contrasts, first_shares, means, pairs
from analysis.stats.order import places
from analysis.study_data import records
from analysis.tables.fits import SYSTEM, Fits, SystemLevel
from analysis.tables.mixed_models import LIMITED_BY, LIMITS, OWN_RATINGS, at_level_of_tests, said_of
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.resampling import resampling

SYSTEM_GROUPS = TableSpec(
    "system_groups",
    "Systems by their estimated means, and those that are not told apart",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT, OWN_RATINGS, c.PLACE,
        *c.interval("place", "place_ci", form="whole", note="holds for all systems at once"),
        c.MODEL, c.CONDITION, c.ESTIMATE.but(label="mean"), c.SE.csv_only(),
        *c.interval("estimate"),
        Column("observed_mean", "Mean of the system's ratings as they are", label="observed mean"),
        Column("letters", "Systems that share a letter are not told apart", kind="text"),
        Column("n_above", "Number of systems that it is shown to be rated above", kind="count",
            label="shown above"),
        Column("n_below", "Number of systems that it is shown to be rated below", kind="count",
            label="shown below"),
        c.SHARE_FIRST.but(meaning="Share of draws in which the system has the highest mean, when "
            "means are drawn as the model's estimates are uncertain"),
        c.NOTE,
    ),
    question="How are the systems rated, and which are told apart?",
    observations="ratings in raters × items",
    says="Means and their own intervals are those of the mixed model, for raters and texts in "
        "general; observed means are beside them. They differ where systems were rated by other "
        "raters or in other scenarios, and in ordinal models. Two systems that share a letter are "
        "not told apart by their pair's test (adjusted by Holm's method over all pairs); that does "
        "not show that they are equally good. Two that share none are told apart. A place is "
        "between those of the systems that it is told apart from (Mogstad et al. 2024).",
    section="Systems",
    subject="systems",
    counts="n counts the unit: the ratings of the system.",
    leads=True,
    leads_without=("contrasts", "mixed_contrasts"),
)  # fmt: skip
SYSTEM_PAIRS = TableSpec(
    "system_pairs",
    "All pairs of systems, raters and items at once",
    (
        c.RECIPE, c.RATERS, c.DIMENSION, c.LINK, c.UNIT, c.N, *c.SYSTEM_A, *c.SYSTEM_B,
        c.DIFFERENCE, c.SE, c.T.csv_only(), c.DF.but(behind=""), c.P, c.p_holm("all pairs"),
        *c.interval("difference", note="at the level of its test"),
        Column("told_apart", "Whether the pair is told apart, by the adjusted p at the recipe's "
            "level", kind="flag"),
        LIMITED_BY,
    ),
    question="Which of two systems is rated higher, for raters and items in general?",
    observations="ratings in raters × items",
    says="Each system minus each system below it in the order of estimated means, on the scale of "
        "the ratings. p is adjusted by Holm's method over all pairs, and each interval has the "
        "level at which that method tests its pair (Serlin 1993): one without zero belongs to a "
        "pair that is told apart.",
    section="Systems",
    subject="systems",
    counts="n counts the unit.",
    sides="system",
    appendix=True,
    folded=True,
)  # fmt: skip


@dataclass(frozen=True)
class ToldApart:
    """`groups` has a row for each system, the highest mean first; `pairs` for each two of these.

    A model that cannot be had is one row of `groups` with the reason in `note`.
    """

    groups: DataFrame
    pairs: DataFrame


def told_apart(
    ratings: DataFrame, recipe: Recipe, *, raters: str, fits: Fits | None = None
) -> ToldApart:
    """All systems and their pairs, by the recipe's models of each dimension, on the ratings' scale.

    `ratings` has `participant`, `rating` and the columns of an item. Raises NotAvailable.
    """
    groups: list[dict[str, Any]] = []
    of_pairs: list[dict[str, Any]] = []
    fits = fits or Fits()
    for keys, own, fit in fits.each(ratings, recipe, raters):
        if isinstance(fit, Inestimable):
            nothing = dict.fromkeys(["model", "condition", "letters"], "")
            groups.append({**keys, **nothing, "note": str(fit)})
            continue
        keys["n"] = len(fit.data.y)
        systems = _systems(fit, own, recipe, fits.ends)
        of_two = _pairs(fit, list(systems["level"]), recipe)
        groups += [{**keys, **row} for row in _groups(fit, systems, of_two)]
        of_pairs += [{**keys, **row} for row in records(of_two)]
    if not groups:
        raise NotAvailable("there are no ratings")
    whole = ["n", "place", "place_ci_low", "place_ci_high", "n_above", "n_below"]
    return ToldApart(
        DataFrame(groups, columns=SYSTEM_GROUPS.names).astype(dict.fromkeys(whole, "Int64")),
        DataFrame(of_pairs, columns=SYSTEM_PAIRS.names),
    )


def _systems(
    fit: MixedFit, ratings: DataFrame, recipe: Recipe, ends: tuple[float, float] | None
) -> DataFrame:
    """Means with their places, the highest first."""
    table = means(fit, "system", confidence=recipe.confidence, ends=ends)
    observed = ratings.groupby(SYSTEM, observed=True)["rating"].mean()
    table["observed_mean"] = [observed[level.model, level.condition] for level in table["level"]]
    drawn = resampling(recipe)
    table["share_first"] = first_shares(fit, "system", seed=drawn["seed"], draws=drawn["resamples"])
    table["place"] = places(table["estimate"].to_numpy()).astype(int)
    return table.sort_values("place", kind="stable", ignore_index=True)


def _pairs(fit: MixedFit, systems: list[SystemLevel], recipe: Recipe) -> DataFrame:
    table = contrasts(fit, "system", pairs(systems), confidence=recipe.confidence)
    table = at_level_of_tests(table, recipe.confidence)
    first, second = np.triu_indices(len(systems), 1)
    return DataFrame(
        {
            **_named([systems[at] for at in first], "_a"),
            **_named([systems[at] for at in second], "_b"),
            "difference": table["estimate"],
            **{name: table[name] for name in ("se", "t", "df", "p", "p_adjusted")},
            "ci_low": table["low"],
            "ci_high": table["high"],
            "told_apart": table["p_adjusted"] < 1 - recipe.confidence,
            "limited_by": table["source"].map(LIMITS),
        }
    )


def _named(systems: list[SystemLevel], side: str) -> dict[str, list[str]]:
    return {
        f"model{side}": [system.model for system in systems],
        f"condition{side}": [system.condition for system in systems],
    }


def _groups(fit: MixedFit, systems: DataFrame, of_pairs: DataFrame) -> Iterator[dict[str, Any]]:
    k = len(systems)
    apart = np.zeros((k, k), dtype=bool)
    apart[np.triu_indices(k, 1)] = of_pairs["told_apart"]
    above, below = apart.sum(axis=1), apart.sum(axis=0)
    given = letters(apart | apart.T) if k > 1 else [""]
    n = fit.data.counts("system")
    for at, row in enumerate(systems.to_dict("records")):
        yield {
            **asdict(row["level"]),
            "n": n[row["level"]],
            **{name: row[name] for name in ("place", "estimate", "se", "observed_mean")},
            "place_ci_low": 1 + below[at],
            "place_ci_high": k - above[at],
            "ci_low": row["low"],
            "ci_high": row["high"],
            "letters": given[at],
            "n_above": above[at],
            "n_below": below[at],
            "share_first": row["share_first"],
            "note": said_of(fit),
        }


def _make(request: Request) -> Tables:
    tables = told_apart(
        request.answers.ratings, request.recipe, raters=request.raters, fits=request.study.fits
    )
    return {"system_groups": tables.groups, "system_pairs": tables.pairs}


ANALYSIS = AnalysisSpec((SYSTEM_GROUPS, SYSTEM_PAIRS), _make)
