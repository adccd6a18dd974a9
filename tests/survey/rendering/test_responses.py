"""Responses as raters see them: plain text as it is, Markdown without its marks, no letter less."""

import re
import string
from html import unescape

import pytest
from selectolax.lexbor import LexborHTMLParser

from survey.rendering.responses import Look, shown
from tests.survey.rendering.responses_of_models import GALLERY

PLAIN, MARKDOWN, LATEX = Look(), Look(markdown=True), Look(markdown=True, latex=True)


def formatted(text: str) -> str:
    """HTML of Markdown without the breaks between its elements."""
    blocks = r"\n?(</?(?:p|li|[ou]l|hr|blockquote|table|thead|tbody|t[rdh]|div|pre)\b[^>]*>)\n"
    return re.sub(blocks, r"\1", shown(text, MARKDOWN).html)


@pytest.mark.parametrize("name", GALLERY)
def test_plain_text_is_every_character_of_the_file(name: str) -> None:
    html = shown(GALLERY[name], PLAIN).html
    assert unescape(html) == GALLERY[name]
    assert "<" not in html


@pytest.mark.parametrize("name", GALLERY)
def test_markdown_loses_its_marks_and_nothing_else(name: str) -> None:
    found = shown(GALLERY[name], MARKDOWN)
    assert found.name == "formatted"
    assert letters(text_of(found.html)) == letters(GALLERY[name])
    assert letters(found.words) in {letters(GALLERY[name]), letters(text_of(found.html))}


def text_of(html: str) -> str:
    """What is to be read of HTML, the numbers of its lists included."""
    body = LexborHTMLParser(html).body
    assert body is not None
    for numbered in body.css("ol"):
        number = 0
        for item in numbered.iter():
            number = int(item.attributes.get("value") or number + 1)
            item.insert_before(f"{number} ")
    return body.text()


def letters(text: str) -> str:
    """What is neither a mark nor a space."""
    kept = "".join(each for each in text if each not in string.punctuation and not each.isspace())
    # Markdown counts where all numbers of a list are the same.
    return kept.replace("1Flour1Water1", "1Flour2Water3")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**Try** *again*\nand.", "<p><strong>Try</strong> <em>again</em>\nand.</p>"),
        ("a  \nb\\\nc", "<p>a  \nb\\\nc</p>"),
        ("# Hope\nis here", '<p class="heading">Hope</p><p>is here</p>'),
        ("Hope\n---", "<p>Hope</p><hr />"),
        ("[x](https://example.org)", "<p>[x](https://example.org)</p>"),
        ("<https://example.org>", "<p>&lt;https://example.org&gt;</p>"),
        ("![x](https://example.org/a.png)", "<p>![x](https://example.org/a.png)</p>"),
        ("[1]: https://example.org\nSee", "<p>[1]: https://example.org\nSee</p>"),
        ("    def f():\n        pass", "<p>    def f():\n        pass</p>"),
        ("\u3000\u3000段落", "<p>\u3000\u3000段落</p>"),
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>"),
        (r"\(a^2\) C:\_x &copy; \*not\*", r"<p>\(a^2\) C:\_x &amp;copy; \*not\*</p>"),
        ("2*3*4, a*b*c, 2 * 3 * 4", "<p>2*3*4, a*b*c, 2 * 3 * 4</p>"),
        ("_why_ snake_case __init__", "<p>_why_ snake_case __init__</p>"),
        ("**重点：**文字", "<p><strong>重点：</strong>文字</p>"),
        ("这是**“重要”**的*一*点", "<p>这是<strong>“重要”</strong>的<em>一</em>点</p>"),
        ("これは**「大切」**です", "<p>これは<strong>「大切」</strong>です</p>"),
        ("`a  *b*`", "<p><code>a  *b*</code></p>"),
        ("`a\nb`", "<p><code>a\nb</code></p>"),
        (r"\`a\` and `b`", r"<p>\`a\` and <code>b</code></p>"),
        (r"\`\`\`py to `b\`", r"<p>\`\`\`py to <code>b\</code></p>"),
        ("(a)*(b) + (c)*(d), (a)*b*(c)", "<p>(a)*(b) + (c)*(d), (a)*b*(c)</p>"),
        ("$x^*$ and $y^*$", "<p>$x^*$ and $y^*$</p>"),
        ("COUNT(*) and a[*] and '*'", "<p>COUNT(*) and a[*] and '*'</p>"),
        ("src/**/*.ts, a/*.md, /*x*/", "<p>src/**/*.ts, a/*.md, /*x*/</p>"),
        ("**for**/**against**", "<p><strong>for</strong>/<strong>against</strong></p>"),
        ("(a)**(b) + (c)**(d)", "<p>(a)**(b) + (c)**(d)</p>"),
        ("*/tmp* and */etc*", "<p><em>/tmp</em> and <em>/etc</em></p>"),
        ("a\n*/tmp* b", "<p>a\n<em>/tmp</em> b</p>"),
        ("2*π*r, x²*y²*z, да*нет*да", "<p>2*π*r, x²*y²*z, да*нет*да</p>"),
        (
            "**答案：**42 **注意：**API",
            "<p><strong>答案：</strong>42 <strong>注意：</strong>API</p>",
        ),
        ("*강조*는 **(중요)**합니다", "<p><em>강조</em>는 <strong>(중요)</strong>합니다</p>"),
        ("√2*√3 = √6, √5*√7", "<p>√2*√3 = √6, √5*√7</p>"),
        ("5€*3 + 2€*4, 90°*2=180°, 45°*4", "<p>5€*3 + 2€*4, 90°*2=180°, 45°*4</p>"),
        ("x’*y’ + a’*b’, “a”*3 + “b”*4", "<p>x’*y’ + a’*b’, “a”*3 + “b”*4</p>"),
        ("（长+宽）*2，（高+宽）*3", "<p>（长+宽）*2，（高+宽）*3</p>"),
        ("价格*，数量*，（a）*（b）*（c）", "<p>价格*，数量*，（a）*（b）*（c）</p>"),
        ("السعر*، الكمية*", "<p>السعر*، الكمية*</p>"),
        ("3个*2元=6元，4个*3元", "<p>3个*2元=6元，4个*3元</p>"),
        ("和*B*和**（三）**元", "<p>和<em>B</em>和<strong>（三）</strong>元</p>"),
        ("(a)**(b) [c]*[d] |a|*|b|*|c|", "<p>(a)**(b) [c]*[d] |a|*|b|*|c|</p>"),
        (r"$\hat{a}*\hat{b}*\hat{c}$ a.*, b.* c", r"<p>$\hat{a}*\hat{b}*\hat{c}$ a.*, b.* c</p>"),
        (
            "**الصبر** و**الثبات** ל**נסות** به**ترین**",
            "<p><strong>الصبر</strong> و<strong>الثبات</strong> "
            "ל<strong>נסות</strong> به<strong>ترین</strong></p>",
        ),
        (
            "**WHO (2020)**[1], **Option (A)**(best), *Nature*[3], *it*[^1], *f*(*x*)",
            "<p><strong>WHO (2020)</strong>[1], <strong>Option (A)</strong>(best), "
            "<em>Nature</em>[3], <em>it</em>[^1], <em>f</em>(<em>x</em>)</p>",
        ),
        (
            "*der*/*die*/*das*, *he*/*him*, and/**or**",
            "<p><em>der</em>/<em>die</em>/<em>das</em>, <em>he</em>/<em>him</em>, "
            "and/<strong>or</strong></p>",
        ),
        ("x:\n>= 5", "<p>x:\n&gt;= 5</p>"),
        ("Answer:\n\n# \nx\n#", "<p>Answer:</p><p># \nx\n#</p>"),
        ("~~a~~ b", "<p>~~a~~ b</p>"),
        ("x\n____", "<p>x\n____</p>"),
        ("    # no heading", "<p>    # no heading</p>"),
        ("\\[\na\n- b\n\\]", "<p>\\[\na\n- b\n\\]</p>"),
        ("\\begin{align}\na\n+ b\n\\end{align}", "<p>\\begin{align}\na\n+ b\n\\end{align}</p>"),
        (
            "```py\n  x\n\n\ty\n```",
            '<p class="language">py</p><pre><code>  x\n\n\ty\n</code></pre>',
        ),
        ("> q\n> r", '<blockquote dir="auto"><p>q\nr</p></blockquote>'),
    ],
)
def test_markdown_of_responses(text: str, html: str) -> None:
    assert formatted(text) == html


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\n\n"])
def test_list_is_the_same_whatever_its_empty_lines(between: str) -> None:
    assert formatted(between.join(["1. a", "2. b", "3. c"])) == (
        '<ol dir="auto"><li><p>a</p></li><li><p>b</p></li><li><p>c</p></li></ol>'
    )


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2. a\n3. b", ["2", None]),
        ("1. a\n5. b\n6. c", [None, "5", None]),
        ("1. a\n1. b\n1. c", [None, None, None]),
        ("4. a\n4. b", ["4", "4"]),
        ("01. a\n02. b", [None, None]),
        ("08. a\n09. b\n10. c", ["8", None, None]),
        ("00. a\n01. b", ["0", None]),
        ("1986. a", ["1986"]),
    ],
)
def test_list_keeps_its_numbers(text: str, numbers: list[str | None]) -> None:
    items = LexborHTMLParser(formatted(text)).css("li")
    assert [item.attributes.get("value") for item in items] == numbers


def test_nested_list_needs_no_certain_indentation() -> None:
    for indentation in ("  ", "    ", "\t"):
        page = LexborHTMLParser(formatted(f"- a\n{indentation}- b\n- c"))
        assert [item.text(strip=True) for item in page.css("ul ul li")] == ["b"]


def test_table_of_a_response_is_a_table() -> None:
    page = LexborHTMLParser(formatted("| a | b |\n|---|--:|\n| 1 | 2 |"))
    assert [cell.text() for cell in page.css("td")] == ["1", "2"]
    assert [cell.attributes.get("class") for cell in page.css("td")] == [None, "to-end"]
    assert page.css_matches('div.table[tabindex="0"]')  # it scrolls by keyboard


def test_table_with_more_cells_than_its_head_stays_text() -> None:
    text = "| a |\n|---|\n| 1 | 2 |"
    assert shown(text, MARKDOWN).html == f"<p>{text}</p>\n"


def test_table_with_parted_code_or_formula_stays_text() -> None:
    for cell in ("`a | b`", r"\(P(a|b)\)", r"\(p(x)|y\)", "$$a|b$$"):
        text = f"| {cell} | c |\n|---|---|\n| 1 | 2 |"
        assert "<table" not in shown(text, LATEX).html
        assert "<table" in shown(f"{text}\n\n| a | b |\n|---|---|\n| 1 | 2 |", LATEX).html


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| `ls` | `ls -la` |", ["ls", "ls -la"]),
        (r"| `a \| b` | or |", ["a | b", "or"]),
        (r"| `C:\` | `D:\` |", ["C:\\", "D:\\"]),
        ("| $$a$$ | $$b$$ |", ["a", "b"]),
        ("| $$ a | $$ |", ["$$ a", "$$"]),
        (r"| \(P(A\|B)\) | \(c\) |", ["P(A|B)", "c"]),
    ],
)
def test_cells_have_code_and_formulas(row: str, cells: list[str]) -> None:
    for text in (f"| a | b |\n|---|---|\n{row}", f"{row}\n|---|---|"):
        page = LexborHTMLParser(shown(text, LATEX).html)
        assert [cell.text() for cell in page.css("th, td")][-2:] == cells


def test_fence_within_deeper_code_does_not_end_it() -> None:
    code = 'def f():\n    """Doc.\n\n    ```\n    example\n    ```\n    """\n'
    page = LexborHTMLParser(shown(f"```python\n{code}```\nDone.", MARKDOWN).html)
    assert [block.text() for block in page.css("pre")] == [code]


@pytest.mark.parametrize("text", ["+", "#", "***", "- 5", "> 5", ">= 3.5", "____", "007. Bond"])
def test_answer_that_is_but_a_mark_or_a_number_is_shown_as_it_is(text: str) -> None:
    assert (shown(text, MARKDOWN).name, unescape(shown(text, MARKDOWN).html)) == (
        "as-written",
        text,
    )


def test_text_that_markdown_would_cut_is_plain() -> None:
    text = ">" * 100 + " deep"
    assert (shown(text, MARKDOWN).name, unescape(shown(text, MARKDOWN).html)) == (
        "as-written",
        text,
    )


@pytest.mark.parametrize("text", ["1. a\n02. b", "010. a\n011. b", "- a\n  1. b\n  02. c"])
def test_numbers_that_no_list_has_are_shown_as_they_are(text: str) -> None:
    assert (shown(text, MARKDOWN).name, shown(text, MARKDOWN).html) == ("as-written", text)


def test_blocks_of_words_from_right_to_left_begin_on_the_right() -> None:
    text = "> אמת\n\n| אמת | b |\n|---|---|\n| 1 | 2 |\n\n- אמת"
    page = LexborHTMLParser(shown(text, MARKDOWN).html)
    assert [node.attributes.get("dir") for node in page.css("blockquote, table, ul")] == [
        "auto"
    ] * 3


def test_formulas_are_shown_where_the_study_wants_them() -> None:
    text = r"so \(x^2\) and **\(y\)**"
    assert "<math>" not in shown(text, MARKDOWN).html + shown(text, PLAIN).html
    assert shown(text, LATEX).html.count("<math>") == 2
    assert shown(text, Look(latex=True)).html.count("<math>") == 2
    assert shown(text, LATEX).words == r"so \(x^2\) and \(y\)"


def test_lines_of_a_formula_are_no_list() -> None:
    listed = "- so\n  \\[\n  - a\n  \\]"
    for text in (
        "\\[\n- a\n+ b\n\\]",
        listed,
        "> $$\n> - a\n> $$",
        "a\n$$\n- a\n$$",
    ):
        page = LexborHTMLParser(shown(text, LATEX).html)
        assert page.css_matches(".maths.display math")
        assert len(page.css("li")) == (text == listed)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("- `\\(`: open\n- `\\d{3}`: digits\n- `\\)`: close", 3),
        ("1. **Budget ($$)**: a\n2. **Mid ($$$)**: b\n3. **Luxury ($$$$)**: c", 3),
        ("1. Trattoria ($$)\n2. Osteria ($$)", 2),
        ("- $$\n- $$$\n- $$\n- dear", 4),
        ("1. Start with `\\begin{a}`\n2. End with `\\end{a}`", 2),
        ("- \\[Hook\n- Text\\]", 2),
        ("- \\[\n  x\n  - y\n  \\]\n- z", 2),
        ("**Answer:** \\[\n- x\n\\]", 0),
        ("\\[ \\begin{array}{c}\n- a \\\\\n- b\n\\end{array} \\]", 0),
    ],
)
def test_only_what_ends_its_line_begins_lines_of_a_formula(text: str, items: int) -> None:
    for look in (MARKDOWN, LATEX):
        assert len(LexborHTMLParser(shown(text, look).html).css("li")) == items


def test_code_beside_the_marks_of_a_formula_is_code() -> None:
    text = "The PID is `$$`:\n```bash\necho $$\n# comment\n```\nDone."
    page = LexborHTMLParser(shown(text, LATEX).html)
    assert [code.text() for code in page.css("pre")] == ["echo $$\n# comment\n"]


def test_code_has_no_formulas() -> None:
    assert "<math" not in shown("`\\(x\\)`\n\n```\n\\[x\\]\n```", LATEX).html


HOSTILE = [
    "*" * 50_000,
    "**a *b " * 5_000,
    "*文" * 10_000,
    "/*a" * 10_000,
    "- " * 10_000,
    "> " * 10_000,
    "``a`" * 10_000,
    "|" * 20_000,
    "|a" * 500 + "\n" + "|-" * 500 + "\n" + "|b\n" * 500,
    "[[" * 10_000,
    "\\(" * 20_000,
    "\\[\n" * 10_000,
    "$$\n" * 10_000,
    "1. a\n" * 5_000,
    "".join(" " * n + "- a\n" for n in range(200)),
    "\\" * 20_000,
    "<script>" * 2_000,
    "```\n" * 5_000,
    r"\(x\) " * 2_000,
    "x\n" * 20_000,
    "&#x3c;script&#x3e;" * 500,
    ("|" + "a|" * 256 + "\n|" + "-|" * 256 + "\n" + "a\n" * 256 + "\n") * 4,
    "*a " * 5_000 + "a* " * 5_000,
    "\\begin{a}\n" * 4_000,
    "a|b\n-|-\n" * 4_000,
    "x\\(\n" * 5_000,
    "\\[" + " " * 50_000 + "x",
    "\\[ " * 20_000 + "x",
    "\\(a|" * 5_000 + "\n-|",
    "|a|\n|-|\n|" + "\\(a\\|" * 5_000,
    "|a|\n|-|\n" + "`|" * 10_000,
    "|a|\n|-|\n|" + "".join("`" * n + "|" for n in range(200)),
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_hostile_text_is_harmless_and_read_in_bounded_time(text: str) -> None:
    page = LexborHTMLParser(shown(text, LATEX).html)
    assert {node.tag for node in page.css("body *")} <= ALLOWED


#: The elements of a response that are no mathematics.
HTML = "p ul ol li strong em code pre blockquote hr div table thead tbody tr th td span math mi"
ALLOWED = set(HTML.split())
