"""What keeps a mixed model from being fitted, and what must be known of one that was."""

from dataclasses import dataclass
from typing import Literal

from analysis.stats.inestimable import Kind

NoteKind = Literal[
    "missing",  # ratings that were left out
    "omitted",  # random effects that cannot be told from others
    "empty_category",  # a category that nobody chose
    "boundary",  # a random effect whose SD is estimated at 0
]


@dataclass(frozen=True)
class Note:
    """Something that belongs beside the results; `sentence` is to be shown as it is."""

    kind: NoteKind
    sentence: str


class Refused(Exception):
    """There are no estimates; `because` completes the sentence that `Inestimable` begins."""

    def __init__(self, kind: Kind, because: str) -> None:
        super().__init__(because)
        self.kind, self.because = kind, because
