"""A response as HTML: what the model wrote, so that raters judge that and not how we show it. Pure.

Plain text is shown as it is, with its lines, tabs and runs of spaces. Markdown loses its marks and
nothing else: where a letter would be lost, the response is shown as plain text.
"""

import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from survey.definition import StudyDefinition
from survey.rendering.maths import LONGEST, MOST_FORMULAS, formula_at, formulas_in


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


def _read(text: str, *, latex: bool) -> tuple[MarkdownIt, list[Token]] | None:
    """The text as Markdown, and how to render it. None if a letter would be lost, as where
    quotations are nested absurdly deep.
    """
    letters = _letters(text)
    for tables in (True, False):  # what has more cells than its head is no table
        parser = _parser(latex=latex, tables=tables)
        tokens = parser.parse(text)
        if _letters("".join(_pieces(tokens))) == letters:
            _adapt(tokens)
            return parser, tokens
    return None


def _letters(text: str) -> str:
    """What is neither a mark of Markdown nor a space."""
    return "".join(text.translate(MARKS).split())


MARKS = dict.fromkeys(map(ord, string.punctuation + "\x00\ufffd"))


def _parser(*, latex: bool, tables: bool) -> MarkdownIt:
    """A parser for one text. It is not shared by threads: a second one could read its table of
    rules while the first still builds it.
    """
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 40}).disable(OFF)
    if tables:
        parser.enable("table")
    parser.block.ruler.at("paragraph", _paragraph)
    parser.inline.ruler.at("newline", _newline)
    parser.inline.ruler.at("emphasis", _stars)
    if latex:
        parser.block.ruler.before("fence", "formula", _formula_block, {"alt": ["paragraph"]})
        parser.inline.ruler.before("backticks", "formula", _formula)
    for name, rule in RENDERED.items():
        parser.add_render_rule(name, rule)
    return parser


def _paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A paragraph whose lines keep their indentation, as those of a poem."""
    following = start + 1
    others = state.md.block.ruler.getRules("paragraph")
    kind, state.parentType = state.parentType, "paragraph"
    while following < state.lineMax and not state.isEmpty(following):
        # Lines of a quotation that have no mark of their own belong to its paragraph.
        if state.sCount[following] >= 0 and any(
            rule(state, following, state.lineMax, True) for rule in others
        ):
            break
        following += 1
    state.parentType = kind
    content = state.getLines(start, following, state.blkIndent, False)
    _push_paragraph(state, content, start, following)
    return True


def _newline(state: StateInline, silent: bool) -> bool:
    """A line break is one, whatever spaces stand around it."""
    if state.src[state.pos] != "\n":
        return False
    if not silent:
        state.push("softbreak", "br", 0)
    state.pos += 1
    return True


def _stars(state: StateInline, silent: bool) -> bool:
    """Emphasis by stars, never by underscores. After a backslash a star is itself; between two
    ASCII letters or digits stars are products or powers. Beside a letter of another script they
    may touch punctuation, as in `**重点：**文字`: Chinese and Japanese have no spaces there.
    """
    if silent or state.src[state.pos] != "*":
        return False
    run = state.scanDelims(state.pos, canSplitWord=True)
    before = state.src[state.pos - 1] if state.pos else " "
    after = state.src[state.pos + run.length : state.pos + run.length + 1] or " "
    opens, closes = run.can_open, run.can_close
    if before == "\\" or (_is_ascii_letter(before) and _is_ascii_letter(after)):
        opens = closes = False
    elif not before.isspace() and not after.isspace():
        opens = opens or not before.isascii()
        closes = closes or not after.isascii()
    for _ in range(run.length):
        token = state.push("text", "", 0)
        token.content = "*"
        place = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord("*"), run.length, place, -1, opens, closes))
    state.pos += run.length
    return True


def _is_ascii_letter(character: str) -> bool:
    return character.isascii() and character.isalnum()


def _formula(state: StateInline, silent: bool) -> bool:
    """A formula within a line."""
    if state.src[state.pos] not in "\\$" or (found := formula_at(state.src, state.pos)) is None:
        return False
    state.env["formulas"] = state.env.get("formulas", 0) + 1
    if state.env["formulas"] > MOST_FORMULAS:
        return False
    if not silent:
        token = state.push("formula", "", 0)
        token.content, token.meta = found.source, {"html": found.html}
    state.pos = found.end
    return True


def _formula_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    r"""A formula of several lines, from `\[` to `\]` or `$$` to `$$`: its lines are no lists."""
    first = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith(("\\[", "$$"), first):
        return False
    closing = "\\]" if state.src[first] == "\\" else "$$"
    following, place = start, first + 2
    while closing not in state.src[place : state.eMarks[following]]:
        following += 1
        if following >= state.lineMax or state.isEmpty(following):
            return False
        place = state.bMarks[following]
        begins = state.src.startswith("\\[", place + state.tShift[following])
        if place - first > LONGEST or begins:
            return False
    following += 1
    content = state.getLines(start, following, state.blkIndent, False)
    if following == start + 1 or formula_at(content, len(content) - len(content.lstrip())) is None:
        return False
    if not silent:
        _push_paragraph(state, content, start, following)
    return True


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


def _adapt(tokens: Sequence[Token]) -> None:
    """Change what CommonMark's tokens say to what pages show."""
    lists: list[list[Token]] = []
    for token in tokens:
        token.hidden = False  # a list is as high with empty lines as without
        match token.type:
            case "heading_open" | "heading_close":  # headings are the page's own
                token.tag = "p"
                token.attrs = {"class": "heading"} if token.nesting == 1 else {}
            case "ordered_list_open" | "bullet_list_open":
                token.attrs = {"dir": "auto"}
                lists.append([token])
            case "list_item_open":
                lists[-1].append(token)
            case "ordered_list_close":
                _number(*lists.pop())
            case "bullet_list_close":
                lists.pop()
            case "th_open" | "td_open":
                sides = {"text-align:right": "to-end", "text-align:center": "centred"}
                side = sides.get(str(token.attrs.pop("style", "")))
                token.attrs = {"class": side} if side else {}


def _number(opening: Token, *items: Token) -> None:
    """Give the items of a list the numbers that were written. If all are the same, Markdown counts
    on from it.
    """
    written = [item.info for item in items]
    if len(set(written)) == 1:
        written = [str(int(written[0]) + place) for place in range(len(items))]
    names = []
    if opening.markup == ")":
        names.append("bracket")
    if any(number.startswith("0") and len(number) == 2 for number in written):
        names.append("zero")
    if any(len(number) > 2 for number in written):
        names.append("wide")
    if names:
        opening.attrs["class"] = " ".join(names)
    expected = 1
    for item, number in zip(items, map(int, written), strict=True):
        if number != expected:
            item.attrs["value"] = number
        expected = number + 1


def _formula_html(renderer: RendererHTML, tokens: Sequence[Token], place: int, *_: object) -> str:
    return str(tokens[place].meta["html"])


def _fence_html(renderer: RendererHTML, tokens: Sequence[Token], place: int, *_: object) -> str:
    token = tokens[place]
    language = token.info.strip()
    label = f'<p class="language">{escape(language, quote=False)}</p>\n' if language else ""
    return f"{label}<pre><code>{escape(token.content, quote=False)}</code></pre>\n"


def _table_open_html(*_: object) -> str:
    return '<div class="table" tabindex="0"><table>\n'


def _table_close_html(*_: object) -> str:
    return "</table></div>\n"


RENDERED: dict[str, Callable[..., str]] = {
    "formula": _formula_html,
    "fence": _fence_html,
    "table_open": _table_open_html,
    "table_close": _table_close_html,
}
