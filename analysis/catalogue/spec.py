"""How a table of results is declared: once, beside what computes it.

Pages, report, LaTeX, codebook, the API's schema and the docs are made from these declarations.
Pure, and without pandas: web processes read them.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, Self

from analysis.catalogue.number_text import (
    EMPTY,
    MINUS,
    count,
    decimals,
    degrees,
    digits,
    p_text,
    small,
)
from analysis.catalogue.vocabulary import OF_STUDY, in_words, with_names
from survey.definition.labels import Labels, words

#: What a value is.
Kind = Literal["text", "count", "number", "flag"]
#: How a number is written: with decimals, as a p value, a percentage, a number that is mostly
#: whole, one that is a count or not, to five digits, or as short as it goes.
Form = Literal["decimals", "p", "percent", "whole", "mixed", "digits", "short"]
#: Ending of a table of all raters that has a twin of the included ones.
OF_ALL = "_all"
#: What tells the columns of an interval apart.
ENDS = ("low", "high")
FORMS: dict[Form, Callable[[float], str]] = {
    "p": p_text,
    "percent": lambda value: decimals(value, 1),
    "whole": degrees,
    "digits": digits,
    "short": lambda value: f"{value:g}".replace("-", MINUS),
    "mixed": count,
}
#: What two decimals would call zero.
SMALL = 0.005
#: Letters that stay as they are at the head of a column.
SYMBOLS = {
    "p", "t", "n", "df", "df1", "df2", "d", "g", "u", "x",
    "α", "ε", "η²", "κ", "λ", "ρ", "σ", "χ²", "ω²",
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A column of a table.

    `meaning` is what the codebook says. `is_key`: it names a row instead of saying something of it.
    Of keys, rows can be chosen by their `choice` on a page, where `first` is what is shown unless
    asked otherwise, and rows that differ in a `part` stand apart in the report. `of` is the number
    whose interval this is an end of, and `behind` the one behind which it stands in brackets, or
    after a slash where that is a key or a count of its side (`beside`). `page`, `report` and
    `latex` say where it is shown; the CSV has every column. `labels` is the kind of names that its
    cells hold, which people read as labels. In its own `label`, `{a}` and `{b}` are the two sides
    that its table compares; a `signed` number is of a − b, and of b − a it has the opposite sign.
    """

    name: str
    meaning: str
    label: str = ""
    kind: Kind | None = None
    form: Form = "decimals"
    decimals: int = 2
    is_key: bool = False
    choice: bool = False
    first: str = ""
    part: bool = False
    of: str = ""
    behind: str = ""
    beside: str = ""
    page: bool = True
    report: bool = True
    latex: bool = True
    labels: str = ""
    signed: bool = False
    in_words: Callable[[str], str] | None = field(default=None, compare=False, repr=False)

    @property
    def holds(self) -> Kind:
        """What its values are: by default a text where it is a key, else a number."""
        return self.kind or ("text" if self.is_key else "number")

    @cached_property
    def words(self) -> str:
        """What it is called in a text."""
        return self.label or words(self.name)

    @cached_property
    def heading(self) -> str:
        """What it is called at the head of a column."""
        called = self.words
        return called if called.split()[0] in SYMBOLS else called[0].upper() + called[1:]

    @property
    def is_of_study(self) -> bool:
        """Whether its cells are names that a study gives."""
        return self.labels in OF_STUDY

    @cached_property
    def interval(self) -> str:
        """The name of the interval that it is an end of: d_ci of d_ci_low and d_ci_high."""
        return "_".join(part for part in self.name.split("_") if part not in ENDS)

    def text(self, value: Any) -> str:
        """A value of the column for people; the exact one is in the CSV."""
        if value is None or value == "":
            return EMPTY
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int):
            return count(value)
        if isinstance(value, float):
            return self._rounded(value)
        return self.in_words(value) if self.in_words and isinstance(value, str) else str(value)

    def _rounded(self, value: float) -> str:
        if self.form == "decimals" or (self.form == "mixed" and not value.is_integer()):
            is_tiny = 0 < abs(value) < SMALL
            return small(value) if is_tiny else decimals(value, self.decimals)
        return FORMS[self.form](value)

    def but(self, **changes: Any) -> Self:
        """The column with some of that changed."""
        return replace(self, **changes)

    def labelled(self, labels: Labels, sides: tuple[str, str]) -> Self:
        """The column as people of a study read it; `sides` are a and b. One of conditions is for
        the CSV alone where a study has one.
        """
        if not self.labels and "{" not in self.label:
            return self  # most columns are numbers, which every study calls the same
        is_only = self.labels == "conditions" and labels.has_one("conditions")
        return replace(
            self.csv_only() if is_only else self,
            label=with_names(self.label, labels, sides),
            in_words=in_words(self.labels, labels, sides),
        )

    def csv_only(self) -> Self:
        """The column where no page, report or paper shows it."""
        return replace(self, page=False, report=False, latex=False)


@dataclass(frozen=True)
class TableSpec:
    """A table of results.

    `question` is what it answers, `observations` what counts as one in it, `says` how to read it.
    It stands on the page of its `subject`, if it has one, and in a `section` of the report, where
    `counts` says what no column tells. `folded` tables open on demand; those of the `appendix`
    stand at the report's end. If `about` names a column, the title is about the rows with a value
    in it: report and LaTeX have no others. Of these, the report, which is short, keeps those that
    `keep` is true of. `kept` says which rows are left; rows that `first` is true of stand apart,
    before the others. Tables that `lead` stand in the report's main part, which is short, and so do
    the answers that they give; all others are folded behind it. One leads only `leads_without` any
    of those tables, which say more. In LaTeX, rows that differ in a column of `apart` are tables of
    their own. `empty` says why it may have no rows.

    A table that compares two sides, a and b, writes them `{a}` and `{b}` in its texts and its
    columns' labels: they are the study's two conditions, or what else `sides` says.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    question: str = ""
    observations: str = ""
    says: str = ""
    section: str = "Further tables"
    subject: str = ""
    counts: str = ""
    sides: str = "condition"
    about: str = ""
    keep: Callable[[Any], bool] | None = None
    kept: str = ""
    first: Callable[[Any], bool] | None = None
    folded: bool = False
    apart: tuple[str, ...] = ()
    appendix: bool = False
    #: In the report; on *Results*, `subjects.FIRST_TABLE` leads.
    leads: bool = False
    leads_without: tuple[str, ...] = ()
    empty: str = ""

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def column(self, name: str) -> Column:
        """A column by name. Of a family `excluded_*` it has the rest of the name in its meaning;
        one that is not declared is called by its name.
        """
        if name in self._by_name:
            return self._by_name[name]
        for family in self.columns:
            if family.name.endswith("*") and name.startswith(family.name[:-1]):
                rest = words(name.removeprefix(family.name[:-1]))
                return family.but(name=name, meaning=family.meaning.format(rest))
        return Column(name, "")

    def is_about(self, row: Any) -> bool:
        """Whether report and LaTeX can have a row (see `about`)."""
        return not self.about or row[self.about] not in (None, "")

    def is_kept(self, row: Any) -> bool:
        """Whether the report has a row."""
        return self.is_about(row) and (self.keep is None or self.keep(row))

    def is_signed(self, name: str) -> bool:
        """Whether a number is signed, or an end of the interval of one that is."""
        column = self.column(name)
        return column.signed or (bool(column.of) and self.column(column.of).signed)

    def labelled(self, labels: Labels) -> "TableSpec":
        """The table as people of a study read it: with labels for names, and a and b called what
        they are.
        """
        sides = (labels.a, labels.b)
        if self.sides != "condition":
            sides = (f"{self.sides} a", f"{self.sides} b")
        texts: dict[str, Any] = {
            name: with_names(getattr(self, name), labels, sides)
            for name in ("title", "question", "says", "counts", "kept")
        }
        columns = tuple(column.labelled(labels, sides) for column in self.columns)
        return replace(self, columns=columns, **texts)

    def with_columns(self, more: Iterable[Column]) -> "TableSpec":
        """The table with columns behind its own."""
        return replace(self, columns=(*self.columns, *more))

    def of_all_raters(self) -> "TableSpec":
        """The same table of all raters, included or not."""
        title = f"{self.title.rstrip('?')}, nobody excluded"
        return replace(
            self,
            name=f"{self.name}{OF_ALL}",
            title=title + ("?" if self.title.endswith("?") else ""),
            subject="",
            appendix=True,
            leads=False,
            leads_without=(),
        )

    def as_json(self) -> dict[str, Any]:
        """What can be stored: all but the functions, without what is as usual."""
        settings = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("keep", "first", "columns")
            and getattr(self, field.name) != field.default
        }
        default = {field.name: field.default for field in fields(Column)}
        columns = [
            {name: value for name, value in asdict(column).items() if value != default[name]}
            for column in self.columns
        ]
        return settings | {"columns": columns}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "TableSpec":
        """What `as_json` gave."""
        columns = tuple(Column(**column) for column in content["columns"])
        lists = {name: tuple(content.get(name, ())) for name in ("apart", "leads_without")}
        return cls(**{**content, "columns": columns, **lists})


@dataclass(frozen=True)
class FigureSpec:
    """A figure, its section of the report, and the table whose numbers it shows.

    `draw` makes it from what `analysis.figures.drawing` holds; figures without it are drawn by what
    computes their numbers.
    """

    name: str
    title: str
    section: str
    table: str = ""
    appendix: bool = False
    draw: Callable[[Any], Any] | None = None

    def labelled(self, labels: Labels) -> "FigureSpec":
        """The figure as people of a study read it, whose conditions are `{a}` and `{b}`."""
        return replace(self, title=with_names(self.title, labels, (labels.a, labels.b)))

    def as_json(self) -> dict[str, Any]:
        """What can be stored: all but the function."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "draw" and getattr(self, field.name) != field.default
        }


def unknown(name: str) -> TableSpec:
    """A table that is not declared, as an older version of the program may have left one."""
    return TableSpec(name, words(name), ())


def together(columns: Iterable[Column]) -> list[tuple[Column, ...]]:
    """Columns one by one, the two ends of an interval together behind their number."""
    columns = list(columns)
    names = [column.name for column in columns]
    ends: dict[str, list[Column]] = {}
    for column in columns:
        if column.of:
            ends.setdefault(column.interval, []).append(column)
    groups: list[tuple[Column, ...]] = []
    for column in columns:
        if not column.of or len(ends[column.interval]) < len(ENDS):
            groups.append((column,))
        elif column.of not in names and column is ends[column.interval][0]:
            groups.append(tuple(ends[column.interval]))
        behind = [both for both in ends.values() if both[0].of == column.name]
        groups += [tuple(both) for both in behind if len(both) == len(ENDS)]
    return groups
