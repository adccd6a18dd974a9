"""How sure is the order of the systems, and how often does one have a higher mean than another?

Unlike the mixed model this asks for no distribution, and speaks of means as they are.
"""

from typing import Any

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.order import places, resampled_order, win_matrix
from analysis.study_data import records
from analysis.tables.fits import SYSTEM
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.resampling import resampling

SYSTEM_ORDER = TableSpec(
    "system_order",
    "Order of the systems, with its uncertainty",
    (
        *c.FRONT, c.DIMENSION, c.PLACE, *c.interval("place", "place_ci", form="whole"), c.MODEL,
        c.CONDITION, c.MEAN, c.SHARE_FIRST, c.N_RATERS,
        Column("n_scenarios", "Number of scenarios", kind="count"),
        c.N_RATINGS,
        Column("resamples", "Number of resamples", kind="count").csv_only(),
        c.NOTE,
    ),
    question="How sure is the order of the systems?",
    observations="raters and scenarios at once",
    says="Raters and scenarios are resampled independently (unit both; with one rater or one "
        "scenario, the other alone), and the systems ordered by the means of the ratings each "
        "time. Place 1 is the highest mean. The interval is of each place by itself. It is "
        "rough with few raters, and too wide where single ratings vary much (Owen 2007).",
    section="Systems",
    subject="systems",
)  # fmt: skip
SYSTEM_WINS = TableSpec(
    "system_wins",
    "Win matrix: how often a system has a higher mean than another",
    (
        *c.FRONT, c.DIMENSION, *c.SYSTEM_A, *c.SYSTEM_B,
        c.N.but(meaning="Number of units with ratings of both systems"),
        c.A_WINS.but(meaning="Units in which system a has the higher mean", kind="count",
            form="decimals"),
        c.B_WINS.but(meaning="Units in which system b has the higher mean", kind="count",
            form="decimals"),
        c.TIES.but(meaning="Units with equal means"),
        Column("share_a", "Share of units in which system a has the higher mean",
            label="share of {a}"),
        Column("share_b", "Share of units in which system b has the higher mean",
            label="share of {b}"),
    ),
    question="For how many raters and scenarios is one system better than another?",
    observations="raters; scenarios",
    says="Compares the means of all ratings of a rater (unit participant) and of a scenario (unit "
        "scenario). A count of wins does not show how large or how certain a difference is.",
    section="Systems",
    subject="systems",
    counts="n counts the unit.",
    sides="system",
    appendix=True,
    folded=True,
)  # fmt: skip
UNITS = ("participant", "scenario")


def system_order(ratings: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Each system's place by its mean rating, with the interval from resamples.

    `ratings` has `participant`, `rating` and the columns of an item; resamples are the recipe's or,
    if it has none, the defaults. Raises NotAvailable.
    """
    rows: list[dict[str, Any]] = []
    for dimension, own in ratings.groupby("dimension", observed=True):
        by_system = own.groupby(SYSTEM, observed=True)
        table = by_system["rating"].agg(mean="mean", n_ratings="size").reset_index()
        if len(table) < 2:
            continue
        people, scenarios = own["participant"].nunique(), own["scenario"].nunique()
        found = resampled_order(
            own["rating"].to_numpy(dtype=float),
            np.asarray(by_system.ngroup(), dtype=np.intp),
            pd.factorize(own["participant"], sort=True)[0].astype(np.intp),
            pd.factorize(own["scenario"], sort=True)[0].astype(np.intp),
            **resampling(recipe),
        )
        table = table.assign(
            recipe=recipe.name,
            unit="scenario" if people < 2 else "participant" if scenarios < 2 else "both",
            raters=raters,
            dimension=str(dimension),
            place=places(table["mean"].to_numpy()).astype(int),
            n_raters=people,
            n_scenarios=scenarios,
            note=str(found) if isinstance(found, Inestimable) else "",
        )
        if not isinstance(found, Inestimable):
            table = table.assign(
                share_first=found.first,
                place_ci_low=found.low,
                place_ci_high=found.high,
                resamples=found.resamples,
            )
        rows += records(table.sort_values("place", kind="stable"))
    if not rows:
        raise NotAvailable("there are no two systems to compare")
    whole = ["place_ci_low", "place_ci_high", "resamples"]
    return DataFrame(rows, columns=SYSTEM_ORDER.names).astype(dict.fromkeys(whole, "Int64"))


def system_wins(ratings: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """Of every two systems, in how many raters' and scenarios' means one has the higher mean.

    Systems are in the study's order. Raises NotAvailable.
    """
    parts = []
    for dimension, own in ratings.groupby("dimension", observed=True):
        for unit in UNITS:
            means = own.groupby([unit, *SYSTEM], observed=True)["rating"].mean().unstack(SYSTEM)
            means = means.sort_index(axis=1)
            found = win_matrix(means.to_numpy())
            first, second = np.triu_indices(means.shape[1], 1)
            n, won, lost = (
                each[at]
                for each, at in (
                    (found.both, (first, second)),
                    (found.wins, (first, second)),
                    (found.wins, (second, first)),
                )
            )
            with np.errstate(invalid="ignore"):
                shares = {"share_a": won / n, "share_b": lost / n}
            counts = {"n": n, "a_wins": won, "b_wins": lost, "ties": n - won - lost}
            front = {"recipe": recipe.name, "unit": unit, "raters": raters}
            names = {
                f"{column}_{side}": means.columns.get_level_values(column)[at].astype(str)
                for side, at in (("a", first), ("b", second))
                for column in SYSTEM
            }
            keys = DataFrame({**names, **counts, **shares})
            parts.append(keys.assign(**front, dimension=str(dimension)))
    table = pd.concat(parts, ignore_index=True)
    if table.empty:
        raise NotAvailable("there are no two systems to compare")
    return table[SYSTEM_WINS.names]


def _make_order(request: Request) -> Tables:
    ratings, recipe, raters = request.answers.ratings, request.recipe, request.raters
    return {"system_order": system_order(ratings, recipe, raters=raters)}


def _make_wins(request: Request) -> Tables:
    ratings, recipe, raters = request.answers.ratings, request.recipe, request.raters
    return {"system_wins": system_wins(ratings, recipe, raters=raters)}


OF_ORDER = AnalysisSpec((SYSTEM_ORDER,), _make_order)
OF_WINS = AnalysisSpec((SYSTEM_WINS,), _make_wins)
