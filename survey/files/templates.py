"""Texts of researchers with named places, such as `{prompt}`: read here, never by `str.format`.

`str.format` would also take attributes, indexes, conversions and formats: `{prompt:>100000000}` is
a hundred megabytes of spaces.
"""

import re
from collections.abc import Mapping

#: Characters of a template, and places in it: each may get a long text.
LONGEST, MOST_PLACES = 100_000, 100
#: A doubled brace, a place, a lone brace, or what is between them.
_PART = re.compile(r"(\{\{|\}\})|\{([^{}]*)\}|([{}])|[^{}]+")
_NAME = re.compile(r"[^\W\d]\w*")
#: A piece of text, and the name of the place after it; None after the last.
Piece = tuple[str, str | None]


def pieces_of(template: str) -> list[Piece]:
    """A template's texts, each with the name of the place after it. `{{` and `}}` are braces.

    Raises ValueError with the reason why a text is no template.
    """
    if len(template) > LONGEST:
        raise ValueError(f"has more than {LONGEST:,} characters")
    pieces: list[Piece] = []
    text = ""
    for part in _PART.finditer(template):
        doubled, name, lone = part.groups()
        if lone:
            raise ValueError("has a brace without its partner; write {{ or }} for a brace itself")
        if name is None:
            text += doubled[0] if doubled else part[0]
            continue
        if not _NAME.fullmatch(name):
            shown = name if len(name) <= 40 else f"{name[:40]}…"
            raise ValueError(
                f"has {{{shown}}}; only a name can stand in braces, as in {{name}}. "
                "Write {{ and }} for braces themselves"
            )
        pieces.append((text, name))
        text = ""
    if len(pieces) > MOST_PLACES:
        raise ValueError(f"has more than {MOST_PLACES} places in braces")
    return [*pieces, (text, None)]


def filled(template: str, values: Mapping[str, str]) -> str:
    """A template with a text at each place. Raises ValueError, and KeyError for an unknown name."""
    pieces = pieces_of(template)
    return "".join(text + ("" if name is None else values[name]) for text, name in pieces)
