"""The `quality.writing` section of study.yaml: when the way in which a free answer was written is
flagged. Pure.

Each rule stands here once, with its threshold and its words. Rules know counts and times, never a
text. They flag: nobody is excluded by them, and no submission is rejected. A new one is a class and
a key of `WritingRules`.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

from pydantic import Field, FiniteFloat

from survey.definition.parts import Part


@dataclass(frozen=True)
class WrittenAnswer:
    """A free answer of so many `characters`, and what was counted while it was written: the fields
    of `survey.paradata.WRITING`, None or absent where they are unknown.
    """

    characters: int
    counted: Mapping[str, Any]

    def __getitem__(self, name: str) -> float:
        """What was counted; 0 where it is unknown, which no rule flags."""
        return float(self.counted[name]) if self.knows(name) else 0.0

    def knows(self, name: str) -> bool:
        """Whether it was counted."""
        value = self.counted.get(name)
        return value is not None and not isnan(value)

    def share(self, characters: float) -> float:
        """So many characters as a share of the answer; an empty answer has none."""
        return characters / self.characters if self.characters else 0.0


class WritingRule(Part):
    """One kind of writing that is flagged."""

    name: ClassVar[str]
    label: ClassVar[str]

    @abstractmethod
    def flags(self, answer: WrittenAnswer) -> bool:
        """Whether the answer was written so."""

    @abstractmethod
    def in_words(self) -> str:
        """What is flagged, after “an answer is flagged if”."""


def percent(share: float) -> str:
    """A share as a number with its sign: 50 %."""
    return f"{100 * share:g} %"


class Pasted(WritingRule):
    """Much of the answer was pasted or dropped, and not copied on the same page."""

    name = "pasted"
    label = "Pasted"

    share: FiniteFloat = Field(default=0.5, gt=0, le=1)

    def flags(self, answer: WrittenAnswer) -> bool:
        arrived = answer["pasted_characters"] + answer["dropped_characters"]
        return answer.share(arrived) >= self.share

    def in_words(self) -> str:
        return f"{percent(self.share)} or more of it was pasted or dropped from elsewhere"


class Returned(WritingRule):
    """The page was left, and the first thing after the return was a paste or a drop."""

    name = "returned"
    label = "Came back with text"

    share: FiniteFloat = Field(default=0.2, gt=0, le=1)

    def flags(self, answer: WrittenAnswer) -> bool:
        return answer.share(answer["returned_characters"]) >= self.share

    def in_words(self) -> str:
        return (
            f"{percent(self.share)} or more of it was pasted or dropped as soon as the writer came "
            "back to the page"
        )


class AtOnce(WritingRule):
    """Most of the answer appeared in one step, by whatever way."""

    name = "at_once"
    label = "Appeared at once"

    share: FiniteFloat = Field(default=0.8, gt=0, le=1)

    def flags(self, answer: WrittenAnswer) -> bool:
        return answer.share(answer["largest_insertion"]) >= self.share

    def in_words(self) -> str:
        return f"{percent(self.share)} or more of it appeared in one step"


class TooFast(WritingRule):
    """Typed faster than people type. The usual threshold, 15 characters a second, is 180 words a
    minute; 168,000 typists had a mean of 52 and an SD of 20 (Dhakal et al. 2018,
    doi:10.1145/3173574.3174220).
    """

    name = "too_fast"
    label = "Typed too fast"

    characters_per_second: FiniteFloat = Field(default=15.0, gt=0)

    def flags(self, answer: WrittenAnswer) -> bool:
        seconds, typed = answer["typing_seconds"], answer["typed_characters"]
        known = answer.knows("typing_seconds")
        return known and typed > 0 and typed > self.characters_per_second * seconds

    def in_words(self) -> str:
        return f"it was typed at more than {self.characters_per_second:g} characters a second"


class WritingRules(Part):
    """The rules with their thresholds, and the length from which answers are looked at."""

    least_characters: int = Field(default=50, ge=1)
    pasted: Pasted = Pasted()
    returned: Returned = Returned()
    at_once: AtOnce = AtOnce()
    too_fast: TooFast = TooFast()

    @property
    def rules(self) -> list[WritingRule]:
        """All rules, in order."""
        return [rule for _, rule in self if isinstance(rule, WritingRule)]

    def flags(self, answer: WrittenAnswer) -> list[str]:
        """The names of the rules that flag the answer; none for a short one or without a record."""
        if answer.characters < self.least_characters:
            return []
        return [rule.name for rule in self.rules if rule.flags(answer)]


#: What each rule is called.
WRITING_LABELS = {rule.name: rule.label for rule in WritingRules().rules}


def writing_changes(before: WritingRules, after: WritingRules) -> Iterator[str]:
    """Which thresholds changed, in words: `Pasted, share: 0.5 → 0.7`."""
    if before.least_characters != after.least_characters:
        lengths = f"{before.least_characters} → {after.least_characters}"
        yield f"Flagged answers, characters at least: {lengths}"
    for old, new in zip(before.rules, after.rules, strict=True):
        for key, value in old:
            if value != getattr(new, key):
                called = key.replace("_", " ")
                yield f"{old.label}, {called}: {value:g} → {getattr(new, key):g}"
