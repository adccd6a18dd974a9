"""Figures in print: each view an image, on white, without what pages and phones need."""

import html
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from analysis.figures.style import LINE, NOTE, NOTE_TEXT, legend_lines, wrapped

WIDTH = 1000  # pixels
CHARACTERS = 140  # of a note, in a line


class Image(NamedTuple):
    """A view of a figure: what is plotted first, and what its view then changes; `name` is that of
    its files without their ending.
    """

    name: str
    data: list[dict[str, Any]]
    layout: dict[str, Any]
    changes: list[Any] | None


def images_of(figures: Mapping[str, dict[str, Any]]) -> list[Image]:
    """Every view of every figure in print: on white, without menus; the first views first."""
    first: list[Image] = []
    others: list[Image] = []
    taken = {name.casefold() for name in figures}
    for figure, content in figures.items():
        layout = _printed(content)
        menus = content["layout"].get("updatemenus", [])
        buttons = [button for menu in menus for button in menu["buttons"]]
        first.append(Image(figure, content["data"], layout, None))
        for button in buttons[1:]:
            name = _free(f"{figure}-{_as_file_name(button['label'])}", taken)
            traces, changes = button["args"]
            others.append(Image(name, content["data"], layout, [traces, _printed_note(changes)]))
    return first + others


def _printed(figure: dict[str, Any]) -> dict[str, Any]:
    layout = _without_room_for_phones(figure)
    plain = {key: value for key, value in layout.items() if key != "updatemenus"}
    font = {**layout.get("font", {}), "color": "#222222", "family": "Helvetica, Arial, sans-serif"}
    white = {"paper_bgcolor": "#ffffff", "plot_bgcolor": "#ffffff"}
    size = {"width": WIDTH, "height": layout.get("height", 600), "autosize": False}
    return {**plain, **white, **size, "font": font}


def _without_room_for_phones(figure: dict[str, Any]) -> dict[str, Any]:
    """Its layout, where the legend and the note take fewer lines than they do on a phone."""
    layout = figure["layout"]
    room = layout.get("meta", {}).get("legend_lines", 0)
    named = [t["name"] for t in figure["data"] if "name" in t and t.get("showlegend", True)]
    margin = layout.get("margin", {})
    inside = WIDTH - margin.get("l", 0) - margin.get("r", 0)
    above = room - legend_lines(named, inside) if room else 0
    annotations = list(map(_with_long_lines, layout.get("annotations", [])))
    texts = _notes(layout)
    below = _most_breaks(texts) - _most_breaks(map(_in_long_lines, texts))
    if above or below:
        margin = margin | {"t": margin["t"] - LINE * above, "b": margin["b"] - LINE * below}
        layout = layout | {"margin": margin, "height": layout["height"] - LINE * (above + below)}
    return {**layout, "annotations": annotations}


def _with_long_lines(annotation: dict[str, Any]) -> dict[str, Any]:
    if annotation.get("name") != NOTE:
        return annotation
    return annotation | {"text": _in_long_lines(annotation["text"])}


def _printed_note(changes: dict[str, Any]) -> dict[str, Any]:
    """What a view changes of the layout, with its note as it is printed."""
    own = {NOTE_TEXT: _in_long_lines(changes[NOTE_TEXT])} if NOTE_TEXT in changes else {}
    return changes | own


def _in_long_lines(note: str) -> str:
    return "<br>".join(wrapped(note.replace("<br>", " "), CHARACTERS))


def _notes(layout: dict[str, Any]) -> list[str]:
    """The note of every view."""
    first = [a["text"] for a in layout.get("annotations", []) if a.get("name") == NOTE]
    changes = [button["args"][1] for m in layout.get("updatemenus", []) for button in m["buttons"]]
    return first + [change[NOTE_TEXT] for change in changes if NOTE_TEXT in change]


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
