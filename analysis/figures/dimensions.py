"""The systems' means on each dimension: as points with intervals, or as a radar (Haleas, Figure 2).

A radar shows profiles at a glance and hides how sure they are; its intervals are in the hover.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures import rows
from analysis.figures.drawing import Drawing
from analysis.figures.forest import RATERS
from analysis.figures.style import (
    CLEAR,
    COLOURS,
    DASHES,
    INK,
    SYMBOLS,
    Changes,
    PlottedSystem,
    as_text,
    distinct,
    intervals,
    short,
)
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.tables.items import points_of

FEWEST_CORNERS = 3
#: One for each colour and symbol.
MOST_LINES = len(COLOURS)
RADAR = 280  # pixels
GENERALISES = {"participant": "other raters", "scenario": "other scenarios"}


COUNTED = {"participant": "raters", "scenario": "scenarios"}


class SystemMean(NamedTuple):
    """A mean, its interval where there is one, and how many units it rests on, in words."""

    mean: float
    low: float | None
    high: float | None
    units: str


@dataclass(frozen=True)
class Means:
    """Every view's means by system and dimension, in study order; how many `units` each has."""

    systems: list[PlottedSystem]
    dimensions: list[str]
    units: dict[str, str]
    views: dict[str, dict[tuple[PlottedSystem, str], SystemMean]]


def dimension_means(
    systems: DataFrame, recipe: Recipe, scale: Sequence[tuple[float, str]]
) -> go.Figure:
    """A row per system, and in it a mean with its interval for each dimension.

    `systems` is the table of `systems.systems`; rows of other recipes are left out. A menu switches
    between what intervals speak of, and between raters. Raises NotAvailable, with one dimension,
    too.
    """
    means = _means(systems, recipe)
    if len(means.dimensions) == 1:
        raise NotAvailable("there is one dimension, whose means are in systems_forest")
    at = rows.places([system.model for system in means.systems])
    low, high = _ends(scale)
    air = (high - low) / 30
    names = [as_text(dimension) for dimension in means.dimensions]
    traces = [*rows.marks(names, at), rows.names(at, low - air)]
    views = {
        title: _points(means, estimates, at, low - air) for title, estimates in means.views.items()
    }
    label = {"text": "observed mean rating", "standoff": 6, "font": {"size": 12}}
    axis = {"range": [low - air, high + air], "title": label, "nticks": 6}
    texts = _texts(means, recipe, scale)
    return rows.figure(traces, views, at, axis, legend=names, texts=texts)


def dimension_radar(
    systems: DataFrame, recipe: Recipe, scale: Sequence[tuple[float, str]], *, between: bool = False
) -> go.Figure:
    """A corner per dimension and a line per system, with intervals in the hover.

    As `dimension_means`, and NotAvailable with fewer than three dimensions or more systems than
    colours, too. `between` says that ratings lie between the points of the scale.
    """
    means = _means(systems, recipe)
    corners = [as_text(dimension) for dimension in means.dimensions]
    if len(corners) < FEWEST_CORNERS:
        raise NotAvailable("a radar needs three dimensions or more")
    if len(means.systems) > MOST_LINES:
        raise NotAvailable(
            f"a radar of more than {MOST_LINES} systems cannot be read: the means of all "
            f"{len(means.systems)} are in dimension_means"
        )
    traces = [
        go.Scatterpolar(
            mode="lines+markers",
            name=system.name,
            theta=[*corners, corners[0]],
            line={"color": COLOURS[number], "dash": DASHES[number], "width": 2},
            marker={"symbol": SYMBOLS[number], "size": 7},
            hovertemplate="%{theta}: %{text}<extra>%{fullData.name}</extra>",
        )
        for number, system in enumerate(means.systems)
    ]
    views = {title: _corners(means, estimates) for title, estimates in means.views.items()}
    names = [", ".join(system) for system in means.systems]
    texts = _texts(means, recipe, scale, "Intervals are not drawn: see systems.csv.")
    figure = rows.figure(traces, views, [0], {}, legend=names, texts=texts)
    figure.layout.xaxis = figure.layout.yaxis = None
    figure.update_layout(
        height=figure.layout.height + RADAR,
        polar=_radar(_ends(scale), points_of(sorted(scale), between=between)),
    )
    return figure


def _means(systems: DataFrame, recipe: Recipe) -> Means:
    """The recipe's means. Raises NotAvailable where there are none."""
    ours = systems[(systems["recipe"] == recipe.name) & systems["mean"].notna()]
    if ours.empty:
        raise NotAvailable("no mean is estimable")
    views: dict[str, dict[tuple[PlottedSystem, str], SystemMean]] = {}
    units: dict[str, str] = {}
    for (raters, unit), part in ours.groupby(["raters", "unit"], sort=False):
        whose = RATERS.get(str(raters), str(raters))
        title = as_text(f"{whose}, intervals for {GENERALISES[str(unit)]}")
        units[title] = f"n: {_span(part['n'])} {COUNTED[str(unit)]}."
        views[title] = {
            (
                PlottedSystem(str(row["model"]), str(row["condition"])),
                str(row["dimension"]),
            ): SystemMean(
                float(row["mean"]),
                _known(row["ci_low"]),
                _known(row["ci_high"]),
                f"{row['n']} {COUNTED[str(unit)]}",
            )
            for row in part.to_dict("records")
        }
    pairs = ours[["model", "condition"]].drop_duplicates().itertuples(index=False)
    rated = [PlottedSystem(str(model), str(condition)) for model, condition in pairs]
    return Means(rated, distinct(map(str, ours["dimension"])), units, views)


def _span(numbers: "pd.Series[int]") -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return str(low) if low == high else f"{low} to {high}"


def _points(
    means: Means,
    estimates: dict[tuple[PlottedSystem, str], SystemMean],
    at: Sequence[float],
    left: float,
) -> Changes:
    """What a view changes of every trace: the marks of each dimension, then the rows' names.

    A system that was not rated on a dimension has no mark there.
    """
    points: dict[str, list[Any]] = {
        name: [] for name in ("x", "text", "error_x.array", "error_x.arrayminus")
    }
    for dimension in means.dimensions:
        cells = [estimates.get((system, dimension)) for system in means.systems]
        points["x"].append([None if e is None else short([e.mean])[0] for e in cells])
        points["text"].append(["" if e is None else _hover(e) for e in cells])
        points["error_x.array"].append([_arm(e, upper=True) for e in cells])
        points["error_x.arrayminus"].append([_arm(e, upper=False) for e in cells])
    points["x"].append([left] * len(at))
    points["text"].append([system.bold_name for system in means.systems])
    points["error_x.array"].append(None)
    points["error_x.arrayminus"].append(None)
    return points


def _corners(means: Means, estimates: dict[tuple[PlottedSystem, str], SystemMean]) -> Changes:
    """Each system's means around the radar and back to where they began."""
    points: dict[str, list[Any]] = {"r": [], "text": []}
    for system in means.systems:
        around = [*means.dimensions, means.dimensions[0]]
        cells = [estimates.get((system, dimension)) for dimension in around]
        points["r"].append([None if e is None else short([e.mean])[0] for e in cells])
        points["text"].append(["" if e is None else _hover(e) for e in cells])
    return points


def _radar(ends: list[float], ticks: list[float]) -> go.layout.Polar:
    axis = {"gridcolor": INK, "linecolor": INK, "griddash": "dot", "tickfont": {"color": INK}}
    return go.layout.Polar(
        bgcolor=CLEAR,
        domain={"x": [0.12, 0.88], "y": [0, 0.93]},
        radialaxis=axis | {"range": ends, "tickvals": ticks, "angle": 90, "tickangle": 90},
        angularaxis=axis | {"rotation": 90, "direction": "clockwise"},
    )


def _texts(
    means: Means, recipe: Recipe, scale: Sequence[tuple[float, str]], after: str = ""
) -> dict[str, str]:
    """Each view's note, with its own numbers of units."""
    (low, low_label), *_, (high, high_label) = sorted(scale)
    text = (
        f"Recipe {as_text(recipe.name)}; {intervals(recipe)}. "
        f"{low} = {as_text(low_label)}, {high} = {as_text(high_label)}."
    )
    return {title: " ".join([text, units, after]).rstrip() for title, units in means.units.items()}


def _ends(scale: Sequence[tuple[float, str]]) -> list[float]:
    values = [value for value, _ in scale]
    return [min(values), max(values)]


def _hover(estimate: SystemMean) -> str:
    text = f"{estimate.mean:.2f}"
    if estimate.low is not None and estimate.high is not None:
        text += f" [{estimate.low:.2f}, {estimate.high:.2f}]"
    return f"{text}, {estimate.units}"


def _arm(estimate: SystemMean | None, *, upper: bool) -> float | None:
    """How far an interval reaches on one side; nowhere without one."""
    if estimate is None:
        return None
    end = estimate.high if upper else estimate.low
    return 0.0 if end is None else float(short([abs(end - estimate.mean)])[0])


def _known(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)


def _draw_means(of: Drawing) -> go.Figure:
    return dimension_means(of.table("systems"), of.recipe, of.scale.points)


def _draw_radar(of: Drawing) -> go.Figure:
    return dimension_radar(
        of.table("systems"), of.recipe, of.scale.points, between=of.scale.between
    )


DIMENSION_MEANS = FigureSpec(
    "dimension_means", "Means on each dimension", "Systems", "systems", draw=_draw_means
)
DIMENSION_RADAR = FigureSpec(
    "dimension_radar", "Profiles over dimensions", "Systems", "systems", draw=_draw_radar
)
