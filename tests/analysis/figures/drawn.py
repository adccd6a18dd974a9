"""What tests of figures look at."""

import json
import re
from typing import Any

import plotly.graph_objects as go

from analysis.figures.style import INK, NOTE_TEXT


def checked(figure: dict[str, Any]) -> dict[str, Any]:
    """The figure, if Plotly knows all that is in it, and it stands on any background and
    shows its first view.
    """
    go.Figure(figure)  # knows every property and value
    assert json.loads(json.dumps(figure, allow_nan=False)) == figure
    layout = figure["layout"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert layout["font"]["color"] == INK
    for menu in layout.get("updatemenus", []):
        traces, of_layout = menu["buttons"][0]["args"]
        for key, values in traces.items():
            for trace, value in zip(figure["data"], values, strict=True):
                found = _part(trace, key)
                assert found == value or (found is None and not value), key
        for key, value in of_layout.items():
            assert _part(layout, key) == value
    return figure


def _part(whole: Any, key: str) -> Any:
    """What is found under Plotly's "title.text" or "annotations[0].text"; None where nothing is."""
    for name in re.findall(r"\w+", key):
        whole = whole[int(name)] if name.isdigit() else (whole or {}).get(name)
    return whole


def notes(figure: dict[str, Any]) -> dict[str, str]:
    """Each view's note in one line, by the view's title."""
    layout = figure["layout"]
    first = {layout["title"]["text"]: layout["annotations"][0]["text"]}
    views = {
        button["label"]: button["args"][1].get(NOTE_TEXT, layout["annotations"][0]["text"])
        for menu in layout.get("updatemenus", [])
        for button in menu["buttons"]
    }
    return {title: text.replace("<br>", " ") for title, text in (first | views).items()}


def trace(figure: dict[str, Any], name: str) -> dict[str, Any]:
    """The one trace of that name."""
    (found,) = (t for t in figure["data"] if t["name"] == name)
    return dict(found)
