"""How often does one system have a higher mean than another? Counts of means as they are."""

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.order import win_matrix
from analysis.tables.fits import SYSTEM
from analysis.tables.request import AnalysisSpec, Request, Tables

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


def _make(request: Request) -> Tables:
    ratings, recipe, raters = request.answers.ratings, request.recipe, request.raters
    return {"system_wins": system_wins(ratings, recipe, raters=raters)}


ANALYSIS = AnalysisSpec((SYSTEM_WINS,), _make)
