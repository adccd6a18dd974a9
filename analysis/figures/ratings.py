"""The densities of the ratings (Pursuit of Empathy, Figure 2)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures.style import (
    COLOURS,
    DASHES,
    Changes,
    Notes,
    as_text,
    distinct,
    short,
    show_views,
)
from analysis.figures.views import ScenarioView, by_scenario
from analysis.study_data import Contrast
from analysis.tables.group_tests import ALL
from analysis.tables.items import points_of

Floats = NDArray[np.float64]

GRID_POINTS = 81
PANELS_PER_ROW = 4
LINE = 0.15  # height of a line of text, the highest curve being 1
SIDE = 20  # pixels: what Plotly would cut, such as half of a "100" at the end of an axis, it hides
BELOW = 42  # pixels from the panels to the end of the note, without its lines
CHARACTERS = 100  # of the note, in a line


class Curve(NamedTuple):
    """One system's line in the panel of a model; the reference has one in every panel."""

    panel: str
    model: str
    condition: str


@dataclass(frozen=True)
class RatingCounts:
    """One curve's ratings in one view: the values given, and how often."""

    values: Floats
    times: Floats

    @property
    def n(self) -> int:
        return int(self.times.sum())

    @property
    def mean(self) -> float:
        return float((self.values * self.times).sum() / self.n)


@dataclass(frozen=True)
class Heights:
    """The upright axis that all panels share: curves below, a caption and `labels` above."""

    top: float
    labels: int

    @property
    def axis(self) -> float:
        return self.top * (1.1 + LINE * (1 + self.labels))

    def of_label(self, line: int) -> float:
        """Where a panel's label number `line` stands, counted from the caption down."""
        return self.axis - self.top * LINE * (line + 1.5)


#: The curves of one view: their ratings, and their densities on the grid where there is one.
Drawn = dict[Curve, tuple[RatingCounts, Floats | None]]


def kernel_density(ratings: RatingCounts, at: Floats) -> Floats | None:
    """Gaussian kernel density of the ratings at the points `at`.

    The bandwidth is Scott's: s · n^(−1/5), s with ddof 1, as in scipy's `gaussian_kde`. None
    where that is zero or undefined: all ratings are equal, or there is only one.
    """
    if len(ratings.values) < 2:
        return None
    squares = (ratings.times * (ratings.values - ratings.mean) ** 2).sum()
    bandwidth = math.sqrt(squares / (ratings.n - 1)) * ratings.n ** (-1 / 5)
    z = (at[:, None] - ratings.values[None, :]) / bandwidth
    kernels = np.exp(-(z**2) / 2) / (bandwidth * math.sqrt(2 * math.pi))
    density: Floats = kernels @ (ratings.times / ratings.n)
    return density


def ratings_kde(
    counts: DataFrame,
    contrast: Contrast,
    scale: Sequence[tuple[float, str]],
    *,
    between: bool = False,
) -> go.Figure:
    """Densities of the ratings: a panel per model, a curve per condition, means annotated.

    `counts` comes from `items.rating_counts`, in study order and not empty. Every panel also has
    the reference, with its ratings from the sets in which the panel's model was shown. A menu
    switches between scenarios (and dimensions): the traces stay, their points change. `between`
    says that ratings lie between the points of the scale, which are then its two ends.
    """
    rows = _by_panel(counts, contrast)
    of_curves = rows.groupby(list(Curve._fields), observed=True)
    curves = [Curve(*map(str, key)) for key, _ in of_curves]
    grid = np.linspace(scale[0][0], scale[-1][0], GRID_POINTS)
    views = _views(counts)
    drawn = {view.title: _drawn(_of_view(rows, view), grid) for view in views}
    peaks = [line.max() for view in drawn.values() for _, line in view.values() if line is not None]
    heights = Heights(float(max(peaks, default=1.0)), _labels_per_panel(curves))
    points = {title: _points(curves, of, grid, heights) for title, of in drawn.items()}
    text = _text(scale, between=between)
    texts = {view.title: f"{text} {view.left_out}".rstrip() for view in views}
    notes = Notes.of(texts, CHARACTERS)
    figure = go.Figure(_traces(curves, grid))
    _lay_out(figure, curves, points_of(scale, between=between), heights, notes)
    return show_views(figure, points, notes)


def _views(counts: DataFrame) -> list[ScenarioView]:
    """Single scenarios, as in the figure published first; all together where none is drawn.

    The more ratings, the narrower is Scott's bandwidth, and the more a curve is one peak a point
    of the scale; so this is the lesser figure, and `shares` shows the same better.
    """
    views = list(by_scenario(counts, numbers="items.csv"))
    with_single = {view.dimension for view in views if view.scenario != ALL}
    return [view for view in views if view.scenario != ALL or view.dimension not in with_single]


def _by_panel(counts: DataFrame, contrast: Contrast) -> DataFrame:
    """How often each value was given, by scenario, dimension and curve: `counts` with `panel`,
    without sets.
    """
    systems = zip(counts["model"], counts["condition"], strict=True)
    is_reference = np.array([system == contrast.reference for system in systems])
    rows = counts.assign(panel=counts["model"])
    if not is_reference.all():
        own, reference = rows[~is_reference], counts[is_reference]
        shown = own[["scenario", "set", "dimension", "panel"]].drop_duplicates()
        rows = pd.concat([own, reference.merge(shown, on=["scenario", "set", "dimension"])])
    keys = ["scenario", "dimension", *Curve._fields, "rating"]
    return rows.groupby(keys, observed=True)["n"].sum().reset_index()


def _of_view(rows: DataFrame, view: ScenarioView) -> DataFrame:
    """How often each value was given, by curve."""
    inside = rows["dimension"] == view.dimension
    if view.scenario != ALL:
        inside &= rows["scenario"] == view.scenario
    return rows[inside].groupby([*Curve._fields, "rating"], observed=True)["n"].sum().reset_index()


def _drawn(rows: DataFrame, grid: Floats) -> Drawn:
    """A view's curves: their ratings and their densities on the grid."""
    drawn: Drawn = {}
    for key, group in rows.groupby(list(Curve._fields), observed=True):
        values, times = (group[column].to_numpy(np.float64) for column in ("rating", "n"))
        ratings = RatingCounts(values, times)
        drawn[Curve(*map(str, key))] = (ratings, kernel_density(ratings, grid))
    return drawn


def _labels_per_panel(curves: list[Curve]) -> int:
    panels = [curve.panel for curve in curves]
    return max(map(panels.count, panels))


def _points(curves: list[Curve], drawn: Drawn, grid: Floats, heights: Heights) -> Changes:
    """x, y and text of one view's traces, in the order of `_traces`.

    For each curve its density (no x: the grid stands in the trace), then the line at its mean
    and, as a point of its own in a corner of the panel, the label.
    """
    points: dict[str, list[Any]] = {"x": [], "y": [], "text": []}
    for index, curve in enumerate(curves):
        label = sum(other.panel == curve.panel for other in curves[:index])
        line: list[Any] = [None]
        x, y, text = line, line, line
        if curve in drawn:
            ratings, density = drawn[curve]
            mean, height = ratings.mean, heights.top
            if density is not None:
                line, height = short(density), float(np.interp(mean, grid, density))
            x = [*short([mean, mean]), None, float(grid[0])]
            y = [0.0, *short([height]), None, *short([heights.of_label(label)])]
            equal = ", all equal" if density is None and ratings.n > 1 else ""
            about = f"{as_text(curve.condition)} {mean:.2f} (n = {ratings.n}{equal})".lstrip()
            text = ["", "", "", about]
        points["x"] += [None, x]
        points["y"] += [line, y]
        points["text"] += [None, text]
    return points


def _traces(curves: list[Curve], grid: Floats) -> list[go.Scatter]:
    """A density and a line at the mean for each curve, still without their points."""
    panels = distinct(curve.panel for curve in curves)
    conditions = distinct(curve.condition for curve in curves)
    start = {"x0": float(grid[0]), "dx": float(grid[1] - grid[0])}
    traces = []
    named: set[str] = set()
    for curve in curves:
        number, panel = conditions.index(curve.condition), panels.index(curve.panel)
        name = as_text(curve.condition)
        if curve.model != curve.panel:
            name += f" ({as_text(curve.model)})"
        line = {"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)]}
        is_told = bool(name) and name not in named
        density = go.Scatter(mode="lines", line_width=2, showlegend=is_told, **start)
        mean = go.Scatter(
            mode="lines+text", line_width=1, showlegend=False, textposition="middle right"
        )
        for trace in (density, mean):
            trace.update(name=name, legendgroup=curve.condition, hoverinfo="skip", line=line)
            trace.update(xaxis=_axis("x", panel), yaxis=_axis("y", panel))
        traces += [density, mean]
        named.add(name)
    return traces


def _lay_out(
    figure: go.Figure, curves: list[Curve], ticks: list[float], heights: Heights, notes: Notes
) -> None:
    panels = distinct(curve.panel for curve in curves)
    columns = min(len(panels), PANELS_PER_ROW)
    rows = math.ceil(len(panels) / columns)
    figure.update_layout(
        height=110 + BELOW + notes.height + 220 * rows,
        margin={"l": SIDE, "r": SIDE, "t": 110, "b": BELOW + notes.height},
        grid={"rows": rows, "columns": columns, "pattern": "independent"},
        grid_xgap=0.06,
        grid_ygap=0.2,
        annotations=[notes.first(), *map(_caption, panels, range(len(panels)))],
    )
    for panel in range(len(panels)):
        figure.layout[_axis("xaxis", panel)] = {"range": [ticks[0], ticks[-1]], "tickvals": ticks}
        figure.layout[_axis("yaxis", panel)] = {"range": [0, heights.axis], "visible": False}


def _text(scale: Sequence[tuple[float, str]], *, between: bool) -> str:
    """What is drawn."""
    (low, low_label), (high, high_label) = scale[0], scale[-1]
    return (
        f"{low} = {as_text(low_label)}, {high} = {as_text(high_label)}. Included raters. "
        "Upright lines: means. Gaussian kernel density, Scott's bandwidth, drawn inside the "
        "scale only" + ("." if between else "; it smooths whole categories.")
    )


def _caption(model: str, panel: int) -> dict[str, Any]:
    """A model's name at the upper end of its panel."""
    place = {"xref": f"{_axis('x', panel)} domain", "yref": f"{_axis('y', panel)} domain"}
    return place | {
        "text": f"<b>{as_text(model)}</b>",
        "x": 0,
        "y": 1,
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
    }


def _axis(name: str, panel: int) -> str:
    """Plotly's name of a panel's axis: x, x2, x3, …"""
    return name if panel == 0 else f"{name}{panel + 1}"


RATINGS_KDE = FigureSpec(
    "ratings_kde", "How ratings are spread, by scenario, model and condition", "Systems",
    "items", appendix=True,
)  # fmt: skip
