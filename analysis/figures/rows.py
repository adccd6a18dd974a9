"""Figures of rows: a name above each row, so that they can be read on a phone as on a desk."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from analysis.figures.style import (
    INK,
    LEGEND,
    LINE,
    PHONE,
    PLAIN,
    Notes,
    fits_phone,
    legend_lines,
    menu,
)

PIXELS = 44  # of a row with its name
GAP = 0.35  # more between rows that do not belong together
NAME = 0.47  # how far above its row a name stands


def places(groups: Sequence[str]) -> list[float]:
    """Where each row stands, from above; rows of one group stand closer together."""
    found = [0.0]
    for before, group in pairwise(groups):
        found.append(round(found[-1] + 1 + (GAP if group != before else 0), 2))
    return found


def names(texts: Sequence[str], at: Sequence[float], left: float) -> dict[str, Any]:
    """A trace that writes each row's name above it, from `left` on."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [left] * len(texts),
        "y": [place - NAME for place in at],
        "text": list(texts),
        "textposition": "middle right",
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
    }


def layout(
    views: Mapping[str, list[dict[str, Any]]],
    at: Sequence[float],
    x: dict[str, Any],
    *,
    legend: Sequence[str],
    texts: Mapping[str, str],
) -> dict[str, Any]:
    """A layout for rows `at` their places: title and menu of the views, legend, rows, axis, note.

    There is room for the lines that `legend` takes on a phone, and for the longest of the views'
    notes, whose `texts` go by title.
    """
    axis: dict[str, Any] = {"fixedrange": True, "showgrid": False, "zeroline": False}
    axis_below = 56 if "title" in x else 34
    notes, of_legend = Notes.of(texts), legend_lines(legend, PHONE)
    top, below = 52 + LINE * of_legend, axis_below + 16 + notes.height
    chosen = menu(views, notes)
    chosen["title"] |= {"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 12}}
    for choice in chosen.get("updatemenus", []):
        choice["pad"] = {"b": top - 42}
    return {
        **fits_phone(legend=of_legend),
        **PLAIN,
        **chosen,
        "height": round(top + below + PIXELS * (at[-1] + 1.3)),
        "margin": {"l": 16, "r": 24, "t": top, "b": below},
        "legend": LEGEND | {"traceorder": "normal"},
        "xaxis": axis | {"linecolor": INK, "ticks": "outside", "tickcolor": INK} | x,
        "yaxis": axis | {"range": [at[-1] + 0.45, -0.85], "visible": False},
        "annotations": [notes.first | {"yshift": -axis_below}],
    }
