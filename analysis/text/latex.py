"""Tables for papers: LaTeX with booktabs. The CSV keeps the exact values."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from string import ascii_lowercase
from typing import Any

from analysis.catalogue.number_text import count, p_text
from analysis.catalogue.spec import Column, TableSpec, together
from analysis.text.latex_layout import LatexColumn, LatexLayout, layout

#: What LaTeX would take for a command, and what it would draw as something else.
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "#": r"\#",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "η": r"$\eta$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "χ": r"$\chi$",
    "ω": r"$\omega$",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "′": r"$'$",
    "²": r"$^2$",
    "\N{NO-BREAK SPACE}": "~",
}
#: Two of these side by side would become a dash or a quotation mark.
LIGATURES = re.compile(r"([-,'])(?=\1)")
#: What pdfLaTeX can set by itself: Latin letters and common punctuation.
PDFLATEX = re.compile(r"[\x20-\x7e\u00a1-\u017f\u2013\u2014\u2018-\u201e\u2020\u2021\u2026\u20ac]*")
NOTE = "note"
NEW = "\n"
MOST_SAID = 80  # characters; longer texts are not said in a caption
DASH = "--"  # where there is no value
Value = Any


@dataclass(frozen=True)
class Kept:
    """Columns and rows of a table, or of a part of it, that LaTeX shows. `whole` are columns in
    which no number of the table has decimals, such as the points of a scale.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    whole: Collection[str]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def values(self, name: str) -> list[Value]:
        place = self.names.index(name)
        return [row[place] for row in self.rows]


@dataclass(frozen=True)
class Words:
    """What a table `says` of how to read it, and the level of its intervals: by recipe, and by ""
    where no column names one.
    """

    says: str = ""
    levels: Mapping[str, float] = field(default_factory=dict)

    def interval(self, low: Column, part: Kept) -> str:
        """The heading of an interval: a plain one follows its number, another has the name of
        it. What lies between limits of agreement are differences, not an estimate.
        """
        if low.interval == "limits":
            return "Limits of agreement"
        level = self._level(part)
        ci = rf"{100 * level:g}\,\%~CI" if level else "CI"
        if low.interval == "ci":
            return ci
        owner = next((column for column in part.columns if column.name == low.of), None)
        return f"{heading(owner or Column(low.of, ''))} {ci}"

    def _level(self, part: Kept) -> float | None:
        """That of all rows, if they have one."""
        recipes = set(part.values("recipe")) if "recipe" in part.names else {""}
        levels = {self.levels.get(recipe) for recipe in recipes}
        return levels.pop() if len(levels) == 1 else None


PLAIN = Words()


def heading(column: Column) -> str:
    """What a column is called at its head."""
    return _called(column.heading)


def _called(words: str) -> str:
    """Words, of which a first one of one letter is a symbol in italics."""
    first, *rest = [escaped(word) for word in words.split()]
    return " ".join([f"${first}$" if len(first) == 1 else first, *rest])


def latex_table(
    table: TableSpec,
    names: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    words: Words = PLAIN,
    aside: Collection[str] = (),
) -> str:
    """A table as LaTeX: a floating `tabular`, or a `longtable` where there are many rows.

    `rows` hold plain values of the columns `names`: text, numbers, booleans, None. Rows that differ
    in a column that tells parts apart stand in tables of their own; columns that are declared so,
    or named in `aside`, are left to the CSV.
    Numbers are rounded as in the report, but p values have the signs of LaTeX, and columns of
    nothing but whole numbers no decimals. Both ends of an interval stand in one column, behind the
    number that they enclose. A column in which nothing varies is said in the caption instead, one
    without values is left out. Below the table stands how to read it, and what rows have in
    `note`. What is wide is set smaller, then on a turned page. The label is `tab:<name>`; of
    several tables, with what tells them apart.
    """
    columns = [table.column(name) for name in names]
    kept = [n for n, column in enumerate(columns) if column.latex and column.name not in aside]
    shown = [[row[place] for place in kept] for row in rows]
    declared = [columns[place] for place in kept]
    whole = [c.name for n, c in enumerate(declared) if all(_is_whole(row[n]) for row in shown)]
    telling = [c.name for c in declared if c.part or c.name in table.apart]
    tables = []
    for told, part in _parts(Kept(declared, shown, whole), telling).items():
        label = "-".join([f"tab:{table.name}", *told])
        tables.append(_table(label, table.title, part, words, telling))
    text = "\n\n".join(tables)
    left = [name for place, name in enumerate(names) if place not in kept]
    return "\n".join([*comments(table.name, text, left), text, ""])


def _parts(table: Kept, apart: Sequence[str]) -> dict[tuple[str, ...], Kept]:
    """Rows that agree in the columns `apart`, by what tells them from others."""
    telling = [name for name in apart if len(set(table.values(name))) > 1]
    if not telling:
        return {(): table}
    rows: dict[tuple[str, ...], list[Sequence[Value]]] = {}
    keys = zip(*(table.values(name) for name in telling), strict=True)
    for key, row in zip(keys, table.rows, strict=True):
        rows.setdefault(tuple(map(str, key)), []).append(row)
    return {key: replace(table, rows=of_key) for key, of_key in rows.items()}


def _table(label: str, title: str, part: Kept, words: Words, apart: Collection[str]) -> str:
    shown, constant = _columns(part, apart)
    notes = _notes(part)
    columns = [
        _interval(part, words, *group) if len(group) > 1 else _column(part, group[0])
        for group in together(column for column in shown if column.name != NOTE)
    ]
    if notes:
        columns = _marked(columns, part, notes)
    caption = escaped(title) + (f" ({'; '.join(constant)})" if constant else "")
    how = layout(columns)
    text = _skeleton(label, caption, how, columns, below(words.says, notes))
    return rf"\begin{{landscape}}{NEW}{text}{NEW}\end{{landscape}}" if how.is_turned else text


def _skeleton(
    label: str, caption: str, how: LatexLayout, columns: Sequence[LatexColumn], below: Sequence[str]
) -> str:
    """The table in booktabs, in our size, with what stands below it."""
    align = "".join(how.align)
    head = [r"\toprule", latex_row(how.headings), r"\midrule"]
    rows = [latex_row(cells) for cells in zip(*(column.cells for column in columns), strict=True)]
    if not how.is_long:
        return NEW.join(
            [
                r"\begin{table}",
                r"\centering",
                *how.size.commands,
                rf"\caption{{{caption}}}",
                rf"\label{{{label}}}",
                rf"\begin{{tabular}}{{{align}}}",
                *head,
                *rows,
                r"\bottomrule",
                r"\end{tabular}",
                *below,
                r"\end{table}",
            ]
        )
    return NEW.join(
        [
            "{",
            *how.size.commands,
            r"\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{{align}}}",
            rf"\caption{{{caption}}} \label{{{label}}} \\",
            *head,
            r"\endfirsthead",
            rf"\caption[]{{{caption}}} \\",
            *head,
            r"\endhead",
            r"\midrule",
            rf"\multicolumn{{{len(columns)}}}{{r}}{{Continued on next page}} \\",
            r"\midrule",
            r"\endfoot",
            r"\bottomrule",
            r"\endlastfoot",
            *rows,
            r"\end{longtable}",
            *below,
            "}",
        ]
    )


def latex_row(cells: Iterable[str]) -> str:
    """Cells as a line of a tabular or longtable; they are escaped already."""
    return f"{' & '.join(cells)} \\\\"


def comments(name: str, text: str, aside: Sequence[str]) -> list[str]:
    """What the file needs, and what it lacks."""
    packages = {"longtable": "{longtable}", "array": r"\arraybackslash", "pdflscape": "{landscape}"}
    needs = ", ".join(["booktabs", *(name for name, used in packages.items() if used in text)])
    comments = [
        f"% {name}.csv has the exact values. Needs the packages {needs}, and fontenc with T1."
    ]
    if aside:
        comments.append(f"% Columns that are in {name}.csv alone: {', '.join(aside)}.")
    if not PDFLATEX.fullmatch(text.replace("\n", " ")):
        comments.append(
            "% Has characters that pdfLaTeX lacks: use XeLaTeX or LuaLaTeX, and a font with them."
        )
    return comments


@lru_cache(maxsize=2**16)  # names and rounded numbers come again and again
def escaped(text: str) -> str:
    """A text that LaTeX shows as it is, in one line."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    safe = "".join(SPECIAL.get(character, character) for character in plain)
    return LIGATURES.sub(r"\1{}", safe)


def p_value(p: float) -> str:
    """As in APA style: three decimals, no zero before the point, `< .001` and `> .999`."""
    return re.sub("[<>]", r"$\g<0>$", p_text(p))


def _columns(part: Kept, apart: Collection[str]) -> tuple[list[Column], list[str]]:
    """The columns to show, and what those say in which nothing varies."""
    kept: list[Column] = []
    constant: list[str] = []
    for column in part.columns:
        values = part.values(column.name)
        if values and all(map(_is_missing, values)):
            continue
        one = len({_exact(value) for value in values}) == 1
        one = one and (len(values) > 1 or column.name in apart) and column.name != NOTE
        if one and isinstance(values[0], str) and len(values[0]) <= MOST_SAID:
            constant.append(f"{_called(column.words)}: {escaped(column.text(values[0]))}")
        else:
            kept.append(column)
    if not {column.name for column in kept} - {NOTE}:  # a table of nothing but constants
        return list(part.columns), []
    return kept, constant


def _column(part: Kept, column: Column) -> LatexColumn:
    values = part.values(column.name)
    known = [value for value in values if not _is_missing(value)]
    is_text = not known or not all(map(_is_number, known))
    return LatexColumn(heading(column), _texts(part, column, values), is_text)


def _interval(part: Kept, words: Words, low: Column, high: Column) -> LatexColumn:
    """Both ends in one column, rounded alike."""
    lows, highs = part.values(low.name), part.values(high.name)
    both = _texts(part, low, [*lows, *highs])
    pairs = zip(both[: len(lows)], both[len(lows) :], strict=True)
    # In braces, for after the end of a row it would be read as its options.
    cells = [DASH if pair == (DASH, DASH) else "{[}" + ", ".join(pair) + "]" for pair in pairs]
    return LatexColumn(words.interval(low, part), cells, is_text=False)


def _notes(part: Kept) -> dict[str, str]:
    """The letter of each note; none where there is one for all rows."""
    if NOTE not in part.names:
        return {}
    notes = part.values(NOTE)
    each = list(dict.fromkeys(str(note) for note in notes if not _is_missing(note)))
    if len(each) == 1 and not any(map(_is_missing, notes)):
        return {each[0]: ""}
    return {note: _letter(place) for place, note in enumerate(each)}


def _letter(place: int) -> str:
    """a to z, then aa, ab, …"""
    first, last = divmod(place, len(ascii_lowercase))
    return (_letter(first - 1) if first else "") + ascii_lowercase[last]


def _marked(columns: Sequence[LatexColumn], part: Kept, notes: dict[str, str]) -> list[LatexColumn]:
    """With the letters of the rows' notes, behind their first text if they have one."""
    marks = [notes.get(str(note), "") for note in part.values(NOTE)]
    place = next((n for n, column in enumerate(columns) if column.is_text), 0)
    cells = [
        cell + (rf"\textsuperscript{{{mark}}}" if mark else "")
        for cell, mark in zip(columns[place].cells, marks, strict=True)
    ]
    marked = replace(columns[place], cells=cells)
    return [marked if n == place else column for n, column in enumerate(columns)]


def below(says: str, notes: dict[str, str]) -> list[str]:
    """How to read the table, and the notes, each in lines of its own."""
    of_all = [says, *(note for note, letter in notes.items() if not letter)]
    each = [escaped(text) for text in of_all if text]
    each[:1] = [rf"\emph{{Note.}} {text}" for text in each[:1]]
    each += [
        rf"\textsuperscript{{{letter}}}~{escaped(note)}" for note, letter in notes.items() if letter
    ]
    if not each:
        return []
    return [r"{\par\smallskip\raggedright\noindent", *(rf"{text}\par" for text in each), "}"]


def _texts(part: Kept, column: Column, values: Sequence[Value]) -> list[str]:
    return [_cell(column, value, is_whole=column.name in part.whole) for value in values]


def _cell(column: Column, value: Value, *, is_whole: bool) -> str:
    if _is_missing(value):
        return DASH
    if isinstance(value, float) and math.isfinite(value):
        if column.form == "p":
            return p_value(value)
        if is_whole:
            return escaped(count(value))
    text = escaped(column.text(value))
    # After the end of a row these would be read as its options.
    return "{}" + text if text.startswith(("[", "*")) else text


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Value) -> bool:
    """Whether it is no number with decimals."""
    return not _is_number(value) or math.isnan(value) or float(value).is_integer()


def _is_missing(value: Value) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _exact(value: Value) -> tuple[str, str]:
    """Equal for the same value alone: 1 is not true."""
    return type(value).__name__, repr(value)
