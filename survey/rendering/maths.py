r"""Find formulas in `\(…\)`, `\[…\]` or `$$…$$` and convert them to MathML. Pure.

Responses are untrusted: only listed elements and attributes pass, and sizes are limited. A formula
that can't be converted, or would lose a letter, stays as written. A single `$` is money.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from unicodedata import category
from xml.etree.ElementTree import Element, ParseError, fromstring, tostring

from math_core import LatexError, LatexToMathML

from survey.rendering.latex import DEEPEST, NotShown, lost_letters, prepared

#: Longer formulas are shown as their source.
LONGEST = 2_000
#: More elements make a page slow.
MOST_ELEMENTS = 3_000
#: At most this many formulas of a response are converted.
MOST_FORMULAS = 400
#: Formulas within a line that are at least so long get a scroll bar of their own.
WIDE = 36
#: Lengths in em, for horizontal and vertical space and for the size of brackets.
LEAST_EM, MOST_EM = -0.5, 10.0

#: A formula has no empty line, and never the beginning of another one: looking for its end stays
#: short.
FORMULA = re.compile(
    r"""
      (?<!\\) \\\( (?P<inline>  (?: [^\\\n] | {line} | \\ [^()\n] )+? )  \\\)
    | (?<!\\) \\\[ (?P<display> (?: [^\\\n] | {line} | \\ [^][\n] )+? )  \\\]
    | (?<![\\$]) \$\$ (?P<dollars> (?: [^\\$\n] | {line} | \\ [^\n] | \$ (?!\$) )+? ) \$\$ (?!\$)
    """.replace("{line}", r"\\? \n (?! [^\S\n]* \n)"),
    re.VERBOSE,
)
#: What only mathematics has; with words, one of these makes a formula.
SIGN = re.compile(r"\\[^\W\d_]|\\\\|\^|_(?:\{|[^\W_](?![^\W_]))")
#: Words: in blocks ("Dear \\[Name\\],") and within a line, where `ABCD` and `xyz` are none.
WORDS = {
    "display": re.compile(r"[^\W\d_]{2,}"),
    "inline": re.compile(r"(?<![^\W\d_])(?![A-Z]+(?![^\W\d_]))[^\W\d_]{4,}|\s(?:and|or)\s"),
}
#: "See \\[1, 2\\]."
CITATION = re.compile(r"[\d\s,;–-]+")
#: What stands between prices of restaurants, but is no formula within a line: "from $$ to $$",
#: "Cafe ($$), bar ($$)".
PRICES = re.compile(
    r"""(?s:\s|[])}>.,;:!?*/'"’”»、，。；：）】」]|.*(?:\n|[\s([{<*/'"‘“«（【「]$))"""
)
LENGTH = re.compile(r"(-?\d*\.?\d+)(em|rem|ex|px|pt|mu)?|(-?\d*\.?\d+)%")
EMS = {"em": 1.0, "rem": 1.0, "ex": 0.5, "px": 1 / 16, "pt": 1 / 12, "mu": 1 / 18}

MATHML = (
    "math mrow mi mn mo mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover "
    "mmultiscripts mprescripts none mtable mtr mtd mstyle b i em strong u code"
)
ELEMENTS = frozenset(MATHML.split())
#: Elements that are replaced: browsers do not know the first, and the others say nothing here.
INSTEAD = {"menclose": "mrow", "mpadded": "mrow", "span": "mtext"}
SWITCHES = (
    "stretchy accent accentunder displaystyle fence separator largeop movablelimits symmetric"
)
LENGTHS = "lspace rspace width height depth linethickness minsize maxsize"
#: What an attribute may say; None is a bounded length.
ATTRIBUTES = {
    "mathvariant": re.compile(r"normal"),
    "scriptlevel": re.compile(r"\+?[0-3]"),
    "form": re.compile(r"prefix|infix|postfix"),
    "display": re.compile(r"block|inline"),
    **dict.fromkeys(SWITCHES.split(), re.compile(r"true|false")),
    **dict.fromkeys(LENGTHS.split()),
}
#: math-core's inline styles, as classes of survey.css.
STYLES = {
    re.compile(r"text-align:right"): "to-end",
    re.compile(r"text-align:left"): "to-start",
    re.compile(r"padding-left:1em"): "apart",
    re.compile(r"border-(left|right|top|bottom):0\.05em (solid|dashed) currentcolor"): r"line-\1",
    re.compile(r"padding-(left|right):0"): r"close-\1",
    re.compile(
        r"justify-items:(?:end|start)|width:[\d.]+r?em|margin-left:-0\.[12]\d*em"
        r"|padding-top:0?\.\d+em"
    ): "",
}
#: The converter's combining marks over something, which browsers misdraw, as signs.
OVER = {"\u0332": "\u203e", "\u20d7": "\u2192"}
NOTATIONS = {
    "box": "boxed",
    "updiagonalstrike": "struck-up",
    "downdiagonalstrike": "struck-down",
    "horizontalstrike": "struck",
}

BLOCK = '<span class="maths display" tabindex="0">'


@dataclass(frozen=True)
class Formula:
    """A formula in a text: `source` with its marks, and MathML, or the escaped source where there
    is none. `is_block`: it is shown on lines of its own.
    """

    source: str
    html: str
    is_block: bool
    start: int
    #: Where it ends; of a block, after the space or line break behind it.
    end: int


def source_end(text: str, start: int) -> int | None:
    """Where the formula ends that begins at this character, if one does."""
    found = _source_at(text, start)
    return found.end() if found else None


def _source_at(text: str, start: int) -> re.Match[str] | None:
    found = FORMULA.match(text, start)
    if found is None or found.end() - start > LONGEST:
        return None
    latex, kind = found[found.lastgroup or 0], found.lastgroup
    if not _is_mathematics(latex, is_display=kind == "display"):
        return None
    is_alone = _is_alone(text, *found.span())
    if kind == "display" and not is_alone and CITATION.fullmatch(latex):
        return None
    return None if kind == "dollars" and not is_alone and PRICES.match(latex) else found


def _is_mathematics(latex: str, *, is_display: bool) -> bool:
    """Whether it is more than words, such as names of blanks to be filled in."""
    if not latex.strip():
        return False
    if SIGN.search(latex) or any(category(sign) == "Sm" for sign in latex):
        return True
    return WORDS["display" if is_display else "inline"].search(latex) is None


def formula_at(text: str, start: int) -> Formula | None:
    """The formula that begins at this character, if one does."""
    if (found := _source_at(text, start)) is None:
        return None
    latex = found[found.lastgroup or 0]
    alone = _is_alone(text, *found.span())
    display = found.lastgroup != "inline" and (alone or found.lastgroup == "display")
    html = _html(latex, found[0], display=display)
    is_block, end = html.startswith(BLOCK), found.end()
    if is_block and text[end : end + 1] in {" ", "\n"}:
        end += 1
    return Formula(found[0], html, is_block, found.start(), end)


def formulas_in(text: str) -> Iterator[Formula]:
    """The formulas of a text that is not Markdown, from first to last."""
    position, number = 0, 0
    while number < MOST_FORMULAS and (found := FORMULA.search(text, position)):
        formula = formula_at(text, found.start())
        position = formula.end if formula else found.start() + 2
        if formula:
            number += 1
            yield formula


def unshown(text: str) -> Iterator[str]:
    """Formulas that are shown as their source, and what begins like one and never ends."""
    position = 0
    for formula in formulas_in(text):
        yield from _unended(text[position : formula.start])
        if "<math" not in formula.html:
            yield formula.source
        position = formula.end
    yield from _unended(text[position:])


def _unended(text: str) -> Iterator[str]:
    for found in re.finditer(r"(?<!\\)\\[(\[].{0,30}", text):
        yield found[0]


def _is_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing else stands on the lines of a formula, a full stop or a comma aside."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    following = text.find("\n", end)
    after = text[end : len(text) if following < 0 else following]
    return not before.strip() and after.strip() in {"", ".", ",", ";", ":", "。", "，"}


@lru_cache(maxsize=4096)
def _html(latex: str, source: str, *, display: bool) -> str:
    try:
        return _converted(latex, display=display)
    except (LatexError, ParseError, UnicodeEncodeError, NotShown):
        return f'<span class="source">{escape(source, quote=False)}</span>'


def _converted(latex: str, *, display: bool) -> str:
    converter = LatexToMathML(
        fancy_error=False, max_expansions=200, allow_unreliable_rendering=True
    )
    converted = converter.convert_with_local_state(prepared(latex), displaystyle=display)
    # The converter has escaped what came from outside, and it writes no DTD.
    maths = fromstring(  # noqa: S314
        re.sub(r"&(?!lt;|gt;|amp;|quot;|apos;)\w+;", _character, converted)
    )
    if sum(1 for _ in maths.iter()) > MOST_ELEMENTS or _is_deeper(maths, 3 * DEEPEST):
        raise NotShown
    for element in list(maths.iter()):
        _check(element)
    for table in maths.iter("mtable"):
        _end_rows(table)
    if lost_letters(latex, list(maths.itertext())):
        raise NotShown
    if display:
        maths.set("display", "block")
        return f"{BLOCK}{tostring(maths, 'unicode')}</span>"
    wide = len(latex) >= WIDE or maths.find(".//mtable") is not None
    name = "maths wide" if wide else "maths"
    focus = ' tabindex="0"' if wide else ""
    return f'<span class="{name}"{focus}>{tostring(maths, "unicode")}</span>'


def _end_rows(table: Element) -> None:
    """Leave out the row behind a last `\\\\`, and draw its rule below the row before."""
    last = table[-1] if len(table) > 1 else None
    if last is None or len(last) != 1 or len(last[0]) or last[0].text:
        return
    table.remove(last)
    if "line-top" in last[0].get("class", "").split():
        for cell in table[-1]:
            cell.set("class", f"{cell.get('class', '')} line-bottom".strip())


def _character(entity: re.Match[str]) -> str:
    character = unescape(entity[0])
    if character == entity[0] or character in "<>&":
        raise NotShown
    return character


def _is_deeper(element: Element, than: int) -> bool:
    level = [element]
    for _ in range(than):
        level = [child for each in level for child in each]
    return bool(level)


def _check(element: Element) -> None:
    """Change an element to what a page may show. Raises NotShown if that is not possible."""
    element.tag = INSTEAD.get(element.tag, element.tag)
    if element.tag not in ELEMENTS:
        raise NotShown
    if element.tag == "mover" and element[-1].text in OVER:
        element[-1].text = OVER[element[-1].text]
    given = dict(element.attrib)
    element.attrib.clear()
    classes = list(_classes(given.pop("style", "")))
    if notation := given.pop("notation", ""):
        if notation not in NOTATIONS:
            raise NotShown
        classes.append(NOTATIONS[notation])
    for name, value in given.items():
        if name == "class" and value.startswith(("menclose-", "math-core-")):
            continue  # for the converter's own stylesheet
        if name not in ATTRIBUTES:
            raise NotShown
        pattern = ATTRIBUTES[name]
        if not (_is_short(value) if pattern is None else pattern.fullmatch(value)):
            raise NotShown
        element.set(name, value)
    if classes:
        element.set("class", " ".join(classes))


def _classes(style: str) -> Iterator[str]:
    for part in style.split(";"):
        rule = re.sub(r"\s*:\s*", ":", part.strip())
        if not rule:
            continue
        for pattern, name in STYLES.items():
            if found := pattern.fullmatch(rule):
                if name:
                    yield found.expand(name)
                break
        else:
            raise NotShown


def _is_short(length: str) -> bool:
    found = LENGTH.fullmatch(length)
    if found is None:
        return False
    if found[3]:
        return 0 <= float(found[3]) <= 100 * MOST_EM
    return LEAST_EM <= float(found[1]) * EMS[found[2] or "em"] <= MOST_EM
