"""How the tables of an analysis stand in its report: which rows and columns, under which words.

A part of a table is what one recipe, unit and choice of raters says; what is the same in all of its
rows stands in its caption. Every number keeps the cell of the CSV that it comes from. Pure.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.cells import Row, Table
from analysis.number_text import EMPTY, in_table
from survey.csv_text import to_text

ALL = "all"
#: Of one part, at most so many rows are shown.
MOST_ROWS = 120
#: Below it, a row of a table of thousands is shown for its adjusted p alone.
CLEAR = 0.05
#: What tells the parts of a table apart.
PARTS = ["recipe", "unit", "raters", "link", "scale"]


def _is_pooled(row: Row) -> bool:
    """One test of a model and factor: over all conditions and scenarios, by Student's t."""
    return row["condition"] == ALL and row["scenario"] == ALL and row["test"] == "student"


def _is_pooled_or_clear(row: Row) -> bool:
    return _is_pooled(row) or (row["p_adjusted"] is not None and row["p_adjusted"] < CLEAR)


@dataclass(frozen=True)
class Shown:
    """A table's title and what else has to be known to read it.

    `about` says what its rows are made of where no column does. `keep` chooses rows, and `kept`
    says which; those that `first` is true of are a part by themselves. `aside` are columns that are
    left to the CSV. A `folded` table opens on demand.
    """

    title: str
    about: str = ""
    keep: Callable[[Row], bool] | None = None
    kept: str = ""
    first: Callable[[Row], bool] | None = None
    aside: tuple[str, ...] = ()
    folded: bool = False


#: By section of the report, in order.
SECTIONS: dict[str, dict[str, Shown]] = {
    "Participants": {
        "funnel": Shown(
            "Who was filtered out",
            "Counts people; alone is how many a rule would remove by itself. The same for every "
            "recipe.",
        ),
        "demographics": Shown("Who the included raters are", "Counts the included raters."),
        "thresholds": Shown(
            "Where the limits of σ and MAE lie, and where the data bend",
            "Counts raters who entered the filter.",
        ),
        "raters": Shown(
            "Raters who were filtered out",
            "A row is a rater; those who are included stand in the CSV.",
            keep=lambda row: bool(row["exclusion"]),
            kept="the raters whom a rule left out",
            folded=True,
        ),
        "protocol": Shown("How the protocol worked out", "Of everybody who completed the survey."),
    },
    "Wins": {
        "wins_summary": Shown(
            "Wins and reference points by scenario",
            "Counts comparisons of a model in a scenario, by means of the included raters' "
            "ratings. The same for every recipe.",
        ),
        "wins": Shown(
            "Wins by model and scenario",
            "Means of the included raters' ratings; n counts ratings. The same for every recipe.",
            folded=True,
        ),
        "wins_tests": Shown(
            "How sure the numbers of wins are",
            "The sign test counts comparisons as independent; intervals are of raters drawn anew.",
        ),
        "win_differences": Shown(
            "Every comparison with its interval", "Differences are a − b.", folded=True
        ),
    },
    "Systems": {
        "systems": Shown("Means of the systems", "n counts the unit."),
        "to_reference": Shown(
            "Systems beside the reference",
            "Differences are system − reference; n counts the unit. p of non-inferiority is "
            "adjusted over systems.",
            aside=("df", "t_non_inferior", "reference_model", "reference_condition"),
        ),
        "items": Shown(
            "Mean rating of every response",
            "n counts the included raters' ratings. The same for every recipe.",
            aside=("total",),
            folded=True,
        ),
    },
    "Contrasts": {
        "contrasts": Shown(
            "Condition a against condition b",
            "Differences are a − b; n counts what it generalises to.",
        ),
        "paired": Shown(
            "Wilcoxon's signed-rank test within raters",
            "Of the included raters; the interval is that of the rank-biserial correlation. The "
            "same for every recipe.",
        ),
        "paired_all": Shown(
            "The same test of all raters", "The same for every recipe.", folded=True
        ),
    },
    "Groups of raters": {
        "group_tests": Shown(
            "Group against group",
            "Differences are a − b; n counts the unit.",
            keep=_is_pooled_or_clear,
            kept="Student's tests over all conditions and scenarios, and whatever has an "
            "adjusted p below .05",
            first=_is_pooled,
            aside=("sd_a", "sd_b", "hedges_g", "u", "rank_biserial", "p_bh"),
        ),
        "anova": Shown("Several groups at once", "n counts the unit.", aside=("omega_squared",)),
        "games_howell": Shown(
            "Which groups differ (Games–Howell)",
            "Differences are a − b; n counts the unit.",
            folded=True,
        ),
    },
    "Mixed models": {
        "mixed_contrasts": Shown(
            "Condition a against condition b, for raters and items at once",
            "Differences are a − b. The unit is the rating, with effects of raters and of items.",
        ),
        "mixed_systems": Shown(
            "Estimated means of the systems",
            "The unit is the rating, with effects of raters and of items.",
            folded=True,
        ),
        "mixed_shares": Shown(
            "Estimated shares of each point of the scale",
            "The unit is the rating, with effects of raters and of items.",
            folded=True,
        ),
        "mixed_models": Shown("Parameters of the models"),
    },
    "Rankings and choices": {
        "rankings": Shown("Mean ranks", "1 is best; n counts raters."),
        "ranking_tests": Shown("Are the systems ranked alike?", "n counts raters."),
        "ranking_pairs": Shown("Ranks in pairs", "n counts raters.", folded=True),
        "choices": Shown(
            "Chosen as best and as worst",
            "n counts raters, shown their pages.",
            keep=lambda row: row["scenario"] == ALL,
            kept="all scenarios together",
        ),
        "choice_tests": Shown("Are all systems chosen alike?", "n counts raters."),
    },
    "Agreement of raters": {
        "agreement": Shown("Do raters agree?", "Of the included raters."),
        "agreement_all": Shown("Do all raters agree?", folded=True),
        "profiles": Shown("Dimensions beside each other"),
    },
    "Order": {
        "order_effects": Shown(
            "What order does to ratings", "Points of the scale for one step of each."
        ),
        "order_conclusions": Shown(
            "Does a conclusion hang on it?", "a − b without order, and with it in the model."
        ),
    },
    "Judges": {
        "guard_warnings": Shown("What a reader has to know about the gold scores"),
        "judge_consistency": Shown("Do judges agree with themselves?"),
        "judge_agreement": Shown("Do people agree with judges?"),
        "judge_bias": Shown("Judge minus people"),
        "alt_test": Shown("The alternative annotator test"),
        "alt_test_raters": Shown("The alternative annotator test, rater by rater", folded=True),
        "guard_funnel": Shown("The filter three ways"),
        "guard_wins": Shown("Wins three ways"),
        "guard_systems": Shown("Means of the systems three ways", folded=True),
        "guard_raters": Shown("Whom the distance to the gold scores leaves out", folded=True),
        "judge_scores_shares": Shown("How often each score is given", folded=True),
        "judge_models": Shown("Which models answered"),
        "judge_item_spread": Shown("Every response's scores by every judge", folded=True),
    },
    "Sensitivity": {
        "sensitivity": Shown(
            "Main results under other rules of exclusion",
            "Differences are a − b over all models, n counts raters.",
        ),
    },
    "Printed numbers beside ours": {
        "replication": Shown(
            "Printed and obtained", "Ours are those of the table named in each row."
        ),
    },
    "Further tables": {},
}
WORDS = {
    "p_adjusted": "p (Holm)",
    "p_bh": "p (BH)",
    "p_adjusted_scenarios": "p (Holm over scenarios)",
    "cohen_d": "d",
    "hedges_g": "g",
    "ci": "interval",
    "d_ci": "interval of d",
    "w": "W",
    "w_ci": "interval of W",
    "sd": "SD",
    "sd_a": "SD a",
    "sd_b": "SD b",
    "se": "SE",
    "mae": "MAE",
    "sigma": "σ",
    "eta_squared": "η²",
    "omega_squared": "ω²",
    "chi_squared": "χ²",
    "generalises_to": "for other",
}


@dataclass(frozen=True)
class Number:
    """A number in a table with its exact value, and the cell of the CSV that it comes from."""

    text: str
    exact: str
    address: str


@dataclass(frozen=True)
class Cell:
    """What stands in one place: a text, a number, or both ends of an interval."""

    text: str = ""
    numbers: tuple[Number, ...] = ()
    #: `number` where it stands below a heading of numbers.
    kind: str = "text"


@dataclass(frozen=True)
class Heading:
    text: str
    #: The columns of the CSV.
    columns: str
    is_number: bool


@dataclass(frozen=True)
class Part:
    """What one recipe, unit and choice of raters says, as it is shown."""

    caption: str
    headings: list[Heading]
    rows: list[list[Cell]]
    n_rows: int
    is_folded: bool


@dataclass(frozen=True)
class ShownTable:
    name: str
    title: str
    about: str
    parts: list[Part]
    n_rows: int
    n_shown: int
    #: Which rows are shown, where not all are.
    kept: str
    #: Columns that are left to the CSV.
    aside: list[str] = field(default_factory=list)


def section_of(name: str) -> str:
    """Where a table stands; what nobody planned for stands at the end."""
    return next((title for title, tables in SECTIONS.items() if name in tables), "Further tables")


def shown_table(table: Table) -> ShownTable:
    """A table as the report shows it."""
    shown = SECTIONS[section_of(table.name)].get(table.name) or Shown(words(table.name))
    chosen = [row for row in table if shown.keep is None or shown.keep(row)]
    parts = []
    for rows in _parts(chosen, shown.first):
        is_folded = shown.folded or rows[0]["raters"] == ALL
        parts.append(_part(rows, set(shown.aside), is_folded=is_folded))
    return ShownTable(
        table.name,
        shown.title,
        shown.about,
        parts,
        len(table.rows),
        sum(len(part.rows) for part in parts),
        shown.kept,
        [name for name in shown.aside if name in table.columns],
    )


def _parts(rows: Iterable[Row], first: Callable[[Row], bool] | None) -> Iterable[list[Row]]:
    """Rows of one recipe, unit, … together; of these, those that stand by themselves first."""
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        parts.setdefault(tuple(row[name] for name in PARTS), []).append(row)
    for part in parts.values():
        ahead = [first is not None and first(row) for row in part]
        for wanted in (True, False):
            found = [row for row, is_first in zip(part, ahead, strict=True) if is_first == wanted]
            if found:
                yield found


def _part(rows: list[Row], aside: set[str], *, is_folded: bool) -> Part:
    columns = [name for name in rows[0].table.columns if name not in aside]
    held = {name: {row[name] for row in rows} for name in columns}
    fixed = [name for name in columns if _is_caption(name, held[name], len(rows))]
    empty = [name for name in columns if held[name] <= {None, ""}]
    left = [name for name in columns if name not in fixed and name not in empty]
    groups = _intervals(left)
    caption = "; ".join(f"{words(name)} {in_table(name, rows[0][name])}" for name in fixed)
    headings = [_heading(group, held) for group in groups]
    return Part(
        caption,
        headings,
        [
            [
                _cell(row, group, is_number=heading.is_number)
                for group, heading in zip(groups, headings, strict=True)
            ]
            for row in rows[:MOST_ROWS]
        ],
        len(rows),
        is_folded,
    )


def _is_caption(name: str, found: set[Any], n_rows: int) -> bool:
    """Whether a column says the same of all rows, and something: it then stands in the caption."""
    if len(found) != 1 or found <= {None, ""}:
        return False
    return name in PARTS or (n_rows > 1 and all(isinstance(value, str) for value in found))


def _intervals(columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Columns, the two ends of an interval together."""
    groups: list[tuple[str, ...]] = []
    for name in columns:
        high = name.removesuffix("_low") + "_high"
        if name.endswith("_low") and high in columns:
            groups.append((name, high))
        elif not (name.endswith("_high") and name.removesuffix("_high") + "_low" in columns):
            groups.append((name,))
    return groups


def _heading(group: tuple[str, ...], held: dict[str, set[Any]]) -> Heading:
    values = set().union(*(held[name] for name in group)) - {None, ""}
    is_number = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    if len(group) == 1:
        return Heading(words(group[0]), group[0], is_number)
    name = group[0].removesuffix("_low")
    return Heading(
        words(name if name in WORDS else f"{name}_interval"), ", ".join(group), is_number
    )


def _cell(row: Row, group: tuple[str, ...], *, is_number: bool) -> Cell:
    given = [name for name in group if row[name] not in (None, "")]
    if not given:
        return Cell(EMPTY, kind="number" if is_number else "text")
    value = row[group[0]]
    if len(given) == 1 and (isinstance(value, str | bool)):
        return Cell(in_table(group[0], value))
    return Cell(numbers=tuple(_number(row, name) for name in given))


def _number(row: Row, name: str) -> Number:
    value = row[name]
    return Number(in_table(name, value), to_text(value), row.table.cell(row.place, name))


def words(column: str) -> str:
    """A column's name in words."""
    return WORDS.get(column, column.replace("_", " "))
