"""What all figures share: colours, names as text, the menu that changes what is shown."""

import html
from collections.abc import Iterable, Mapping
from typing import Any

#: Okabe and Ito's colours that show on white and on black; dashes tell conditions apart as well.
COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]
DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]
SYMBOLS = ["circle", "diamond", "square", "triangle-up", "cross", "x"]
INK = "#767676"  # 4.5 : 1 on white, 4.6 : 1 on black
#: A layout's text, and no background.
PLAIN: dict[str, Any] = {
    "font": {"color": INK, "size": 12},
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
}
#: A legend in one line above everything.
LEGEND: dict[str, Any] = {
    "orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "yref": "paper",
}  # fmt: skip


def note(text: str) -> dict[str, Any]:
    """An annotation below everything: what is drawn."""
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "yshift": -30}
    align = {"xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False}
    return place | align | {"text": text}


def menu(views: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """The title of the first view and, where there are several, a menu to change between them.

    A view's arguments are those of Plotly's `update`: changes of traces and of the layout.
    """
    title = {"text": next(iter(views)), "x": 0, "xref": "paper", "font": {"size": 16}}
    if len(views) == 1:
        return {"title": title}
    buttons = [
        {"label": name, "method": "update", "args": [traces, {"title.text": name, **layout}]}
        for name, (traces, layout) in views.items()
    ]
    choice: dict[str, Any] = {"buttons": buttons, "bgcolor": "#ffffff"}
    choice |= {"font": {"color": "#333333"}, "x": 1, "xanchor": "right"}
    choice |= {"y": 1, "yanchor": "bottom", "pad": {"b": 40}}
    return {"title": title, "updatemenus": [choice]}


def short(values: Iterable[float]) -> list[Any]:
    """Four significant digits: finer than a pixel, and a third of the bytes."""
    return [float(f"{value:.4g}") for value in values]


def as_text(text: str) -> str:
    """A name as text: Plotly would read tags in it."""
    return html.escape(text, quote=False)


def distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
