"""What all figures share: one template, colours, names as text, the menu that changes the view."""

import html
import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import plotly.graph_objects as go
import plotly.io as pio
from pandas import Series

from analysis.recipe import Recipe

#: Okabe and Ito's colours that show on white and on black; dashes tell conditions apart as well.
#: Their blue is lighter here: 3 : 1 on dark pages, too.
COLOURS = ["#1f83c4", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"]
DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot"]
SYMBOLS = ["circle", "diamond", "square", "triangle-up", "cross", "x"]
INK = "#767676"  # 4.5 : 1 on white, 4.6 : 1 on black
CLEAR = "rgba(0,0,0,0)"
_AXIS = {
    "fixedrange": True, "showgrid": False, "zeroline": False, "showline": True, "linecolor": INK,
}  # fmt: skip
#: A line at zero, and how intervals are drawn.
ZERO = {"zeroline": True, "zerolinecolor": INK, "zerolinewidth": 0.5}
ARMS = {"type": "data", "symmetric": False, "width": 0, "thickness": 1.5}
#: The look of every figure: no background, for light and dark pages; a legend in one line above.
TEMPLATE = go.layout.Template(
    layout={
        "font": {"color": INK, "size": 12},
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "title": {"x": 0, "xref": "paper", "font": {"size": 16}},
        "legend": {"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "yref": "paper"},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
    }
)
# The default of all figures, so that those stored without a template don't get Plotly's own.
pio.templates["fivefold"] = TEMPLATE
pio.templates.default = "fivefold"

#: What a view changes of the traces: by Plotly's name of an attribute, a value for each trace, or
#: None where it has none.
Changes = Mapping[str, list[Any]]

PHONE = 300  # pixels that a phone leaves for a figure
PHONE_CHARACTERS = 42  # of a note, in a line
LINE = 19  # pixels of a line of a legend or a note
NOTE = "note"
#: What a view changes where it has a note of its own, which stands before all other annotations.
NOTE_TEXT = "annotations[0].text"


def fits_phone(*, legend: int = 0) -> dict[str, Any]:
    """Says to pages that a figure can be as narrow as a phone, where others scroll; and to images
    for print for how many lines of a legend it has room, which is more than these need.
    """
    return {"meta": {"fits": "phone", "legend_lines": legend}}


def legend_lines(names: Collection[str], width: float) -> int:
    """How many lines a legend takes in so many pixels: entries stand in columns of one width."""
    columns = max(1, int(width // (45 + 7 * max(map(len, names), default=0))))
    return math.ceil(len(names) / columns)


def note(text: str, below: int = 30) -> dict[str, Any]:
    """An annotation `below` the panels by so many pixels: what is drawn."""
    place = {"name": NOTE, "xref": "paper", "yref": "paper", "x": 0, "y": 0, "yshift": -below}
    align = {"xanchor": "left", "yanchor": "top", "align": "left", "showarrow": False}
    return place | align | {"text": text}


def wrapped(text: str, characters: int = PHONE_CHARACTERS) -> list[str]:
    """Lines of at most so many characters: by default those that a phone shows whole."""
    return textwrap.wrap(text, characters, break_long_words=False, break_on_hyphens=False)


@dataclass(frozen=True)
class Notes:
    """What each view shows, in words, by its title: lines that can be seen whole."""

    lines: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, texts: Mapping[str, str], characters: int = PHONE_CHARACTERS) -> "Notes":
        return cls({title: wrapped(text, characters) for title, text in texts.items()})

    @property
    def height(self) -> int:
        """Pixels that the longest one takes."""
        return LINE * max(map(len, self.lines.values()))

    def first(self, below: int = 30) -> dict[str, Any]:
        """The annotation of the first view, which stands before all others."""
        return note("<br>".join(next(iter(self.lines.values()))), below)

    def of_view(self, title: str) -> dict[str, str]:
        """What the view changes of the layout; nothing where all views have one note."""
        texts = {name: "<br>".join(lines) for name, lines in self.lines.items()}
        return {NOTE_TEXT: texts[title]} if len(set(texts.values())) > 1 else {}


def show_views(
    figure: go.Figure,
    views: Mapping[str, Changes],
    notes: Notes | None = None,
    *,
    above: int = 40,
) -> go.Figure:
    """The figure with its first view and that one's title; a menu to the others, if there are any.

    Views go by title. `notes.first` is among the figure's annotations where the views have notes.
    The menu is so many pixels `above` what is drawn.
    """
    narrow = (figure.layout.meta or {}).get("fits") == "phone"
    buttons = [
        {
            "label": title,
            "method": "update",
            "args": [
                dict(changes),
                {"title.text": "<br>".join(wrapped(title)) if narrow else title}
                | (notes.of_view(title) if notes else {}),
            ],
        }
        for title, changes in views.items()
    ]
    figure.plotly_update(*buttons[0]["args"])
    if len(buttons) > 1:
        place = {"x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "pad": {"b": above}}
        look = {"bgcolor": "#ffffff", "font": {"color": "#333333"}}
        figure.update_layout(updatemenus=[place | look | {"buttons": buttons}])
    return figure


def short(values: Iterable[float]) -> list[Any]:
    """Four significant digits: finer than a pixel, and a third of the bytes."""
    return [float(f"{value:.4g}") for value in values]


def arms(value: "Series[float]", low: "Series[float]", high: "Series[float]") -> list[list[Any]]:
    """How far an interval reaches above each value, and how far below; 0 where there is none."""
    return [short(each.fillna(0).clip(lower=0)) for each in (high - value, value - low)]


class PlottedSystem(NamedTuple):
    """A model in a condition, as figures write it; without one where a study has one condition."""

    model: str
    condition: str

    @property
    def name(self) -> str:
        return as_text(", ".join(filter(None, self)))

    @property
    def bold_name(self) -> str:
        bold = f"<b>{as_text(self.model)}</b>"
        return f"{bold}, {as_text(self.condition)}" if self.condition else bold


def as_text(text: str) -> str:
    """A name as text: Plotly would read tags in it."""
    return html.escape(text, quote=False)


def intervals(recipe: Recipe) -> str:
    """ "95 % intervals" """
    return f"{100 * recipe.confidence:g} % intervals"


def distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


#: ColorBrewer's yellow, green, blue: darker is more, to colour-blind readers and in print, too.
SEQUENCE = ["#ffffcc", "#a1dab4", "#41b6c4", "#2c7fb8", "#253494"]


def shade(share: float) -> str:
    """The colour of a place on the sequence, from 0, the lightest, to 1: between its neighbours."""
    place = min(max(share, 0.0), 1.0) * (len(SEQUENCE) - 1)
    below = min(int(place), len(SEQUENCE) - 2)
    low, high = (_channels(SEQUENCE[number]) for number in (below, below + 1))
    mixed = (round(a + (b - a) * (place - below)) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def ink_on(colour: str) -> str:
    """Black or white, whichever can be read on a colour (relative luminance, WCAG 2)."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (channel / 255 for channel in _channels(colour))
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.179 else "#ffffff"


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
