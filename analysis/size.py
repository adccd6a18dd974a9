"""How much time and memory an analysis takes by its number of ratings, and whether it leaves some
tables for later.

The figures are measured by `benchmarks/analysis_scale.py --parts scale` in studies of five systems;
more systems or longer texts take more.
"""

from dataclasses import dataclass

from pydantic import Field

from survey.definition.parts import Part
from survey.refusals import RefusalKind, RequestRefused

#: Above this number of ratings, an analysis says what it takes and leaves some tables for later.
LARGE = 300_000
#: What an analysis of few ratings takes, and what each rating adds: without the tables that are
#: left for later, or with all (`SECONDS_OF_ALL`).
BASE_SECONDS, BASE_BYTES = 10, 300 * 2**20
SECONDS, SECONDS_OF_ALL = 220e-6, 400e-6
BYTES = 2_800


class TooLarge(RequestRefused):
    """There is not enough memory for an analysis; the text says what to do."""

    kind = RefusalKind.LATER


class AnalysisOptions(Part):
    """What an analysis computes."""

    everything: bool = Field(
        default=False, description="of a large study, even the tables that it leaves for later"
    )


@dataclass(frozen=True)
class AnalysisSize:
    """The number of ratings of an analysis, and whether `everything` is computed, even what a large
    one leaves for later.
    """

    ratings: int
    everything: bool

    @property
    def is_large(self) -> bool:
        return self.ratings > LARGE

    @property
    def leaves_some(self) -> bool:
        return self.is_large and not self.everything

    @property
    def seconds(self) -> float:
        """CPU seconds."""
        return BASE_SECONDS + self.ratings * (SECONDS if self.leaves_some else SECONDS_OF_ALL)

    @property
    def bytes(self) -> int:
        return BASE_BYTES + self.ratings * BYTES

    def __str__(self) -> str:
        return (
            f"an analysis of {self.ratings:,} ratings takes about {_minutes(self.seconds)} and "
            f"{_gib(self.bytes)} of memory"
        )

    def refuse_without_memory(self, free: int | None) -> None:
        """Raises TooLarge if fewer bytes are `free`; None is unknown."""
        if free is None or self.bytes <= free:
            return
        raise TooLarge(
            f"{self}, but only {_gib(free)} are free: stop other programs, analyse it where "
            "there is more memory, or export the ratings and analyse a part of them"
        )


def why_left_for_later(ratings: int) -> str:
    """The reason for a table that a large study leaves for later."""
    return (
        f"left for later, because {ratings:,} ratings are more than {LARGE:,}; "
        "“Compute all tables” or `manage.py analyze --all` makes it"
    )


def _minutes(seconds: float) -> str:
    minutes = max(1, round(seconds / 60))
    return "a minute" if minutes == 1 else f"{minutes} minutes"


def _gib(n: int) -> str:
    return f"{n / 2**30:.1f} GiB"
