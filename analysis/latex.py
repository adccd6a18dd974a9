"""Tables for papers: LaTeX with booktabs. The CSV keeps the exact values."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from analysis.number_text import BESIDE_PRINTED, MIXED, in_table, is_p, p_text

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
LONG = 35  # rows; a longer table may run over several pages
WIDE = 8  # columns; a wider one is set smaller
WIDE_CELL = 32  # characters; longer texts are set in lines of their own
DASH = "--"  # where there is no value

Value = Any


def latex_table(
    name: str, title: str, columns: Sequence[str], rows: Iterable[Sequence[Value]]
) -> str:
    """A table as LaTeX: a floating `tabular`, or a `longtable` where there are many rows.

    `rows` hold plain values: text, numbers, booleans, None.
    Numbers are rounded by column: whole ones stay so, others get two decimals, three where all are
    below 1 and fewer where they are large; p values are as in APA style (.004, < .001). Where
    numbers of many kinds stand below each other, each is rounded by itself. A column in which
    nothing varies is said in the caption instead, one without values is left out. The label is
    `tab:<name>`.
    """
    cells = [list(row) for row in rows]
    kept, constant = _columns(columns, cells)
    texts = {place: _texts(columns[place], [row[place] for row in cells]) for place in kept}
    body = [" & ".join(texts[place][n] for place in kept) + r" \\" for n in range(len(cells))]
    caption = escaped(title) + (f" ({'; '.join(constant)})" if constant else "")
    header = " & ".join(_heading(columns[place]) for place in kept) + r" \\"
    align = "".join(_alignment([row[place] for row in cells]) for place in kept)
    lines = _long if len(cells) > LONG else _floating
    text = "\n".join(lines(f"tab:{name}", caption, align, header, body, len(kept)))
    needs = "booktabs" + (", longtable" if len(cells) > LONG else "")
    needs += ", array" if "p{" in align else ""
    comments = [
        f"% {name}.csv has the exact values. Needs the packages {needs}, and fontenc with T1."
    ]
    if not PDFLATEX.fullmatch(text.replace("\n", " ")):
        comments.append(
            "% Has characters that pdfLaTeX lacks: use XeLaTeX or LuaLaTeX, and a font with them."
        )
    return "\n".join([*comments, text, ""])


def escaped(text: str) -> str:
    """A text that LaTeX shows as it is, in one line."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    safe = "".join(SPECIAL.get(character, character) for character in plain)
    return LIGATURES.sub(r"\1{}", safe)


def p_value(p: float) -> str:
    """As in APA style: three decimals, no zero before the point, `< .001` and `> .999`."""
    return re.sub("[<>]", r"$\g<0>$", p_text(p))


def _columns(
    columns: Sequence[str], cells: Sequence[Sequence[Value]]
) -> tuple[list[int], list[str]]:
    """The places of the columns to show, and what those say in which nothing varies."""
    kept: list[int] = []
    constant: list[str] = []
    for place, column in enumerate(columns):
        values = [row[place] for row in cells]
        if values and all(map(_is_missing, values)):
            continue
        one = len(cells) > 1 and len({_exact(value) for value in values}) == 1
        if one and isinstance(values[0], str) and len(values[0]) <= WIDE_CELL:
            constant.append(f"{_heading(column)}: {escaped(values[0])}")
        else:
            kept.append(place)
    if not kept:  # a table of nothing but constants
        return list(range(len(columns))), []
    return kept, constant


def _texts(column: str, values: Sequence[Value]) -> list[str]:
    if is_p(column):
        number: Callable[[float], str] = p_value
    elif column == BESIDE_PRINTED:

        def number(value: float) -> str:
            return escaped(in_table(column, value))

    else:
        shared = _decimals([float(value) for value in values if _is_number(value)])

        def number(value: float) -> str:
            decimals = _decimals([value]) if column == MIXED else shared
            return _signed(f"{value:.{decimals}f}")

    return [_cell(value, number) for value in values]


def _cell(value: Value, number: Callable[[float], str]) -> str:
    if _is_missing(value):
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return _signed(str(value))
    if isinstance(value, float):
        return number(value) if math.isfinite(value) else escaped(str(value))
    text = escaped(str(value))
    # After the end of a row these would be read as its options.
    return "{}" + text if text.startswith(("[", "*")) else text


def _decimals(values: Sequence[float]) -> int:
    finite = [abs(value) for value in values if math.isfinite(value)]
    if all(value.is_integer() for value in finite):
        return 0
    top = max(finite)
    return 3 if top < 1 else 2 if top < 100 else 1 if top < 1000 else 0


def _signed(text: str) -> str:
    """With a minus instead of a hyphen, and none before a zero."""
    if not text.startswith("-"):
        return text
    return f"$-${text[1:]}" if text.strip("-0.") else text[1:]


def _heading(column: str) -> str:
    """A column's name in words, a symbol before them in italics: p_adjusted is *p* adjusted."""
    first, *rest = [escaped(word) for word in column.split("_") if word] or [escaped(column)]
    return " ".join([f"${first}$" if len(first) == 1 else first, *rest])


def _alignment(values: Sequence[Value]) -> str:
    known = [value for value in values if not _is_missing(value)]
    if known and all(_is_number(value) for value in known):
        return "r"
    longest = max((len(str(value)) for value in known), default=0)
    return r">{\raggedright\arraybackslash}p{4.5cm}" if longest > WIDE_CELL else "l"


def _floating(
    label: str, caption: str, align: str, header: str, body: list[str], width: int
) -> list[str]:
    return [
        r"\begin{table}",
        r"\centering",
        *_size(width),
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        header,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _long(
    label: str, caption: str, align: str, header: str, body: list[str], width: int
) -> list[str]:
    return [
        "{",
        *_size(width),
        rf"\begin{{longtable}}{{{align}}}",
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
        "}",
    ]


def _size(width: int) -> list[str]:
    return [r"\scriptsize", r"\setlength{\tabcolsep}{3pt}"] if width > WIDE else [r"\small"]


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_missing(value: Value) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def _exact(value: Value) -> tuple[str, str]:
    """Equal for the same value alone: 1 is not true."""
    return type(value).__name__, repr(value)
