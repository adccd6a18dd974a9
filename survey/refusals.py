"""The base class of refusals: what was not done and why, in words, and of which kind. Pure."""

from enum import Enum


class RefusalKind(Enum):
    """What can be done about a refusal."""

    BAD_INPUT = "give something else"
    FORBIDDEN = "ask an account with the permission"
    NOT_FOUND = "name something that is there"
    CONFLICT = "change what stands against it first"
    LATER = "ask again later"


#: What is said after the words of a refusal that do not say it themselves.
NOTHING_CHANGED = "Nothing was changed."


class RequestRefused(Exception):
    """Something was not done, and nothing was changed. The text says why, in words for who asked: a
    line for each problem.

    `about` is the option or field that it is about, empty if it is about the whole.
    """

    kind: RefusalKind = RefusalKind.BAD_INPUT
    about: str = ""
    #: Said after the words, unless they say it; empty for what was only to be read.
    unchanged: str = NOTHING_CHANGED

    def __init__(self, words: str, *, about: str = "") -> None:
        super().__init__(words)
        self.about = about or self.about

    @property
    def lines(self) -> list[str]:
        """The words, a line for each problem."""
        return str(self).splitlines()

    @property
    def says_what_was_not_done(self) -> bool:
        """Whether the words say themselves that nothing was changed, queued or the like."""
        return "nothing was " in str(self).casefold()

    @property
    def listed(self) -> list[str]:
        """The lines, and last that nothing was changed."""
        is_all = self.says_what_was_not_done or not self.unchanged
        return self.lines if is_all else [*self.lines, self.unchanged]

    @property
    def sentences(self) -> str:
        """The words as sentences, which also say that nothing was changed."""
        ends = (".", "?", "!")
        return " ".join(line if line.endswith(ends) else f"{line}." for line in self.listed)

    @property
    def told(self) -> list[str]:
        """The words as pages tell them, message by message."""
        return self.listed if len(self.lines) > 1 else [self.sentences]


class Conflict(RequestRefused):
    """Something stands against it, which has to be changed first."""

    kind = RefusalKind.CONFLICT


class NotNow(RequestRefused):
    """It can be asked again later."""

    kind = RefusalKind.LATER
