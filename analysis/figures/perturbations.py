"""How far each perturbation moves the scores of each source."""

from typing import Any

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.vocabulary import VOCABULARY
from analysis.figures.style import (
    ARMS,
    COLOURS,
    INK,
    LINE,
    PHONE,
    SYMBOLS,
    ZERO,
    Notes,
    arms,
    as_text,
    distinct,
    fits_phone,
    legend_lines,
    short,
    wrapped,
)
from analysis.not_available import NotAvailable

ABOUT = (
    "Mean change of a score in standard deviations of the scores before, with 95 % intervals over "
    "scenarios. At 0, a perturbation changes nothing on average. Each source has an axis of its "
    "own, so compare the numbers of two panels, not their lengths."
)
# Pixels: above the first panel, of a panel's title, a perturbation, an axis, the last one's title.
TOP, TITLE, ROW, AXIS, BELOW, LABELS = 20, 28, 32, 30, 40, 128
#: Of a line of a label.
CHARACTERS = 18
#: Share of a row that the dimensions of a source take.
SPREAD = 0.6


def changes_figure(table: DataFrame) -> go.Figure:
    """A panel with its own axis per source of the table perturbation_changes, and in it a colour
    per dimension. Raises NotAvailable.
    """
    known = table[table["change_sd"].notna()]
    if known.empty:
        raise NotAvailable("no changed text has a score")
    names, sources = distinct(known["perturbation"]), distinct(known["source"])
    dimensions = distinct(filter(None, known["dimension"]))
    panel = TITLE + ROW * len(names) + AXIS
    drawn = panel * len(sources) - AXIS
    notes = Notes.of({"": ABOUT})
    legend = legend_lines(dimensions, PHONE) if len(dimensions) > 1 else 0
    made = go.Figure()
    made.update_layout(
        fits_phone(legend=legend),
        height=TOP + LINE * legend + drawn + AXIS + BELOW + notes.height,
        margin={
            "l": LABELS,
            "r": 20,
            "t": TOP + LINE * legend,
            "b": AXIS + BELOW + notes.height,
        },
        annotations=[notes.first(AXIS + BELOW) | {"xshift": -LABELS}],
    )
    for number, source in enumerate(sources):
        top = panel * number + TITLE
        own = known[known["source"] == source]
        place = {
            "top": 1 - top / drawn,
            "bottom": max(0.0, 1 - (top + ROW * len(names)) / drawn),
            "is_last": source == sources[-1],
        }
        _add_panel(made, number + 1, str(source), own, names, place)
        for dimension, rows in own.groupby("dimension", sort=False):
            made.add_trace(_marks(str(dimension), rows, names, dimensions, number + 1))
    for dimension in dimensions if legend else ():  # once, whichever sources have it
        next(each for each in made.data if each.legendgroup == dimension).showlegend = True
    return made


def _add_panel(
    made: go.Figure,
    number: int,
    source: str,
    rows: DataFrame,
    names: list[str],
    place: dict[str, Any],
) -> None:
    """Add the axes and the title of a panel that is between two places of the figure's height."""
    ends = rows[["change_sd", "change_sd_low", "change_sd_high"]].abs().max().max()
    reach = 1.1 * (float(ends) or 1.0)
    title = {"title": {"text": "change in SD", "standoff": 6}} if place["is_last"] else {}
    made.update_layout(
        {
            f"xaxis{number}": ZERO
            | {"range": short([-reach, reach]), "anchor": f"y{number}", "nticks": 6}
            | title,
            f"yaxis{number}": {
                "domain": [place["bottom"], place["top"]],
                "anchor": f"x{number}",
                "range": [len(names) - 0.5, -0.5],
                "tickvals": list(range(len(names))),
                "ticktext": [_label(name) for name in names],
            },
        }
    )
    made.add_annotation(
        text=f"<b>{as_text(source)}</b>",
        xref="paper",
        x=0,
        xanchor="left",
        xshift=-LABELS,
        yref="paper",
        y=place["top"],
        yanchor="bottom",
        yshift=4,
        showarrow=False,
    )


def _marks(
    dimension: str, rows: DataFrame, names: list[str], dimensions: list[str], panel: int
) -> go.Scatter:
    """The changes of one dimension, below those of the dimensions before; of a source without
    dimensions, in ink.
    """
    order = dimensions.index(dimension) if dimension else 0
    shift = SPREAD * ((order + 0.5) / len(dimensions) - 0.5) if dimension else 0.0
    is_of_all = not dimension and len(dimensions) > 1
    above, below = arms(rows["change_sd"], rows["change_sd_low"], rows["change_sd_high"])
    colour = INK if is_of_all else COLOURS[order % len(COLOURS)]
    return go.Scatter(
        mode="markers",
        name=as_text(dimension) or "change",
        legendgroup=dimension,
        showlegend=False,
        x=short(rows["change_sd"]),
        y=short(names.index(name) + shift for name in rows["perturbation"]),
        error_x=ARMS | {"array": above, "arrayminus": below},
        marker={"color": colour, "size": 8, "symbol": SYMBOLS[order % len(SYMBOLS)]},
        hovertemplate="%{x}<extra>%{fullData.name}</extra>",
        xaxis=f"x{panel}",
        yaxis=f"y{panel}",
    )


def _label(name: str) -> str:
    """What a perturbation is called, in short lines: a phone has little room beside the axis."""
    called = VOCABULARY["perturbations"].get(name, name)
    return "<br>".join(map(as_text, wrapped(called, CHARACTERS)))
