"""What tests of figures look at."""

import json
from typing import Any

import plotly.graph_objects as go

from analysis.figures.style import INK


def checked(figure: dict[str, Any]) -> dict[str, Any]:
    """The figure, if Plotly knows all that is in it, and it stands on any background."""
    go.Figure(figure)  # knows every property and value
    assert json.loads(json.dumps(figure, allow_nan=False)) == figure
    layout = figure["layout"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert layout["font"]["color"] == INK
    return figure


def trace(figure: dict[str, Any], name: str) -> dict[str, Any]:
    """The one trace of that name."""
    (found,) = (t for t in figure["data"] if t["name"] == name)
    return dict(found)
