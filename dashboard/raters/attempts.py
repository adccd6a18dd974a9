"""What one rater answered before the first block: about the instructions, and in training."""

from collections.abc import Iterator
from dataclasses import dataclass

from analysis.labels import labels_of
from survey.definition.labels import usual
from survey.models import Participant, Study
from survey.tidy import definition_of


@dataclass(frozen=True)
class AnsweredQuestion:
    """An answer about the instructions, and the right one."""

    attempt: int
    question: str
    answer: str
    right: str

    @property
    def passed(self) -> bool:
        """Whether the answer was right."""
        return self.answer == self.right


@dataclass(frozen=True)
class TrainingRating:
    """A rating in training, and the range in which it was expected."""

    item: str
    attempt: int
    response: int
    dimension: str
    rating: float
    expected: tuple[float, float]
    within: bool


def comprehension_of(person: Participant, study: Study) -> list[AnsweredQuestion]:
    """Their answers about the instructions, attempt by attempt."""
    check = definition_of(study).comprehension
    return [
        AnsweredQuestion(made.number, asked.question, made.answers[asked.name], asked.answer)
        for made in person.comprehension_attempts.order_by("number")
        for asked in (check.questions if check else ())
    ]


def training_of(person: Participant, study: Study) -> list[TrainingRating]:
    """Their ratings in training, try by try."""
    return list(_training(person, study))


def _training(person: Participant, study: Study) -> Iterator[TrainingRating]:
    labels = labels_of(study)
    items = {item.name: item for item in definition_of(study).training_items}
    for made in person.training_attempts.order_by("id"):
        pairs = zip(items[made.name].responses, made.ratings, strict=True)
        for number, (response, ratings) in enumerate(pairs, start=1):
            outside = response.outside(ratings)
            for dimension, expected in response.expected.items():
                yield TrainingRating(
                    usual(made.name),
                    made.number,
                    number,
                    labels.text("dimensions", dimension),
                    ratings[dimension],
                    expected,
                    dimension not in outside,
                )
