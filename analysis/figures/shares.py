"""How often each point of the scale was given to each system: the default view of ratings.

Stacked to 100 %, from the lowest point up. They do not diverge from a middle: that presumes a
neutral one, which a scale from "not at all" to "extremely" has not.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures import rows
from analysis.figures.style import Changes, PlottedSystem, as_text, shade, short
from analysis.figures.views import by_scenario

MOST_POINTS = 11
DECIMALS = 4  # of points
UNITS = 10_000
FIFTHS = 5  # of a scale with more points than that


class Category(NamedTuple):
    """Ratings that are shown as one: a point of the scale, or all from `low` to `high`."""

    low: float
    high: float

    @property
    def name(self) -> str:
        low, high = f"{self.low:g}", f"{self.high:g}"
        return low if low == high else f"{low}–{high}"


def category_shares(
    counts: DataFrame, scale: Sequence[tuple[float, str]], *, between: bool = False
) -> go.Figure:
    """Shares of the points of the scale, a bar per system, with means and numbers of ratings.

    `counts` comes from `items.rating_counts`, in study order and not empty. A menu switches
    between all scenarios and each of a few (and dimensions). `between` says that ratings lie
    between the points of the scale; of more than eleven points, fifths of the scale are shown.
    """
    step = _step(counts["rating"].unique(), low=min(value for value, _ in scale))
    categories = _categories(scale, between=between, step=step)
    systems = _systems(counts)
    at = rows.places([system.model for system in systems])
    views = list(by_scenario(counts, numbers="items.csv"))
    tables = {view.title: _table(view.rows, systems, categories) for view in views}
    changes = {title: _points(table, systems, categories) for title, table in tables.items()}
    legend = [category.name for category in categories]
    texts = {view.title: f"{_text(scale)} {view.left_out}".rstrip() for view in views}
    return rows.shares(_bars(categories, systems, at), changes, at, legend=legend, texts=texts)


def _categories(
    scale: Sequence[tuple[float, str]], *, between: bool, step: float
) -> list[Category]:
    """The points of the scale, lowest first; fifths of it where it has many."""
    points = sorted(value for value, _ in scale)
    low, high = points[0], points[-1]
    if between and (high - low) / step < MOST_POINTS:
        points = [_point(low + n * step) for n in range(round((high - low) / step) + 1)]
    elif between:
        steps = (high - low) / step
        firsts = [math.ceil(round(steps * fifth / FIFTHS, 6)) for fifth in range(FIFTHS)]
        edges = [*(low + first * step for first in firsts), high + step]
        return [Category(_point(a), _point(b - step)) for a, b in pairwise(edges)]
    return [Category(point, point) for point in points]


def _step(ratings: Iterable[float], *, low: float) -> float:
    """The largest step, of at most 1, that leads from the lowest point to every rating."""
    units = [round((rating - low) * UNITS) for rating in ratings]
    return math.gcd(UNITS, *units) / UNITS


def _point(value: float) -> float:
    return float(round(value, DECIMALS))


def _systems(counts: DataFrame) -> list[PlottedSystem]:
    """Every system that was rated, in study order."""
    counts_by_system = counts.groupby(list(PlottedSystem._fields), observed=True).size()
    return [
        PlottedSystem(str(model), str(condition)) for model, condition in counts_by_system.index
    ]


def _table(part: DataFrame, systems: list[PlottedSystem], categories: list[Category]) -> DataFrame:
    """n, the mean and the number of ratings in each category (by its place), by system."""
    lows = [category.low for category in categories]
    place = np.searchsorted(lows, part["rating"].to_numpy(), side="right") - 1
    ratings = part.assign(category=place, total=part["n"] * part["rating"])
    by_system = ratings.groupby(list(PlottedSystem._fields), observed=True)
    sums = by_system[["n", "total"]].sum()
    cells = ratings.groupby([*PlottedSystem._fields, "category"], observed=True)["n"].sum()
    table = cells.unstack("category").reindex(columns=range(len(categories))).fillna(0)
    table = table.assign(n=sums["n"], mean=sums["total"] / sums["n"])
    table.index = pd.MultiIndex.from_tuples([tuple(map(str, key)) for key in table.index])
    return table.reindex(pd.MultiIndex.from_tuples(systems))


def _points(table: DataFrame, systems: list[PlottedSystem], categories: list[Category]) -> Changes:
    """x and text of every trace: the bars of each category, then the rows' names."""
    x: list[list[Any]] = []
    text: list[list[Any]] = []
    for place in range(len(categories)):
        shares = (table[place] / table["n"]).fillna(0)
        x.append(short(shares))
        text.append([f"{share:.0%}" if share else "" for share in shares])
    labels = []
    for system, n, mean in zip(systems, table["n"], table["mean"], strict=True):
        mean_and_n = f"{mean:.2f} ({n:.0f})" if n > 0 else "no ratings"
        labels.append(f"{system.bold_name}: {mean_and_n}")
    return {"x": [*x, [0] * len(systems)], "text": [*text, labels]}


def _bars(
    categories: list[Category], systems: list[PlottedSystem], at: list[float]
) -> Iterator[go.Bar]:
    steps = max(len(categories) - 1, 1)
    for number, category in enumerate(categories):
        yield rows.bar(
            category.name,
            at,
            shade(number / steps),
            customdata=[system.name for system in systems],
            hovertemplate="%{customdata}<br>%{x:.1%}<extra>%{fullData.name}</extra>",
        )


def _text(scale: Sequence[tuple[float, str]]) -> str:
    (low, low_label), *_, (high, high_label) = sorted(scale)
    return (
        f"{low} = {as_text(low_label)}, {high} = {as_text(high_label)}. After the names: "
        "observed mean (number of ratings) of the included raters. Unit: rating."
    )


SHARES = FigureSpec("shares", "How often each rating was given", "Systems", "items", appendix=True)
