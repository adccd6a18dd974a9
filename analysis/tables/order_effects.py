"""Does it matter when and after what a response was rated? And does any conclusion hang on it?

A linear mixed model with the random effects of `tables.mixed_models` has three numbers beside the
systems: the position of the response in its block, the position of the block in the survey, and the
rating that the same rater gave just before on this dimension.

A rater's first rating has none before it. It stays in the model with the mean of all others'
previous ratings: left out, it would take along what it says about the rater, and the model would
find that ratings follow each other where it is raters who differ. (Less the rater's own mean, as
is also done, previous ratings would seem to repel each other.) Simulated without any carry-over, 5
to 7 % of tests find one at 5 % with 30 ratings per rater; with 10 or fewer, t varies by about a
fifth more than its distribution says.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed import Crossed, MixedFit, crossed, fit_linear, slope
from analysis.stats.mixed.checks import dependent
from analysis.study_data import ITEM, Contrast
from analysis.tables.conclusions import NOTHING, TestedDifference, moved
from analysis.tables.fits import RANDOM, Fits, frame_of
from analysis.tables.group_tests import ALL, adjusted
from analysis.tables.mixed_models import said_of, system_contrasts
from analysis.tables.request import AnalysisSpec, Request, Tables

#: A rating is the unit.
KEYS = ["recipe", "unit", "raters", "dimension"]
COVARIATES = ["response_position", "block_position", "previous_rating"]
ORDER_EFFECTS = TableSpec(
    "order_effects",
    "Effects of order",
    (
        *c.FRONT, c.DIMENSION,
        Column("covariate", "Position of the response, position of the block, or previous rating",
            choice=True, is_key=True, labels="covariates"),
        c.ESTIMATE, c.SE, c.DF.csv_only(), c.T, c.P, c.p_holm("covariates"),
        *c.interval("estimate"), c.N_RATINGS, c.N_RATERS, c.P_BH.csv_only(), c.NOTE,
    ),
    question="Does the order affect ratings?",
    observations="ratings in raters × items",
    says="Change of a rating per place on the page, per block, and per point of the previous "
        "rating.",
    section="Order",
    subject="order",
    counts="n ratings counts the unit.",
)  # fmt: skip
ORDER_CONCLUSIONS = TableSpec(
    "order_conclusions",
    "Does a conclusion depend on the order?",
    (
        *c.FRONT, c.DIMENSION, c.MODEL, c.CONDITION_A, c.CONDITION_B, c.DIFFERENCE,
        *c.interval("difference"), c.P,
        Column("difference_with", "Difference adjusted for order",
            label="{a} minus {b}, adjusted for order", signed=True),
        *c.interval("difference_with", "ci", "_with", note="adjusted for order"),
        Column("p_with", "p value adjusted for order", form="p"),
        c.MOVES, c.WHAT_MOVES.but(meaning="Which of the two changes"), c.N_RATINGS, c.N_RATERS,
        c.NOTE,
    ),
    question="Does a conclusion depend on the order?",
    observations="ratings in raters × items",
    says="{a} minus {b}, from models without and with position, block and previous rating.",
    section="Order",
    subject="order",
    counts="n ratings counts the unit.",
)  # fmt: skip


@dataclass(frozen=True)
class OrderTables:
    """`effects` is order_effects.csv, `conclusions` order_conclusions.csv."""

    effects: DataFrame
    conclusions: DataFrame


def order_effects(
    ratings: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    *,
    raters: str,
    fits: Fits | None = None,
) -> OrderTables:
    """What the order did per dimension, and a − b with and without it, from the same ratings.

    `ratings` has `participant`, `rating`, the columns of an item, `block_position` and
    `response_position` (from 1; ratings that lack one are left out, and counted in `note`).

    `effects`: by how many points a rating is higher for one step of the covariate; p values are
    adjusted over the covariates. That previous ratings have an effect may also be that raters
    agree or disagree with a whole block. `conclusions`: per model and over all, `moves` where the
    difference has another sign, or p falls on the other side of 1 − the recipe's confidence.
    Raises NotAvailable.
    """
    if recipe.mixed_models is None:
        raise NotAvailable("the recipe asks for no mixed models")
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    known = ratings[ratings["block_position"].notna() & ratings["response_position"].notna()]
    if known.empty:
        raise NotAvailable("the order in which responses were shown is not known of any rating")
    effects: list[dict[str, Any]] = []
    conclusions: list[dict[str, Any]] = []
    for dimension, of_dimension in known.groupby("dimension", observed=True):
        of_all = int((ratings["dimension"] == dimension).sum())
        unknown = of_all - len(of_dimension)
        left_out = f"{unknown} of {of_all} ratings are left out, because their order is not known"
        front = dict(zip(KEYS, (recipe.name, "rating", raters, str(dimension)), strict=True))
        of_order = _order_fits(of_dimension, left_out if unknown else "", None if unknown else fits)
        effects += [{**front, **row} for row in _effects(of_order, recipe.confidence)]
        conclusions += [{**front, **row} for row in _conclusions(of_order, contrast, recipe)]
    table = adjusted(DataFrame(effects).reindex(columns=ORDER_EFFECTS.names), KEYS)
    return OrderTables(table, DataFrame(conclusions, columns=ORDER_CONCLUSIONS.names))


@dataclass(frozen=True)
class OrderFits:
    """One dimension without and with those covariates that can be told from systems and from each
    other; `refused` says why others cannot.
    """

    plain: MixedFit | Inestimable
    ordered: MixedFit | Inestimable
    refused: dict[str, Inestimable]
    n_ratings: int
    n_raters: int
    note: str

    @property
    def counted(self) -> dict[str, int]:
        return {"n_ratings": self.n_ratings, "n_raters": self.n_raters}


def _order_fits(ratings: DataFrame, note: str, known: Fits | None) -> OrderFits:
    """`known` has the study's models without the order; None if some ratings are left out."""
    frame = frame_of(ratings).join(_covariates(ratings))
    refused = _without_values(frame)
    data = _data(frame, refused)
    surplus = [name for name in dependent(data) if name in COVARIATES]
    if surplus:
        because = "the systems, and the covariates before it, determine it"
        refused |= dict.fromkeys(surplus, Inestimable("confounded", because))
        data = _data(frame, refused)
    plain = known.of(ratings, "linear") if known else fit_linear(_data(frame, COVARIATES))
    ordered: MixedFit | Inestimable = Inestimable("no_values", "no covariate is left")
    if len(refused) < len(COVARIATES):
        ordered = fit_linear(data, near=plain if isinstance(plain, MixedFit) else None)
    n_raters = ratings["participant"].nunique()
    return OrderFits(plain, ordered, refused, len(ratings), n_raters, note)


def _covariates(ratings: DataFrame) -> DataFrame:
    """The covariates of each row, in its place."""
    rows = ratings.reset_index(drop=True)
    shown = rows.sort_values(["participant", "block_position", "response_position", *ITEM])
    previous = shown.groupby("participant")["rating"].shift().sort_index()
    return DataFrame(
        {
            "response_position": rows["response_position"].astype(float),
            "block_position": rows["block_position"].astype(float),
            "previous_rating": previous.fillna(previous.mean()),
        }
    )


def _without_values(frame: DataFrame) -> dict[str, Inestimable]:
    """Covariates that say nothing, and why."""
    refused: dict[str, Inestimable] = {}
    for name in COVARIATES:
        if frame[name].isna().all():
            refused[name] = Inestimable("no_values", "nobody gave a second rating")
        elif frame[name].nunique() == 1:
            because = f"it is {frame[name].iloc[0]:g} for all ratings"
            refused[name] = Inestimable("constant", because)
    return refused


def _data(frame: DataFrame, without: Collection[str]) -> Crossed:
    return crossed(
        frame,
        rating="rating",
        fixed=["system", *(name for name in COVARIATES if name not in without)],
        groups=RANDOM,
    )


def _effects(fits: OrderFits, confidence: float) -> Iterator[dict[str, Any]]:
    fit = fits.ordered
    for name in COVARIATES:
        row: dict[str, Any] = {"covariate": name, **fits.counted}
        if (why := fits.refused.get(name)) is not None:
            yield {**row, "note": _joined(str(why), fits.note)}
        elif isinstance(fit, Inestimable):
            yield {**row, "note": _joined(str(fit), fits.note)}
        else:
            effect = slope(fit, name, confidence=confidence)
            ends = {"ci_low": effect.pop("low"), "ci_high": effect.pop("high")}
            yield {**row, **effect, **ends, "note": _joined(said_of(fit), fits.note)}


def _conclusions(fits: OrderFits, contrast: Contrast, recipe: Recipe) -> Iterator[dict[str, Any]]:
    """a − b of each model and over all, as either fit has it."""
    reasons = [str(fit) for fit in (fits.plain, fits.ordered) if isinstance(fit, Inestimable)]
    plain, ordered = (
        {} if isinstance(fit, Inestimable) else {
            row["model"]: row for row in system_contrasts(fit, contrast, recipe)
        }
        for fit in (fits.plain, fits.ordered)
    )  # fmt: skip
    said = [said_of(fit) for fit in (fits.plain, fits.ordered) if isinstance(fit, MixedFit)]
    note = _joined(*dict.fromkeys([*reasons, *said, fits.note]))
    if not plain and not ordered and contrast.condition_a and contrast.condition_b:
        a, b = contrast.conditions
        note = note if reasons else "not estimable, because no model was rated in both conditions"
        row = {"model": ALL, "condition_a": a, "condition_b": b, "what_moves": ""}
        yield {**row, "moves": None, **fits.counted, "note": note}
    for model in plain or ordered:
        before, after = plain.get(model, {}), ordered.get(model, {})
        either = before or after
        numbers = ("difference", "ci_low", "ci_high", "p")
        what = moved(_finding(before), _finding(after), confidence=recipe.confidence)
        yield {
            "model": model,
            **{name: either[name] for name in ("condition_a", "condition_b")},
            **{name: before.get(name, np.nan) for name in numbers},
            **{f"{name}_with": after.get(name, np.nan) for name in numbers},
            "moves": bool(what),
            "what_moves": what,
            **fits.counted,
            "note": note,
        }


def _finding(row: dict[str, Any]) -> TestedDifference:
    return TestedDifference(row["difference"], row["p"]) if row else NOTHING


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def _make(request: Request) -> Tables:
    tables = order_effects(
        request.answers.ratings,
        request.study.contrast,
        request.recipe,
        raters=request.raters,
        fits=request.study.fits,
    )
    return {"order_conclusions": tables.conclusions, "order_effects": tables.effects}


ANALYSIS = AnalysisSpec((ORDER_CONCLUSIONS, ORDER_EFFECTS), _make, for_later=True)
