"""The scores of a trained scorer against people's ratings of texts that it had not seen."""

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.figures.style import (
    ARMS,
    COLOURS,
    INK,
    Changes,
    Notes,
    arms,
    as_text,
    fits_phone,
    short,
    show_views,
)
from analysis.not_available import NotAvailable

ABOUT = (
    "Dots are texts, scored while their scenario was held out. Squares are fifths of the texts, "
    "with 95 % intervals over scenarios. On the line, scores are calibrated."
)
TOP, BELOW, NOTE, PANEL = 66, 84, 66, 300  # pixels


def calibration_figure(
    calibration: DataFrame, held_out: DataFrame, *, scale: tuple[float, float]
) -> go.Figure:
    """A view per dimension of the table scorer_calibration, and of single texts (`dimension`,
    `rating`, `predicted`). Raises NotAvailable.
    """
    if calibration.empty:
        raise NotAvailable("no text was held out")
    views: dict[str, Changes] = {}
    for dimension, bins in calibration.groupby("dimension", sort=False):
        texts = held_out[held_out["dimension"] == dimension]
        above, below = arms(bins["rating"], bins["ci_low"], bins["ci_high"])
        views[as_text(str(dimension))] = {
            "x": [short(texts["predicted"]), list(scale), short(bins["predicted"])],
            "y": [short(texts["rating"]), list(scale), short(bins["rating"])],
            "error_y.array": [None, None, above],
            "error_y.arrayminus": [None, None, below],
        }
    notes = Notes.of(dict.fromkeys(views, ABOUT))
    air = 0.04 * (scale[1] - scale[0])
    ends = short([scale[0] - air, scale[1] + air])
    made = go.Figure(
        [
            go.Scatter(
                mode="markers",
                name="text",
                marker={"color": COLOURS[4], "size": 5, "opacity": 0.6},
                showlegend=False,
            ),
            go.Scatter(
                mode="lines",
                name="calibrated",
                line={"color": INK, "dash": "dot", "width": 1},
                hoverinfo="skip",
                showlegend=False,
            ),
            go.Scatter(
                mode="markers",
                name="fifth of the texts",
                marker={"color": COLOURS[0], "size": 10, "symbol": "square"},
                error_y=ARMS,
                showlegend=False,
            ),
        ]
    )
    made.update_layout(
        fits_phone(),
        height=TOP + PANEL + BELOW + notes.height,
        margin={"l": 60, "r": 20, "t": TOP, "b": BELOW + notes.height},
        annotations=[notes.first(NOTE)],
        xaxis={"title": {"text": "score"}, "range": ends},
        yaxis={"title": {"text": "mean rating"}, "range": ends},
    )
    return show_views(made, views, notes)
