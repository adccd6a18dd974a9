"""How the tables of an analysis stand in its report: which rows and columns, under which words.

A part of a table is what one recipe, unit and choice of raters says; what is the same in all of its
rows stands in its caption. Every number keeps the cell of the CSV that it comes from. Pure.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.text.cells import Row, Table
from analysis.text.interval_columns import with_intervals
from analysis.catalogue.number_text import EMPTY, count, in_table, noun
from dashboard.report_sections import ALL, shown
from survey.csv_text import to_text

#: Of one part, at most so many rows are shown.
MOST_ROWS = 120
#: A text with more letters needs a wider column.
LONG = 40
#: What tells the parts of a table apart.
PARTS = ["recipe", "unit", "raters", "link", "scale"]
WORDS = {
    "p_adjusted": "p (Holm)",
    "p_bh": "p (BH)",
    "p_adjusted_scenarios": "p (Holm over scenarios)",
    "p_bh_scenarios": "p (BH over scenarios)",
    "cohen_d": "d",
    "hedges_g": "g",
    "ci": "interval",
    "d_ci": "interval of d",
    "w": "W",
    "w_ci": "interval of W",
    "w_within_blocks": "W within blocks",
    "w_within_ci": "interval of W within blocks",
    "best_ci": "interval of best",
    "worst_ci": "interval of worst",
    "score_ci": "interval of score",
    "ci_with": "interval with",
    "interval": "interval from",
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
    "rho": "ρ",
    "rho_min": "ρ min",
    "rho_max": "ρ max",
    "alpha_ordinal": "α ordinal",
    "alpha_interval": "α interval",
    "alpha_ordinal_interval": "interval of α ordinal",
    "alpha_interval_interval": "interval of α interval",
    "mean_sd": "mean SD",
    "mae_consensus": "MAE to the others",
    "limits": "limits of agreement",
    "epsilon": "ε",
    "is_studys": "the study's ε",
    "is_baseline": "knows nothing",
}
#: What a column is called in one table alone.
WORDS_IN = {
    ("alt_test_raters", "p_adjusted"): "p (BY)",
    ("alt_test_raters", "items"): "n responses",
    ("judge_consistency", "n_items"): "n responses",
    ("judge_agreement", "n_items"): "n responses",
    ("alt_test", "n_items"): "n responses",
    ("to_reference", "p_equivalent_adjusted"): "p equivalent (Holm)",
    ("group_tests", "p_equivalent_adjusted"): "p equivalent (Holm)",
    ("mixed_models", "n_items"): "n texts",
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
    #: `number` where it stands below a heading of numbers, `long` where a text needs room.
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

    @property
    def is_cut(self) -> bool:
        """Whether only the first of its rows are shown."""
        return len(self.rows) < self.n_rows

    @property
    def counted(self) -> str:
        """How many rows there are, in words."""
        return f"{count(self.n_rows)} {noun(self.n_rows, 'row')}"


@dataclass(frozen=True)
class ShownTable:
    name: str
    title: str
    about: str
    parts: list[Part]
    n_rows: int
    #: Rows that are chosen to be shown; of a long part, only the first are.
    n_kept: int
    n_shown: int
    #: Which rows are chosen, where not all are.
    kept: str
    #: Columns that are left to the CSV.
    aside: list[str] = field(default_factory=list)

    @property
    def shown_of_all(self) -> str:
        """How many rows are shown, of how many and which, up to where the file is named."""
        if self.n_shown == self.n_rows:
            return f"{count(self.n_rows)} {noun(self.n_rows, 'row')}, exact in"
        said = f"{count(self.n_shown)} of {count(self.n_rows)} rows"
        if not self.kept:
            return f"{said}, the first of each part. The rest is in"
        if self.n_shown < self.n_kept:
            cut = f", {count(self.n_kept)} rows in all, of long parts the first alone"
        else:
            cut = ""
        return f"{said}: {self.kept}{cut}. The rest is in"


def shown_table(table: Table) -> ShownTable:
    """A table as the report shows it."""
    how = shown(table.name)
    chosen = [row for row in table if how.keep is None or how.keep(row)]
    aside = [name for name in table.columns if name in how.aside]
    if how.only:
        aside = [name for name in table.columns if name not in how.only]
    parts = []
    apart = [name for name in PARTS if name not in aside]
    for rows in _parts(chosen, apart, how.first):
        is_folded = how.folded or rows[0]["raters"] == ALL
        parts.append(_part(rows, aside, is_folded=is_folded))
    return ShownTable(
        table.name,
        how.title,
        f"{how.says} {how.a_and_b}".strip(),
        parts,
        len(table.rows),
        sum(part.n_rows for part in parts),
        sum(len(part.rows) for part in parts),
        how.kept,
        aside,
    )


def _parts(
    rows: Iterable[Row], apart: Sequence[str], first: Callable[[Row], bool] | None
) -> Iterable[list[Row]]:
    """Rows that agree in the columns `apart` together; of these, those that stand by themselves
    first.
    """
    parts: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        parts.setdefault(tuple(row[name] for name in apart), []).append(row)
    for part in parts.values():
        ahead = [first is not None and first(row) for row in part]
        for wanted in (True, False):
            found = [row for row, is_first in zip(part, ahead, strict=True) if is_first == wanted]
            if found:
                yield found


def _part(rows: list[Row], aside: Sequence[str], *, is_folded: bool) -> Part:
    columns = [name for name in rows[0].table.columns if name not in aside]
    held = {name: {row[name] for row in rows} for name in columns}
    fixed = [name for name in columns if _is_caption(name, held[name], len(rows))]
    empty = [name for name in columns if held[name] <= {None, ""}]
    left = [name for name in columns if name not in fixed and name not in empty]
    groups = with_intervals(left)
    table = rows[0].table.name
    caption = "; ".join(f"{words(table, name)} {in_table(name, rows[0][name])}" for name in fixed)
    headings = [_heading(table, group, held) for group in groups]
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


def _heading(table: str, group: tuple[str, ...], held: dict[str, set[Any]]) -> Heading:
    values = set().union(*(held[name] for name in group)) - {None, ""}
    is_number = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    if len(group) == 1:
        return Heading(words(table, group[0]), group[0], is_number)
    name = "_".join(part for part in group[0].split("_") if part != "low")
    # Of what the interval is, such as alpha_ordinal, may have words of its own.
    own = f"{name}_interval"
    name = name if name in WORDS and own not in WORDS else own
    return Heading(words(table, name), ", ".join(group), is_number)


def _cell(row: Row, group: tuple[str, ...], *, is_number: bool) -> Cell:
    given = [name for name in group if row[name] not in (None, "")]
    if not given:
        return Cell(EMPTY, kind="number" if is_number else "text")
    value = row[group[0]]
    if len(given) == 1 and isinstance(value, str | bool):
        said = in_table(group[0], value)
        return Cell(said, kind="long" if len(said) > LONG else "text")
    return Cell(numbers=tuple(_number(row, name) for name in given))


def _number(row: Row, name: str) -> Number:
    value = row[name]
    return Number(in_table(name, value), to_text(value), row.table.cell(row.place, name))


def words(table: str, column: str) -> str:
    """What a column of a table is called."""
    return WORDS_IN.get((table, column)) or WORDS.get(column, column.replace("_", " "))
