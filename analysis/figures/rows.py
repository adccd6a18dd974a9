"""Figures of rows: a name above each row, so that they can be read on a phone as on a desk."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import plotly.graph_objects as go

from analysis.figures.style import (
    ARMS,
    COLOURS,
    INK,
    LINE,
    PHONE,
    SYMBOLS,
    Changes,
    Notes,
    fits_phone,
    legend_lines,
    show_views,
)

PIXELS = 44  # of a row with its name
GAP = 0.35  # more between rows that do not belong together
NAME = 19  # pixels above its row where a name stands: clear of three marks
BAR, BAR_NAME = 0.5, 20  # of the row's height; pixels above its middle, clear of the bar
STEP = 0.17  # between the marks of one row


def places(groups: Sequence[str]) -> list[float]:
    """Where each row stands, from above; rows of one group stand closer together."""
    at = [0.0]
    for before, group in pairwise(groups):
        at.append(round(at[-1] + 1 + (GAP if group != before else 0), 2))
    return at


def above(pixels: int) -> float:
    """How far above its row a name stands, in rows of so many pixels."""
    return round(min(NAME, 0.4 * pixels) / pixels, 3)


def names(at: Sequence[float], left: float, rise: float = NAME / PIXELS) -> go.Scatter:
    """A trace that writes each row's name, which views have, from `left` on; it stands above its
    row by `rise`, a part of a row.
    """
    return go.Scatter(
        mode="text",
        x=[left] * len(at),
        y=[round(place - rise, 3) for place in at],
        textposition="middle right",
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )


def figure(
    traces: Iterable[Any],
    views: Mapping[str, Changes],
    at: Sequence[float],
    x: Mapping[str, Any],
    *,
    legend: Sequence[str],
    texts: Mapping[str, str],
    pixels: int = PIXELS,
) -> go.Figure:
    """Traces in rows `at` their places, with title and menu of the views, legend, axis and note;
    a row is so many `pixels` high.

    There is room for the lines that `legend` takes on a phone, and for the longest of the views'
    notes, whose `texts` go by title.
    """
    axis_below = 34
    if "title" in x:
        axis_below += 22 + LINE * x["title"]["text"].count("<br>")
    notes, of_legend = Notes.of(texts), legend_lines(legend, PHONE)
    top, below = 52 + LINE * of_legend, axis_below + 16 + notes.height
    made = go.Figure(list(traces))
    made.update_layout(
        fits_phone(legend=of_legend),
        title={"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 12}},
        height=round(top + below + pixels * (at[-1] + 1.3)),
        margin={"l": 16, "r": 24, "t": top, "b": below},
        legend={"traceorder": "normal"},
        xaxis={"ticks": "outside", "tickcolor": INK, **x},
        yaxis={"range": [at[-1] + 0.45, -0.85], "visible": False},
        annotations=[notes.first(axis_below)],
    )
    return show_views(made, views, notes, above=top - 42)


def marks(names: Sequence[str], at: Sequence[float]) -> list[go.Scatter]:
    """Marks with an interval in each row, of each name in its own look, below one another; views
    say where they are.
    """
    shifts = [STEP * (number - (len(names) - 1) / 2) for number in range(len(names))]
    return [
        go.Scatter(
            mode="markers",
            name=name,
            y=[round(place + shifts[number], 3) for place in at],
            marker={
                "color": COLOURS[number % len(COLOURS)],
                "symbol": SYMBOLS[number % len(SYMBOLS)],
                "size": 8,
            },
            error_x=ARMS,
            hovertemplate="%{text}<extra>%{fullData.name}</extra>",
        )
        for number, name in enumerate(names)
    ]


def bar(name: str, at: Sequence[float], colour: str, **more: Any) -> go.Bar:
    """A part of each row's bar, with a number inside where that fits; `more` is Plotly's."""
    return go.Bar(
        orientation="h",
        name=name,
        y=at,
        width=BAR,
        marker={"color": colour, "line": {"color": INK, "width": 0.5}},
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        **more,
    )


def shares(
    bars: Iterable[go.Bar], views: Mapping[str, Changes], at: Sequence[float], **more: Any
) -> go.Figure:
    """Bars that add up to 100 %, as `figure`; the views write the rows' names in a last trace."""
    axis = {"range": [0, 1.001], "tickvals": [0, 0.25, 0.5, 0.75, 1], "tickformat": ".0%"}
    made = figure([*bars, names(at, 0, BAR_NAME / PIXELS)], views, at, axis, **more)
    made.update_layout(barmode="stack", bargap=0, uniformtext={"mode": "hide", "minsize": 10})
    return made
