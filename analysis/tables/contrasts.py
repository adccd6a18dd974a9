"""Is condition a rated differently from condition b, within the raters who saw both?

Everything here compares a with b within raters, and differences are a − b. What a rater rated in
one condition alone is left out, page by page: else who missed a hard page would seem to like the
other condition less. Means of several ratings of a rater, such as those of several scenarios,
count each once. The main result, for other raters and texts at once, is that of `mixed_models.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Recipe
from analysis.stats.inestimable import Inestimable
from analysis.stats.min_f_prime import MinF, min_f_prime
from analysis.stats.paired import PairedT
from analysis.study_data import ITEM, Contrast
from analysis.tables.group_tests import ALL, adjusted
from analysis.tables.pages import scenarios, sides
from analysis.tables.request import AnalysisSpec, Request, Tables
from analysis.tables.signed_ranks import signed_ranks

FRONT = ["recipe", "unit", "raters"]
CONTRASTS = TableSpec(
    "contrasts",
    "{a} against {b}",
    (
        c.RECIPE, c.UNIT.but(latex=False, report=False), c.RATERS, c.MODEL, c.DIMENSION,
        c.CONDITION_A, c.CONDITION_B,
        Column("generalises_to", "What the interval and p generalise to: other raters, other "
            "scenarios or both", choice=True, is_key=True, label="for other"),
        c.N.but(meaning="Number of raters or scenarios, whichever the row generalises to"),
        c.DIFFERENCE, *c.interval("difference"), c.F, c.DF1, c.DF2,
        c.P.but(meaning="p value of F. For raters and for scenarios F is t², and p is that of the "
            "two-sided t test"),
        c.p_holm("models"),
        Column("missing_cells", "Number of raters × scenarios (over all models: × models) without "
            "a page rated in both conditions", kind="count").csv_only(),
        c.P_BH.csv_only(), c.NOTE,
    ),
    question="Which is rated higher: {a} or {b}?",
    observations="raters; scenarios; both",
    says="The difference is {a} minus {b}: for other raters of these texts (raters, F1), for "
        "other scenarios with these raters (scenarios, F2), and for both at once (min F′). The "
        "main result is that of the mixed model; without one, min F′.",
    section="Contrasts",
    subject="wins",
    counts="The unit is what the row generalises to; n counts it.",
    leads=True,
)  # fmt: skip
PAIRED = TableSpec(
    "paired",
    "Signed ranks within raters",
    (
        *c.FRONT, c.MODEL, c.DIMENSION, c.CONDITION_A, c.CONDITION_B, c.N, c.MEAN_A, c.MEAN_B,
        c.WILCOXON, c.P, c.RANK_BISERIAL, c.p_holm("models"), *c.interval("rank_biserial"),
        c.T_PLUS.csv_only(), c.ZEROS.csv_only(), c.LEFT_OUT, c.METHOD, c.P_BH.csv_only(), c.NOTE,
    ),
    question="Do raters give more to {a} than to {b}?",
    observations="raters",
    says="Wilcoxon's signed-rank test of raters' means in both conditions. The rank-biserial "
        "correlation is 1 if every rater gave more to {a}, −1 if every rater gave more to {b}. "
        "The interval is that of the correlation.",
    section="Contrasts",
    subject="wins",
    counts="n counts raters. The same for every recipe.",
)  # fmt: skip
RATER_DIFFERENCES = TableSpec(
    "rater_differences",
    "Every rater's difference of the two conditions",
    (
        c.PARTICIPANT, c.DIMENSION,
        c.DIFFERENCE.but(meaning="The rater's mean of condition a minus b over scenarios; in each "
            "scenario, over the models rated in both conditions"),
    ),
    question="By how much does each rater rate {a} higher than {b}?",
    observations="a rater",
    says="Each row is one rater on one dimension, included or excluded. Differences are {a} minus "
        "{b} over all models. The same for every recipe.",
    section="Contrasts",
    appendix=True,
)  # fmt: skip
#: What counts as one, and to which others it generalises.
UNITS = {"participant": "raters", "scenario": "scenarios", "both": "both"}


def paired(
    ratings: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    *,
    raters: str,
    known: DataFrame | None = None,
) -> DataFrame:
    """Wilcoxon's signed-rank test of raters' means, per model and dimension, and over all models.

    `ratings` has `participant`, `rating` and the columns of an item, `known` every item of the
    study (by default those that were rated): a model that lacks ratings of a condition says so. A
    rater's means are over what they rated in both conditions: `n` raters have some of that, and
    `left_out` others rated either. `wilcoxon` is T, the smaller of both sums of ranks,
    `t_plus` that of the positive differences; `rank_biserial` is 1 where every rater gave more to
    a. p is exact for up to 50 raters, ties or not, and by the normal approximation for more,
    as `method` says. p values are adjusted over the models. Raises NotAvailable.
    """
    rows = []
    for each in compared(ratings, contrast, known):
        row: dict[str, Any] = {"n": 0, "left_out": each.n_raters, "note": each.why_not}
        if not each.why_not:
            means = each.both.groupby("participant", observed=True)[["a", "b"]].mean()
            row = signed_ranks(
                means["a"],
                means["b"],
                confidence=recipe.confidence,
                nobody="no rater rated both conditions side by side",
            )
            row["left_out"] = each.n_raters - row["n"]
            row["note"] = each.noted(row["note"])
        rows.append({**_front(recipe, contrast, raters, each), **row})
    table = adjusted_over_models(DataFrame(rows, columns=PAIRED.names), ["dimension"])
    counts, ends = dict.fromkeys(["zeros", "left_out"], "Int64"), ["ci_low", "ci_high"]
    return table.astype(counts | dict.fromkeys(ends, "float64"))


def contrasts(
    ratings: DataFrame,
    contrast: Contrast,
    recipe: Recipe,
    *,
    raters: str,
    known: DataFrame | None = None,
) -> DataFrame:
    """a − b for other raters (F1), for other scenarios (F2), and for both (min F′).

    Per model and dimension, and over all models; `ratings` and `known` are as for `paired`.
    `generalises_to` says to whom: `raters` of these very texts, `scenarios` judged by these raters,
    or `both`; `n` counts them. A difference is that of ratings of the same rater, model and page;
    `missing_cells` are raters × scenarios (× models) without one. p values are adjusted over the
    models within each. Raises NotAvailable.
    """
    rows = [
        {**_front(recipe, contrast, raters, each), **row}
        for each in compared(ratings, contrast, known)
        for row in _generalised(each, recipe.confidence)
    ]
    table = adjusted_over_models(
        DataFrame(rows, columns=CONTRASTS.names), ["dimension", "generalises_to"]
    )
    return table.astype({"n": "Int64", "df1": "Int64"})


def rater_differences(
    ratings: DataFrame, contrast: Contrast, known: DataFrame | None = None
) -> DataFrame:
    """Each rater's mean of a − b over all models, per dimension: what `contrasts` averages by
    raters, so that the mean of some raters alone needs no ratings.

    `ratings` are everybody's, `known` as for `paired`; a rater who rated nothing in both conditions
    has no row. Raises NotAvailable.
    """
    rows = [
        (str(who), dimension, float(mean))
        for dimension, differences in over_all_models(ratings, contrast, known).items()
        for who, mean in differences.mean(axis=1).dropna().items()
    ]
    if not rows:
        raise NotAvailable("no rater rated both conditions side by side")
    return DataFrame(rows, columns=["participant", "dimension", "difference"])


def over_all_models(
    ratings: DataFrame, contrast: Contrast, known: DataFrame | None = None
) -> dict[str, DataFrame]:
    """a − b of each rater (rows) and scenario (columns) over all models, per dimension: what the
    last rows of `contrasts` rest on. Raises NotAvailable.
    """
    # The last of a dimension is that over all models.
    return {each.dimension: each.differences for each in compared(ratings, contrast, known)}


@dataclass(frozen=True)
class PairedMeans:
    """A model, or `all` of them, on a dimension.

    `both` has the mean ratings `a` and `b` by participant and scenario, of what a rater rated in
    both conditions. `n_raters` rated some of either; `missing` counts rater × scenario × model
    without both. `why_not` says why there is nothing to compare, `without` which models are not
    among all, and why.
    """

    model: str
    dimension: str
    both: DataFrame
    n_raters: int
    missing: int
    why_not: str = ""
    without: str = ""

    @property
    def differences(self) -> DataFrame:
        """a − b, participants × scenarios."""
        table: DataFrame = (self.both["a"] - self.both["b"]).unstack("scenario")
        return table.sort_index()

    def noted(self, note: str) -> str:
        """A note of a row, with what is not among all models."""
        return "; ".join(filter(None, [note, self.without]))


def compared(
    ratings: DataFrame, contrast: Contrast, known: DataFrame | None
) -> Iterator[PairedMeans]:
    """Each model that the study has in both conditions, per dimension; then all of them, where
    there are several.
    """
    pair = contrast.conditions
    if not ratings["condition"].isin(pair).any():
        raise NotAvailable("no rating is of either compared condition")
    items = ratings[ITEM].drop_duplicates() if known is None else known
    pages, planned = sides(ratings, contrast, items), scenarios(items, contrast)
    if planned.empty:
        has = "has ratings" if known is None else "is"
        raise NotAvailable(f"no model {has} in both compared conditions")
    for dimension, of_dimension in planned.groupby("dimension", observed=True):
        models = {str(model): int(n) for _, model, n in of_dimension.itertuples(index=False)}
        here = pages[pages.index.isin([dimension], level="dimension")]
        here = here[here.index.isin(list(models), level="model")]
        yield from _models(str(dimension), here, models, pair)


def _models(
    dimension: str, pages: DataFrame, models: Mapping[str, int], pair: tuple[str, str]
) -> Iterator[PairedMeans]:
    """Those of one dimension, with the number of scenarios in which each can be compared."""
    everybody = len(pages.index.unique("participant"))
    both = pages.dropna().groupby(["model", "participant", "scenario"], observed=True).mean()
    reasons: dict[str, str] = {}
    missing = 0
    for model, n in models.items():
        own = both[both.index.isin([model], level="model")].droplevel("model")
        rated = pages[pages.index.isin([model], level="model")]
        none = [name for name, side in zip(pair, "ab", strict=True) if rated[side].isna().all()]
        if none:
            reasons[model] = f"there are no ratings of {' and '.join(none)}"
        elif own.empty:
            reasons[model] = "no rater rated both conditions side by side"
        lacks = everybody * n - len(own)
        missing += lacks
        why_not = f"not estimable, because {reasons[model]}" if model in reasons else ""
        raters = len(rated.index.unique("participant"))
        yield PairedMeans(model, dimension, own, raters, lacks, why_not)
    if len(models) > 1:
        alike = len(set(reasons.values())) == 1
        all_lack = next(iter(reasons.values())) if alike else "no model has both conditions"
        nothing = all_lack if len(reasons) == len(models) else ""
        yield PairedMeans(
            ALL,
            dimension,
            both.groupby(["participant", "scenario"], observed=True).mean(),
            everybody,
            missing,
            f"not estimable, because {nothing}" if nothing else "",
            "; ".join(f"without {model}: {why}" for model, why in reasons.items()),
        )


def _front(recipe: Recipe, contrast: Contrast, raters: str, of: PairedMeans) -> dict[str, Any]:
    a, b = contrast.conditions
    return {
        "recipe": recipe.name,
        "unit": "participant",
        "raters": raters,
        "model": of.model,
        "dimension": of.dimension,
        "condition_a": a,
        "condition_b": b,
    }


def _generalised(each: PairedMeans, confidence: float) -> Iterator[dict[str, Any]]:
    """For other raters, scenarios and both."""
    rows: list[dict[str, Any]] = [{"note": each.why_not} for _ in UNITS]
    if not each.why_not:
        tests = min_f_prime(each.differences, confidence=confidence, units=("rater", "scenario"))
        rows = [_of_t(tests.by_raters), _of_t(tests.by_items), _of_min_f(tests.min_f)]
    for (unit, to), row in zip(UNITS.items(), rows, strict=True):
        note = row["note"] if each.why_not else each.noted(row["note"])
        front = {"unit": unit, "generalises_to": to, "missing_cells": each.missing}
        yield {**row, **front, "note": note}


def _of_t(test: PairedT | Inestimable) -> dict[str, Any]:
    if isinstance(test, Inestimable):
        return {"note": str(test)}
    low, high = test.interval
    return {
        "n": test.n,
        "difference": test.difference,
        "ci_low": low,
        "ci_high": high,
        "F": test.t**2,
        "df1": 1,
        "df2": test.df,
        "p": test.p,
        "note": "",
    }


def _of_min_f(test: MinF | Inestimable) -> dict[str, Any]:
    if isinstance(test, Inestimable):
        return {"note": str(test)}
    return {"F": test.F, "df1": 1, "df2": test.df2, "p": test.p, "note": ""}


def adjusted_over_models(table: DataFrame, within: list[str]) -> DataFrame:
    """With p adjusted over the single models."""
    single = adjusted(table[table["model"] != ALL], [*FRONT, *within])
    p = {name: single[name].reindex(table.index) for name in ("p_adjusted", "p_bh")}
    columns = list(table)
    return table.assign(p=table["p"].astype(float), **p)[columns]


def _make(table: Callable[..., DataFrame]) -> Callable[[Request], Tables]:
    """What makes a table that is called as its function."""

    def made(request: Request) -> Tables:
        study = request.study
        rows = table(
            request.answers.ratings,
            study.contrast,
            request.recipe,
            raters=request.raters,
            known=study.known,
        )
        return {table.__name__: rows}

    return made


OF_CONTRASTS = AnalysisSpec((CONTRASTS,), _make(contrasts))
OF_PAIRS = AnalysisSpec((PAIRED,), _make(paired), of_recipes=False)
