"""Figures in print: each view an image, on white, without what pages and phones need."""

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import plotly.graph_objects as go

from analysis.figures.style import LINE, NOTE, NOTE_TEXT, legend_lines, wrapped

WIDTH = 1000  # pixels
HEIGHT = 600  # of a figure that has none of its own
CHARACTERS = 140  # of a note, in a line


class Image(NamedTuple):
    """A view of a figure; `name` is that of its files without their ending."""

    name: str
    figure: go.Figure


def images_of(figures: Mapping[str, dict[str, Any]]) -> list[Image]:
    """Every view of every stored figure in print: on white, without menus; the first views first.

    A figure's first view has the figure's name, further ones `<name>-<view>`.
    """
    first: list[Image] = []
    others: list[Image] = []
    taken = {name.casefold() for name in figures}
    for name, content in figures.items():
        printed = _printed(content)
        first.append(Image(name, printed))
        for view in _views(content)[1:]:
            changed = go.Figure(printed)
            changed.plotly_update(*view["args"])
            changed.for_each_annotation(_lengthen, {"name": NOTE})
            own = _free(f"{name}-{_as_file_name(view['label'])}", taken)
            others.append(Image(own, changed))
    return first + others


def _printed(content: dict[str, Any]) -> go.Figure:
    """The first view, where the legend and the notes take fewer lines than they do on a phone."""
    figure = go.Figure(content)
    layout = figure.layout
    layout.updatemenus = None
    above, below = _spare_lines(content)
    if above or below:
        margin = {"t": layout.margin.t - LINE * above, "b": layout.margin.b - LINE * below}
        figure.update_layout(margin=margin, height=layout.height - LINE * (above + below))
    figure.for_each_annotation(_lengthen, {"name": NOTE})
    return figure.update_layout(
        font={"color": "#222222", "family": "Helvetica, Arial, sans-serif"},
        paper_bgcolor="#ffffff",
        plot_bgcolor="#ffffff",
        width=WIDTH,
        height=layout.height or HEIGHT,
        autosize=False,
    )


def _spare_lines(content: dict[str, Any]) -> tuple[int, int]:
    """How many lines fewer the legend and the longest note of any view take in print."""
    layout = content["layout"]
    room, margin = layout.get("meta", {}).get("legend_lines", 0), layout.get("margin", {})
    named = [t["name"] for t in content["data"] if "name" in t and t.get("showlegend", True)]
    inside = WIDTH - margin.get("l", 0) - margin.get("r", 0)
    notes = [a["text"] for a in layout.get("annotations", []) if a.get("name") == NOTE]
    changes = [view["args"][1] for view in _views(content)]
    notes += [change[NOTE_TEXT] for change in changes if NOTE_TEXT in change]
    above = room - legend_lines(named, inside) if room else 0
    return above, _most_breaks(notes) - _most_breaks(map(_in_long_lines, notes))


def _views(content: dict[str, Any]) -> list[dict[str, Any]]:
    """The buttons that change between the views; none where there is one."""
    menus = content["layout"].get("updatemenus", [])
    return [button for menu in menus for button in menu["buttons"]]


def _lengthen(note: go.layout.Annotation) -> None:
    note.text = _in_long_lines(note.text)


def _in_long_lines(note: str) -> str:
    return "<br>".join(wrapped(note.replace("<br>", " "), CHARACTERS))


def _most_breaks(texts: Iterable[str]) -> int:
    return max((text.count("<br>") for text in texts), default=0)


def _as_file_name(label: str) -> str:
    return re.sub(r"[^\w.]+", "_", html.unescape(label)).strip("._") or "view"


def _free(name: str, taken: set[str]) -> str:
    """The name, numbered where another view has it; names that differ in case alone are one."""
    number, free = 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{name}_{number}"
    taken.add(free.casefold())
    return free
