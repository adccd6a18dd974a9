"""Which systems were chosen as best, and which as worst (Haleas, Figure 3)."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures import rows
from analysis.figures.forest import RATERS
from analysis.figures.style import (
    COLOURS,
    Changes,
    PlottedSystem,
    as_text,
    distinct,
    ink_on,
    intervals,
    short,
)
from analysis.figures.views import ALL_SCENARIOS, drawn_one_by_one
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.tables.group_tests import ALL

#: Where there are more systems than colours.
PATTERNS = ["", "/", ".", "x", "-", "+"]
KINDS = ("best", "worst")
#: Rows of the table by scenario, model and condition.
Cells = Mapping[tuple[str, str, str], Mapping[Hashable, Any]]


class Bar(NamedTuple):
    """The choices of one kind in one scenario, or in all."""

    scenario: str
    kind: str


def best_worst_shares(choices: DataFrame, recipe: Recipe) -> go.Figure:
    """Shares of all choices of best, and of worst, that fell to each system: two bars for all
    scenarios together, and for each of a few.

    `choices` is the table of `choices.choices`; rows of other recipes are left out. A menu
    switches between dimensions and raters. Raises NotAvailable.
    """
    ours = choices[choices["recipe"] == recipe.name]
    if not ours[["best", "worst"]].to_numpy().any():
        raise NotAvailable("there are no choices of a best or a worst response")
    pairs = ours[["model", "condition"]].drop_duplicates()
    systems = [PlottedSystem(str(m), str(c)) for m, c in pairs.itertuples(index=False)]
    scenarios, left_out = _scenarios(ours)
    bars = [Bar(scenario, kind) for scenario in scenarios for kind in KINDS]
    at = rows.places([bar.scenario for bar in bars])
    views = {title: _points(part, systems, bars, recipe) for title, part in _views(ours)}
    text = (
        f"Recipe {as_text(recipe.name)}. In brackets: number of choices. A system shown on more "
        "pages can be chosen more often; the table has shares of the pages that showed it, with "
        f"{intervals(recipe)} over raters. Unit: choice. {left_out}"
    ).rstrip()
    names = [system.name for system in systems]
    return rows.shares(
        _bars(systems, at), views, at, legend=names, texts=dict.fromkeys(views, text)
    )


def _scenarios(choices: DataFrame) -> tuple[list[str], str]:
    """All scenarios together and those that are drawn one by one; what is said of the others.

    A scenario counts the choices of its longer bar, in the view that has the fewest.
    """
    single = choices[choices["scenario"] != ALL]
    bars = single.groupby(["raters", "dimension", "scenario"])[list(KINDS)].sum().max(axis=1)
    fewest = bars[bars > 0].groupby("scenario").min()
    n = {scenario: int(fewest.get(scenario, 0)) for scenario in distinct(single["scenario"])}
    shown, left_out = drawn_one_by_one(n, of="choices", numbers="choices.csv")
    every = distinct(choices["scenario"])
    return [scenario for scenario in every if scenario == ALL or scenario in shown], left_out


def _views(choices: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    several = choices["dimension"].nunique() > 1
    for (raters, dimension), part in choices.groupby(["raters", "dimension"], sort=False):
        title = RATERS.get(str(raters), str(raters))
        yield as_text(f"{title} · {dimension}" if several else title), part


def _points(
    part: DataFrame, systems: list[PlottedSystem], bars: list[Bar], recipe: Recipe
) -> Changes:
    """What a view changes of every trace: the systems' bars, then the names of the rows."""
    records = part.to_dict("records")
    by_system = {(row["scenario"], row["model"], row["condition"]): row for row in records}
    made = part.groupby("scenario")[list(KINDS)].sum()
    points: dict[str, list[Any]] = {"x": [], "text": [], "customdata": []}
    for system in systems:
        cells = [_cell(by_system, made, system, bar, recipe) for bar in bars]
        points["x"].append(short([share for share, _ in cells]))
        points["text"].append([f"{share:.0%}" if share else "" for share, _ in cells])
        points["customdata"].append([about for _, about in cells])
    names = []
    for bar in bars:
        n = int(made[bar.kind].get(bar.scenario, 0))
        title = ALL_SCENARIOS if bar.scenario == ALL else as_text(bar.scenario)
        names.append(f"<b>{title}</b>, {bar.kind} ({n or 'no choices'})")
    points["x"].append([0] * len(bars))
    points["text"].append(names)
    points["customdata"].append(None)
    return points


def _cell(
    by_system: Cells, made: DataFrame, system: PlottedSystem, bar: Bar, recipe: Recipe
) -> tuple[float, str]:
    """A system's share of the choices of a bar, and what is said of it."""
    row = by_system.get((bar.scenario, *system))
    n = int(made[bar.kind].get(bar.scenario, 0))
    if row is None or not n:
        return 0.0, ""
    about = f"{row[bar.kind]} of {n} choices"
    share, low, high = (
        row[name] for name in (f"share_{bar.kind}", f"{bar.kind}_ci_low", f"{bar.kind}_ci_high")
    )
    if not pd.isna(share):
        about += f"<br>chosen on {share:.1%} of the pages that showed it"
    if not pd.isna(low):
        about += f"<br>{100 * recipe.confidence:g} %: {low:.1%} to {high:.1%}"
    return row[bar.kind] / n, about


def _bars(systems: list[PlottedSystem], at: list[float]) -> Iterator[go.Bar]:
    for number, system in enumerate(systems):
        colour = COLOURS[number % len(COLOURS)]
        pattern = PATTERNS[number // len(COLOURS) % len(PATTERNS)]
        yield rows.bar(
            system.name,
            at,
            colour,
            marker_pattern_shape=pattern,
            hovertemplate="%{customdata}<extra>%{fullData.name}</extra>",
            insidetextfont_color=ink_on(colour),
        )


BEST_WORST_SHARES = FigureSpec(
    "best_worst_shares", "Best and worst by scenario", "Rankings and choices", "choices",
    draw=lambda of: best_worst_shares(of.table("choices"), of.recipe),
)  # fmt: skip
