"""A text as its writer indented it. Pure."""

import re

#: Columns of what models were given and wrote.
WRITTEN = ("context", "prompt", "response")

#: Up to the last line break before the first line with text.
_BLANK_LINES = re.compile(r"\s*[\r\n]")
#: It indents nothing: cells and tokens of models often begin with it.
_ONE_SPACE = re.compile(r" (?=\S)")


def as_written(text: str) -> str:
    """A text without blank lines around it and without space at its end. The first line keeps its
    indentation of two spaces, a tab or more: of code, it says where the other lines belong.
    """
    text = text.rstrip()
    before = _BLANK_LINES.match(text)
    text = text[before.end() :] if before else text
    return text[1:] if _ONE_SPACE.match(text) else text
