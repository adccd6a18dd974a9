"""How one rater wrote each free answer: what was counted, and which rules flag it."""

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.writing_rules import WritingRule, WritingRules, WrittenAnswer
from dashboard.shared.block_labels import block_label
from survey.definition.labels import Labels, usual
from survey.models import FreeAnswer, Participant
from survey.paradata import WRITING


@dataclass(frozen=True)
class Written:
    """A free answer: where it was asked, its text, how it was written, and what flags it.

    `is_recorded` is false where the study does not record it, or no script ran.
    """

    question: str
    place: str
    answer: FreeAnswer
    is_recorded: bool
    flags: list[WritingRule]

    @property
    def characters(self) -> int:
        return len(self.answer.text)

    @property
    def speed(self) -> float | None:
        """Typed characters a second; None where it is unknown."""
        typed, seconds = self.answer.typed_characters, self.answer.typing_seconds
        return typed / seconds if typed and seconds else None


def written_by(person: Participant, rules: WritingRules, labels: Labels) -> list[Written]:
    """Every free answer of a rater, in the order of the pages."""
    return list(_written(person, rules, labels))


def _written(person: Participant, rules: WritingRules, labels: Labels) -> Iterator[Written]:
    by_name = {rule.name: rule for rule in rules.rules}
    answers = person.free_answers.select_related("presentation__block__scenario").order_by("id")
    for answer in answers:
        shown, place = answer.presentation, "at the end"
        if shown is not None:
            block = block_label(labels, shown.block.scenario.name, shown.block.set_name)
            place = f"block {shown.position}: {block}" if shown.position else f"block {block}"
        counted = {name: getattr(answer, name) for name in WRITING}
        yield Written(
            usual(answer.name),
            place,
            answer,
            any(value is not None for value in counted.values()),
            [by_name[name] for name in rules.flags(WrittenAnswer(len(answer.text), counted))],
        )
