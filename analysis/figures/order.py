"""Systems from the highest mean down, each with its interval, and lines that join those that are
not told apart.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures import rows
from analysis.figures.drawing import Drawing
from analysis.figures.forest import RATERS
from analysis.figures.style import COLOURS, Changes, PlottedSystem, as_text, intervals, short
from analysis.not_available import NotAvailable
from analysis.recipe import LINK_LABELS, Recipe
from analysis.study_data import Contrast, records

#: Pixels of a row where there are many of them, and how many are not yet many.
LOW_ROW, FEW_ROWS = 30, 8
#: Letters of systems that are not told apart, as `stats.letters` gives them.
LETTER = re.compile(r"[a-zA-Z]\d*")
#: Parts of the width for the means, and from where on for the lines.
MEANS, LINES = 0.78, 0.81


class _View(NamedTuple):
    title: str
    link: str
    systems: list[dict[str, Any]]

    @property
    def groups(self) -> list[list[int]]:
        """The rows of each group that is not told apart."""
        members: dict[str, list[int]] = {}
        for at, system in enumerate(self.systems):
            for letter in LETTER.findall(system["letters"]):
                members.setdefault(letter, []).append(at)
        return list(members.values())


def systems_order(groups: DataFrame, contrast: Contrast, recipe: Recipe) -> go.Figure:
    """Means of the mixed model, the highest first; a menu over dimensions and raters.

    `groups` is the table of `told_apart.told_apart`; rows of other recipes are left out. Raises
    NotAvailable.
    """
    ours = groups[(groups["recipe"] == recipe.name) & groups["estimate"].notna()]
    if ours.empty:
        raise NotAvailable("no mixed model of the systems is estimable")
    if not ours.duplicated(["dimension", "raters", "link"]).any():
        raise NotAvailable("there is one system, so there is no order")
    views = _views(ours)
    most = max(views, key=lambda view: len(view.systems)).systems
    at = [float(place) for place in range(len(most))]
    lines = max(len(view.groups) for view in views)
    low, high = _reach(ours)
    pixels = rows.PIXELS if len(at) <= FEW_ROWS else LOW_ROW
    names = rows.names(at, low, rows.above(pixels))
    (marks,) = rows.marks([""], at)
    joined = [_line(number) for number in range(lines)]
    made = rows.figure(
        [marks.update(showlegend=False), *joined, names],
        {view.title: _changes(view, lines, low, contrast, rows.above(pixels)) for view in views},
        at,
        {"range": [low, high], "domain": [0, MEANS], "nticks": 5, "title": _axis_title()},
        legend=[],
        texts={view.title: _note(view, recipe) for view in views},
        pixels=pixels,
    )
    beside = {"domain": [LINES, 1], "range": [-0.8, max(lines, 4) - 0.2], "visible": False}
    return made.update_layout(xaxis2=beside | {"fixedrange": True, "anchor": "y"})


def _views(table: DataFrame) -> list[_View]:
    """A view for each dimension, raters and link, the systems in the table's order."""
    keys = ["dimension", "raters", "link"]
    several = {key: table[key].nunique() > 1 for key in keys}
    views = []
    for (dimension, raters, link), part in table.groupby(keys, sort=False):
        words = [RATERS.get(str(raters), str(raters))]
        words += [str(dimension)] if several["dimension"] else []
        words += [LINK_LABELS[str(link)]] if several["link"] else []
        views.append(_View(as_text(" · ".join(words)), str(link), records(part)))
    return views


def _line(number: int) -> go.Scatter:
    return go.Scatter(
        mode="lines+markers",
        xaxis="x2",
        line={"color": COLOURS[number % len(COLOURS)], "width": 2},
        marker={"color": COLOURS[number % len(COLOURS)], "size": 6},
        hovertemplate="%{text}<extra>not told apart</extra>",
        showlegend=False,
    )


def _axis_title() -> dict[str, Any]:
    return {"text": "estimated mean rating", "standoff": 6, "font": {"size": 12}}


def _reach(table: DataFrame) -> tuple[float, float]:
    """The ends of the axis: all intervals, and some air."""
    low, high = float(table["ci_low"].min()), float(table["ci_high"].max())
    air = 0.05 * (high - low) or 0.5
    return float(f"{low - air:.3g}"), float(f"{high + air:.3g}")


def _changes(view: _View, lines: int, left: float, contrast: Contrast, above: float) -> Changes:
    """What a view changes of every trace: the marks, the lines, the names."""
    systems, groups = view.systems, view.groups
    names = [_name(system, contrast) for system in systems]
    values = [system["estimate"] for system in systems]
    places = [float(at) for at in range(len(systems))]
    xs: list[Any] = [short(values)]
    ys: list[Any] = [places]
    texts: list[Any] = [[_hover(system) for system in systems]]
    for number in range(lines):
        members = groups[number] if number < len(groups) else []
        xs.append([number] * len(members))
        ys.append([float(at) for at in members])
        texts.append([as_text(systems[at]["model"]) for at in members])
    xs.append([left] * len(systems))
    ys.append([round(place - above, 2) for place in places])
    texts.append(names)
    nothing: Sequence[Any] = [None] * (lines + 1)
    return {
        "x": xs,
        "y": ys,
        "text": texts,
        "error_x.array": [short(s["ci_high"] - s["estimate"] for s in systems), *nothing],
        "error_x.arrayminus": [short(s["estimate"] - s["ci_low"] for s in systems), *nothing],
    }


def _name(system: dict[str, Any], contrast: Contrast) -> str:
    """ "2. **Llama**, tuned: 3.91 (ab)" """
    key = (system["model"], system["condition"])
    is_reference = key == contrast.reference and "reference" not in [k.casefold() for k in key]
    says_so = " (reference)" if is_reference else ""
    value = f"{system['estimate']:.2f}".replace("-", "−")
    name = PlottedSystem(*key).bold_name
    return f"{system['place']}. {name}{says_so}: {value} ({system['letters']})"


def _hover(system: dict[str, Any]) -> str:
    return f"{system['estimate']:.3f} [{system['ci_low']:.3f}, {system['ci_high']:.3f}]"


def _note(view: _View, recipe: Recipe) -> str:
    n = sum(int(system["n"]) for system in view.systems)
    return (
        f"Recipe {as_text(recipe.name)}; mixed model ({LINK_LABELS[view.link]}), {n:,} ratings; "
        f"{intervals(recipe)} of each mean. Lines on the right join systems that are not told "
        "apart (they share a letter): pairs tested with Holm's adjustment. That is no evidence "
        "that they are equally good."
    )


def _draw(of: Drawing) -> go.Figure:
    return systems_order(of.table("system_groups"), of.contrast, of.recipe)


SYSTEMS_ORDER = FigureSpec(
    "systems_order", "Systems in order, and which are not told apart", "Systems", "system_groups",
    draw=_draw,
)  # fmt: skip
