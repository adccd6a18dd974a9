"""A response as HTML: what the model wrote, so that raters judge that and not how we show it. Pure.

Plain text is shown as it is, with its lines, tabs and runs of spaces. Markdown loses its marks and
nothing else: where a letter would be lost, the response is shown as plain text.
"""

import re
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from unicodedata import category

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, blockquote, fence, heading, hr, table
from markdown_it.rules_inline import StateInline, backtick
from markdown_it.rules_inline.state_inline import Delimiter, Scanned
from markdown_it.token import Token

from survey.definition import StudyDefinition
from survey.definition.word_edges import UNSPACED
from survey.rendering.maths import MOST_FORMULAS, formula_at, formulas_in, source_end


@dataclass(frozen=True)
class Look:
    """How a study's responses are shown."""

    markdown: bool = False
    latex: bool = False


def look_of(definition: StudyDefinition) -> Look:
    return Look(definition.response_format == "markdown", definition.latex)


@dataclass(frozen=True)
class ShownResponse:
    """A response as HTML, for an element with the class `name`, and in one line for a label:
    without the marks of Markdown, its formulas as their source.
    """

    html: str
    name: str
    words: str


@lru_cache(maxsize=1024)
def shown(text: str, look: Look) -> ShownResponse:
    """A response as a study shows it."""
    if look.markdown and (read := _read(text, latex=look.latex)) is not None:
        parser, tokens = read
        html = parser.renderer.render(tokens, parser.options, {})
        return ShownResponse(html, "formatted", " ".join("".join(_pieces(tokens)).split()))
    return ShownResponse(plain_html(text, latex=look.latex), "as-written", " ".join(text.split()))


def plain_html(text: str, *, latex: bool) -> str:
    """HTML of a text that is no Markdown, such as a prompt."""
    html, position = [], 0
    for formula in formulas_in(text) if latex else ():
        html += [escape(text[position : formula.start], quote=False), formula.html]
        position = formula.end
    return "".join([*html, escape(text[position:], quote=False)])


# Markdown: CommonMark and its tables, without what would lead away from the page, load something,
# or lose characters that stand in texts about code, files and numbers.

#: Links, images, HTML and their definitions; escapes and entities (`C:\_x`, `&copy;`); indented
#: lines as code; a line above dashes as a heading.
OFF = ["link", "image", "autolink", "reference", "escape", "entity", "code", "lheading"]
OFF += ["html_block", "html_inline"]
#: Browsers draw no deeper ones.
DEEPEST = 40
#: More cells are no table: rows without cells are filled up.
MOST_CELLS = 5_000


def _read(text: str, *, latex: bool) -> tuple[MarkdownIt, list[Token]] | None:
    """The text as Markdown, and how to render it. None if a letter would be lost, as where
    quotations are nested absurdly deep or no list has such numbers, and if there are only marks or
    a number: "- 5".
    """
    letters = _letters(text)
    if not letters or re.fullmatch(r"\s*[-+>#*]=?\s?[\d.,]+\s?%?\s*", text):
        return None
    parser = _parser(latex=latex)
    tokens = parser.parse(text)
    if _letters("".join(_pieces(tokens))) != letters or _level(tokens) > DEEPEST:
        return None
    return (parser, tokens) if _adapt(tokens) else None


def _level(tokens: Sequence[Token]) -> int:
    return max((child.level for token in tokens for child in token.children or ()), default=0)


def _letters(text: str) -> str:
    """What is neither a mark of Markdown nor a space."""
    return "".join(text.translate(MARKS).split())


MARKS = dict.fromkeys(map(ord, string.punctuation + "\x00\ufffd"))


def _parser(*, latex: bool) -> MarkdownIt:
    """A parser for one text. It is not shared by threads: a second one could read its table of
    rules while the first still builds it.
    """
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).disable(OFF)
    parser.enable("table")
    for name, rule in BLOCKS.items():
        parser.block.ruler.at(name, rule, {"alt": ALTERNATIVES[name]})
    parser.inline.ruler.at("newline", _newline)
    parser.inline.ruler.at("emphasis", _stars)
    parser.inline.ruler.at("backticks", _code)
    if latex:
        parser.inline.ruler.before("backticks", "formula", _formula)
    for name, render in RENDERED.items():
        parser.add_render_rule(name, render)
    return parser


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table, unless it would lose a cell: rows with more cells than the head, or code or a
    formula that lies in two cells.
    """
    if start + 2 > end or state.sCount[start] - state.blkIndent > 3:
        return False
    if "-" not in _line(state, start + 1) or "|" not in _line(state, start):
        return False
    if start < state.env.get("no_table_before", 0):
        return False
    columns = len(_cells(_line(state, start)))
    for rows, number in enumerate(range(start, end), start=1):
        line = _line(state, number)
        if not line.strip() or state.sCount[number] < state.blkIndent:
            break
        cells = _cells(line)
        if len(cells) > columns or rows * columns > MOST_CELLS or _is_parted(line):
            state.env["no_table_before"] = number  # looking again would take long
            return False
    return table(state, start, end, silent)


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _cells(line: str) -> list[str]:
    return PARTING.split(line.strip().removeprefix("|").removesuffix("|"))


def _is_parted(line: str) -> bool:
    """Whether a sign that parts cells lies within code or a formula of a line."""
    last = {len(run[0]): run.start() for run in TICKS.finditer(line)}
    position = 0
    while found := BEGINS.search(line, position):
        start, position = found.span()
        if found[0][0] != "`":
            end = source_end(line, start) or position
        elif last[len(found[0])] > start:
            end = next(
                run.end() for run in TICKS.finditer(line, position) if len(run[0]) == len(found[0])
            )
        else:
            continue
        if PARTING.search(line, position, end):
            return True
        position = end
    return False


#: A sign that parts cells.
PARTING = re.compile(r"(?<!\\)\|")
#: What begins or ends code, and what begins code or a formula.
TICKS = re.compile(r"`+")
BEGINS = re.compile(r"(?<![\\`])`+|\\[(\[]|\$\$")


def _fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines of code. What ends them is indented no deeper than what began them: the parser looks
    at that only where indented lines are code.
    """
    state._code_enabled = state.sCount[start] - state.blkIndent < 4
    found = fence(state, start, end, silent)
    state._code_enabled = False
    return found


def _heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A heading, with words. In deeper lines `#` begins a comment of code."""
    is_code = state.sCount[start] - state.blkIndent > 3
    has_words = _line(state, start).strip("# \t") != ""
    return has_words and not is_code and heading(state, start, end, silent)


def _hr(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A line. One of underscores is a blank to be filled in."""
    return "_" not in _line(state, start) and hr(state, start, end, silent)


def _quotation(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A quotation; not "at least"."""
    is_sign = _line(state, start).startswith(">=")
    return not is_sign and blockquote(state, start, end, silent)


def _paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph whose lines keep their indentation, as those of a poem. The lines of a formula
    are no lists, whether formulas are shown or not.
    """
    following = start + 1
    others = state.md.block.ruler.getRules("paragraph")
    kind, state.parentType = state.parentType, "paragraph"
    last_of_formula = _last_of_formula(state, start)
    while following < state.lineMax and not state.isEmpty(following):
        # Lines of a quotation that have no mark of their own belong to its paragraph.
        if (
            following > last_of_formula
            and state.sCount[following] >= 0
            and any(rule(state, following, state.lineMax, True) for rule in others)
        ):
            break
        last_of_formula = max(last_of_formula, _last_of_formula(state, following))
        following += 1
    state.parentType = kind
    content = state.getLines(start, following, state.blkIndent, False)
    _push_paragraph(state, content, start, following)
    return True


#: What begins the lines of a formula: nothing follows on its line; only `\\[` has words before it.
OPENING = re.compile(
    r"(?P<mark>.*(?<!\\)\\\[|\$\$)?\s*(?:\\begin\{(?P<name>\w+\*?)\}(?:\{[^{}]*\}|\[[^]]*\])*)?"
)
#: A formula has no more lines than this.
MOST_LINES = 60


def _last_of_formula(state: StateBlock, number: int) -> int:
    """The last line of the formula that a line only begins, or this line."""
    begun = OPENING.fullmatch(_line(state, number).strip())
    if begun is None or not begun[0]:
        return number
    mark = begun["mark"] or ""
    end = "$$" if mark == "$$" else r"\]" if mark else rf"\end{{{begun['name']}}}"
    for following in range(number + 1, min(state.lineMax, number + MOST_LINES)):
        line = _line(state, following)
        # A formula ends before an empty line, the next item of a list, code and another formula.
        if state.isEmpty(following) or state.sCount[following] < state.sCount[number]:
            break
        if end in line:
            return following
        if line.startswith(("```", "~~~", "\\[", "$$")):
            break
    return number


def _newline(state: StateInline, silent: bool) -> bool:
    """A line break is one, whatever spaces stand around it."""
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        state.push("softbreak", "br", 0)
    state.pos += 1
    return True


def _code(state: StateInline, silent: bool) -> bool:
    """Code in a line, or in several: their breaks stay. Escaped marks begin none."""
    start = state.pos
    if state.src[start - 1 : start] == "\\" and (run := TICKS.match(state.src, start)):
        if not silent:
            state.pending += run[0]
        state.pos = run.end()
        return True
    found = backtick(state, silent)
    last = state.tokens[-1] if state.tokens and not silent else None
    if found and last is not None and last.type == "code_inline" and not state.pending:
        n = len(last.markup)
        written = state.src[start + n : state.pos - n]
        if "\n" in written:
            last.content = written
    return found


def _stars(state: StateInline, silent: bool) -> bool:
    """Emphasis by stars, never by underscores. Stars of products, powers, paths and patterns are
    themselves.
    """
    if silent or state.src[state.pos] != "*":
        return False
    run = state.scanDelims(state.pos, canSplitWord=True)
    before = state.src[state.pos - 1] if state.pos else " "
    after = state.src[state.pos + run.length : state.pos + run.length + 1] or " "
    opens, closes = run.can_open, run.can_close
    if before in "\\^" or AROUND.get(before) == after:
        opens = closes = False
    elif not before.isspace() and not after.isspace():
        opens, closes = _within_text(before, after, run)
        if before == "/":  # `/a/*.md` and `a/**/b`; but *he*/*him*, and/**or**
            behind_stars = state.src[state.pos - 2 : state.pos - 1] == "*"
            opens &= behind_stars or (run.length > 1 and after.isalnum())
    for _ in range(run.length):
        token = state.push("text", "", 0)
        token.content = "*"
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord("*"), run.length, place, -1, opens, closes))
    state.pos += run.length
    return True


#: Around a star alone: `COUNT(*)`, `a[*]`, `"*"`.
AROUND = {"(": ")", "[": "]", "{": "}", "'": "'", '"': '"', "`": "`"}


def _within_text(before: str, after: str, run: Scanned) -> tuple[bool, bool]:
    """Whether stars between two characters begin and end emphasis: as in CommonMark, but for
    arithmetic, and beside letters of scripts that have no spaces between words, where they may
    touch punctuation, as in `**重点：**文字`.
    """
    is_single = run.length == 1
    unspaced = [_is_unspaced(before), _is_unspaced(after)]
    in_words = [before.isalnum() and not unspaced[0], after.isalnum() and not unspaced[1]]
    is_number = before.isdecimal() or after.isdecimal()
    # `2*3`, `a**b`, `3个*2元`
    if all(in_words) or (is_single and is_number and any(unspaced)):
        return False, False
    opens, closes = (True, True) if any(unspaced) else (run.can_open, run.can_close)
    # `(a)*b`, `(a)**(b)`; but **Note (a)**(b)
    if (category(before) == "Pe" or before == "|") and (is_single or category(after) == "Ps"):
        opens = False
    opens &= category(after) not in {"Pe", "Pf"} and after not in "/,.;:!?，。、；：！？،؛؟۔।"
    closes &= category(before) not in {"Ps", "Pi"} and before != "/"
    return opens, closes


def _is_unspaced(character: str) -> bool:
    """Whether it is a letter without case, such as Chinese, Thai, Arabic and Hebrew ones, with its
    marks, or punctuation as wide as a Chinese letter. Particles and prefixes touch the words of all
    these scripts.
    """
    kind = category(character)
    return kind in {"Lo", "Mc"} or (UNSPACED_SIGN.match(character) is not None and kind[0] in "LMP")


#: Vowel signs that count as letters, and wide punctuation.
UNSPACED_SIGN = re.compile(rf"[{UNSPACED}\u3000-\u303f\ufe30-\ufe4f\uff00-\uff65]")


def _formula(state: StateInline, silent: bool) -> bool:
    """A formula within a line."""
    if silent or state.src[state.pos] not in "\\$":
        return False
    if state.env.setdefault("formulas", 0) >= MOST_FORMULAS:
        return False
    if (found := formula_at(state.src, state.pos)) is None:
        return False
    state.env["formulas"] += 1
    token = state.push("formula", "", 0)
    token.content, token.meta = found.source, {"html": found.html}
    state.pos = found.end
    return True


BLOCKS: dict[str, Callable[[StateBlock, int, int, bool], bool]] = {
    "table": _table,
    "fence": _fence,
    "blockquote": _quotation,
    "hr": _hr,
    "heading": _heading,
    "paragraph": _paragraph,
}
#: Which blocks each of them may end, as in CommonMark.
ALTERNATIVES = {
    "table": ["paragraph", "reference"],
    "fence": ["paragraph", "reference", "blockquote", "list"],
    "blockquote": ["paragraph", "reference", "blockquote", "list"],
    "hr": ["paragraph", "reference", "blockquote", "list"],
    "heading": ["paragraph", "reference", "blockquote"],
    "paragraph": [],
}


def _push_paragraph(state: StateBlock, content: str, start: int, following: int) -> None:
    state.line = following
    state.push("paragraph_open", "p", 1).map = [start, following]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content, [start, following], []
    state.push("paragraph_close", "p", -1)


def _pieces(tokens: Sequence[Token]) -> Iterator[str]:
    """Everything of a text that is no mark of Markdown, in its order."""
    for token in tokens:
        if token.children is not None:
            yield from _pieces(token.children)
        elif token.type == "softbreak":
            yield " "
        elif token.type in ("list_item_open", "fence"):
            yield f"{token.info} "
        yield "" if token.type == "inline" else token.content
        if token.block:
            yield " "


def _adapt(tokens: Sequence[Token]) -> bool:
    """Change what CommonMark's tokens say to what pages show. False if a list has no such numbers:
    "1." and "02.".
    """
    lists: list[list[Token]] = []
    is_numbered = True
    for token in tokens:
        token.hidden = False  # a list is as high with empty lines as without
        match token.type:
            case "heading_open" | "heading_close":  # headings are the page's own
                token.tag = "p"
                token.attrs = {"class": "heading"} if token.nesting == 1 else {}
            case "ordered_list_open" | "bullet_list_open":
                token.attrs = {"dir": "auto"}
                lists.append([token])
            case "blockquote_open":
                token.attrs = {"dir": "auto"}
            case "list_item_open":
                lists[-1].append(token)
            case "ordered_list_close":
                is_numbered &= _number(*lists.pop())
            case "bullet_list_close":
                lists.pop()
            case "th_open" | "td_open":
                sides = {"text-align:right": "to-end", "text-align:center": "centred"}
                side = sides.get(str(token.attrs.pop("style", "")))
                token.attrs = {"class": side} if side else {}
    return is_numbered


def _number(opening: Token, *items: Token) -> bool:
    """Give the items of a list the numbers that were written, if a list can have them. If all are
    1, they are counted.
    """
    written = [item.info for item in items]
    if len(set(written)) == 1 and written[0] in ("0", "1", "01"):
        zero = written[0][:-1]
        written = [zero + str(int(written[0]) + place) for place in range(len(items))]
    names = []
    if opening.markup == ")":
        names.append("bracket")
    style = "{}"
    if any(number.startswith("0") and len(number) == 2 for number in written):
        names.append("zero")
        style = "{:02}"
    if any(number != style.format(int(number)) for number in written):
        return False
    if any(len(number) > 2 for number in written):
        names.append("wide")
    if names:
        opening.attrs["class"] = " ".join(names)
    expected = 1
    for item, number in zip(items, map(int, written), strict=True):
        if number != expected:
            item.attrs["value"] = number
        expected = number + 1
    return True


def _formula_html(renderer: RendererHTML, tokens: Sequence[Token], place: int, *_: object) -> str:
    return str(tokens[place].meta["html"])


def _fence_html(renderer: RendererHTML, tokens: Sequence[Token], place: int, *_: object) -> str:
    token = tokens[place]
    language = token.info.strip()
    label = f'<p class="language">{escape(language, quote=False)}</p>\n' if language else ""
    return f"{label}<pre><code>{escape(token.content, quote=False)}</code></pre>\n"


def _table_open_html(*_: object) -> str:
    return '<div class="table" tabindex="0"><table dir="auto">\n'


def _table_close_html(*_: object) -> str:
    return "</table></div>\n"


RENDERED: dict[str, Callable[..., str]] = {
    "formula": _formula_html,
    "fence": _fence_html,
    "table_open": _table_open_html,
    "table_close": _table_close_html,
}
