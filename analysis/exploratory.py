"""Marking rows that were not made as planned: the one place for all tables. Pure."""

from collections.abc import Iterable, MutableMapping

import pandas as pd
from pandas import DataFrame, Series

from analysis.by_recipe import OF_RATERS
from analysis.catalogue.columns import PLAN, PLAN_DIFFERS
from analysis.declarations import NAMES
from analysis.deviations import AS_PLANNED, EXPLORATORY, Deviation
from analysis.recipe import Recipe

#: Results that no recipe makes.
WITHOUT_RECIPE = ("demographics", "items", "flags", "largest_differences", "wins", "wins_summary")
#: Tables that are the same in each recipe follow the first whose units are raters.
FOLLOWING = {name for maker in OF_RATERS for name in maker.names}
OF_ALL = "_all"


def mark(
    tables: MutableMapping[str, DataFrame],
    deviations: Iterable[Deviation],
    by_raters: Recipe | None,
) -> None:
    """Add to every table of results whether its rows were made as planned, and what was otherwise.

    `by_raters` is the recipe of tables that are the same in each.
    """
    made = [deviation for deviation in deviations if deviation.rows]
    for name in (*NAMES, *WITHOUT_RECIPE):
        if name not in tables:
            continue
        table = tables[name]
        said = Series("", index=table.index, dtype="str")
        for deviation in made:
            where = _rows(name, table, deviation, by_raters)
            said = said.where(~where, said.where(said == "", said + "; ") + deviation.what)
        plan = said.map(lambda text: EXPLORATORY if text else AS_PLANNED)
        tables[name] = pd.concat(
            [table, plan.rename(PLAN.name), said.rename(PLAN_DIFFERS.name)], axis=1
        )


def mark_all(table: DataFrame, why: str) -> DataFrame:
    """A table of which no row was planned, and why."""
    return table.assign(**{PLAN.name: EXPLORATORY, PLAN_DIFFERS.name: why})


def _rows(
    name: str, table: DataFrame, deviation: Deviation, by_raters: Recipe | None
) -> "Series[bool]":
    """Which rows of a table come of a deviation."""
    base = name.removesuffix(OF_ALL)
    everywhere = Series(True, index=table.index)
    nowhere = ~everywhere
    if deviation.tables and base not in deviation.tables:
        return nowhere
    rows = everywhere
    if deviation.recipe:
        if "recipe" in table:
            rows = table["recipe"] == deviation.recipe
        elif base not in FOLLOWING or by_raters is None or by_raters.name != deviation.recipe:
            return nowhere
    if deviation.dimension:
        if "dimension" not in table:
            return nowhere
        rows = rows & (table["dimension"] == deviation.dimension)
    if deviation.included:
        if "raters" in table:
            rows = rows & (table["raters"] == "included")
        elif name.endswith(OF_ALL):
            return nowhere
    return rows
