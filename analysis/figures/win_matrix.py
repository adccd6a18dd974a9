"""How often each system has a higher mean than each other one: a matrix of shares."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures.drawing import Drawing
from analysis.figures.style import (
    COLOURS,
    PHONE,
    Changes,
    Notes,
    PlottedSystem,
    as_text,
    fits_phone,
    show_views,
)
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe

UNITS = {"scenario": "scenarios", "participant": "raters"}
#: Two systems are one pair, of which the table says as much.
FEWEST = 3
#: Pixels of a row, and up to how many systems there is room for numbers in the cells.
ROW, MOST_WRITTEN = 30, 14
#: Pixels of a letter of a name, and of the least width of a column.
LETTER, COLUMN = 6.6, 34
#: Where a phone is too narrow: the least width, and the characters of a note's line in it.
WIDTH, CHARACTERS = 520, 70
#: From never to always; half as often is neither.
SCALE = [[0.0, COLOURS[5]], [0.5, "#f2f2f2"], [1.0, COLOURS[0]]]


class _Matrix(NamedTuple):
    """Of the systems in `order`: the share of units in which a row's mean is above a column's, in
    how many units that is (of how many), and how many are ties.
    """

    title: str
    unit: str
    systems: list[PlottedSystem]
    shares: "np.ndarray[Any, Any]"
    wins: "np.ndarray[Any, Any]"
    n: "np.ndarray[Any, Any]"
    ties: "np.ndarray[Any, Any]"
    order: str


def win_matrix(wins: DataFrame, groups: DataFrame | None, recipe: Recipe) -> go.Figure:
    """Shares of wins of the included raters; a menu over dimensions, scenarios and raters.

    `wins` is the table of `system_wins.system_wins`, `groups` that of the systems by their
    estimated means, whose order they have, or None: then who wins most is first. Rows of other
    recipes and raters are left out. Raises NotAvailable.
    """
    matrices = list(_matrices(_ours(wins, recipe), _places(groups, recipe)))
    most = max((len(matrix.systems) for matrix in matrices), default=0)
    if most < FEWEST:
        raise NotAvailable("the included raters rated fewer than three systems")
    names = [name for matrix in matrices for name in _names(matrix)]
    written = most <= MOST_WRITTEN  # else the colours need a scale
    left, right, top = round(LETTER * max(map(len, names))) + 24, 24 if written else 84, 70
    width = left + COLUMN * most + right
    fits = width <= PHONE
    texts = {matrix.title: _note(matrix) for matrix in matrices}
    notes = Notes.of(texts) if fits else Notes.of(texts, CHARACTERS)
    made = go.Figure(
        go.Heatmap(
            zmin=0,
            zmax=1,
            colorscale=SCALE,
            showscale=not written,
            colorbar={
                "thickness": 12,
                "outlinewidth": 0,
                "tickvals": [0, 0.5, 1],
                "ticktext": ["0: never", "0.5", "1: always"],
            },
            xgap=1,
            ygap=1,
            hoverongaps=False,
            hovertemplate="%{customdata}<extra></extra>",
            texttemplate="%{text}" if written else None,
        )
    )
    made.update_layout(
        fits_phone() if fits else {},
        title={"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 12}},
        height=top + ROW * most + 30 + notes.height,
        width=None if fits else max(width, WIDTH),
        margin={"l": left, "r": right, "t": top, "b": 24 + notes.height},
        xaxis={"side": "top", "type": "category", "showline": False},
        yaxis={"autorange": "reversed", "type": "category", "showline": False},
        annotations=[notes.first(12) | {"xshift": -left + 16}],
    )
    return show_views(made, {m.title: _changes(m) for m in matrices}, notes, above=30)


def _ours(table: DataFrame, recipe: Recipe) -> DataFrame:
    return table[(table["recipe"] == recipe.name) & (table["raters"] == "included")]


def _places(groups: DataFrame | None, recipe: Recipe) -> dict[str, dict[PlottedSystem, int]]:
    """The place of each system by dimension, by the first model that has one."""
    places: dict[str, dict[PlottedSystem, int]] = {}
    if groups is not None:
        ranked = _ours(groups, recipe).dropna(subset="place")
        for row in ranked.to_dict("records"):
            system = PlottedSystem(str(row["model"]), str(row["condition"]))
            places.setdefault(str(row["dimension"]), {}).setdefault(system, int(row["place"]))
    return places


def _matrices(table: DataFrame, places: dict[str, dict[PlottedSystem, int]]) -> Iterator[_Matrix]:
    several = table["dimension"].nunique() > 1
    for dimension, of_dimension in table.groupby("dimension", sort=False):
        for unit, said in UNITS.items():
            rows = of_dimension[(of_dimension["unit"] == unit) & (of_dimension["n"] > 0)]
            if len(rows):
                title = f"By {said}" + (f" · {as_text(str(dimension))}" if several else "")
                yield _matrix(title, unit, rows, places.get(str(dimension), {}))


def _matrix(title: str, unit: str, rows: DataFrame, places: dict[PlottedSystem, int]) -> _Matrix:
    systems = list(
        dict.fromkeys(
            PlottedSystem(str(row[f"model_{side}"]), str(row[f"condition_{side}"]))
            for row in rows.to_dict("records")
            for side in "ab"
        )
    )
    place = {system: at for at, system in enumerate(systems)}
    size = (len(systems), len(systems))
    wins, n, ties = np.full(size, np.nan), np.zeros(size), np.zeros(size)
    for row in rows.to_dict("records"):
        a, b = (place[PlottedSystem(row[f"model_{s}"], row[f"condition_{s}"])] for s in "ab")
        wins[a, b], wins[b, a] = row["a_wins"], row["b_wins"]
        n[a, b] = n[b, a] = row["n"]
        ties[a, b] = ties[b, a] = row["ties"]
    with np.errstate(invalid="ignore"):
        shares = wins / n
    counted = ~np.isnan(shares)
    mean = np.where(counted, shares, 0).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
    estimated = all(system in places for system in systems)
    rank = np.array([places[system] for system in systems]) if estimated else -mean
    order = np.argsort(rank, kind="stable")
    square = np.ix_(order, order)
    ordered = [systems[at] for at in order]
    of = "estimated means" if estimated else "mean share"
    return _Matrix(title, unit, ordered, shares[square], wins[square], n[square], ties[square], of)


def _names(matrix: _Matrix) -> list[str]:
    return [f"{at}. {system.name}" for at, system in enumerate(matrix.systems, start=1)]


def _changes(matrix: _Matrix) -> Changes:
    shares = [[None if np.isnan(x) else round(float(x), 3) for x in row] for row in matrix.shares]
    everyone = range(len(shares))
    texts = [["" if x is None else f"{x:.2f}".lstrip("0") for x in row] for row in shares]
    return {
        "x": [[f"{at}." for at in range(1, len(matrix.systems) + 1)]],
        "y": [_names(matrix)],
        "z": [shares],
        "text": [texts],
        "customdata": [[[_hover(matrix, a, b) for b in everyone] for a in everyone]],
    }


def _hover(matrix: _Matrix, a: int, b: int) -> str:
    if a == b or not matrix.n[a, b]:
        return ""
    first, second = matrix.systems[a].name, matrix.systems[b].name
    n, ties = matrix.n[a, b], matrix.ties[a, b]
    wins = f"{matrix.wins[a, b]:g} of {n:g} {UNITS[matrix.unit]}"
    return f"{first} above {second}:<br>{wins}; equal in {ties:g}"


def _note(matrix: _Matrix) -> str:
    units = UNITS[matrix.unit]
    single = units[:-1]
    return (
        f"Share of {units} in which the system of the row has a higher mean than that of the "
        f"column (means of all ratings of a {single}; a tie is no win). Systems are in the order "
        f"of their {matrix.order}. The shares do not show how large or how certain a difference is."
    )


def _draw(of: Drawing) -> go.Figure:
    return win_matrix(of.table("system_wins"), of.table_if_made("system_groups"), of.recipe)


WIN_MATRIX = FigureSpec(
    "win_matrix", "How often one system has a higher mean than another", "Systems", "system_wins",
    appendix=True, draw=_draw,
)  # fmt: skip
