"""How far each perturbation moves the scores of each source."""

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.vocabulary import VOCABULARY
from analysis.figures.style import (
    ARMS,
    COLOURS,
    ZERO,
    Changes,
    Notes,
    arms,
    as_text,
    fits_phone,
    short,
    show_views,
    wrapped,
)
from analysis.not_available import NotAvailable

ABOUT = (
    "Mean change of a score in standard deviations of the scores before, with 95 % intervals over "
    "scenarios. At 0, a perturbation changes nothing on average."
)
TOP, BELOW, NOTE, LINE, LABELS = 66, 84, 66, 38, 128  # pixels
#: Of a line of a label.
CHARACTERS = 18


def changes_figure(table: DataFrame) -> go.Figure:
    """A view per source and dimension of the table perturbation_changes. Raises NotAvailable."""
    known = table[table["change_sd"].notna()]
    if known.empty:
        raise NotAvailable("no changed text has a score")
    names = list(dict.fromkeys(known["perturbation"]))
    views: dict[str, Changes] = {}
    for (source, dimension), rows in known.groupby(["source", "dimension"], sort=False):
        title = " · ".join(filter(None, [str(source), str(dimension)]))
        above, below = arms(rows["change_sd"], rows["change_sd_low"], rows["change_sd_high"])
        views[as_text(title)] = {
            "x": [short(rows["change_sd"])],
            "y": [[_label(name) for name in rows["perturbation"]]],
            "error_x.array": [above],
            "error_x.arrayminus": [below],
        }
    ends = known[["change_sd", "change_sd_low", "change_sd_high"]].abs().max().max()
    reach = 1.1 * (float(ends) or 1.0)
    notes = Notes.of(dict.fromkeys(views, ABOUT))
    made = go.Figure(
        go.Scatter(
            mode="markers",
            name="change",
            marker={"color": COLOURS[0], "size": 9},
            error_x=ARMS,
            showlegend=False,
        )
    )
    made.update_layout(
        fits_phone(),
        height=TOP + LINE * len(names) + BELOW + notes.height,
        margin={"l": LABELS, "r": 20, "t": TOP, "b": BELOW + notes.height},
        title={"x": 0, "xref": "container"},
        annotations=[notes.first(NOTE) | {"xshift": -LABELS}],
        xaxis=ZERO | {"title": {"text": "change in SD"}, "range": short([-reach, reach])},
        yaxis={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [_label(name) for name in reversed(names)],
        },
    )
    return show_views(made, views, notes)


def _label(name: str) -> str:
    """What a perturbation is called, in short lines: a phone has little room beside the axis."""
    called = VOCABULARY["perturbations"].get(name, name)
    return "<br>".join(map(as_text, wrapped(called, CHARACTERS)))
