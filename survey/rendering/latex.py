"""LaTeX of a formula as the converter takes it. Pure.

The converter knows most of what models write. What it does not know, and what looks the same here,
is written otherwise; what would hide something, define something or take too long is refused.
"""

import re
from collections import Counter
from collections.abc import Iterator
from unicodedata import category, normalize

#: Deeper formulas are shown as their source: braces within braces, roots of roots.
DEEPEST = 40
#: The converter reads what follows a bracket without an end twice: characters, times 2 for each.
MOST_WORK = 100_000

UNESCAPED_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%")
#: Commands of which nothing is to be seen, and those that would hide or define something.
UNWANTED = re.compile(
    r"\\(?:[gex]?def|(?:re)?newcommand|providecommand|DeclareMathOperator|let|[hv]?phantom"
    r"|mathchoice|label|ref|eqref|raisebox|color)(?![A-Za-z])"
)
#: What stands between braces, with braces in it.
WITHIN = r"(?:\\.|[^{}\\]|\{(?:\\.|[^{}\\])*\})*"
#: Words within a formula: what is written there is text.
TEXT = re.compile(r"(\\text\w*\s*\{[^{}]*\})")
#: Signs that the converter takes for text, or a root for more than there is.
SIGNS = {
    re.compile(r"√(\d+(?:,\d{3})*(?:\.\d+)?|[A-Za-z])"): r"\\sqrt{\1}",
    **{
        re.compile(sign): rf"\\{name} "
        for sign, name in {"∠": "angle", "⊥": "perp", "∵": "because", "∴": "therefore"}.items()
    },
}
#: The converter takes the space behind such a sign of a text for the end of a name.
SIGN_IN_TEXT = re.compile(r"(\\[%$&#_])(?= )")
UNIT = r"(?:pt|em|ex|mm|cm|in|mu|pc|bp|sp|px)"
#: Formulas have no numbers here, a line is as high as it needs to be, and no letter is larger.
SAME = {
    re.compile(pattern): same
    for pattern, same in {
        r"\\begin\s*\{(?:alignat|alignedat)\*?\}\s*\{\d+\}": r"\\begin{aligned}",
        r"\\(begin|end)\s*\{(?:align|alignat|alignedat|flalign|split)\*?\}": r"\\\1{aligned}",
        r"\\(begin|end)\s*\{(?:gather|multline)\*?\}": r"\\\1{gathered}",
        r"(\\begin\s*\{(?:aligned|gathered)\})\s*\[[tbc]\]": r"\1",
        r"\\(?:begin|end)\s*\{equation\*?\}": "",
        r"\\(begin|end)\s*\{smallmatrix\}": r"\\\1{matrix}",
        rf"\\\\(?:\*?\[-?[\d.]+\s*{UNIT}\]|\*)": r"\\\\",
        r"\\newline(?![A-Za-z])": r"\\\\",
        rf"\\substack\s*\{{({WITHIN})\}}": r"{\\begin{matrix}\1\\end{matrix}}",
        r"\\tag\s*\{([^{}]*)\}": r"\\qquad\\text{(\1)}",
        r"\\tag\*\s*\{([^{}]*)\}": r"\\qquad\\text{\1}",
        r"\\(?:mbox|textnormal)(?![A-Za-z])": r"\\text",
        r"\\dots[bcoi](?![A-Za-z])": r"\\dots",
        r"\\hspace\*": r"\\hspace",
        r"\\(?:nonumber|notag|tiny|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge)"
        r"(?![A-Za-z])": "",
    }.items()
}
#: What is no letter of a formula: arguments that are lengths or columns, and names of commands.
NO_LETTERS = re.compile(
    r"\\begin\s*\{(?:alignat|alignedat)\*?\}\s*\{\d+\}"
    r"|\\begin\s*\{(?:aligned|gathered)\}\s*\[[tbc]\]"
    r"|\\(?:begin|end)\s*\{[^{}]*\}(?:(?<=array\})(?:\[[a-z]\])?\{[^{}]*\})?"
    rf"|\\\\\*?\[-?[\d.]+\s*{UNIT}\]"
    r"|\\(?:[hv]space\*?\s*\{[^{}]*\}|(?:m?kern|[hm]skip)\s*-?[\d.]+\s*[a-z]{2})"
    r"|\\[A-Za-z]+"
)
#: Names of brackets, as in `\langle`, `\rrbracket` and `\ulcorner`.
NAMES = (
    r"[aA]ng(?:le)?|[bB]rac[ek]|bracket|paren(?:thesis)?|floor|ceil|[vV]ert|group|moustache|corner"
)
OPENING = re.compile(rf"[⌜⌞⎰]|\\\{{|\\[ul]?l(?:{NAMES})|\\[bB]igg?l")
CLOSING = re.compile(rf"[⌝⌟⎱]|\\\}}|\\[ulr]?r(?:{NAMES})|\\[bB]igg?r")
#: What takes the bracket behind it, which then begins nothing.
SIZED = re.compile(r"\\(?:left|[bB]igg?[lrm]?|middle)")
#: What puts brackets around its argument: they have no end unless that is a simple one.
GREEK = r"alpha|beta|gamma|delta|epsilon|theta|lambda|mu|rho|sigma|phi|chi|psi|omega"
SIMPLE = rf"[^][{{}}()\\]|\\(?:var)?(?i:{GREEK}|(?:up|down)arrow|mid)(?![A-Za-z])"
AROUND = re.compile(
    r"\\(?:p?mod|pod|[bB]ra|[kK]et|[bB]raket|[sS]et)(?![A-Za-z])"
    rf"(?!\s*(?:[A-Za-z\d]|\{{(?:{SIMPLE})*\}}))"
)
#: What takes the bracket behind it, which then is no end of another one.
TAKES = re.compile(
    r"[_^]|\\(?:[bB]igg?[lrm]?|middle|right|text\w*|math\w*|bm|[dtc]?frac|[dt]?binom|sqrt|hat"
    r"|widehat|tilde|widetilde|bar|vec|d{1,4}ot|check|breve|acute|grave|mathring|overline|underline"
    r"|over\w+|under\w+|boxed|[bx]?cancel|sout|not|stackrel|operatorname|x\w+arrow|genfrac|pmod"
    r"|mathop|bra|ket|braket|set|Set)"
)
#: An index without anything, which is an error: the converter tries again and again.
DANGLING = re.compile(r"(?<!\\)[_^]\s*(?:\}|&|\\\\|\\end|\\right|$)")
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\S", re.DOTALL)


class NotShown(ValueError):
    """A formula that is shown as its source."""


def prepared(latex: str) -> str:
    """LaTeX for the converter. Raises NotShown."""
    if UNESCAPED_COMMENT.search(latex) or UNWANTED.search(latex):
        raise NotShown
    for pattern, same in SAME.items():
        latex = pattern.sub(same, latex)
    latex = "".join(
        SIGN_IN_TEXT.sub(r"\1{}", part) if place % 2 else _with_signs(part)
        for place, part in enumerate(TEXT.split(latex))
    )
    breaks = {around[-1] for sign, around in _nested(latex) if sign == r"\\"}
    if breaks & {"{", r"\left"}:
        raise NotShown  # the converter would join the lines
    if "" in breaks:
        latex = rf"\begin{{gathered}}{latex}\end{{gathered}}"
    is_long_work = len(latex) << _unclosed(latex) > MOST_WORK or DANGLING.search(latex)
    if is_long_work or _depth(latex) > DEEPEST:
        raise NotShown
    return latex


def _with_signs(latex: str) -> str:
    for pattern, command in SIGNS.items():
        latex = pattern.sub(command, latex)
    return latex


def lost_letters(latex: str, shown: list[str]) -> Counter[str]:
    """The letters and digits of a formula that are not shown, however they are: bold, script,
    blackboard.
    """
    return _letters(NO_LETTERS.sub(" ", latex)) - _letters(*shown)


def _letters(*parts: str) -> Counter[str]:
    same = "".join(normalize("NFKC", part) for part in parts).translate(DOTLESS)
    return Counter(each for each in same if each.isalnum())


DOTLESS = str.maketrans("ıȷ", "ij")


def _nested(latex: str) -> Iterator[tuple[str, list[str]]]:
    """Each sign and command, and what is open around it, with "" for the formula."""
    around = [""]
    for found in TOKEN.finditer(latex):
        if found[0] in {"}", r"\end", r"\right"} and len(around) > 1:
            around.pop()
        yield found[0], around
        if found[0] in {"{", r"\begin", r"\left"}:
            around.append(found[0])


def _depth(latex: str) -> int:
    """How deep a formula may be nested: by braces and environments, or by commands in a row."""
    rows = re.findall(r"(?:\\[A-Za-z]+\s*)+|[_^\s]{2,}", latex)
    depths = [len(around) - 1 for _, around in _nested(latex)]
    return max([*depths, *(len(row.split("\\")) - 1 for row in rows)], default=0)


def _unclosed(latex: str) -> int:
    """At least how many brackets the converter looks for the end of in vain. An end counts within
    the same braces, where it is no index and no argument of a command, as in `\\big)`.
    """
    counts, lost, before = [0], len(AROUND.findall(latex)), ""
    for found in TOKEN.finditer(latex):
        match found[0]:
            case "{":
                counts.append(0)
            case "}" if len(counts) > 1:
                lost += counts.pop()
            case bracket if _opens(bracket) and not SIZED.fullmatch(before):
                counts[-1] += 1
            case bracket if _closes(bracket) and not TAKES.fullmatch(before):
                counts[-1] = max(0, counts[-1] - 1)
        before = found[0]
    return lost + sum(counts)


def _opens(sign: str) -> bool:
    return category(sign[0]) == "Ps" or OPENING.fullmatch(sign) is not None


def _closes(sign: str) -> bool:
    return category(sign[0]) == "Pe" or CLOSING.fullmatch(sign) is not None
