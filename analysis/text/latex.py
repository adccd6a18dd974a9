"""Tables for papers: LaTeX with booktabs. The CSV keeps the exact values."""

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from string import ascii_lowercase
from typing import Any

from analysis.catalogue.number_text import count, in_table, is_p, p_text
from analysis.text.interval_columns import enclosed, stem, with_intervals
from analysis.text.latex_layout import Column, Layout, layout

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
MOST_SAID = 80  # characters; longer texts are not said in a caption
DASH = "--"  # where there is no value
#: What lies between these two ends are differences, not an estimate (Bland and Altman).
LIMITS = "limits"

Value = Any


@dataclass(frozen=True)
class Kept:
    """Columns and rows of a table, or of a part of it, that LaTeX shows. `whole` are columns in
    which no number of the table has decimals, such as the points of a scale.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    whole: Collection[str]

    def column(self, name: str) -> list[Value]:
        place = list(self.columns).index(name)
        return [row[place] for row in self.rows]


def _plain(column: str) -> str:
    return column.replace("_", " ")


@dataclass(frozen=True)
class Words:
    """What a table `says` of how to read it, what its columns are `called`, and the level of its
    intervals: by recipe, and by "" where no column names one.
    """

    says: str = ""
    called: Callable[[str], str] = _plain
    levels: Mapping[str, float] = field(default_factory=dict)

    def heading(self, column: str) -> str:
        """What a column is called, a symbol before it in italics: p_adjusted is *p* adjusted."""
        said = self.called(column)
        first, *rest = [escaped(word) for word in said.split()] or [escaped(column)]
        return " ".join([f"${first}$" if len(first) == 1 else first, *rest])

    def interval(self, low: str, part: Kept) -> str:
        """The heading of an interval: a plain one stands beside the number that it encloses,
        another is named after it.
        """
        if stem(low) == LIMITS:
            return self.heading(LIMITS)
        level = self._level(part)
        ci = rf"{100 * level:g}\,\%~CI" if level else "CI"
        owner = enclosed(low, part.columns) or stem(low)
        return ci if low == "ci_low" else f"{self.heading(owner)} {ci}"

    def _level(self, part: Kept) -> float | None:
        """That of all rows, if they have one."""
        recipes = set(part.column("recipe")) if "recipe" in part.columns else {""}
        levels = {self.levels.get(recipe) for recipe in recipes}
        return levels.pop() if len(levels) == 1 else None


PLAIN = Words()


def latex_table(
    name: str,
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    words: Words = PLAIN,
    apart: Collection[str] = (),
    aside: Collection[str] = (),
) -> str:
    """A table as LaTeX: a floating `tabular`, or a `longtable` where there are many rows.

    `rows` hold plain values: text, numbers, booleans, None. Rows that differ in a column of `apart`
    stand in tables of their own; columns in `aside` are left to the CSV.
    Numbers are rounded as in the report, but p values have the signs of LaTeX, and columns of
    nothing but whole numbers no decimals. Both ends of an interval stand in one column, behind the
    number that they enclose. A column in which nothing varies is said in the caption instead, one
    without values is left out. Below the table stands how to read it, and what rows have in
    `note`. What is wide is set smaller, then on a turned page. The label is `tab:<name>`; of
    several tables, with what tells them apart.
    """
    kept = [place for place, column in enumerate(columns) if column not in aside]
    names = [columns[place] for place in kept]
    shown = [[row[place] for place in kept] for row in rows]
    whole = [name for n, name in enumerate(names) if all(_is_whole(row[n]) for row in shown)]
    parts = _parts(Kept(names, shown, whole), [name for name in names if name in apart])
    tables = []
    for told, part in parts.items():
        label = "-".join([f"tab:{name}", *told])
        tables.append(_table(label, title, part, words, apart))
    text = "\n\n".join(tables)
    return "\n".join([*_comments(name, text, [c for c in columns if c in aside]), text, ""])


def _parts(table: Kept, apart: Sequence[str]) -> dict[tuple[str, ...], Kept]:
    """Rows that agree in the columns `apart`, by what tells them from others."""
    telling = [name for name in apart if len(set(table.column(name))) > 1]
    if not telling:
        return {(): table}
    rows: dict[tuple[str, ...], list[Sequence[Value]]] = {}
    keys = zip(*(table.column(name) for name in telling), strict=True)
    for key, row in zip(keys, table.rows, strict=True):
        rows.setdefault(tuple(map(str, key)), []).append(row)
    return {key: replace(table, rows=of_key) for key, of_key in rows.items()}


def _table(label: str, title: str, part: Kept, words: Words, apart: Collection[str]) -> str:
    names, constant = _columns(part, words, apart)
    notes = _notes(part)
    columns = [
        _interval(part, words, *group) if len(group) > 1 else _column(part, words, group[0])
        for group in with_intervals([name for name in names if name != NOTE])
    ]
    if notes:
        columns = _marked(columns, part, notes)
    caption = escaped(title) + (f" ({'; '.join(constant)})" if constant else "")
    how = layout(columns)
    body = [" & ".join(cells) + r" \\" for cells in zip(*(c.cells for c in columns), strict=True)]
    lines = _long if how.is_long else _floating
    text = lines(label, caption, how, body, _below(words.says, notes))
    turned = [r"\begin{landscape}", *text, r"\end{landscape}"]
    return "\n".join(turned if how.is_turned else text)


def _comments(name: str, text: str, aside: Sequence[str]) -> list[str]:
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


def _columns(part: Kept, words: Words, apart: Collection[str]) -> tuple[list[str], list[str]]:
    """The columns to show, and what those say in which nothing varies."""
    kept: list[str] = []
    constant: list[str] = []
    for column in part.columns:
        values = part.column(column)
        if values and all(map(_is_missing, values)):
            continue
        one = len({_exact(value) for value in values}) == 1
        one = one and (len(values) > 1 or column in apart)
        if one and isinstance(values[0], str) and len(values[0]) <= MOST_SAID and column != NOTE:
            constant.append(f"{words.heading(column)}: {escaped(values[0])}")
        else:
            kept.append(column)
    if not set(kept) - {NOTE}:  # a table of nothing but constants
        return list(part.columns), []
    return kept, constant


def _column(part: Kept, words: Words, name: str) -> Column:
    values = part.column(name)
    known = [value for value in values if not _is_missing(value)]
    is_text = not known or not all(map(_is_number, known))
    return Column(words.heading(name), _texts(part, name, values), is_text)


def _interval(part: Kept, words: Words, low: str, high: str) -> Column:
    """Both ends in one column, rounded alike."""
    lows, highs = part.column(low), part.column(high)
    both = _texts(part, low, [*lows, *highs])
    pairs = zip(both[: len(lows)], both[len(lows) :], strict=True)
    # In braces, for after the end of a row it would be read as its options.
    cells = [DASH if pair == (DASH, DASH) else "{[}" + ", ".join(pair) + "]" for pair in pairs]
    return Column(words.interval(low, part), cells, is_text=False)


def _notes(part: Kept) -> dict[str, str]:
    """The letter of each note; none where there is one for all rows."""
    if NOTE not in part.columns:
        return {}
    notes = part.column(NOTE)
    each = list(dict.fromkeys(str(note) for note in notes if not _is_missing(note)))
    if len(each) == 1 and not any(map(_is_missing, notes)):
        return {each[0]: ""}
    return {note: _letter(place) for place, note in enumerate(each)}


def _letter(place: int) -> str:
    """a to z, then aa, ab, …"""
    first, last = divmod(place, len(ascii_lowercase))
    return (_letter(first - 1) if first else "") + ascii_lowercase[last]


def _marked(columns: Sequence[Column], part: Kept, notes: dict[str, str]) -> list[Column]:
    """With the letters of the rows' notes, behind their first text if they have one."""
    marks = [notes.get(str(note), "") for note in part.column(NOTE)]
    place = next((n for n, column in enumerate(columns) if column.is_text), 0)
    cells = [
        cell + (rf"\textsuperscript{{{mark}}}" if mark else "")
        for cell, mark in zip(columns[place].cells, marks, strict=True)
    ]
    marked = replace(columns[place], cells=cells)
    return [marked if n == place else column for n, column in enumerate(columns)]


def _below(says: str, notes: dict[str, str]) -> list[str]:
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


def _texts(part: Kept, column: str, values: Sequence[Value]) -> list[str]:
    return [_cell(column, value, is_whole=column in part.whole) for value in values]


def _cell(column: str, value: Value, *, is_whole: bool) -> str:
    if _is_missing(value):
        return DASH
    if isinstance(value, float) and math.isfinite(value):
        if is_p(column):
            return p_value(value)
        if is_whole:
            return escaped(count(value))
    text = escaped(in_table(column, value))
    # After the end of a row these would be read as its options.
    return "{}" + text if text.startswith(("[", "*")) else text


def _floating(
    label: str, caption: str, how: Layout, body: list[str], below: list[str]
) -> list[str]:
    return [
        r"\begin{table}",
        r"\centering",
        *how.size.commands,
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{''.join(how.align)}}}",
        r"\toprule",
        " & ".join(how.headings) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *below,
        r"\end{table}",
    ]


def _long(label: str, caption: str, how: Layout, body: list[str], below: list[str]) -> list[str]:
    header = " & ".join(how.headings) + r" \\"
    return [
        "{",
        *how.size.commands,
        r"\setlength{\LTcapwidth}{\linewidth}",
        rf"\begin{{longtable}}{{{''.join(how.align)}}}",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}} \\",
        r"\toprule",
        header,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        header,
        r"\midrule",
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *body,
        r"\end{longtable}",
        *below,
        "}",
    ]


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
