"""Mean ratings over the size of the models, with the line of each condition."""

import math
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures.drawing import Drawing
from analysis.figures.style import (
    COLOURS,
    DASHES,
    SYMBOLS,
    Changes,
    Notes,
    as_text,
    distinct,
    fits_phone,
    intervals,
    short,
    show_views,
)
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.study_data import records

#: Pixels of what is drawn, and of a line of the legend.
HEIGHT, LINE = 300, 22
UNITS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))
#: Between conditions of a model, in powers of ten: one interval must not hide another.
APART = 0.012
#: Of sizes that are marked within a power of ten.
STEPS = (1, 2, 5)


def mean_by_size(sizes: DataFrame, trends: DataFrame, recipe: Recipe) -> go.Figure:
    """A mark for each system and a line for each condition, of the included raters; a menu over
    dimensions.

    `sizes` and `trends` are the tables of `model_sizes.model_sizes`; rows of other recipes are left
    out. Raises NotAvailable.
    """
    ours, lines = (
        table[(table["recipe"] == recipe.name) & (table["raters"] == "included")]
        for table in (sizes, trends)
    )
    if ours.empty:
        raise NotAvailable("the included raters rated no three models of known size")
    conditions = distinct(ours["condition"].astype("str"))
    views = {
        as_text(str(dimension)): _changes(
            own, lines[lines["dimension"] == dimension], conditions
        )
        for dimension, own in ours.groupby("dimension", sort=False)
    }  # fmt: skip
    notes = Notes.of(dict.fromkeys(views, _note(recipe)))
    low, high = math.log10(ours["parameters"].min()), math.log10(ours["parameters"].max())
    air = 0.08 * (high - low)
    top = 40 + LINE * len(conditions)
    figure = go.Figure(list(_traces(conditions)))
    figure.update_layout(
        fits_phone(legend=len(conditions)),
        height=HEIGHT + top + 60 + notes.height,
        margin={"l": 56, "r": 16, "t": top, "b": 60 + notes.height},
        xaxis=_titled("number of parameters")
        | _ticks(low, high)
        | {"range": short([low - air, high + air])},
        yaxis=_titled("mean rating"),
        annotations=[notes.first(below=50)],
    )
    return show_views(figure, views, notes)


def _traces(conditions: list[str]) -> Iterator[go.Scatter]:
    """The marks of each condition, then the lines."""
    for number, condition in enumerate(conditions):
        colour = COLOURS[number % len(COLOURS)]
        yield go.Scatter(
            mode="markers",
            name=as_text(condition),
            marker={"color": colour, "symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9},
            error_y={"type": "data", "color": colour, "thickness": 1, "width": 0},
            hovertemplate="%{text}<extra></extra>",
        )
    for number, _ in enumerate(conditions):
        line = {"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)]}
        yield go.Scatter(mode="lines", line=line, hoverinfo="skip", showlegend=False)


def _changes(sizes: DataFrame, trends: DataFrame, conditions: list[str]) -> Changes:
    x: list[Any] = []
    y: list[Any] = []
    text: list[Any] = []
    above: list[Any] = []
    below: list[Any] = []
    for number, condition in enumerate(conditions):
        rows = records(sizes[sizes["condition"] == condition])
        shift = APART * (number - (len(conditions) - 1) / 2)
        x.append(short(row["log10_parameters"] + shift for row in rows))
        y.append(short(row["mean"] for row in rows))
        text.append([_hover(row) for row in rows])
        above.append(_sides(rows, "ci_high", 1))
        below.append(_sides(rows, "ci_low", -1))
    nothing: list[Any] = [None] * len(conditions)
    for condition in conditions:
        own = trends[(trends["condition"] == condition) & (trends["of"] == "mean")]
        there = sizes.loc[sizes["condition"] == condition, "log10_parameters"]
        ends = short([there.min(), there.max()]) if len(there) else []
        known = [row for row in records(own) if not math.isnan(row["slope"])]
        x.append(ends if known else [])
        y.append(short(row["intercept"] + row["slope"] * end for row in known for end in ends))
    return {
        "x": x,
        "y": y,
        "text": [*text, *nothing],
        "error_y.array": [*above, *nothing],
        "error_y.arrayminus": [*below, *nothing],
    }


def _sides(rows: list[dict[str, Any]], end: str, sign: int) -> list[Any]:
    """How far each interval reaches; nothing where there is none."""
    reach = [sign * (row[end] - row["mean"]) for row in rows]
    return [None if math.isnan(each) else short([each])[0] for each in reach]


def _hover(row: dict[str, Any]) -> str:
    model = as_text(str(row["model"]))
    return f"{model}, {_size(row['parameters'])} parameters: {row['mean']:.2f}"


def _size(parameters: float) -> str:
    """ "1.5B" """
    unit, letter = next(((u, x) for u, x in UNITS if parameters >= u), (1.0, ""))
    return f"{parameters / unit:.3g}{letter}"


def _ticks(low: float, high: float) -> dict[str, Any]:
    """Round sizes from `low` to `high`, which are logarithms, and one below and above."""
    powers = range(math.floor(low) - 1, math.ceil(high) + 1)
    values = [step * 10.0**power for power in powers for step in STEPS]
    marked = [value for value in values if low - 0.1 <= math.log10(value) <= high + 0.1]
    return {
        "tickvals": [round(math.log10(value), 4) for value in marked],
        "ticktext": [_size(value) for value in marked],
    }


def _titled(title: str) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 6, "font": {"size": 12}}}


def _note(recipe: Recipe) -> str:
    return (
        f"Recipe {as_text(recipe.name)}; {intervals(recipe)} by resampling raters and scenarios. "
        "Lines of least squares over the logarithm of size, each model once. Models without a "
        "known size are left out."
    )


def _draw(of: Drawing) -> go.Figure:
    return mean_by_size(of.table("model_sizes"), of.table("size_trends"), of.recipe)


MODEL_SIZES = FigureSpec(
    "sizes", "Mean ratings by size of the model", "Systems", "size_trends", draw=_draw
)
