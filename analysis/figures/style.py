"""What all figures share: colours, names as text, the menu that changes what is shown."""

import html
import math
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
PHONE = 300  # pixels that a phone leaves for a figure
PHONE_CHARACTERS = 42  # of a note, in a line
LINE = 19  # pixels of a line of a legend or a note
NOTE = "note"
#: What a view changes where it has a note of its own, which stands before all other annotations.
NOTE_TEXT = "annotations[0].text"
#: A legend in one line above everything.
LEGEND: dict[str, Any] = {
    "orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "yref": "paper",
}  # fmt: skip


def fits_phone(*, legend: int = 0) -> dict[str, Any]:
    """Says to pages that a figure can be as narrow as a phone, where others scroll; and to images
    for print for how many lines of a legend it has room, which is more than these need.
    """
    return {"meta": {"fits": "phone", "legend_lines": legend}}


def legend_lines(names: Collection[str], width: float) -> int:
    """How many lines a legend takes in so many pixels: entries stand in columns of one width."""
    columns = max(1, int(width // (45 + 7 * max(map(len, names), default=0))))
    return math.ceil(len(names) / columns)


def note(text: str) -> dict[str, Any]:
    """An annotation below everything: what is drawn."""
    place = {"name": NOTE, "xref": "paper", "yref": "paper", "x": 0, "y": 0, "yshift": -30}
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

    @property
    def first(self) -> dict[str, Any]:
        """The annotation of the first view, which stands before all others."""
        return note("<br>".join(next(iter(self.lines.values()))))

    def of_view(self, title: str) -> dict[str, str]:
        """What the view changes of the layout; nothing where all views have one note."""
        texts = {name: "<br>".join(lines) for name, lines in self.lines.items()}
        return {NOTE_TEXT: texts[title]} if len(set(texts.values())) > 1 else {}


def menu(views: Mapping[str, list[dict[str, Any]]], notes: Notes | None = None) -> dict[str, Any]:
    """The title of the first view and, where there are several, a menu to change between them.

    A view's arguments are those of Plotly's `update`: changes of traces and of the layout. The
    figure by itself shows the first one, and `notes.first` among its annotations.
    """
    title = {"text": next(iter(views)), "x": 0, "xref": "paper", "font": {"size": 16}}
    if len(views) == 1:
        return {"title": title}
    buttons = []
    for name, (traces, of_view) in views.items():
        layout = {"title.text": name, **(notes.of_view(name) if notes else {}), **of_view}
        buttons.append({"label": name, "method": "update", "args": [traces, layout]})
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
