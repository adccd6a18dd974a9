r"""LaTeX as MathML: what is shown as a formula, and what stays its source."""

import re
from html import unescape
from xml.etree.ElementTree import fromstring

import pytest

from config.processes import ROOT
from survey.rendering.maths import ATTRIBUTES, ELEMENTS, formula_at, formulas_in, unshown

NAMES = (
    "maths display wide source boxed struck struck-up struck-down to-end to-start apart close-left "
    "close-right line-left line-right line-top line-bottom"
)
CLASSES = set(NAMES.split())


def html_of(latex: str) -> str:
    formula = formula_at(rf"\({latex}\)", 0)
    assert formula is not None
    return formula.html


@pytest.mark.parametrize(
    "latex",
    [
        r"x^2 + \frac{a}{b}",
        r"\sqrt[3]{x} \le \alpha_1",
        r"\sum_{i=1}^{n} i = \frac{n(n+1)}{2}",
        r"\int_0^\infty e^{-x}\,\mathrm{d}x",
        r"\lim_{x \to 0} \frac{\sin x}{x} = 1",
        r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
        r"\begin{cases} 1 & \text{if } x > 0 \\[2pt] 0 & \text{else} \end{cases}",
        r"\begin{align*} a &= b \\ c &= d \end{align*}",
        r"\begin{equation} a = b \nonumber \end{equation}",
        r"\begin{array}{|c|r|} \hline a & b \\ \hline \end{array}",
        r"\left( \frac12 \right) \cdot \left\{ x \middle| y \right\}",
        r"\mathbb{R}, \mathbf{v}, \mathcal{L}, \mathrm{km}, \bm{x}, \operatorname{arg\,max}_x",
        r"\hat{y} = \widehat{ABC}, \vec{x}, \overline{AB}, \underbrace{a+b}_{\text{sum}}",
        r"a \equiv b \pmod{3} \implies a \ldots b, \binom{n}{k}, 90^\circ, 5\,\%, \$5",
        r"\text{a \textbf{bold} and \textit{slanted} word}, \mbox{box}, \textrm{roman}",
        r"10{,}000 \times 3 \ne \cancel{x}",
        r"中 + 文",
        r"∠A = 90°, AB ⊥ AC, √2, ∵ a ∴ b",
        r"\begin{alignat}{2} a &= b \end{alignat} \begin{aligned}[t] c \end{aligned}",
        r"\cfrac{1}{2}, \substack{a \\ b}, x \tag{1}, \widetilde{x}, \texttt{ab}, a \dotsb b",
        r"f(\alpha) + g(\beta) + h(\gamma) - \left(\frac12\right) + \bigl(x\bigr)",
        r"x \in [0, 1), y \in (2, 3]",
        r"\bigl|x\bigr|" * 60,
        r"\llbracket x \rrbracket" * 60,
        r"\langle x | \ket{\psi_1} \pmod{3}" * 3,
        r"\ket{\psi_1} \pmod{3} \pmod n" * 30,
    ],
)
def test_what_models_write_is_a_formula(latex: str) -> None:
    assert "<math>" in html_of(latex)


def test_answer_in_a_box_has_one() -> None:
    assert html_of(r"\boxed{42}") == (
        '<span class="maths"><math><mrow class="boxed"><mn>42</mn></mrow></math></span>'
    )


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (r"a \(x\) b \[y\] c", [r"\(x\)", r"\[y\]"]),
        ("$$x$$", ["$$x$$"]),
        ("$$\nx\n$$", ["$$\nx\n$$"]),
        ("the sum $$x + y$$ is", ["$$x + y$$"]),
        ("costs $5, then $6", []),
        ("from $$ to $$$ a night", []),
        ("from $$ to $$, or", []),
        ("Cafe ($$), bar ($$)", []),
        ("“$$” and “$$”, **$$** and **$$**", []),
        ("1. Trattoria ($$)\n2. Osteria ($$)", []),
        ("so $$|x| = (a)$$, $$(a)$$ and $$-x$$", ["$$|x| = (a)$$", "$$(a)$$", "$$-x$$"]),
        (r"the pattern \\(a\\) and \\[b\\]", []),
        (r"\[ a \\[2pt] b \]", [r"\[ a \\[2pt] b \]"]),
        ("\\(a\n\nb\\)", []),
        (r"\(a \(b\)", [r"\(b\)"]),
        (r"\(\)", []),
        (r"\( and \[ and $$", []),
    ],
)
def test_where_formulas_are(text: str, formulas: list[str]) -> None:
    assert [formula.source for formula in formulas_in(text)] == formulas


@pytest.mark.parametrize(
    ("text", "display"),
    [(r"\(x\)", False), (r"a \[x\] b", True), ("a\n$$x$$.\nb", True), ("a $$x$$ b", False)],
)
def test_formula_on_lines_of_its_own_is_a_block(text: str, display: bool) -> None:
    assert [formula.is_block for formula in formulas_in(text)] == [display]


HOSTILE = [
    r"\text{<script>alert(1)</script>}",
    r"\text{<img src=x onerror=alert(1)>}",
    r"<script>alert(1)</script>",
    r"\text{&lt;script&gt;} &amp; x",
    r"\text{]]><script/>}",
    r"\text{<!DOCTYPE x [<!ENTITY y 'z'>]>}",
    r"\href{javascript:alert(1)}{x}",
    r"\url{javascript:alert(1)}",
    r"\style{position:fixed}{x}",
    r"\class{item}{x}",
    r"\cssId{main}{x}",
    r"\htmlData{x=y}{z}",
    r"\includegraphics{https://example.org/x.png}",
    r"\require{action} \toggle{a}{b}\endtoggle",
    r"\color{white} x",
    r"\textcolor{#fff}{x}",
    r"\colorbox{red}{x}",
    r"\hspace{100000cm} x",
    r"\hspace{-100cm} x",
    r"\kern-50em x",
    r"\kern999em x",
    r"\mskip99999mu x",
    r"\raisebox{1000em}{x}",
    r"\rule{1000em}{1000em}",
    r"\begin{array}{c} a \\[9999em] b \end{array}",
    r"\phantom{hidden}",
    r"\mathchoice{a}{b}{c}{d}",
    r"x = 1 % hidden",
    r"\newcommand{\a}{\a\a}\a",
    r"\def\a{aaaaaaaaaa}\def\b{\a\a\a\a\a\a}\b",
    r"\gdef\x{y}\x",
    r"\label{main} x",
    "{" * 900 + "}" * 900,
    "{" * 990,
    r"\sqrt" * 390 + " x",
    r"\hat " * 390 + "x",
    r"\left(" * 300,
    r"\begin{matrix}" * 100,
    "x^" * 900 + "x",
    "x'" * 900,
    "^{" * 600,
    r"\frac" * 390 + "ab",
    "a_b" * 600,
    r"\underbrace{" * 150 + "x" + "}" * 150,
    "&" * 1_000,
    "(" * 40,
    "(x[" * 300,
    r"\langle x" * 150 + ")" * 150,
    "[0, 1) " * 200,
    *(
        unit * 60
        for unit in (
            *(r"\bigl|", r"\sin\bigl|", r"\llbracket ", r"\ulcorner ", r"\llcorner ", "⟦"),
            *(r"\bra\middle|", r"\ket\middle|", r"\braket\middle|", r"\pmod\big|"),
            *(
                r"\pmod{^}",
                r"\pmod{x_}",
                r"\Braket ]{(}",
                r"\pod \sqrt \|\Yright ",
                r"\ket{\acute }",
            ),
        )
    ),
    r"\\" * 900 + "a",
    r"\frac{1",
    r"\unknown{x}",
    "\u202e\u0315 x",
]


@pytest.mark.parametrize("latex", HOSTILE, ids=lambda latex: latex[:24])
def test_hostile_formula_shows_nothing_else_than_mathematics(latex: str) -> None:
    formula = formula_at(rf"\({latex}\)", 0)
    assert formula is not None
    html = formula.html
    assert len(html) < 100 * len(latex) + 200
    if html.startswith('<span class="source">'):
        assert unescape(re.sub(r"</?span[^>]*>", "", html)) == rf"\({latex}\)"
        return
    for element in fromstring(html).iter():
        assert element.tag in ELEMENTS | {"span"}
        assert set(element.get("class", "").split()) <= CLASSES
        assert set(element.attrib) <= {*ATTRIBUTES, "class", "tabindex"}


@pytest.mark.parametrize(
    "latex", [r"\unknown{x}", r"\frac{1", r"x = 1 % hidden", r"\hspace{99cm}x", r"\phantom{x}"]
)
def test_what_cannot_be_shown_is_its_source(latex: str) -> None:
    assert html_of(latex) == rf'<span class="source">\({latex}\)</span>'


def test_block_takes_the_space_behind_it_and_a_source_does_not() -> None:
    for text, behind in ((r"\[x\] then", "then"), (r"\[\unknown\] then", " then")):
        (formula,) = formulas_in(text)
        assert text[formula.end :] == behind


def test_longer_formula_than_anybody_writes_is_text() -> None:
    assert formula_at(rf"\({'x' * 3_000}\)", 0) is None
    assert len(list(formulas_in(r"\(x\) " * 1_000))) == 400


def test_no_letter_of_a_formula_is_lost() -> None:
    assert "<math>" in html_of(r"\mathbb{ABC} \mathbf{xyz} \mathfrak{g} \text{word} \imath")
    assert "<math>" not in html_of(r"x \require{words}")


def test_lines_of_a_formula_stay_lines() -> None:
    (formula,) = formulas_in("\\[\n2x = 4 \\\\\nx = 2\n\\]")
    assert formula.html.count("<mtr>") == 2


@pytest.mark.parametrize(
    "latex",
    [r"\boxed{5 \\ 3}", r"\left\{ x=1 \\ y=2 \right.", r"\frac{a \\ b}{c}", r"\text{a\\b}"],
)
def test_lines_that_would_be_joined_are_its_source(latex: str) -> None:
    assert html_of(latex) == rf'<span class="source">\({latex}\)</span>'


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        (r"\overline{3}", '<mo stretchy="true">‾</mo>'),
        (r"\vec{v}", '<mo stretchy="false">→</mo>'),
        (r"\underline{3}", '<mo stretchy="true">\u0332</mo>'),
        ("√12.5", "<msqrt><mn>12.5</mn></msqrt>"),
        ("√1,000 + √2, x", "<mn>000</mn></mrow></msqrt><mo>+</mo><msqrt><mn>2</mn></msqrt>"),
        (r"\text{长度为√2的}", "<mtext>长度为√2的</mtext>"),
        (r"\text{因为∠A=∠B}", "<mtext>因为∠A=∠B</mtext>"),
        (r"x \tag*{(2)}", "<mtext>(2)</mtext>"),
        (r"x \tag{2}", "<mtext>(2)</mtext>"),
        (r"\text{20\% off, R\& D}", "<mtext>20%\xa0off,\xa0R&amp;\xa0D</mtext>"),
        (r"\substack{i\in\{1,2\} \\ x_{1}}", "<mtr><mtd><msub>"),
        (r"a \\*[2pt] b", "<mtr><mtd><mi>b</mi></mtd></mtr>"),
    ],
)
def test_what_the_converter_writes_otherwise(latex: str, mathml: str) -> None:
    assert mathml in html_of(latex)


def test_last_rule_of_a_table_is_below_its_last_row() -> None:
    html = html_of(r"\begin{array}{|c|c|} \hline a & b \\ \hline 1 & 2 \\ \hline \end{array}")
    rows = [list(row) for row in fromstring(html).iter("mtr")]
    assert [["line-bottom" in cell.get("class", "") for cell in row] for row in rows] == [
        [False, False],
        [True, True],
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"Dear \[Your Name\], \[Date\] \[City, State ZIP\]",
        r"\[Recipient's Name\]",
        r"\[FIRST_NAME\]",
        r"he wrote \[sic\], see \[1\] and \[2, 3–5\]",
        r"\[姓名\]",
        r"between \( and \)",
        r"find . \( -name a -o -name b \)",
    ],
)
def test_words_and_citations_in_brackets_are_no_formula(text: str) -> None:
    assert list(formulas_in(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        *(r"\(x\)", r"\(5\)", r"\(ABCD\)", r"\(xyz\)", r"\(f(x)\)", r"\([0, 1)\)", r"\(3 km\)"),
        *(
            r"\[ 42 \]",
            r"so \[x\] is",
            r"\[ Area = a b \]",
            r"\[v_{max}\]",
            r"\[\pi\]",
            r"\[a → b\]",
        ),
    ],
)
def test_letters_numbers_and_signs_of_mathematics_are_a_formula(text: str) -> None:
    assert [formula.source in text for formula in formulas_in(text)] == [True]


def test_what_is_not_shown_as_a_formula_can_be_listed() -> None:
    text = r"\(x\), \(\frac{1\), \[ no end, and \(y\)"
    assert list(unshown(text)) == [r"\(\frac{1\)", r"\[ no end, and "]


def test_font_of_formulas_comes_with_its_licence() -> None:
    folder = ROOT / "static" / "survey" / "fonts"
    assert (folder / "stix-two-math.woff2").read_bytes()[:4] == b"wOF2"
    assert "SIL Open Font License" in (folder / "OFL.txt").read_text(encoding="utf-8")
