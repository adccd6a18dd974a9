"""Texts of studies in Markdown as we write it: a renderer shows them letter by letter. Pure.

CommonMark and its tables, GitHub's and Pandoc's extensions would otherwise make elements of them:
raw HTML, links, emphasis, headings, mathematics, citations.
"""

import re

#: What means something within a line.
INLINE = re.compile(
    r"""
      [\\`*\[\]|~$^{]             # code, emphasis, links, tables, mathematics, attributes
    | <(?=[A-Za-z/!?])            # HTML, and addresses in angle brackets
    | (?<![^\W_])_ | _(?![^\W_])  # emphasis; not within a word, as in zero_shot
    | &(?=\#?\w+;)                # entities
    | (?<!\w)@                    # Pandoc's citations; not within an address
    | -(?=-) | (?<=-)-            # Pandoc's dashes
    | :(?=[\w+-]+:)               # GitHub's emoji
    """,
    re.VERBOSE,
)
#: What means something where a line begins: a heading, a quotation, a list, an underline, a title,
#: a definition. Of a numbered list it is what follows the number.
AT_START = re.compile(r"[#>+=%:-]|\d{1,9}(?=[.)](?:\s|$))")


def literal(text: str) -> str:
    """A text of a study as Markdown. Its lines stay lines of one paragraph; spaces around them and
    empty lines do not.
    """
    lines = (line.strip() for line in text.splitlines())
    return "\\\n".join(_line(line) for line in lines if line)


def literal_line(text: str) -> str:
    """The same in one line, as for a heading or within a sentence."""
    return escaped(" ".join(text.split()))


def escaped(text: str) -> str:
    """A part of a line, its spaces included."""
    return INLINE.sub(r"\\\g<0>", text)


def _line(line: str) -> str:
    found = AT_START.match(line)
    if found is None:
        return escaped(line)
    number, rest = (found[0], line[found.end() :]) if found[0].isdigit() else ("", line)
    return f"{number}\\{rest[0]}{escaped(rest[1:])}"
