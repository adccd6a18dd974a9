"""What tests of figures look at."""

import json
import re
from typing import Any

import plotly.graph_objects as go

from analysis.figures.style import NOTE_TEXT, TEMPLATE


def checked(figure: go.Figure) -> dict[str, Any]:
    """The figure as plain data, if it stands on any background and shows its first view."""
    made: dict[str, Any] = figure.to_plotly_json()
    go.Figure(made)  # knows every property and value, those of views included
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert "bdata" not in json.dumps(made)  # numbers that every reader of the file can read
    layout = made["layout"]
    assert layout["template"] == TEMPLATE.to_plotly_json()
    for menu in layout.get("updatemenus", []):
        traces, of_layout = menu["buttons"][0]["args"]
        for key, values in traces.items():
            for trace, value in zip(made["data"], values, strict=True):
                assert _part(trace, key) == value, key
        for key, value in of_layout.items():
            assert _part(layout, key) == value
    return made


def _part(whole: Any, key: str) -> Any:
    """What is found under Plotly's "title.text" or "annotations[0].text"; None where nothing is."""
    for name in re.findall(r"\w+", key):
        whole = whole[int(name)] if name.isdigit() else (whole or {}).get(name)
    return whole


def notes(figure: dict[str, Any]) -> dict[str, str]:
    """Each view's note in one line, by the view's title."""
    layout = figure["layout"]
    title = layout["title"]["text"].replace("<br>", " ")
    first = {title: layout["annotations"][0]["text"]}
    views = {
        button["label"]: button["args"][1].get(NOTE_TEXT, layout["annotations"][0]["text"])
        for menu in layout.get("updatemenus", [])
        for button in menu["buttons"]
    }
    return {view: text.replace("<br>", " ") for view, text in (first | views).items()}


def trace(figure: dict[str, Any], name: str) -> dict[str, Any]:
    """The one trace of that name."""
    (found,) = (t for t in figure["data"] if t["name"] == name)
    return dict(found)
