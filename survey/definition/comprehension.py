"""The comprehension check: questions about the instructions, before anything is rated."""

from pydantic import Field, field_validator, model_validator

from survey.definition.parts import Part, Text, refuse_repeats
from survey.definition.questions import AskedQuestion

#: Nobody may try more often: with a third attempt, participants could find the answers by guessing.
MOST_ATTEMPTS = 2


class ComprehensionQuestion(AskedQuestion):
    """A question about the instructions with one right answer among its options."""

    options: list[Text] = Field(min_length=2, max_length=11)
    answer: Text

    @property
    def offered(self) -> list[str]:
        """What participants choose from."""
        return self.options

    @model_validator(mode="after")
    def _answer_is_an_option(self) -> "ComprehensionQuestion":
        refuse_repeats("option", self.options)
        if self.answer not in self.options:
            raise ValueError(f"answer {self.answer!r} is not among the options")
        return self


class Comprehension(Part):
    """Questions that a participant must answer right, all in one attempt, to go on."""

    attempts: int = Field(default=MOST_ATTEMPTS, ge=1, le=MOST_ATTEMPTS)
    questions: list[ComprehensionQuestion] = Field(min_length=1, max_length=8)

    @field_validator("questions")
    @classmethod
    def _names_once(cls, questions: list[ComprehensionQuestion]) -> list[ComprehensionQuestion]:
        refuse_repeats("question", [question.name for question in questions])
        return questions

    def wrong(self, answers: dict[str, str]) -> list[str]:
        """The names of the questions that `answers` gets wrong, in their order."""
        return [q.name for q in self.questions if answers[q.name] != q.answer]
