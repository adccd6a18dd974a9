"""Judges beside people: agreement, shares of each score, and the alternative annotator test."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
from pandas import DataFrame, Series

from analysis.catalogue.spec import FigureSpec
from analysis.figures.style import (
    COLOURS,
    INK,
    LINE,
    SYMBOLS,
    ZERO,
    Changes,
    as_text,
    legend_lines,
    note,
    short,
    show_views,
    wrapped,
)
from analysis.quality_rules import USUAL_LABELS
from analysis.stats.agreement import limits_of_agreement
from survey.definition.labels import Labels

PEOPLE = "people"
MARGIN = {"l": 60, "r": 20, "t": 110, "b": 130}
LEGEND_WIDTH = 600  # pixels, where the figure is as narrow as it gets
BELOW_TITLE = 56  # pixels from the panel to a note below the title of its axis
LINE_OF_A_NAME = 26  # pixels


class JudgeView(NamedTuple):
    """What is shown at a time."""

    judge: str
    dimension: str


def bland_altman(
    things: Mapping[JudgeView, DataFrame], scale: Sequence[float], labels: Labels = USUAL_LABELS
) -> go.Figure:
    """Judge minus people against the mean of both: a point per response, the bias, and the limits.

    `things` has for each view a row per response (its index) with `judge`, `people`, `group`,
    `model` and `condition`; it is not empty.
    """
    ends = short([scale[0], scale[-1]])
    drawn = {
        view: table.assign(x=(table["judge"] + table["people"]) / 2, y=_differences(table))
        for view, table in things.items()
    }
    lines = {view: _limits(table["y"], ends) for view, table in drawn.items()}
    reach = max(float(table["y"].abs().max()) for table in drawn.values())
    heights = [abs(y) for of in lines.values() for line in of for y in line["y"] if y is not None]
    top = float(f"{1.1 * max([reach, *heights, 0.5]):.3g}")
    x = {"title": {"text": "mean of judge and people"}, "range": _around(ends)}
    y = {"title": {"text": "judge minus people"}, "range": [-top, top]} | ZERO
    text = (
        "A point is a response: the judge's mean score and the mean of its raters.<br>"
        f"{_before(labels)}.<br>"
        "Solid line: bias. Dashed: 95 % limits of agreement (Bland & Altman)."
    )
    names = {"bias": "solid", "limits of agreement": "dash"}
    return _laid_out(*_compared(drawn, lines, names), x, y, note(text, BELOW_TITLE))


def against_people(
    things: Mapping[JudgeView, DataFrame], scale: Sequence[float], labels: Labels = USUAL_LABELS
) -> go.Figure:
    """The judge's mean score of each response against people's, and where both are the same."""
    ends = short([scale[0], scale[-1]])
    drawn = {
        view: table.assign(x=table["people"], y=table["judge"]) for view, table in things.items()
    }
    lines = {view: [{"x": ends, "y": ends}] for view in drawn}
    x = {"title": {"text": "people's mean rating"}, "range": _around(ends)}
    y = {"title": {"text": "judge's mean score"}, "range": _around(ends)}
    text = (
        "A point is a response: the judge's mean score and the mean of its raters.<br>"
        f"{_before(labels)}.<br>Dashed line: judge and people agree exactly."
    )
    names = {"both the same": "dash"}
    return _laid_out(*_compared(drawn, lines, names), x, y, note(text, BELOW_TITLE))


def shares(table: DataFrame, labels: Labels = USUAL_LABELS) -> go.Figure:
    """How often each judge, and people, gave each score; bars in groups. Of judge_scores_shares."""
    comparable = table[table["people_share"].notna()]
    names = [*comparable["judge"].unique(), PEOPLE]
    views: dict[str, Changes] = {}
    for dimension, rows in comparable.groupby("dimension", sort=False):
        of_people = rows.drop_duplicates("score").sort_values("score")
        parts = [rows[rows["judge"] == name].set_index("score")["share"] for name in names[:-1]]
        parts.append(of_people.set_index("score")["people_share"])
        views[as_text(str(dimension))] = {
            "x": [short(part.index) for part in parts],
            "y": [short(part.fillna(0)) for part in parts],
        }
    colours = [INK if name == PEOPLE else COLOURS[n % len(COLOURS)] for n, name in enumerate(names)]
    traces = [
        go.Bar(name=as_text(name), marker={"color": colour})
        for name, colour in zip(names, colours, strict=True)
    ]
    x = {"title": {"text": "score"}}
    y = {"title": {"text": "share"}, "tickformat": ".0%", "rangemode": "tozero"}
    text = (
        "Shares of all scores of a judge, and of people's ratings (a rater's ratings of a response "
        f"in several sets count as one).<br>{_before(labels)}."
    )
    figure = _laid_out(traces, views, x, y, note(text, BELOW_TITLE))
    figure.update_layout(bargap=0.2)
    return figure


def alt_test(table: DataFrame) -> go.Figure:
    """Winning rate and advantage probability of judges and of constant baselines.

    `table` has the rows of the table `alt_test` for one ε of which something could be estimated.
    """
    views: dict[str, Changes] = {}
    names = list(dict.fromkeys(table["judge"]))[::-1]  # the first one on top
    for dimension, rows in table.groupby("dimension", sort=False):
        by_name = rows.set_index("judge").reindex(names)
        columns = [_known(by_name[column]) for column in ("winning_rate", "advantage")]
        views[as_text(str(dimension))] = {"x": columns}
    labels = [as_text(name) for name in names]
    traces = [
        go.Scatter(
            mode="markers",
            name=name,
            marker={"color": COLOURS[number], "symbol": symbol, "size": 11},
            y=labels,
        )
        for number, (name, symbol) in enumerate(
            {"winning rate": "circle", "advantage probability": "diamond-open"}.items()
        )
    ]
    grid = {"showgrid": True, "gridcolor": INK, "griddash": "dot"}
    x = {"range": [-0.03, 1.03], "tickvals": [0, 0.5, 1]} | grid
    y = {"type": "category", "categoryorder": "array", "categoryarray": labels} | {
        "range": [-0.5, len(labels) - 0.5],
        "automargin": True,
    }
    epsilon = float(table["epsilon"].iloc[0])
    text = (
        f"Alternative annotator test, ε = {epsilon:g}: a judge passes at a winning rate of 0.5 or "
        "more. If a judge that always gives the same score passes, too, passing means little."
    )
    below = note("<br>".join(wrapped(text, 75)))
    del below["name"]  # long names move it to the right, where print has no room for longer lines
    figure = _laid_out(traces, views, x, y, below)
    figure.update_layout(height=240 + LINE_OF_A_NAME * len(labels))
    return figure


def _before(labels: Labels) -> str:
    """Which raters people are."""
    return f"Raters are those before the step “{as_text(labels.text('rules', 'sigma_mae'))}”"


def _differences(table: DataFrame) -> "Series[float]":
    return table["judge"] - table["people"]


def _limits(differences: "Series[float]", ends: list[float]) -> list[dict[str, Any]]:
    """The points of the line at the bias, and of the two at its limits where there are any."""
    bias = short([float(differences.mean())]) * 2
    limits = limits_of_agreement(differences)
    if limits is None:
        return [{"x": ends, "y": bias}, {"x": [None], "y": [None]}]
    low, high = short([limits.lower, limits.upper])
    between = {"x": [*ends, None, *ends], "y": [low, low, None, high, high]}
    return [{"x": ends, "y": bias}, between]


def _compared(
    drawn: Mapping[JudgeView, DataFrame],
    lines: Mapping[JudgeView, list[dict[str, Any]]],
    names: Mapping[str, str],
) -> tuple[list[go.Scatter], dict[str, Changes]]:
    """Points by condition, and lines below them, by name and dash; and what views change of them.

    The traces stay, their points change: every view has the same responses in the same order,
    and nothing for those that it lacks.
    """
    every = pd.concat(list(drawn.values()))
    responses = every[~every.index.duplicated()]
    conditions = list(responses["condition"].unique())
    several = len({view.dimension for view in drawn}) > 1
    views: dict[str, Changes] = {}
    for view, table in drawn.items():
        columns: dict[str, list[Any]] = {
            axis: [line[axis] for line in lines[view]] for axis in ("x", "y")
        }
        for condition in conditions:
            of = responses.index[responses["condition"] == condition]
            for axis in ("x", "y"):
                columns[axis].append(_known(table[axis].reindex(of)))
        views[as_text(" · ".join(view) if several else view.judge)] = columns
    traces = [
        go.Scatter(
            mode="lines",
            name=name,
            hoverinfo="skip",
            line={"color": INK, "width": 1.5, "dash": dash},
        )
        for name, dash in names.items()
    ]
    for number, condition in enumerate(conditions):
        of = responses[responses["condition"] == condition]
        look = {"color": COLOURS[number % len(COLOURS)], "symbol": SYMBOLS[number % len(SYMBOLS)]}
        about = [as_text(f"{m}, {s}") for m, s in zip(of["model"], of["group"], strict=True)]
        name, marker = as_text(condition), look | {"size": 7}
        traces.append(go.Scatter(mode="markers", name=name, marker=marker, text=about))
    return traces, views


def _around(ends: list[float]) -> list[float]:
    """A range in which points at the ends of the scale are whole."""
    margin = (ends[1] - ends[0]) / 30
    return short([ends[0] - margin, ends[1] + margin])


def _known(values: "Series[float]") -> list[Any]:
    """Values in short, and None where there is none."""
    numbers = values.astype(float)
    return [
        None if missing else short([value])[0]
        for value, missing in zip(numbers, numbers.isna(), strict=True)
    ]


def _laid_out(
    traces: list[Any],
    views: Mapping[str, Changes],
    x: dict[str, Any],
    y: dict[str, Any],
    below: dict[str, Any],
) -> go.Figure:
    """The figure of its traces, axes and the note `below`; a menu where views are several."""
    figure = go.Figure(traces)
    lines = legend_lines([str(trace.name) for trace in traces], LEGEND_WIDTH)
    more = LINE * (lines - 1)  # or the legend would lie over the title
    figure.update_layout(
        height=500 + more,
        margin=MARGIN | {"t": MARGIN["t"] + more},
        meta={"legend_lines": lines},
        xaxis=x,
        yaxis=y,
        annotations=[below],
    )
    return show_views(figure, views)


SHARES = FigureSpec(
    "judge_shares",
    "How often each score was given, by judges and by people",
    "Judges",
    "judge_scores_shares",
)
AGAINST_PEOPLE = FigureSpec(
    "judge_against_people",
    "Judge against people, by response",
    "Judges",
    "judge_agreement",
)  # fmt: skip
BLAND_ALTMAN = FigureSpec(
    "judge_bland_altman", "Judge minus people (Bland–Altman)", "Judges", "judge_bias"
)
ALT_TEST = FigureSpec(
    "judge_alt_test", "The alternative annotator test, with constant baselines", "Judges",
    "alt_test",
)  # fmt: skip
