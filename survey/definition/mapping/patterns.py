"""Names of columns with named parts, such as `q_{scenario}_{system}_{dimension}`."""

import re
from collections.abc import Collection, Mapping

from survey.files.suggestions import nearest
from survey.files.templates import pieces_of

#: The names that a part may be, by the part; a part that is absent may be any text.
KnownNames = Mapping[str, Collection[str]]


class NamePattern:
    """A pattern for names of columns. `{{` and `}}` are braces that names have themselves.

    Raises ValueError with the reason why a text is no pattern.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._literals: list[str] = []
        self.parts: list[str] = []
        for literal, part in pieces_of(text):
            if part is None:
                self._literals.append(literal)
                continue
            if self.parts and not literal:
                raise ValueError(f"needs a character between {{{self.parts[-1]}}} and {{{part}}}")
            if part in self.parts:
                raise ValueError(f"has {{{part}}} twice")
            self._literals.append(literal)
            self.parts.append(part)

    @property
    def name(self) -> str:
        """The name that a pattern without parts stands for."""
        return self._literals[0]

    @property
    def has_words(self) -> bool:
        """Whether there are letters or digits beside the parts."""
        return any(char.isalnum() for literal in self._literals for char in literal)

    def expression(
        self, known: KnownNames, *, free: str = "", shortest: bool = False
    ) -> re.Pattern[str]:
        """What names have to match, a group for each part; the part `free` may be any text. Where
        a part may be several, it is the longest, or the `shortest`.
        """
        groups = []
        for part in self.parts:
            if part in known and part != free:
                names = sorted(known[part], key=len, reverse=not shortest)
                groups.append(f"({'|'.join(map(re.escape, names))})")
            else:
                groups.append("(.+?)" if shortest else "(.+)")
        first, *others = map(re.escape, self._literals)
        pieces = [group + literal for group, literal in zip(groups, others, strict=True)]
        return re.compile(first + "".join(pieces), re.DOTALL)


class NameReader:
    """Reads names of columns by a pattern whose parts are known names."""

    def __init__(self, pattern: NamePattern, known: KnownNames) -> None:
        self.pattern = pattern
        self.known = known
        self._longest = pattern.expression(known)
        self._shortest = pattern.expression(known, shortest=True)
        self._but_for = {part: pattern.expression(known, free=part) for part in pattern.parts}

    def read(self, name: str) -> list[dict[str, str]]:
        """The parts of a name: nothing if it does not fit, two ways if it can be read in several.

        Of all ways to read a name, one takes the longest at the first place where they differ, and
        one the shortest.
        """
        ways = [
            found.groups() for e in (self._longest, self._shortest) if (found := e.fullmatch(name))
        ]
        return [dict(zip(self.pattern.parts, way, strict=True)) for way in dict.fromkeys(ways)]

    def nearly(self, name: str) -> tuple[str, str] | None:
        """The part that alone keeps a name from fitting, and what the name has there."""
        for place, (part, expression) in enumerate(self._but_for.items()):
            found = expression.fullmatch(name)
            if not found or part not in self.known:
                continue
            text = found.group(place + 1)
            is_alone = len(self.pattern.parts) == 1 and not self.pattern.has_words
            if not is_alone or nearest(text, self.known[part]):
                return part, text
        return None
