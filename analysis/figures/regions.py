"""Mean ratings by the raters' US Census region, on a map (Pursuit of Empathy, Figure 3).

The map's outlines are part of the figure. Plotly's own choropleth would fetch them from elsewhere
whenever somebody looks, which no page of ours does.
"""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from pandas import DataFrame, Series

from analysis.absent import Absent
from analysis.figures.style import (
    INK,
    LINE,
    PLAIN,
    SEQUENCE,
    as_text,
    fits_phone,
    ink_on,
    menu,
    note,
    shade,
    wrapped,
)
from analysis.figures.views import by_scenario
from analysis.recipe import Recipe
from analysis.tables.group_tests import answered, why_unanswered
from survey.regions import REGIONS

OUTLINES = Path(__file__).parent / "us_states.json"
WIDTH, TOP, BOTTOM = (-60, 960), -50, 610  # of the map, with room for a name above New York
#: Where a region's name stands; that of the Northeast, which is small, above it.
NAMES = {
    "West": (190, 270, "middle center"),
    "Midwest": (525, 200, "middle center"),
    "South": (625, 405, "middle center"),
    "Northeast": (960, 35, "top left"),
}
BESIDE = {"Northeast"}
NOWHERE = "rgba(0,0,0,0)"


def region_map(ratings: DataFrame, people: DataFrame, recipe: Recipe) -> dict[str, Any]:
    """Mean of the ratings by region, over all scenarios and in each; the highest has a star.

    `ratings` has `participant`, `rating` and the columns of an item, `people` has `participant`
    and `region`. The recipe's unit is what the mean is over: ratings, or raters' means. Raises
    Absent.
    """
    if ratings.empty:
        raise Absent("there are no ratings")
    if not answered(people, "region"):
        raise Absent(why_unanswered(people, ["region"]))
    regions = people.set_index("participant")["region"].astype("str").str.strip()
    raters = Series(ratings["participant"].unique())
    elsewhere = int((~raters.map(regions).isin(list(REGIONS))).sum())
    if elsewhere == len(raters):
        raise Absent("no rater lives in a region of the US Census")
    ratings = ratings.assign(region=ratings["participant"].map(regions))
    means = {title: _means(part, recipe.unit) for title, part in by_scenario(ratings)}
    known = [value for table in means.values() for value in table["mean"].dropna()]
    ends = (min(known), max(known)) if min(known) < max(known) else (known[0] - 0.5, known[0] + 0.5)
    views: dict[str, list[dict[str, Any]]] = {
        title: [_changes(table, ends, recipe.unit), {}] for title, table in means.items()
    }
    traces = _traces()
    first = next(iter(views.values()))[0]
    for index, trace in enumerate(traces):
        trace |= {"fillcolor": first["fillcolor"][index], "text": first["text"][index]}
        trace["textfont"] = {"color": first["textfont.color"][index]}
    lines = wrapped(_text(recipe, elsewhere))
    layout = _layout(len(lines))
    layout["annotations"] = [note("<br>".join(lines)) | {"yshift": -50}]
    return {"data": [*traces, _colours(ends)], "layout": layout | menu(views)}


def _means(ratings: DataFrame, unit: str) -> DataFrame:
    """The mean of each region over the unit, and how many there are."""
    if unit == "participant":
        by_person = ratings.groupby(["region", "participant"], observed=True)["rating"].mean()
        units = by_person.groupby("region")
    else:
        units = ratings.groupby("region", observed=True)["rating"]
    # Rounded far below what is shown, so that equal means are equal.
    table = DataFrame({"mean": units.mean().round(9), "n": units.size()})
    return table.reindex(list(REGIONS))


def _changes(table: DataFrame, ends: tuple[float, float], unit: str) -> dict[str, list[Any]]:
    """What a view changes of every trace: fills of the regions, then their names, then none."""
    low, high = ends
    best = table["mean"].max() if table["mean"].nunique() > 1 else None
    fills: list[str] = []
    names: list[str] = []
    inks: list[str | None] = []
    for region, mean, n in table.itertuples():
        if math.isnan(mean):  # no rater rated anything
            fills.append(NOWHERE)
            names.append(f"{region}:<br>no raters")
            inks.append(None)
            continue
        fills.append(shade((mean - low) / (high - low)))
        star = " *" if mean == best else ""
        names.append(f"<b>{region} {mean:.2f}{star}</b><br>{_counted(n, unit)}")
        inks.append(None if region in BESIDE else ink_on(fills[-1]))
    of_regions = [None] * len(names)
    return {
        "fillcolor": [*fills, *[NOWHERE] * len(names), None],
        "text": [*names, *[[name] for name in names], None],
        "textfont.color": [*of_regions, *inks, None],
    }


@cache
def _states() -> dict[str, list[list[int]]]:
    """The outlines of each state, by postal code: x, y, x, y, … of each of its parts."""
    states: dict[str, list[list[int]]] = json.loads(OUTLINES.read_text("utf-8"))["states"]
    return states


def _traces() -> list[dict[str, Any]]:
    """The regions' areas, then their names."""
    plain = {"type": "scatter", "showlegend": False, "hoverinfo": "text"}
    areas: list[dict[str, Any]] = []
    for region, codes in REGIONS.items():
        xs: list[int | None] = []
        ys: list[int | None] = []
        for code in sorted(codes):
            for outline in _states()[code]:
                xs += [*outline[::2], outline[0], None]
                ys += [*outline[1::2], outline[1], None]
        line = {"color": INK, "width": 0.7}
        area = {"mode": "lines", "fill": "toself", "hoveron": "fills", "line": line}
        areas.append(plain | area | {"name": region, "x": xs[:-1], "y": ys[:-1]})
    return areas + [
        plain
        | {"mode": "text", "name": region, "x": [x], "y": [y], "textposition": position}
        | {"hoverinfo": "skip", "cliponaxis": False}
        for region in REGIONS
        for x, y, position in [NAMES[region]]
    ]


def _colours(ends: tuple[float, float]) -> dict[str, Any]:
    """A trace without points, for the legend of the colours."""
    steps = [[number / (len(SEQUENCE) - 1), colour] for number, colour in enumerate(SEQUENCE)]
    bar = {"orientation": "h", "thickness": 10, "len": 0.6, "x": 0, "xanchor": "left"}
    bar |= {"y": 0, "yanchor": "top", "outlinewidth": 0, "nticks": 5}
    colours = {"color": [ends[0]], "cmin": ends[0], "cmax": ends[1], "colorscale": steps}
    marker = colours | {"showscale": True, "colorbar": bar}
    return {"type": "scatter", "mode": "markers", "x": [None], "y": [None], "marker": marker} | {
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _layout(lines: int) -> dict[str, Any]:
    axis = {"fixedrange": True, "visible": False}
    return (
        fits_phone()
        | PLAIN
        | {
            "height": 460 + LINE * lines,
            "margin": {"l": 10, "r": 10, "t": 60, "b": 70 + LINE * lines},
            "xaxis": axis | {"range": list(WIDTH), "constrain": "domain"},
            "yaxis": axis
            | {"range": [BOTTOM, TOP], "scaleanchor": "x", "constrain": "domain"}
            | {"constraintoward": "bottom"},
        }
    )


def _text(recipe: Recipe, elsewhere: int) -> str:
    of = "ratings" if recipe.unit == "rating" else "raters' means"
    text = f"Recipe {as_text(recipe.name)}; mean of {of}; * the highest."
    if elsewhere:
        text += f" Without a US region: {_counted(elsewhere, 'participant')}."
    return text + " Colours span the means found, not the whole scale."


def _counted(n: float, unit: str) -> str:
    name = "rating" if unit == "rating" else "rater"
    return f"{n:.0f} {name}" if n == 1 else f"{n:.0f} {name}s"
