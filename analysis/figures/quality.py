"""How carefully raters answered: σ against MAE, how each is distributed, and how long it took.

Who is excluded is drawn beside who is included: nobody is hidden by being left out.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from pandas import DataFrame, Series

from analysis.catalogue.spec import FigureSpec
from analysis.figures.style import (
    COLOURS,
    INK,
    LINE,
    SYMBOLS,
    as_text,
    fits_phone,
    note,
    short,
    wrapped,
)
from analysis.not_available import NotAvailable
from analysis.quality_rules import DECISION, USUAL_LABELS, QualityRules
from survey.definition.labels import Labels

INCLUDED = "included"
NAMES = {"sigma": "σ", "mae": "MAE"}
MOST_BARS = 30
FEW = 8  # raters in a bar, below which every one has a tick
RULE = "sigma_mae"
SHADE = go.layout.Shape(type="rect", layer="below", line={"width": 0}, fillcolor=INK, opacity=0.18)
OVERFLOW = 2  # times the longest duration allowed: longer ones share the last bar


class LimitLine(NamedTuple):
    """An upright line at `value`, and the interval around it, where it has one."""

    name: str
    value: float
    dash: str
    interval: tuple[float, float] | None = None


def sigma_against_mae(
    raters: DataFrame, rules: QualityRules, labels: Labels = USUAL_LABELS
) -> go.Figure:
    """A point per rater, by what excluded them; the rule takes away who is in the shaded corner.

    `raters` has `participant`, `sigma`, `mae`, `included` and `exclusion`; who is in no step of the
    funnel is not drawn. Raises NotAvailable.
    """
    shown, without = _known(raters, list(NAMES), "both σ and MAE")
    limits = rules.sigma_mae
    of_rule = [limits.sigma_below, limits.mae_above] if RULE in rules.order else [0.1, 0.1]
    axes = [
        _from_0(max(1.05 * float(shown[name].max()), 1.2 * limit))
        for name, limit in zip(NAMES, of_rule, strict=True)
    ]
    figure = go.Figure()
    for number, (kind, part) in enumerate(_by_exclusion(shown, rules, labels)):
        look = {"color": COLOURS[number % len(COLOURS)], "symbol": SYMBOLS[number % len(SYMBOLS)]}
        figure.add_scatter(
            mode="markers",
            name=f"{as_text(kind)} (n = {len(part)})",
            x=short(part["sigma"]),
            y=short(part["mae"]),
            text=[as_text(name) for name in part["participant"]],
            hovertemplate="%{text}<br>σ %{x:.3g}, MAE %{y:.3g}<extra></extra>",
            marker=look | {"size": 7, "opacity": 0.8},
        )
    text = (
        "A point is a rater: included, or excluded by what the legend says. "
        f"{without}{_of_what(rules)}"
    )
    if RULE in rules.order:
        below, above = limits.sigma_below, limits.mae_above
        dashed = {"color": INK, "width": 1.5, "dash": "dash"}
        figure.add_shape(type="line", line=dashed, x0=below, x1=below, yref="paper", y0=0, y1=1)
        figure.add_shape(type="line", line=dashed, y0=above, y1=above, xref="paper", x0=0, x1=1)
        figure.add_shape(SHADE, x0=axes[0][0], x1=below, y0=above, y1=axes[1][1])
        text += f" Shaded: σ below {below:g} and MAE above {above:g}, which are excluded."
    x = _titled("σ: spread of a rater's ratings") | {"range": axes[0]}
    y = _titled("MAE: distance from the gold scores") | {"range": axes[1]}
    return _laid_out(figure, x, y, text)


def distribution(raters: DataFrame, thresholds: DataFrame, measure: str) -> go.Figure:
    """How many raters have which `sigma` (or `mae`), with the limit in force and the elbow.

    `thresholds` is the table of that name. Raises NotAvailable.
    """
    name = NAMES[measure]
    shown, without = _known(raters, [measure], f"a {name}")
    (row,) = thresholds[thresholds["measure"] == measure].to_dict("records")
    limits = []
    if not np.isnan(row["in_force"]):
        text = f"threshold: {row['side']} {row['in_force']:g} (beyond it: {row['removed']})"
        limits.append(LimitLine(text, row["in_force"], "dash"))
    if not np.isnan(row["elbow"]):
        what = "elbow" if row["clear"] else "bend, no clear elbow"
        text = f"{what}: {row['elbow']:.3g} (beyond it: {row['removed_at_elbow']})"
        limits.append(LimitLine(text, row["elbow"], "dot", (row["ci_low"], row["ci_high"])))
    shaded = any(limit.interval for limit in limits)
    text = "Shaded: 95 % interval of the bend for other raters. " if shaded else ""
    text += without
    return _histogram(shown, shown[measure], limits, name, text)


def durations(raters: DataFrame, rules: QualityRules) -> go.Figure:
    """How many raters took how many minutes, and the window of the rule. Raises NotAvailable."""
    shown, text = _known(raters, ["duration_seconds"], "a duration")
    minutes = shown["duration_seconds"] / 60
    limits = []
    if "duration" in rules.order:
        window = rules.duration_minutes
        limits = [
            LimitLine(f"shortest: {window.minimum:g} min", window.minimum, "dash"),
            LimitLine(f"longest: {window.maximum:g} min", window.maximum, "dot"),
        ]
        text += "Raters exactly at either limit are included. "
        most = OVERFLOW * window.maximum
        longer = int((minutes > most).sum())
        if longer:
            minutes = minutes.clip(upper=most)
            text += f"The last bar includes {longer} who took longer than {most:g} minutes. "
    return _histogram(shown, minutes, limits, "minutes", text)


def _known(raters: DataFrame, columns: list[str], what: str) -> tuple[DataFrame, str]:
    """Who is included or excluded (others are still taking the survey) and has these
    values; and how many others there are, in words.
    """
    in_funnel = raters[raters["included"] | (raters["exclusion"] != "")]
    shown = in_funnel.dropna(subset=columns)
    if shown.empty:
        raise NotAvailable(f"no rater in the funnel has {what}")
    without = len(in_funnel) - len(shown)
    return shown, f"Not drawn: {without} without {what}. " if without else ""


def _by_exclusion(
    shown: DataFrame, rules: QualityRules, labels: Labels
) -> list[tuple[str, DataFrame]]:
    """Who is included, and who each step excluded; empty groups are left out."""
    parts = [(INCLUDED, shown[shown["included"]])]
    steps = [*rules.order, DECISION]
    parts += [
        (as_text(labels.text("rules", step)), shown[shown["exclusion"] == step]) for step in steps
    ]
    return [(kind, part) for kind, part in parts if len(part)]


def _of_what(rules: QualityRules) -> str:
    what = "ratings" if rules.sigma_mae.sigma_over == "ratings" else "block means"
    return f"σ is the standard deviation of a rater's {what}."


def _histogram(
    shown: DataFrame, values: "Series[float]", limits: Sequence[LimitLine], x: str, text: str
) -> go.Figure:
    """Bars of included and excluded raters on top of each other, and lines at the limits."""
    ends = [float(values.min()), float(values.max())]
    reach = [*ends, *(limit.value for limit in limits)]
    bounds = _edges(min(reach), max(reach))
    figure = go.Figure()
    total = np.zeros(len(bounds) - 1)
    for number, (name, part) in enumerate(
        ((INCLUDED, values[shown["included"]]), ("excluded", values[~shown["included"]]))
    ):
        counts = np.histogram(part, bounds)[0]
        total += counts
        figure.add_bar(
            name=f"{name} (n = {len(part)})",
            x=short((bounds[:-1] + bounds[1:]) / 2),
            y=counts.tolist(),
            width=short([bounds[1] - bounds[0]])[0],
            hoverinfo="text+name",
            hovertext=_spans(bounds, counts),
            marker={"color": COLOURS[number], "pattern": {"shape": "/" if number else ""}},
        )
    top = 1.1 * float(total.max())
    for number, limit in enumerate(limits):
        line = {"color": COLOURS[4] if number else INK, "width": 2, "dash": limit.dash}
        at = short([limit.value]) * 2
        figure.add_scatter(
            mode="lines", name=limit.name, x=at, y=[0, top], line=line, hoverinfo="skip"
        )
        if limit.interval:
            low, high = short(limit.interval)
            figure.add_shape(SHADE, x0=low, x1=high, y0=0, y1=top)
    # of few raters Plotly would mark halves, and write them as whole numbers
    ticks = {"dtick": 1} if top < FEW else {}
    figure.update_layout(barmode="stack")
    return _laid_out(
        figure,
        _titled(x) | {"range": short([bounds[0], bounds[-1]])},
        _titled("raters") | {"range": [0, top], "tickformat": "d"} | ticks,
        text + "Bars: included and excluded raters, one on top of the other.",
    )


def _edges(low: float, high: float) -> NDArray[np.float64]:
    """The bounds of bars of a round width from `low` to `high`."""
    span = max(high - low, 1e-3)
    power = 10.0 ** np.floor(np.log10(span / MOST_BARS))
    width = next(power * step for step in (1, 2, 5, 10) if span / (power * step) <= MOST_BARS)
    first = np.floor(low / width + 1e-9)
    several = int(np.floor(high / width + 1e-9) - first) + 1
    edges: NDArray[np.float64] = width * (first + np.arange(several + 1))
    return edges


def _spans(bounds: NDArray[np.float64], counts: NDArray[np.int64]) -> list[str]:
    """What a bar stands for, as text."""
    return [
        f"{low:.3g} to {high:.3g}: {count}"
        for low, high, count in zip(bounds[:-1], bounds[1:], counts, strict=True)
    ]


def _from_0(reach: float) -> list[float]:
    """A range from 0, with room for points that lie there."""
    return short([-reach / 40, reach]) if reach else [-0.1, 1]


def _titled(title: str) -> dict[str, Any]:
    return {"title": {"text": title, "standoff": 6, "font": {"size": 12}}}


def _laid_out(figure: go.Figure, x: dict[str, Any], y: dict[str, Any], text: str) -> go.Figure:
    """Room for a legend of one name per line, as it stands on a phone, and for the note."""
    lines, legend = wrapped(text), len(figure.data)
    top, below = 16 + LINE * legend, 60 + LINE * len(lines)
    figure.update_layout(
        fits_phone(legend=legend),
        height=300 + top + below,
        margin={"l": 56, "r": 12, "t": top, "b": below},
        legend={"traceorder": "normal"},
        xaxis=x,
        yaxis=y,
        annotations=[note("<br>".join(lines), below=50)],
    )
    return figure


DURATIONS = FigureSpec("durations", "Minutes that raters took", "Participants", "raters")
SIGMA_MAE = FigureSpec(
    "sigma_mae", "σ and MAE of every rater, with the thresholds", "Participants", "raters"
)
SIGMA = FigureSpec("sigma", "σ of the raters", "Participants", "thresholds")
MAE = FigureSpec("mae", "MAE of the raters", "Participants", "thresholds")
