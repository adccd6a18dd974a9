"""Do two groups of raters rate differently? Tests by model, condition and scenario.

The unit is the rating, as the first published study has it (Pursuit of Empathy, section 6.5), or
the participant: the mean of a rater's ratings, of which there is one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from pandas import DataFrame, Series, factorize

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.recipe import Grouping, GroupTest, Recipe
from analysis.stats.comparisons import MannWhitney, TwoSampleT, mann_whitneys, t_tests
from analysis.stats.effect_sizes import StandardizedDifference, cohens_ds, unbiased
from analysis.stats.equivalence import ALPHA, Equivalence, equivalences
from analysis.stats.inestimable import Inestimable
from analysis.stats.mean_difference import Names, Sample, sample
from analysis.stats.multiplicity import of_family
from analysis.tables.groups import sides, unknown
from analysis.tables.request import EVERY_UNIT, AnalysisSpec, Request, Tables
from analysis.ungrouped import in_no_group

ALL = "all"
#: Below it, a row of thousands is shown for its adjusted p alone.
CLEAR = 0.05


def _is_pooled(row: Mapping[str, Any]) -> bool:
    """One t test of a model and factor over everything: Welch's of raters, Student's of ratings."""
    test = "welch" if row["unit"] == "participant" else "student"
    return (row["condition"], row["scenario"], row["test"]) == (ALL, ALL, test)


def _is_pooled_or_clear(row: Mapping[str, Any]) -> bool:
    return _is_pooled(row) or (row["p_adjusted"] is not None and row["p_adjusted"] < CLEAR)


GROUP_TESTS = TableSpec(
    "group_tests",
    "Two groups of raters",
    (
        *c.FRONT, c.FACTOR, c.GROUP_A, c.GROUP_B, c.MODEL, c.CONDITION, c.SCENARIO, c.DIMENSION,
        c.N_A, c.N_B, c.MEAN_A, c.MEAN_B,
        Column("sd_a", "Standard deviation of a (n − 1)", behind="mean_a",
            label="SD of {a}").csv_only(),
        Column("sd_b", "Standard deviation of b (n − 1)", behind="mean_b",
            label="SD of {b}").csv_only(),
        c.TEST, c.T, c.DF, c.P, c.p_holm("the recipe's family"),
        Column("cohen_d", "Cohen's d", label="Cohen's d"),
        c.DIFFERENCE.but(latex=False), *c.interval("difference", latex=False),
        *c.interval("cohen_d", "d_ci", page=False),
        Column("hedges_g", "Hedges' g", label="Hedges' g").csv_only(),
        Column("u", "Mann–Whitney U of group a", page=False, report=False),
        c.RANK_BISERIAL.but(page=False, report=False, meaning="Rank-biserial correlation, from −1 "
            "to 1; 1 if every value of group a is above every value of group b"),
        c.METHOD.but(page=False), c.P_BH.csv_only(),
        c.MARGIN.csv_only(), c.P_EQUIVALENT.csv_only(), c.P_EQUIVALENT_ADJUSTED,
        c.EQUIVALENT.but(meaning="Whether the groups are shown to differ by less than the recipe's "
            "margin (TOST at 5 %, by the adjusted p)"),
        c.NOTE,
    ),
    question="Do two groups of raters rate differently?",
    observations="ratings in `paper`, raters in `sound`",
    says="Differences are group a minus group b of the row. With ratings as units, the many "
        "ratings of one rater count like ratings of many people.",
    section="Groups of raters",
    subject="groups",
    counts="n counts the unit.",
    keep=_is_pooled_or_clear,
    kept="one t test over all conditions and scenarios (Welch's for raters, Student's for "
        "ratings), and all tests with an adjusted p below .05",
    first=_is_pooled,
    sides="group",
    apart=("factor", "test"),
)  # fmt: skip
#: What tells one row from all others. Rows that differ in `adjust_over` alone are one family.
KEYS = [
    "recipe", "unit", "raters", "factor", "model", "condition", "scenario", "dimension", "test",
]  # fmt: skip
Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
Truths = npt.NDArray[np.bool_]
#: The number of what they are of, participants by number, and their values.
Units = tuple[int, Numbers, Values]
#: The values of both groups in one cell, or why one of them has none.
Sides = tuple[Sample | Inestimable, Sample | Inestimable]


@dataclass(frozen=True)
class ModelRatings:
    """The observations of one model, or rather of part of its ratings."""

    model: str
    condition: str
    scenario: str
    dimension: str
    participants: Numbers
    values: Values


@dataclass(frozen=True)
class Factor:
    """A grouping, and which of the participants, by their number, are in either group; `unknown`
    are answers of others that no group knows, with their numbers, in words.
    """

    grouping: Grouping
    in_a: Truths
    in_b: Truths
    unknown: str


def group_tests(ratings: DataFrame, people: DataFrame, recipe: Recipe, *, raters: str) -> DataFrame:
    """One row per factor, model, condition, scenario, dimension and test; see design §5.

    `ratings` has `participant`, `rating` and the columns of an item; `people` a row for each of
    these participants, with the columns that the recipe's groupings name. A factor with nobody in
    either group is left out (`why_nobody`). `n`, means and standard deviations count units;
    `raters` says whose ratings they are. Where the recipe sets a margin (points of the scale),
    `p_equivalent` is that of TOST by the row's own t-test, `p_equivalent_adjusted` Holm's over the
    family of `p_adjusted`, and `equivalent` says whether it is below 5 %: the groups then differ by
    less than the margin; Mann and Whitney's test has no such thing. Its p is exact for up to 50
    units, ties or not, and by the normal approximation for more, as `method` says. What cannot be
    estimated is empty, and `note` says why. Raises NotAvailable.
    """
    if ratings.empty:
        raise NotAvailable("there are no ratings")
    if not recipe.groups:
        raise NotAvailable("the recipe compares no groups of raters")
    number, participants = factorize(ratings["participant"], sort=True)
    who = people.set_index("participant").reindex(participants)
    factors = {
        name: _factor(grouping, who)
        for name, grouping in recipe.groups.items()
        if not why_nobody(people, grouping)
    }
    if not factors:
        raise NotAvailable(_why_no_factor(people, recipe.groups.values()))
    numbered = ratings.assign(participant=number)
    cells = list(_cells(numbered, recipe))
    rows = [
        {"recipe": recipe.name, "unit": recipe.unit, "raters": raters, "factor": name, **row}
        for name, factor in factors.items()
        for row in _rows_of(cells, factor, recipe)
    ]
    table = DataFrame(rows, columns=GROUP_TESTS.names)
    family = [key for key in KEYS if key not in recipe.adjust_over]
    near = adjusted(table.assign(p=table["p_equivalent"]), family)["p_adjusted"]
    numbers = dict.fromkeys(["margin", "p_equivalent"], float)
    table = table.assign(p_equivalent_adjusted=near, equivalent=shown(near)).astype(numbers)
    return adjusted(table, family)


def called(recipe: Recipe) -> str:
    """What reasons call one observation of a recipe."""
    return "rating" if recipe.unit == "rating" else "rater"


def answered(people: DataFrame, column: str) -> bool:
    """Whether anybody answered that question."""
    return column in people and bool(people[column].notna().any())


def why_unanswered(people: DataFrame, columns: Iterable[str]) -> str:
    """Why nobody has an answer in any of these columns: what a study does not ask for has none."""
    names = list(dict.fromkeys(columns))
    asked = [name for name in names if name in people]
    either = " or ".join(asked or names)
    return f"nobody answered {either}" if asked else f"the study asks for no {either}"


def why_nobody(people: DataFrame, grouping: Grouping) -> str:
    """Why both groups are empty; nothing if one is not."""
    if not answered(people, grouping.column):
        return why_unanswered(people, [grouping.column])
    if (sides(grouping, people[grouping.column]) != "").any():
        return ""
    nobody = f"nobody is in the groups {grouping.a.label} and {grouping.b.label}"
    return "; ".join(filter(None, (nobody, _unknown(grouping, people))))


def _why_no_factor(people: DataFrame, groups: Collection[Grouping]) -> str:
    unanswered = [group.column for group in groups if not answered(people, group.column)]
    reasons = [why_unanswered(people, unanswered)] if unanswered else []
    reasons += [why_nobody(people, group) for group in groups if group.column not in unanswered]
    return "; ".join(reasons)


def _unknown(grouping: Grouping, people: DataFrame) -> str:
    """Which answers no group knows, where there are such."""
    counts = unknown(grouping, people[grouping.column])
    return "".join(in_no_group({answer: str(n) for answer, n in counts.items()}))


def _factor(grouping: Grouping, people: DataFrame) -> Factor:
    side = sides(grouping, people[grouping.column])
    in_a, in_b = ((side == name).to_numpy() for name in "ab")
    return Factor(grouping, in_a, in_b, _unknown(grouping, people))


def _cells(ratings: DataFrame, recipe: Recipe) -> Iterator[ModelRatings]:
    """What is tested: everything, each condition, each scenario, and both at once if asked for."""
    everywhere = {ALL: np.ones(len(ratings), dtype=bool)}
    conditions = everywhere | (_each(ratings["condition"]) if recipe.each_condition else {})
    scenarios = everywhere | (_each(ratings["scenario"]) if recipe.each_scenario else {})
    by = ratings.groupby(["model", "dimension"], observed=True)
    pairs = [(str(model), str(dimension)) for model, dimension in by.size().index]
    pair = np.asarray(by.ngroup(), dtype=np.int64)
    who, rating = ratings["participant"].to_numpy(np.int64), ratings["rating"].to_numpy()
    units = _ratings if recipe.unit == "rating" else _means
    for (condition, in_condition), (scenario, in_scenario) in product(
        conditions.items(), scenarios.items()
    ):
        if ALL not in (condition, scenario) and not recipe.conditions_in_scenarios:
            continue
        here = in_condition & in_scenario
        if not here.any():
            continue
        for number, participants, values in units(pair[here], who[here], rating[here]):
            model, dimension = pairs[number]
            yield ModelRatings(model, condition, scenario, dimension, participants, values)


def _each(column: "Series[str]") -> dict[str, Truths]:
    """Where each value of a categorical column stands, in their order; nothing of an only value,
    which stands everywhere.
    """
    values = column.cat.remove_unused_categories()
    codes, names = values.cat.codes.to_numpy(), values.cat.categories
    return {str(name): codes == code for code, name in enumerate(names)} if len(names) > 1 else {}


def _ratings(pair: Numbers, who: Numbers, ratings: Numbers | Values) -> Iterator[Units]:
    """The ratings of each pair, in their order."""
    order = np.argsort(pair, kind="stable")
    pairs, starts = np.unique(pair[order], return_index=True)
    for number, rows in zip(pairs, np.split(order, starts[1:]), strict=True):
        yield int(number), who[rows], ratings[rows].astype(float)


def _means(pair: Numbers, who: Numbers, ratings: Numbers | Values) -> Iterator[Units]:
    """Each participant's mean rating of each pair."""
    n_people = int(who.max()) + 1
    unit = pair * n_people + who
    n, total = np.bincount(unit), np.bincount(unit, ratings)
    rated = np.flatnonzero(n)
    yield from _ratings(rated // n_people, rated % n_people, total[rated] / n[rated])


def _rows_of(
    cells: Sequence[ModelRatings], factor: Factor, recipe: Recipe
) -> Iterator[dict[str, Any]]:
    """The rows of one factor, whose cells are tested together."""
    names = Names(factor.grouping.a.label, factor.grouping.b.label, called(recipe))
    sides: list[Sides] = [
        (sample(cell.values[in_a]), sample(cell.values[in_b]))
        for cell in cells
        for in_a, in_b in [(factor.in_a[cell.participants], factor.in_b[cell.participants])]
    ]
    effects = cohens_ds(
        t_tests(sides, equal_variances=True, names=names), confidence=recipe.confidence
    )
    columns = {test: _tested(test, sides, names, recipe) for test in recipe.group_tests}
    for place, (cell, (a, b)) in enumerate(zip(cells, sides, strict=True)):
        effect, without_effect = _effect(effects[place])
        for test, tested in columns.items():
            note = tested[place]["note"] or without_effect
            if note and not (factor.in_a.any() and factor.in_b.any()):
                note = "; ".join(filter(None, (note, factor.unknown)))
            yield {
                "group_a": names.a,
                "group_b": names.b,
                "model": cell.model,
                "condition": cell.condition,
                "scenario": cell.scenario,
                "dimension": cell.dimension,
                **_described(a, "a"),
                **_described(b, "b"),
                **effect,
                "test": test,
                **tested[place],
                "note": note,
            }


def _described(described: Sample | Inestimable, side: str) -> dict[str, Any]:
    if isinstance(described, Inestimable):
        return {f"n_{side}": 0, f"mean_{side}": None, f"sd_{side}": None}
    sd = described.sd if described.n > 1 else None
    return {f"n_{side}": described.n, f"mean_{side}": described.mean, f"sd_{side}": sd}


def _effect(d: StandardizedDifference | Inestimable) -> tuple[dict[str, Any], str]:
    """Cohen's d and Hedges' g, and why any of them is not there."""
    if isinstance(d, Inestimable):
        return {}, f"Cohen's d is {d}"
    low, high = d.interval
    effect = {"cohen_d": d.estimate, "d_ci_low": low, "d_ci_high": high}
    g = unbiased(d)
    if isinstance(g, Inestimable):
        return effect, f"Hedges' g is {g}"
    return {**effect, "hedges_g": g.estimate}, ""


def _tested(
    test: GroupTest, sides: Sequence[Sides], names: Names, recipe: Recipe
) -> list[dict[str, Any]]:
    """The columns of one test, of all cells of a factor at once."""
    if test == "mann_whitney":
        return [_of_ranks(ranks) for ranks in mann_whitneys(sides, names=names)]
    equal = test == "student"
    tests = t_tests(sides, equal_variances=equal, confidence=recipe.confidence, names=names)
    margin = recipe.margins.in_points("groups")
    near: Sequence[Equivalence | Inestimable | None] = [None] * len(tests)
    if margin is not None:
        near = equivalences(tests, margin, equal_variances=equal)
    return [_of_t(*each) for each in zip(tests, near, strict=True)]


def _of_t(test: TwoSampleT | Inestimable, near: Equivalence | Inestimable | None) -> dict[str, Any]:
    """`near` says whether the groups differ by less than the recipe's margin, if it has one."""
    if isinstance(test, Inestimable):
        return {"note": str(test)}
    low, high = test.interval
    row: dict[str, Any] = {"t": test.t, "df": test.df, "p": test.p, "note": ""}
    row |= {"difference": test.difference, "ci_low": low, "ci_high": high}
    if isinstance(near, Equivalence):
        row |= {"margin": near.margin, "p_equivalent": near.p}
    return row


def _of_ranks(test: MannWhitney | Inestimable) -> dict[str, Any]:
    if isinstance(test, Inestimable):
        return {"note": str(test)}
    effect = {"u": test.u, "rank_biserial": test.effect}
    return {**effect, "p": test.p, "method": test.method, "note": ""}


def shown(p: "Series[float]") -> "Series[bool]":
    """Whether a one-sided test shows what it is about; empty where there is no p."""
    return (p < ALPHA).astype("boolean").where(p.notna())


def adjusted(table: DataFrame, family: list[str]) -> DataFrame:
    """The table with `p_adjusted` (Holm) and `p_bh` (Benjamini–Hochberg).

    Rows that agree in all columns of `family` are one family; tests without a p are no members.
    """
    p = table["p"].to_numpy(float)
    by_holm, by_bh = np.full(len(p), np.nan), np.full(len(p), np.nan)
    for tests in table.groupby(family, sort=False).indices.values():
        by_holm[tests] = of_family(p[tests], "holm")
        by_bh[tests] = of_family(p[tests], "benjamini-hochberg")
    return table.assign(p=p, p_adjusted=by_holm, p_bh=by_bh)


def _make(request: Request) -> Tables:
    answers = request.answers
    table = group_tests(answers.ratings, answers.people, request.recipe, raters=request.raters)
    return {"group_tests": table}


ANALYSIS = AnalysisSpec((GROUP_TESTS,), _make, of_units=EVERY_UNIT)
