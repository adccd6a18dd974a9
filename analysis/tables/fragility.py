"""How few raters or scenarios carry the main result: left out, they turn its significance or sign.

Those with the largest influence on the difference go first, one after another, and the influence is
computed again after each. The test is that of `stats.crossed_mean`: of the mean of a − b by rater
and text, for other raters and other texts at once. It is what a linear mixed model of these
differences says, without fitting one again and again. T. Broderick, R. Giordano & R. Meager (2020),
An automatic finite-sample robustness metric: when can dropping a little data make a big
difference?, arXiv:2011.14999.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.number_text import NARROW, p_said
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.crossed_mean import CrossedMean, Numbers, crossed_mean
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import DECIMALS, Vector
from analysis.study_data import Contrast
from analysis.tables.fits import Fits
from analysis.tables.group_tests import ALL
from analysis.tables.mixed_models import system_contrasts
from analysis.tables.pages import scenarios, sides
from analysis.tables.request import AnalysisSpec, Request, Tables

#: What is turned.
Conclusion = Literal["significance", "sign"]
CONCLUSIONS: tuple[Conclusion, ...] = ("significance", "sign")
#: What is left out, by what counts as one.
UNITS = {"participant": "raters", "scenario": "scenarios"}
#: At most so many are left out, and never more than half of all.
MOST = 200

FRAGILITY = TableSpec(
    "fragility",
    "How few raters or scenarios carry {a} against {b}",
    (
        c.RECIPE,
        c.UNIT.but(meaning="What is left out: the participant or the scenario", part=False),
        c.RATERS, c.MODEL, c.DIMENSION,
        Column("turned", "What turns: the significance of the difference at the recipe's level, or "
            "its sign", is_key=True),
        c.N,
        Column("left_out", "Number that have to be left out, the most influential first; empty if "
            "leaving out half of them (at most 200) does not change it, or if the note says why "
            "that is not known", kind="count"),
        Column("left_out_share", "The same as a share of n, from 0 to 1"),
        c.DIFFERENCE.but(meaning="Mean of condition a minus b by rater and text, with all"),
        c.P.but(meaning="p value of that difference for other raters and other texts, with all"),
        Column("difference_after", "The difference without them", signed=True),
        Column("p_after", "p value without them", form="p"),
        Column("names", "Who or what is left out, in this order", kind="text").csv_only(),
        c.NOTE,
    ),
    question="How few raters or scenarios carry the main result?",
    observations="raters; scenarios",
    says="Raters (or scenarios) are left out one after another, always the one with the largest "
        "influence on the difference, until its significance or its sign turns. The test is of {a} "
        "minus {b} by rater and text, for other raters and texts at once, as by a linear mixed "
        "model of these differences. Where that test and the main result disagree about "
        "significance, or too little is left for the test, no number is given for it; the note "
        "says why.",
    section="Sensitivity",
    subject="order",
    counts="n counts the unit.",
)  # fmt: skip


@dataclass(frozen=True)
class InfluenceCells:
    """Differences a − b, each of a rater on a text pair (a model in a scenario, and in a set where
    sets show different ones); numbers from 0 into the names.
    """

    d: Vector
    raters: Numbers
    texts: Numbers
    models: Numbers
    scenarios: Numbers
    rater_names: list[str]
    scenario_names: list[str]

    def units(self, unit: str) -> tuple[Numbers, list[str]]:
        """The number of the unit of each difference, and the units' names."""
        if unit == "participant":
            return self.raters, self.rater_names
        return self.scenarios, self.scenario_names

    def test(self, kept: "np.ndarray[Any, np.dtype[np.bool_]]") -> CrossedMean | Inestimable:
        return crossed_mean(self.d[kept], self.raters[kept], self.texts[kept], self.models[kept])


@dataclass(frozen=True)
class Turned:
    """Which units, in this order, turn a conclusion; the mean without them, and its p where there
    is a test of it.
    """

    units: list[int]
    mean: float
    p: float | None


def turned(
    cells: InfluenceCells, unit: str, conclusion: Conclusion, before: CrossedMean, *, level: float
) -> Turned | Inestimable | None:
    """The units that turn a conclusion when they are left out one after another, the most
    influential first; None where half of them, or MOST, do not, and Inestimable where significance
    can't be tested before. Each step takes the unit without which the mean is nearest to turning:
    towards the other sign, or, if the difference is not significant and should become it, away
    from 0.
    """
    numbers, names = cells.units(unit)
    significant = before.p < level
    away = conclusion == "significance" and not significant
    direction = np.sign(before.mean) * (1 if away else -1)
    kept = np.ones(len(cells.d), dtype=bool)
    gone: list[int] = []
    for _ in range(min(len(names) // 2, MOST)):
        sums = np.bincount(numbers[kept], cells.d[kept], len(names))
        counts = np.bincount(numbers[kept], minlength=len(names))
        rest = kept.sum() - counts
        usable = (counts > 0) & (rest > 0)
        means = (cells.d[kept].sum() - sums) / np.where(usable, rest, 1)
        gone.append(int(np.argmax(np.where(usable, direction * means, -np.inf))))
        kept &= numbers != gone[-1]
        mean = float(cells.d[kept].mean())
        if conclusion == "sign" and round(mean, DECIMALS) * np.sign(before.mean) >= 0:
            continue
        after = cells.test(kept)
        if conclusion == "sign":
            return Turned(gone, mean, None if isinstance(after, Inestimable) else after.p)
        if isinstance(after, Inestimable):
            return after
        if (after.p < level) != significant:
            return Turned(gone, mean, after.p)
    return None


def fragility(
    ratings: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    *,
    raters: str,
    known: DataFrame,
    fits: Fits | None = None,
) -> DataFrame:
    """For each dimension: how many raters, and how many scenarios, turn significance and sign of
    a − b over all models (or of the only one).

    `ratings` and `known` are as for `contrasts`. Where the recipe's mixed model, from `fits`, is on
    the other side of the level than the test here, its significance has no such number, and the
    `note` says so. Raises NotAvailable.
    """
    level = round(1 - recipe.confidence, 12)
    a, b = contrast.conditions
    if not ratings["condition"].isin([a, b]).any():
        raise NotAvailable("no rating is of either compared condition")
    planned = scenarios(known, contrast)
    if planned.empty:
        raise NotAvailable("no model is in both compared conditions")
    pages = sides(ratings, contrast, known).dropna()
    rows: list[dict[str, Any]] = []
    for dimension, of in planned.groupby("dimension", observed=True):
        models = [str(model) for model in of["model"]]
        front = {
            "recipe": recipe.name, "raters": raters, "dimension": str(dimension),
            "model": ALL if len(models) > 1 else models[0],
        }  # fmt: skip
        here = pages[pages.index.isin([dimension], level="dimension")]
        cells = cells_of(here[here.index.isin(models, level="model")])
        ours = ratings[ratings["dimension"] == dimension]
        led = _main_p(ours, contrast, recipe, fits) if fits and len(ours) else None
        rows += [front | row for row in _rows(cells, led, level)]
    table = DataFrame(rows).reindex(columns=FRAGILITY.names)
    return table.astype({"n": "Int64", "left_out": "Int64"})


def cells_of(pages: DataFrame) -> InfluenceCells:
    """Pages with both means, `a` and `b`, as `pages.sides` gives them, of one dimension."""
    names = pages.index.to_frame(index=False).astype("str")
    texts, models = (
        names.groupby(by, sort=False).ngroup().to_numpy().astype(np.int64)
        for by in (["model", "scenario", "set"], ["model"])
    )
    (raters, rater_names), (of, scenario_names) = (
        _numbered(names[column].to_numpy(dtype=object)) for column in ("participant", "scenario")
    )
    d = (pages["a"] - pages["b"]).to_numpy(dtype=float)
    return InfluenceCells(d, raters, texts, models, of, rater_names, scenario_names)


def _numbered(names: Any) -> tuple[Numbers, list[str]]:
    known = list(dict.fromkeys(names))
    place = {name: at for at, name in enumerate(known)}
    return np.array([place[name] for name in names], dtype=np.int64), known


def _main_p(ratings: DataFrame, contrast: Contrast, recipe: Recipe, fits: Fits) -> float | None:
    """p of the recipe's first mixed model over all models, on the scale of the ratings."""
    if recipe.mixed_models is None:
        return None
    dimension = str(ratings["dimension"].iloc[0])
    fit = fits.of(ratings, fits.links(dimension, recipe.mixed_models.fitted)[0])
    if isinstance(fit, Inestimable):
        return None
    of_ratings = [r for r in system_contrasts(fit, contrast, recipe) if r["scale"] == "ratings"]
    return float(of_ratings[-1]["p"]) if of_ratings else None  # all models come last


def _rows(cells: InfluenceCells, led: float | None, level: float) -> Iterator[dict[str, Any]]:
    nothing = Inestimable("no_values", "no rater rated both conditions side by side")
    before = cells.test(np.ones(len(cells.d), dtype=bool)) if len(cells.d) else nothing
    for unit, plural in UNITS.items():
        _, names = cells.units(unit)
        for conclusion in CONCLUSIONS:
            row: dict[str, Any] = {"unit": unit, "turned": conclusion, "n": len(names)}
            if isinstance(before, Inestimable):
                yield row | {"note": str(before)}
                continue
            if len(names) == 1:
                yield row | {"note": f"not estimable, because there is one {plural[:-1]}"}
                continue
            row |= {"difference": before.mean, "p": before.p, "note": ""}
            disagrees = led is not None and (led < level) != (before.p < level)
            if conclusion == "significance" and disagrees:
                ours, other = (p_said(p).replace(NARROW, " ") for p in (before.p, led or 0.0))
                because = f"this test ({ours}) and the mixed model ({other}) disagree about it"
                yield row | {"note": f"not estimable, because {because}"}
                continue
            found = turned(cells, unit, conclusion, before, level=level)
            if isinstance(found, Inestimable):
                before_half = f"not estimable before half of the {plural} are left out"
                row["note"] = f"{before_half}: {found.because}"
            elif found is not None:
                row |= {
                    "left_out": len(found.units),
                    "left_out_share": len(found.units) / len(names),
                    "difference_after": found.mean,
                    "p_after": found.p,
                    "names": ", ".join(names[at] for at in found.units),
                }
            yield row


def _make(request: Request) -> Tables:
    study = request.study
    table = fragility(
        request.answers.ratings,
        study.contrast,
        request.recipe,
        raters=request.raters,
        known=study.known,
        fits=study.fits,
    )
    return {"fragility": table}


ANALYSIS = AnalysisSpec((FRAGILITY,), _make, for_later=True)
