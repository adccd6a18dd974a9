"""What was planted in simulated raters, and whether the analysis found it: the rehearsal of a plan.

Estimates are held against the expected ratings of careful raters (`analysis.rehearsal`).
"""

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

import pandas as pd
from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.recipe import Recipe
from analysis.rehearsal import Expected, Rehearsal
from analysis.tables.group_tests import ALL
from survey.simulated.content import RatingKey
from survey.simulated.plan import RATE_NOTHING
from survey.simulated.profile import Behaviour

PLANTED = TableSpec(
    "planted",
    "What was planted in simulated raters, and what was found",
    (
        Column("effect", "Kind of effect that the profile plants", is_key=True, labels="effects"),
        Column("of", "The characteristic of raters, or the way in which raters are careless",
            is_key=True, labels="words"),
        c.MODEL.but(choice=False), c.DIMENSION.but(choice=False),
        Column("planted", "What the profile plants: {a} minus {b}, or group a minus b, in points "
            "of the scale for careful raters; the number of careless raters; the number of pairs "
            "of systems that differ", form="mixed"),
        Column("estimate", "What the analysis says of it: the estimated difference; the number of "
            "these raters whom the rules exclude; the number of these pairs in the planted order",
            form="mixed"),
        *c.interval("estimate"), c.P.but(label="p (adjusted)",
            meaning="p of the estimate, adjusted where the analysis adjusts it"),
        Column("found", "found: significant in the planted direction, or all of them; in part: "
            "some of them; missed: none, or not significant; reversed: significant in the other "
            "direction; false alarm: significant or excluded though nothing is planted; nothing "
            "there: rightly not found; not tested: no estimate", kind="text"),
        Column("source", "Table of the estimate", kind="text", labels="words"),
    ),
    question="Which of the planted effects does the analysis find?",
    observations="a planted effect",
    says="Present if simulated raters are included. The main analysis is that of the recipe whose "
        "units are raters. Estimates contain careless raters whom the rules do not exclude.",
    section="Rehearsal",
)  # fmt: skip
FOUND, PART, MISSED, REVERSED = "found", "in part", "missed", "reversed"
ALARM, NOTHING, UNTESTED = "false alarm", "nothing there", "not tested"
#: Raters with these behaviours are no careless raters: one is careful, the others rate nothing.
NOT_CARELESS = (Behaviour.CAREFUL, *RATE_NOTHING)
#: Two planted means closer than this are equal.
EQUAL = 1e-9
#: Of tables of systems, the column that puts them in order, and whether more is better; from the
#: one that says most of it.
ORDERS = {"systems": ("mean", 1), "rankings": ("mean_rank", -1), "choices": ("score", 1)}
Row = dict[str, Any]


def _unknown(value: Any) -> bool:
    return value is None or bool(pd.isna(value))


def planted(
    rehearsal: Rehearsal,
    tables: Mapping[str, DataFrame],
    people: DataFrame,
    contrast: tuple[str | None, str | None],
    recipe: Recipe,
) -> DataFrame:
    """Each planted effect beside what the `tables` of `recipe` say of it.

    `people` has a row per rater with their answers; `contrast` are conditions a and b. Raises
    NotAvailable where nothing is known of the raters.
    """
    expected = Expected(rehearsal)
    rows = [
        *_contrasts(expected, tables, contrast, recipe),
        *_groups(expected, tables, people, recipe),
        *_orders(expected, tables, recipe),
        *_careless(rehearsal, tables["raters"]),
    ]
    table = DataFrame(rows, columns=PLANTED.names)
    return table.astype({"planted": "float64", "estimate": "float64", "p": "float64"})


# ── Differences of the conditions ─────────────────────────────────────────────────────────────────


def _contrasts(
    expected: Expected,
    tables: Mapping[str, DataFrame],
    contrast: tuple[str | None, str | None],
    recipe: Recipe,
) -> Iterator[Row]:
    if None in contrast or not expected.values:
        return
    everybody = expected.patterns(expected.rehearsal.raters)
    for dimension in expected.rehearsal.content.dimensions:
        of = [cell for cell in expected.cells if cell.dimension == dimension]
        differences = {}
        for model in dict.fromkeys(cell.model for cell in of):
            own = [cell for cell in of if cell.model == model]
            sides = [[cell for cell in own if cell.condition == side] for side in contrast]
            if all(sides):
                means = [expected.mean(side, everybody) for side in sides]
                differences[model] = means[0] - means[1]
        if not differences:
            continue
        if len(differences) > 1:
            differences = {ALL: fmean(differences.values())} | differences
        for model, difference in differences.items():
            source, row = _contrast_row(tables, recipe, model, dimension)
            yield _tested("contrast", "", model, dimension, difference, row, source, recipe)


def _contrast_row(
    tables: Mapping[str, DataFrame], recipe: Recipe, model: str, dimension: str
) -> tuple[str, Row]:
    """The main result: of the mixed model, else of raters and scenarios at once."""
    of = {"recipe": recipe.name, "raters": "included", "model": model, "dimension": dimension}
    mixed = _first(tables, "mixed_contrasts", scale="ratings", **of)
    if mixed:
        return "mixed_contrasts", _row_of(mixed, "difference")
    return "contrasts", _row_of(
        _first(tables, "contrasts", generalises_to="both", **of), "difference"
    )


def _row_of(row: Row, estimate: str) -> Row:
    if not row or _unknown(row[estimate]):
        return {}
    p = row["p_adjusted"] if not _unknown(row.get("p_adjusted")) else row["p"]
    ends = {end: row.get(end) for end in ("ci_low", "ci_high")}
    return {"estimate": row[estimate], "p": p, **ends}


def _first(tables: Mapping[str, DataFrame], name: str, **wanted: str) -> Row:
    """The first row of a table with these values; empty without one."""
    if name not in tables:
        return {}
    rows = tables[name]
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    return {} if rows.empty else {str(key): value for key, value in rows.iloc[0].items()}


def _tested(
    effect: str,
    of: str,
    model: str,
    dimension: str,
    difference: float,
    row: Row,
    source: str,
    recipe: Recipe,
) -> Row:
    """A planted difference, and a test of it."""
    there = {"effect": effect, "of": of, "model": model, "dimension": dimension}
    significant = bool(row) and not _unknown(row["p"]) and row["p"] < 1 - recipe.confidence
    is_planted = abs(difference) > EQUAL
    if not row or _unknown(row["p"]):
        found = UNTESTED
    elif not is_planted:
        found = ALARM if significant else NOTHING
    elif not significant:
        found = MISSED
    else:
        found = FOUND if (row["estimate"] > 0) == (difference > 0) else REVERSED
    planted_there = {"planted": difference if is_planted else 0.0}
    return there | planted_there | row | {"found": found, "source": source}


# ── Groups of raters ──────────────────────────────────────────────────────────────────────────────


def _groups(
    expected: Expected, tables: Mapping[str, DataFrame], people: DataFrame, recipe: Recipe
) -> Iterator[Row]:
    """Groups of the recipe whose characteristic the profile shifts."""
    if not expected.values:
        return
    shifted = {group.question for group in expected.groups}
    test = "welch" if "welch" in recipe.group_tests else recipe.group_tests[0]
    for factor, grouping in recipe.groups.items():
        if grouping.column not in shifted or grouping.column not in people:
            continue
        answers = dict(zip(people["participant"], people[grouping.column], strict=True))
        sides = {name: grouping.side(_as_text(answer)) for name, answer in answers.items()}
        patterns = [
            expected.patterns(name for name, side in sides.items() if side == letter)
            for letter in "ab"
        ]
        if not all(patterns):
            continue
        by_system: dict[tuple[str, str], list[RatingKey]] = {}
        for cell in expected.cells:
            by_system.setdefault((cell.model, cell.dimension), []).append(cell)
        for (model, dimension), cells in by_system.items():
            difference = expected.mean(cells, patterns[0]) - expected.mean(cells, patterns[1])
            if abs(difference) > EQUAL:
                where = {"factor": factor, "test": test, "model": model, "dimension": dimension}
                row = _group_row(tables, recipe, where)
                yield _tested(
                    "group", factor, model, dimension, difference, row, "group_tests", recipe
                )


def _group_row(tables: Mapping[str, DataFrame], recipe: Recipe, where: Mapping[str, str]) -> Row:
    """A test of two groups, over all conditions and scenarios; the table's intervals are of d."""
    of = {"recipe": recipe.name, "raters": "included", "condition": ALL, "scenario": ALL}
    row = _first(tables, "group_tests", **of, **where)
    if not row:
        return {}
    difference = row["mean_a"] - row["mean_b"]
    return _row_of(row | {"difference": difference, "ci_low": None, "ci_high": None}, "difference")


def _as_text(answer: object) -> str:
    """An answer as participants.csv writes it."""
    return "" if _unknown(answer) else str(answer)


# ── Order of the systems ──────────────────────────────────────────────────────────────────────────


def _orders(expected: Expected, tables: Mapping[str, DataFrame], recipe: Recipe) -> Iterator[Row]:
    """Of each dimension: how many pairs of systems are in the planted order."""
    everybody = expected.patterns(expected.rehearsal.raters)
    for source, (column, sign) in ORDERS.items():
        if source not in tables:
            continue
        rows = tables[source]
        rows = rows[(rows["recipe"] == recipe.name) & (rows["raters"] == "included")]
        if "unit" in rows and source == "systems":
            rows = rows[rows["unit"] == "participant"]
        if "scenario" in rows:
            rows = rows[rows["scenario"] == ALL]
        for dimension in dict.fromkeys(rows["dimension"]):
            own = rows[(rows["dimension"] == dimension) & rows[column].notna()]
            values = {
                (row["model"], row["condition"]): sign * row[column] for _, row in own.iterrows()
            }
            means = {
                system: expected.mean(cells, everybody)
                for system in values
                if (cells := _cells_of(expected, system, dimension))
            }
            yield from _ordered(dimension, means, values, source)


def _cells_of(expected: Expected, system: tuple[str, str], dimension: str) -> list[RatingKey]:
    """A system's cells; those of all dimensions where ranks or choices have none."""
    return [
        cell
        for cell in expected.cells
        if (cell.model, cell.condition) == system and dimension in ("", cell.dimension)
    ]


def _ordered(
    dimension: str,
    means: Mapping[tuple[str, str], float],
    values: Mapping[tuple[str, str], float],
    source: str,
) -> Iterator[Row]:
    systems = list(means)
    pairs = [
        (one, other)
        for place, one in enumerate(systems)
        for other in systems[place + 1 :]
        if abs(means[one] - means[other]) > EQUAL
    ]
    if not pairs:
        return
    right = sum((means[x] > means[y]) == (values[x] > values[y]) for x, y in pairs)
    yield {
        "effect": "order",
        "of": "",
        "model": "",
        "dimension": dimension,
        "planted": len(pairs),
        "estimate": right,
        "found": _of_all(right, len(pairs)),
        "source": source,
    }


# ── Careless raters ───────────────────────────────────────────────────────────────────────────────


def _careless(rehearsal: Rehearsal, raters: DataFrame) -> Iterator[Row]:
    """How many raters of each behaviour the rules exclude, and how many careful ones."""
    excluded = dict(zip(raters["participant"], raters["exclusion"] != "", strict=True))
    behaviours: dict[Behaviour, list[bool]] = {behaviour: [] for behaviour in Behaviour}
    for name, rater in rehearsal.raters.items():
        if name in excluded:
            behaviours[rater.behaviour].append(bool(excluded[name]))
    for behaviour, out in behaviours.items():
        if out and behaviour not in NOT_CARELESS:
            yield _counted(behaviour, len(out), sum(out), _of_all(sum(out), len(out)))
    careful = behaviours[Behaviour.CAREFUL]
    if careful:
        yield _counted(Behaviour.CAREFUL, 0, sum(careful), ALARM if any(careful) else NOTHING)


def _counted(behaviour: Behaviour, there: int, excluded: int, found: str) -> Row:
    return {
        "effect": "careless",
        "of": str(behaviour),
        "model": "",
        "dimension": "",
        "planted": there,
        "estimate": excluded,
        "found": found,
        "source": "raters",
    }


def _of_all(number: int, everything: int) -> str:
    """What it is called when `number` of them were found."""
    return FOUND if number == everything else PART if number else MISSED
