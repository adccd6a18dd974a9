"""What a question may be answered with, in files that people send. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

#: Between several answers to one question.
SEVERAL = ";"


@dataclass(frozen=True)
class Options:
    """What a question may be answered with; `several` of it, if there may be more than one answer.
    `also` are answers that mean the same as an option, or stand for several ones. Where they are
    `open`, others are taken as they are written.
    """

    options: Sequence[str]
    several: bool = False
    also: Sequence[str] = ()
    open: bool = False

    @cached_property
    def _by_plain(self) -> dict[str, str]:
        return {_plain(option): option for option in (*self.also, *self.options)}

    def answer(self, text: str) -> str | None:
        """An answer as the study writes it, whatever its capitals and spaces; None if it is no
        option.
        """
        whole = self._by_plain.get(_plain(text))
        if whole is not None or not self.several:
            return text if whole is None and self.open else whole
        each = [self._by_plain.get(_plain(part)) for part in text.split(SEVERAL)]
        if None in each:
            return None
        return f"{SEVERAL} ".join(one for one in self.options if one in each)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
