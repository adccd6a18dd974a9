"""Mean ratings by the raters' US Census region, on a map (Pursuit of Empathy, Figure 3).

The map's outlines are part of the figure. Plotly's own choropleth would fetch them from elsewhere
whenever the page is opened, which no page of ours does.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import plotly.graph_objects as go
from pandas import DataFrame, Series

from analysis.catalogue.number_text import p_said
from analysis.catalogue.spec import FigureSpec
from analysis.figures.drawing import Drawing
from analysis.figures.style import (
    CLEAR,
    INK,
    SEQUENCE,
    Changes,
    Notes,
    as_text,
    fits_phone,
    ink_on,
    shade,
    short,
    show_views,
    wrapped,
)
from analysis.figures.views import ScenarioView, by_scenario
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.tables.anova import TESTS, main_test
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


class Colours(NamedTuple):
    """Which means, in points of the scale, have the lightest and the darkest colour, and why."""

    low: float
    high: float
    span: str

    def of(self, mean: float) -> str:
        return shade((mean - self.low) / (self.high - self.low))


def region_map(
    ratings: DataFrame,
    people: DataFrame,
    recipe: Recipe,
    scale: Sequence[tuple[float, str]],
    tests: DataFrame | None = None,
    quotes: Mapping[str, str] | None = None,
) -> go.Figure:
    """Mean of the ratings by region, over all scenarios and in each of a few; the highest says so.

    `ratings` has `participant`, `rating` and the columns of an item, `people` has `participant` and
    `region`. The recipe's unit is what the mean is over: ratings, or raters' means. `tests` is the
    table of `anova.anova`; each note says what it says of the included raters. `quotes` has a
    rater's words by region: they are in the note, and over the region. Raises NotAvailable.
    """
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    if not answered(people, "region"):
        raise NotAvailable(why_unanswered(people, ["region"]))
    regions = people.set_index("participant")["region"].astype("str").str.strip()
    raters = Series(ratings["participant"].unique())
    if not raters.map(regions).isin(list(REGIONS)).any():
        raise NotAvailable("no rater lives in a region of the US Census")
    ratings = ratings.assign(region=ratings["participant"].map(regions), n=1)
    shown = list(by_scenario(ratings, numbers=_numbers(recipe)))
    means = {view.title: _means(view.rows, recipe.unit) for view in shown}
    known = [value for table in means.values() for value in table["mean"].dropna()]
    colours = _colours(known, scale)
    quotes = quotes or {}
    views = {title: _changes(table, colours, recipe.unit, quotes) for title, table in means.items()}
    said = " ".join(f"{region}: {_quoted(text)}" for region, text in quotes.items())
    notes = Notes.of(
        {
            view.title: f"{_text(view, recipe, colours, scale, tests)} {said}".rstrip()
            for view in shown
        }
    )
    figure = go.Figure([*_areas(), *_names(), _legend(colours)])
    figure.update_layout(
        fits_phone(),
        height=460 + notes.height,
        margin={"l": 10, "r": 10, "t": 60, "b": 70 + notes.height},
        annotations=[notes.first(below=50)],
        xaxis={"visible": False, "range": list(WIDTH), "constrain": "domain"},
        yaxis={"visible": False, "range": [BOTTOM, TOP], "constrain": "domain"},
        yaxis_scaleanchor="x",
        yaxis_constraintoward="bottom",
    )
    return show_views(figure, views, notes)


def _numbers(recipe: Recipe) -> str:
    """The file that has the means of regions in each scenario."""
    pairs = recipe.unit == "participant" and recipe.each_scenario and "region" in recipe.anova
    return "games_howell.csv" if pairs else "ratings.csv of an export"


def _colours(means: Sequence[float], scale: Sequence[tuple[float, str]]) -> Colours:
    """From the lowest to the highest mean of all views, but a quarter of the scale at least: so
    that regions which hardly differ look alike.
    """
    ends = [value for value, _ in scale]
    least = (max(ends) - min(ends)) / 4
    low, high = min(means), max(means)
    span = "the means found"
    if high - low <= least:
        low = min(max((low + high - least) / 2, min(ends)), max(ends) - least)
        high, span = low + least, "a quarter of the scale"
    light, dark = short([low, high])
    return Colours(light, dark, span)


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


def _quoted(text: str) -> str:
    return f"“{as_text(text)}”"


def _changes(table: DataFrame, colours: Colours, unit: str, quotes: Mapping[str, str]) -> Changes:
    """What a view changes of every trace: fills of the regions, then their names, then none."""
    best = table["mean"].max() if table["mean"].nunique() > 1 else None
    fills: list[str] = []
    names: list[str] = []
    inks: list[str | None] = []
    for region, mean, n in table.itertuples():
        if math.isnan(mean):  # no rater rated anything
            fills.append(CLEAR)
            names.append(f"{region}:<br>no raters")
            inks.append(None)
            continue
        fills.append(colours.of(mean))
        highest = "<br>highest mean" if mean == best else ""
        names.append(f"<b>{region} {mean:.2f}</b><br>{_counted(n, unit)}{highest}")
        inks.append(None if region in BESIDE else ink_on(fills[-1]))
    hovered = [
        "<br>".join([name, *wrapped(_quoted(quotes[region]))]) if region in quotes else name
        for region, name in zip(table.index, names, strict=True)
    ]
    of_regions = [None] * len(names)
    return {
        "fillcolor": [*fills, *[CLEAR] * len(names), None],
        "text": [*hovered, *[[name] for name in names], None],
        "textfont.color": [*of_regions, *inks, None],
    }


@cache
def _states() -> dict[str, list[list[int]]]:
    """The outlines of each state, by postal code: x, y, x, y, … of each of its parts."""
    states: dict[str, list[list[int]]] = json.loads(OUTLINES.read_text("utf-8"))["states"]
    return states


def _areas() -> Iterator[go.Scatter]:
    for region, codes in REGIONS.items():
        xs: list[int | None] = []
        ys: list[int | None] = []
        for code in sorted(codes):
            for outline in _states()[code]:
                xs += [*outline[::2], outline[0], None]
                ys += [*outline[1::2], outline[1], None]
        yield go.Scatter(
            mode="lines",
            name=region,
            x=xs[:-1],
            y=ys[:-1],
            line={"color": INK, "width": 0.7},
            fill="toself",
            hoveron="fills",
            hoverinfo="text",
            showlegend=False,
        )


def _names() -> Iterator[go.Scatter]:
    for region in REGIONS:
        x, y, position = NAMES[region]
        yield go.Scatter(
            mode="text",
            name=region,
            x=[x],
            y=[y],
            textposition=position,
            hoverinfo="skip",
            showlegend=False,
            cliponaxis=False,
        )


def _legend(ends: Colours) -> go.Scatter:
    """A trace without points, for the legend of the colours."""
    steps = [[number / (len(SEQUENCE) - 1), colour] for number, colour in enumerate(SEQUENCE)]
    bar = {"orientation": "h", "thickness": 10, "len": 0.6, "x": 0, "xanchor": "left"}
    bar |= {"y": 0, "yanchor": "top", "outlinewidth": 0, "tickformat": ".2f"}
    bar |= {"tickvals": short([ends.low, (ends.low + ends.high) / 2, ends.high])}
    colours = {"color": [ends.low], "cmin": ends.low, "cmax": ends.high, "colorscale": steps}
    return go.Scatter(
        mode="markers",
        x=[None],
        y=[None],
        marker=colours | {"showscale": True, "colorbar": bar},
        showlegend=False,
        hoverinfo="skip",
    )


def _text(
    view: ScenarioView,
    recipe: Recipe,
    colours: Colours,
    scale: Sequence[tuple[float, str]],
    tests: DataFrame | None,
) -> str:
    (low, low_label), *_, (high, high_label) = sorted(scale)
    of = "ratings" if recipe.unit == "rating" else "raters' means"
    raters = view.rows.drop_duplicates("participant")["region"]
    elsewhere = int((~raters.isin(list(REGIONS))).sum())
    sentences = [
        f"Recipe {as_text(recipe.name)}; mean of {of}; "
        f"{low} = {as_text(low_label)}, {high} = {as_text(high_label)}.",
        _tested(view, recipe, tests),
        f"Colours span {colours.span}: {colours.low:.2f} to {colours.high:.2f}.",
        f"Without a US region: {_counted(elsewhere, 'participant')}." if elsewhere else "",
        view.left_out,
    ]
    return " ".join(filter(None, sentences))


def _tested(view: ScenarioView, recipe: Recipe, tests: DataFrame | None) -> str:
    """Whether the view's regions differ, as the recipe's test says; or that nothing tells."""
    if tests is None or "region" not in recipe.anova:
        return "The recipe does not test whether regions differ."
    test = main_test(recipe)
    wanted = {"recipe": recipe.name, "raters": "included", "factor": "region", "test": test}
    wanted |= {"scenario": view.scenario, "dimension": view.dimension}
    rows = tests[(tests[list(wanted)] == Series(wanted)).all(axis=1)].to_dict("records")
    if not rows:
        return "The recipe does not test whether regions differ in a scenario."
    (row,) = rows
    if pd.isna(row["p"]):
        return f"The test of regions is {row['note']}."
    p, adjusted = row["p"], row["p_adjusted_scenarios"]
    said = p_said(p)
    if not pd.isna(adjusted):
        said += f", after Holm over the scenarios {p_said(adjusted)}"
        p = adjusted
    differ = "differ" if p < 1 - recipe.confidence else "are not shown to differ"
    return f"The regions {differ}: {TESTS[test]}, {said}."


def _counted(n: float, unit: str) -> str:
    name = "rating" if unit == "rating" else "rater"
    return f"{n:.0f} {name}" if n == 1 else f"{n:.0f} {name}s"


def _draw(of: Drawing) -> go.Figure:
    tests = of.table_if_made("anova")
    people = of.included.people
    return region_map(of.ratings, people, of.recipe, of.scale.points, tests, of.quotes)


REGION_MAP = FigureSpec(
    "region_map", "Mean ratings by region", "Groups of raters", "anova", appendix=True, draw=_draw
)
