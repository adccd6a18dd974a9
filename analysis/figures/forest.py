"""Estimates with their intervals, a row each: a against b, and the systems' means.

What an interval speaks of differs, so up to three stand in a row: other raters of these very
texts, other scenarios before these raters, and both at once (a mixed model).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures import rows
from analysis.figures.drawing import Drawing
from analysis.figures.style import INK, Changes, PlottedSystem, as_text, intervals, wrapped
from analysis.not_available import NotAvailable
from analysis.recipe import LINK_LABELS, Recipe
from analysis.study_data import Contrast
from analysis.tables.group_tests import ALL

FOR_BOTH = "for both"
RATERS = {"included": "Included raters", "all": "All raters"}


class ForestView(NamedTuple):
    """What is shown at a time."""

    dimension: str
    raters: str


class Estimate(NamedTuple):
    """A value, its interval where there is one, and how many of what it rests on, where counted."""

    value: float
    low: float | None
    high: float | None
    n: int | None
    units: str


#: What is estimated in a row, and of what: ("Llama", "zero_shot") or ("Llama",).
Row = tuple[str, ...]


@dataclass
class Forest:
    """Estimates by view, kind (such as "other raters") and row, in the order in which they came."""

    rows: Sequence[Row]
    estimates: dict[ForestView, dict[str, dict[Row, Estimate]]] = field(default_factory=dict)

    def add(self, table: DataFrame, kind: str, value: str, keys: Sequence[str], units: str) -> None:
        """Read the estimates of one kind from a table's rows, those without one left out."""
        for entry in table[table[value].notna()].to_dict("records"):
            row = tuple(str(entry[key]) for key in keys)
            view = ForestView(str(entry["dimension"]), str(entry["raters"]))
            low, high, n = (_known(entry.get(name)) for name in ("ci_low", "ci_high", "n"))
            number = None if n is None else round(n)
            estimate = Estimate(float(entry[value]), low, high, number, units)
            self.estimates.setdefault(view, {}).setdefault(kind, {})[row] = estimate

    @property
    def kinds(self) -> list[str]:
        return list(dict.fromkeys(kind for of_view in self.estimates.values() for kind in of_view))


def contrast_forest(contrasts: DataFrame, mixed: DataFrame | None, recipe: Recipe) -> go.Figure:
    """a minus b of each model and over all, with a line at zero; a menu over dimensions and raters.

    `contrasts` is the table of `contrasts.contrasts`, `mixed` the contrasts of
    `mixed_models.mixed_models`, or None; rows of other recipes are left out. Raises NotAvailable.
    """
    ours = contrasts[contrasts["recipe"] == recipe.name]
    models = _models(ours)
    forest = Forest([(model,) for model in models])
    for units in ("raters", "scenarios"):
        of_units = ours[ours["generalises_to"] == units]
        forest.add(of_units, f"for other {units}", "difference", ["model"], units)
    for kind, table in _mixed(mixed, recipe):
        forest.add(table, kind, "difference", ["model"], "ratings")
    if ours.empty or not forest.estimates:
        raise NotAvailable("no difference between the conditions is estimable")
    a, b = (as_text(str(ours[name].iloc[0])) for name in ("condition_a", "condition_b"))
    names: dict[Row, str] = {(model,): _of_model(model) for model in models}
    text = f"{_intervals(recipe)}."
    after = "What is missing is not estimable: see the table."
    said = (f"{a} minus {b} (points)", f"← {b} higher · {a} higher →")
    title = "<br>".join(line for each in said for line in wrapped(each))
    return _figure(forest, names, title, (text, after), zero=True)


def systems_forest(
    systems: DataFrame, mixed: DataFrame | None, contrast: Contrast, recipe: Recipe
) -> go.Figure:
    """Mean of each system with intervals, and a line at the reference's, if there is one.

    `systems` is the table of `systems.systems`, `mixed` the estimates of
    `mixed_models.mixed_models`, or None; rows of other recipes are left out. Raises NotAvailable.
    """
    ours = systems[systems["recipe"] == recipe.name]
    known = list(dict.fromkeys(zip(ours["model"], ours["condition"], strict=True)))
    forest = Forest([(str(model), str(condition)) for model, condition in known])
    for unit, units in {"participant": "raters", "scenario": "scenarios"}.items():
        of_unit = ours[ours["unit"] == unit]
        forest.add(of_unit, f"for other {units}", "mean", ["model", "condition"], units)
    for kind, table in _mixed(mixed, recipe):
        forest.add(table, kind, "estimate", ["model", "condition"], "ratings")
    if not forest.estimates:
        raise NotAvailable("no mean is estimable")
    names = {row: PlottedSystem(row[0], row[1]).bold_name for row in forest.rows}
    dashed = ""
    if contrast.reference in names:
        says_so = "reference" in map(str.casefold, contrast.reference)
        names[contrast.reference] += "" if says_so else " (reference)"
        dashed = " Dashed: the reference's mean."
    text = f"{_intervals(recipe)}.{dashed}"
    return _figure(forest, names, "mean rating", (text, ""), reference=contrast.reference)


def _models(contrasts: DataFrame) -> list[str]:
    """Single models in the table's order, then all of them together."""
    models = list(dict.fromkeys(map(str, contrasts["model"])))
    return [*(model for model in models if model != ALL), *(m for m in models if m == ALL)]


def _of_model(model: str) -> str:
    return "<b>all models</b>" if model == ALL else f"<b>{as_text(model)}</b>"


def _mixed(table: DataFrame | None, recipe: Recipe) -> list[tuple[str, DataFrame]]:
    """The recipe's estimates on the scale of the ratings, by what they are called."""
    if table is None:
        return []
    ours = table[(table["recipe"] == recipe.name) & (table["scale"] == "ratings")]
    return [
        (f"{FOR_BOTH} (mixed model: {LINK_LABELS[str(link)]})", part)
        for link, part in ours.groupby("link", sort=False)
    ]


def _intervals(recipe: Recipe) -> str:
    return f"Recipe {as_text(recipe.name)}; {intervals(recipe)}"


def _numbers(of_view: Mapping[str, Mapping[Row, Estimate]], forest: Forest) -> str:
    """Whose the numbers after the names are, where a row has several."""
    is_model = len(of_view) > 1 and _main(of_view, forest).startswith(FOR_BOTH)
    return "After the names: estimates of the mixed model." if is_model else ""


def _units(of_view: Mapping[str, Mapping[Row, Estimate]]) -> str:
    """How many units the estimates of a view rest on."""
    counted: dict[str, list[int]] = {}
    for of_kind in of_view.values():
        for estimate in of_kind.values():
            if estimate.n is not None:
                counted.setdefault(estimate.units, []).append(estimate.n)
    parts = [_span(min(numbers), max(numbers), units) for units, numbers in counted.items()]
    return f"n: {' or '.join(parts)}." if parts else ""


def _span(low: int, high: int, units: str) -> str:
    return _count(high, units) if low == high else f"{low:,} to {_count(high, units)}"


def _count(n: int, units: str) -> str:
    """ "1 rater", "1,440 ratings"."""
    return f"{n:,} {units.removesuffix('s') if n == 1 else units}"


def _figure(
    forest: Forest,
    names: Mapping[Row, str],
    title: str,
    text: tuple[str, str],
    *,
    zero: bool = False,
    reference: Row | None = None,
) -> go.Figure:
    """`text` is what all notes say before and after the numbers of units of their view."""
    at = rows.places([row[0] for row in forest.rows])
    low, high = _reach(forest, zero=zero)
    views = {
        _title(view, forest): _points(forest, of_view, reference, names, low, at, zero=zero)
        for view, of_view in forest.estimates.items()
    }
    upright = go.Scatter(
        mode="lines",
        y=[at[0] - 0.3, at[-1] + 0.45],
        line={"color": INK, "width": 1, "dash": "solid" if zero else "dash"},
        hoverinfo="skip",
        showlegend=False,
    )
    label = {"text": title, "standoff": 6, "font": {"size": 12}}
    axis = {"range": [low, high], "title": label, "nticks": 6}
    texts = {
        _title(view, forest): " ".join(
            filter(None, (text[0], _numbers(of_view, forest), _units(of_view), text[1]))
        )
        for view, of_view in forest.estimates.items()
    }
    traces = [upright, *rows.marks(forest.kinds, at), rows.names(at, low)]
    return rows.figure(traces, views, at, axis, legend=forest.kinds, texts=texts)


def _title(view: ForestView, forest: Forest) -> str:
    several = len({each.dimension for each in forest.estimates}) > 1
    raters = RATERS.get(view.raters, view.raters)
    return as_text(f"{raters} · {view.dimension}" if several else raters)


def _reach(forest: Forest, *, zero: bool) -> tuple[float, float]:
    """The ends of the axis: all intervals of all views, and some air."""
    values = [0.0] if zero else []
    for of_view in forest.estimates.values():
        for of_kind in of_view.values():
            for estimate in of_kind.values():
                ends = (estimate.value, estimate.low, estimate.high)
                values += [end for end in ends if end is not None]
    low, high = min(values), max(values)
    air = 0.05 * (high - low) or 0.5
    return float(f"{low - air:.3g}"), float(f"{high + air:.3g}")


def _main(of_view: Mapping[str, Mapping[Row, Estimate]], forest: Forest) -> str:
    """The estimates whose numbers stand after the names: those for both raters and texts, if every
    row has one; else the first.
    """
    there = [kind for kind in forest.kinds if kind in of_view]
    known = {row for of_kind in of_view.values() for row in of_kind}
    of_both = (
        kind for kind in there if kind.startswith(FOR_BOTH) and known <= of_view[kind].keys()
    )
    return next(of_both, there[0] if there else "")


def _points(
    forest: Forest,
    of_view: Mapping[str, Mapping[Row, Estimate]],
    reference: Row | None,
    names: Mapping[Row, str],
    left: float,
    at: Sequence[float],
    *,
    zero: bool,
) -> Changes:
    """What a view changes of every trace: the upright line, the marks of each kind, the names."""
    main = of_view.get(_main(of_view, forest), {})
    upright = 0.0 if zero else None
    if reference is not None and reference in main:
        upright = main[reference].value
    xs: list[Any] = [[upright] * 2]
    texts: list[Any] = [None]
    above: list[Any] = [None]
    below: list[Any] = [None]
    for kind in forest.kinds:
        estimates = [of_view.get(kind, {}).get(row) for row in forest.rows]
        xs.append([None if e is None else _short(e.value) for e in estimates])
        above.append([_arm(e, e.high) if e else None for e in estimates])
        below.append([_arm(e, e.low) if e else None for e in estimates])
        texts.append([_hover(e) if e else "" for e in estimates])
    xs.append([left] * len(at))
    texts.append([_name(names[row], main.get(row)) for row in forest.rows])
    return {
        "x": xs,
        "text": texts,
        "error_x.array": [*above, None],
        "error_x.arrayminus": [*below, None],
    }


def _name(name: str, estimate: Estimate | None) -> str:
    value = f"{estimate.value:.2f}".replace("-", "−") if estimate else "not estimable"
    return f"{name}: {value}"


def _hover(estimate: Estimate) -> str:
    text = f"{estimate.value:.3f}"
    if estimate.low is not None and estimate.high is not None:
        text += f" [{estimate.low:.3f}, {estimate.high:.3f}]"
    return text if estimate.n is None else f"{text}, {_count(estimate.n, estimate.units)}"


def _arm(estimate: Estimate, end: float | None) -> float:
    """How far an interval reaches on one side; nowhere without one."""
    return 0.0 if end is None else _short(abs(end - estimate.value))


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _known(value: Any) -> float | None:
    """A number, or None where it is missing."""
    return None if value is None or pd.isna(value) else float(value)


def _draw_systems(of: Drawing) -> go.Figure:
    return systems_forest(
        of.table("systems"), of.table_if_made("mixed_systems"), of.contrast, of.recipe
    )


def _draw_contrasts(of: Drawing) -> go.Figure:
    return contrast_forest(of.table("contrasts"), of.table_if_made("mixed_contrasts"), of.recipe)


SYSTEMS_FOREST = FigureSpec(
    "systems_forest", "Means of the systems, with intervals", "Systems", "systems",
    draw=_draw_systems,
)  # fmt: skip
CONTRASTS_FOREST = FigureSpec(
    "contrasts_forest", "{a} against {b}, with intervals", "Contrasts", "contrasts",
    draw=_draw_contrasts,
)  # fmt: skip
