"""The effect of each position in the calls of a judge of whole blocks."""

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
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
)
from analysis.not_available import NotAvailable

ABOUT = (
    "Points are scores of the same responses at other positions, with 95 % intervals over "
    "scenarios. Without position bias, all are at 0."
)
TOP, BELOW, NOTE, PANEL = 66, 84, 66, 300  # pixels


def position_effects(table: DataFrame) -> go.Figure:
    """A view per judge and dimension of the table judge_positions. Raises NotAvailable."""
    estimated = table[table["effect"].notna()]
    if estimated.empty:
        raise NotAvailable("no effect of a position is estimable")
    several = estimated["dimension"].nunique() > 1
    views: dict[str, Changes] = {}
    for (judge, dimension), rows in estimated.groupby(["judge", "dimension"], sort=False):
        above, below = arms(rows["effect"], rows["ci_low"], rows["ci_high"])
        views[as_text(f"{judge} · {dimension}" if several else str(judge))] = {
            "x": [[int(position) for position in rows["position"]]],
            "y": [short(rows["effect"])],
            "error_y.array": [above],
            "error_y.arrayminus": [below],
        }
    reach = 1.1 * float(estimated[["effect", "ci_low", "ci_high"]].abs().max().max())
    notes = Notes.of(dict.fromkeys(views, ABOUT))
    made = go.Figure(
        go.Scatter(
            mode="markers",
            name="effect",
            marker={"color": COLOURS[0], "size": 9},
            error_y=ARMS,
            showlegend=False,
        )
    )
    made.update_layout(
        fits_phone(),
        height=TOP + PANEL + BELOW + notes.height,
        margin={"l": 60, "r": 20, "t": TOP, "b": BELOW + notes.height},
        annotations=[notes.first(NOTE)],
        xaxis={
            "title": {"text": "position in the judge's call"},
            "dtick": 1,
            "range": [0.5, float(estimated["position"].max()) + 0.5],
        },
        yaxis=ZERO | {"title": {"text": "points above the mean"}, "range": short([-reach, reach])},
    )
    return show_views(made, views, notes)


POSITION_EFFECTS = FigureSpec(
    "judge_position_effects", "Position bias of judges", "Judges", "judge_positions"
)
