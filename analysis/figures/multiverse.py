"""The specification curve: every specification's difference in order, and its choices below it."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.catalogue.vocabulary import in_words
from analysis.figures.style import (
    COLOURS,
    INK,
    LINE,
    PHONE,
    Changes,
    Notes,
    as_text,
    fits_phone,
    legend_lines,
    short,
    show_views,
)
from analysis.not_available import NotAvailable
from analysis.tables.group_tests import ALL
from analysis.tables.multiverse import POINTS
from survey.definition.labels import Labels

CURVE = 230  # pixels of the curve
ROW = 27  # … and of a choice with its name
NAME = 0.36  # how far above its marks the name of a choice stands, in rows; nearer than to others
EITHER, MAIN = "not significant", "main result"

MULTIVERSE_CURVE = FigureSpec(
    "multiverse", "Specification curve of {a} against {b}", "Sensitivity", "multiverse",
    appendix=True,
)  # fmt: skip


def specification_curve(multiverse: DataFrame, labels: Labels) -> go.Figure:
    """Differences in points of the scale, from the smallest to the largest, with their intervals;
    below each, marks at its analysis and its exclusion rules. A menu over recipes, dimensions and
    models.

    `multiverse` is the table of `tables.multiverse`, with labels for names. Raises NotAvailable.
    """
    shown = multiverse[(multiverse["scale"] == POINTS) & multiverse["significant"].notna()]
    if shown.empty:
        raise NotAvailable("no specification has an estimate in points of the scale")
    a, b = (as_text(str(shown[name].iloc[0])) for name in ("condition_a", "condition_b"))
    choices = _choices(shown, labels)
    kinds = [EITHER, f"{a} rated higher, p below the level", f"{b} rated higher, p below the level"]
    parts = shown.groupby(["recipe", "dimension", "model"], sort=False)
    several = {name: shown[name].nunique() > 1 for name in ("recipe", "dimension")}
    views, texts = {}, {}
    for (recipe, dimension, model), part in parts:
        said = [
            name for name, key in ((dimension, "dimension"), (recipe, "recipe")) if several[key]
        ]
        title = as_text(" · ".join([_of_model(str(model)), *map(str, said)]))
        ordered = part.sort_values("difference", kind="stable").reset_index(drop=True)
        views[title] = _changes(ordered, choices)
        texts[title] = (
            f"{len(ordered)} specifications, {a} minus {b} in points. Without an interval: min F′ "
            "and signed ranks. They share most of their ratings, so their number is no evidence."
        )
    widest = max(len(part) for _, part in parts)
    figure = go.Figure([*_of_curve(kinds), *_of_choices(choices)])
    notes = Notes.of(texts)
    _lay_out(figure, notes, [*kinds, MAIN], len(choices), widest, f"{a} minus {b}")
    return show_views(figure, views, notes, above=_top([*kinds, MAIN]) - 42)


def _of_model(model: str) -> str:
    return "All models" if model == ALL else model


def _choices(shown: DataFrame, labels: Labels) -> dict[tuple[str, str], str]:
    """Each choice, by column and value, with what it is called: analyses, then exclusion rules."""
    kinds = {"analysis": "analyses", "variant": "within_rules"}
    choices = {}
    for column, kind in kinds.items():
        called = in_words(kind, labels, (labels.a, labels.b))
        assert called is not None
        for value in dict.fromkeys(map(str, shown[column])):
            choices[column, value] = as_text(called(value))
    return choices


def _of_curve(kinds: Sequence[str]) -> list[go.Scatter]:
    looks = [(INK, "circle-open"), (COLOURS[0], "circle"), (COLOURS[5], "diamond")]
    return [
        go.Scatter(
            mode="markers",
            name=kind,
            marker={"color": colour, "symbol": symbol, "size": 6},
            error_y={"type": "data", "symmetric": False, "width": 0, "thickness": 1},
            hovertemplate="%{text}<extra></extra>",
        )
        for kind, (colour, symbol) in zip(kinds, looks, strict=True)
    ] + [
        go.Scatter(
            mode="markers",
            name=MAIN,
            marker={"color": INK, "symbol": "star-triangle-down", "size": 9},
            hoverinfo="skip",
        )
    ]


def _of_choices(choices: dict[tuple[str, str], str]) -> list[go.Scatter]:
    marks = go.Scatter(
        mode="markers",
        marker={"color": INK, "symbol": "square", "size": 5},
        yaxis="y2",
        hoverinfo="skip",
        showlegend=False,
    )
    names = go.Scatter(
        mode="text",
        x=[0.5] * len(choices),
        y=[at - NAME for at in range(len(choices))],
        text=list(choices.values()),
        textposition="middle right",
        yaxis="y2",
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
    return [marks, names]


def _changes(ordered: DataFrame, choices: dict[tuple[str, str], str]) -> Changes:
    """What a view changes of every trace: the three kinds, the main result, marks and names."""
    small = ordered["significant"].astype(bool)
    up = ordered["difference"] > 0
    parts = [ordered[~small], ordered[small & up], ordered[small & ~up]]
    rows = {key: at for at, key in enumerate(choices)}
    main = ordered[ordered["is_main"].astype(bool)]
    highest = ordered["ci_high"].fillna(ordered["difference"])
    reach = highest.max() - ordered["ci_low"].fillna(ordered["difference"]).min()
    marks = [
        (place + 1, rows[column, str(row[column])])
        for place, row in enumerate(ordered.to_dict("records"))
        for column in ("analysis", "variant")
    ]
    above = [short([highest[at] + 0.06 * reach])[0] for at in main.index]
    return {
        "x": [
            *([int(at) + 1 for at in part.index] for part in parts),
            [int(at) + 1 for at in main.index],
            [x for x, _ in marks],
            [0.5] * len(choices),
        ],
        "y": [
            *(short(part["difference"]) for part in parts),
            above,
            [y for _, y in marks],
            [at - NAME for at in range(len(choices))],
        ],
        "text": [
            *([_hover(row, choices) for row in part.to_dict("records")] for part in parts),
            *(None, None, list(choices.values())),
        ],
        "error_y.array": [*(_arms(part, "ci_high") for part in parts), None, None, None],
        "error_y.arrayminus": [*(_arms(part, "ci_low") for part in parts), None, None, None],
    }


def _arms(part: DataFrame, end: str) -> list[Any]:
    return short((part[end] - part["difference"]).abs().fillna(0.0))


def _hover(row: dict[Any, Any], choices: dict[tuple[str, str], str]) -> str:
    said = [choices[column, str(row[column])] for column in ("analysis", "variant")]
    return f"{row['difference']:.3f}, p = {row['p']:.3g}<br>{'<br>'.join(said)}"


def _top(legend: Sequence[str]) -> int:
    """Pixels above the curve."""
    return 52 + LINE * legend_lines(legend, PHONE)


def _lay_out(
    figure: go.Figure, notes: Notes, legend: Sequence[str], choices: int, widest: int, title: str
) -> None:
    gap, below = 24, 16 + notes.height
    matrix = ROW * (choices + 1)
    whole = CURVE + gap + matrix
    figure.update_layout(
        fits_phone(legend=legend_lines(legend, PHONE)),
        title={"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 12}},
        height=whole + _top(legend) + below,
        margin={"l": 44, "r": 16, "t": _top(legend), "b": below},
        xaxis={"range": [0.3, widest + 0.7], "visible": False},
        yaxis={
            "domain": [(whole - CURVE) / whole, 1],
            "title": {"text": title, "font": {"size": 12}, "standoff": 4},
            "nticks": 6,
            "zeroline": True,
            "zerolinecolor": INK,
        },
        yaxis2={
            "domain": [0, matrix / whole],
            "range": [choices - 0.4, -1],
            "visible": False,
            "fixedrange": True,
        },
        annotations=[notes.first(8)],
    )
