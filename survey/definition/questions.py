"""Questions about the participant: what each kind asks, and what becomes of its answers. Pure.

Screening questions come at the start, demographics at the end. A new kind is a class here, in the
union `Question`, and a line of `survey.forms.questions.FORMS`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Annotated, ClassVar, Literal, Protocol

from pydantic import Field, field_validator, model_validator

from survey.definition.answer_options import SEVERAL, Options
from survey.definition.parts import Name, StoredPart, Text, refuse_repeats
from survey.files.digits import as_whole, ascii_number
from survey.files.suggestions import not_among
from survey.regions import STATES

#: An answer as it is stored; texts are in the study's main language.
Answer = int | float | str | list[str]
#: Between several answers in a cell of participants.csv.
BETWEEN = f"{SEVERAL} "
#: An end of a range of numbers: the number, and whether the range begins or ends just above it.
RangeEnd = tuple[float, bool]
_WHOLE = re.compile(r"[0-9]{1,9}")


class DrawnFrom(Protocol):
    """What simulated answers to a question are drawn from (`simulated.profile`)."""

    @property
    def mean(self) -> float | None: ...

    @property
    def sd(self) -> float | None: ...

    @property
    def shares(self) -> Mapping[str, float]: ...

    @property
    def second(self) -> float: ...


def in_one_cell(answers: Sequence[str], several: str | None = None) -> str | None:
    """Several answers as one text: the study's category for them, else all of them."""
    if len(answers) > 1 and several:
        return several
    return BETWEEN.join(answers) or None


class AskedQuestion(StoredPart):
    """A question, whatever its kind. Kinds say what differs; unless they do, one of the options
    that are `offered` is chosen.
    """

    ALWAYS_STORED = frozenset({"hint"})
    #: The type of answers that are numbers.
    number: ClassVar[type[int | float] | None] = None
    #: Whether the form for sharing leaves the answers out unless the study says otherwise.
    is_withheld: ClassVar[bool] = False

    name: Name
    question: Text
    hint: Text | None = None

    @property
    def takes_several(self) -> bool:
        """Whether several options may be chosen."""
        return False

    @property
    def offered(self) -> list[str]:
        """What participants choose from; nothing if they write."""
        return []

    @property
    def categories(self) -> list[str]:
        """The categories of answers, in the order of tables; nothing if there are none."""
        return []

    @property
    def meaning(self) -> str:
        """What its column means, for the codebook."""
        return self.question

    @property
    def values_in_words(self) -> str:
        """The values of its column, for the codebook."""
        raise NotImplementedError

    @property
    def note(self) -> str:
        """What researchers have to know of it, and participants do not see."""
        return ""

    def answer_of(self, sent: Sequence[str]) -> Answer:
        """What was sent, one text or more, as an answer. Raises ValueError if it is none."""
        if any(text not in self.offered for text in sent):
            raise ValueError(sent)
        return sent[-1]

    def exported(self, text: str) -> Answer:
        """A cell of Prolific's export as an answer. Raises ValueError with the template of a
        `Problem`.
        """
        text = Options(self.offered).answer(text) or text
        if text not in self.offered:
            raise ValueError(not_among(text, self.offered))
        return text

    def cell(self, answer: Answer) -> int | float | str | None:
        """An answer in participants.csv."""
        return in_one_cell(answer) if isinstance(answer, list) else answer

    @property
    def in_files(self) -> Options | None:
        """What files of participants may have; None for any text, or a number."""
        return None

    def simulated(self, given: DrawnFrom | None, drawn: Random) -> list[str]:
        """A simulated answer, as a browser sends it."""
        shares = {o: given.shares[o] for o in self.offered if given and given.shares.get(o)}
        shares = shares or dict.fromkeys(self.offered, 1.0)
        first = drawn.choices(list(shares), list(shares.values()))[0]
        others = [option for option in shares if option != first]
        if self.takes_several and given and others and drawn.random() < given.second:
            return [first, drawn.choices(others, [shares[option] for option in others])[0]]
        return [first]

    def may_be(self, cell: str) -> bool:
        """Whether participants.csv can have this answer."""
        return cell in self.categories

    def holds_any(self, first: RangeEnd, last: RangeEnd) -> bool:
        """Whether any answer is a number of this range."""
        return any(first <= (number, False) < last for number in numbers_in(self.categories))

    @property
    def asks(self) -> str:
        """What may be answered, in a sentence about the question."""
        return f"its options are {', '.join(self.categories)}"


def numbers_in(answers: Sequence[str]) -> Iterator[float]:
    """The answers that are numbers."""
    for answer in answers:
        try:
            yield float(answer)
        except ValueError:
            continue


class AboutParticipant(AskedQuestion):
    """Where the answers to a question about the participant come from: from them, or from
    Prolific's demographic export. Then they are not asked it.
    """

    kind: str
    source: Literal["participant", "prolific"] = "participant"
    #: The column of the export, if it is not called as the question; capitals make no difference.
    column: Text | None = None

    @property
    def is_asked(self) -> bool:
        """Whether participants see the question."""
        return self.source == "participant"

    @property
    def meaning(self) -> str:
        if self.is_asked:
            return self.question
        column = self.column or self.name
        return f"{self.question} Not asked: from Prolific’s demographic export, {column}"

    @model_validator(mode="after")
    def _column_of_an_export(self) -> "AboutParticipant":
        if self.column is not None and self.is_asked:
            raise ValueError("column is only for questions with source: prolific")
        return self


class IntegerQuestion(AboutParticipant):
    """A whole number, such as an age in years."""

    number = int

    kind: Literal["integer"]
    minimum: int
    maximum: int

    @property
    def values_in_words(self) -> str:
        return f"whole number, {self.minimum} to {self.maximum}"

    @property
    def note(self) -> str:
        return f"A whole number from {self.minimum} to {self.maximum}."

    @property
    def asks(self) -> str:
        return f"it asks for a whole number from {self.minimum} to {self.maximum}"

    def answer_of(self, sent: Sequence[str]) -> int:
        text = ascii_number(sent[-1])
        if not _WHOLE.fullmatch(text) or not self.minimum <= int(text) <= self.maximum:
            raise ValueError(text)
        return int(text)

    def exported(self, text: str) -> int:
        whole = as_whole(text)
        if not _WHOLE.fullmatch(whole):
            raise ValueError("{!r} is not a whole number")
        if not self.minimum <= int(whole) <= self.maximum:
            raise ValueError(f"{{}} is not between {self.minimum} and {self.maximum}")
        return int(whole)

    def simulated(self, given: DrawnFrom | None, drawn: Random) -> list[str]:
        if given is None or given.mean is None or given.sd is None:
            return [str(drawn.randint(self.minimum, self.maximum))]
        number = round(drawn.gauss(given.mean, given.sd))
        return [str(min(max(number, self.minimum), self.maximum))]

    def may_be(self, cell: str) -> bool:
        if not cell.removeprefix("-").isdecimal() or str(int(cell)) != cell:
            return False
        return self.minimum <= int(cell) <= self.maximum

    def holds_any(self, first: RangeEnd, last: RangeEnd) -> bool:
        return max(first, (self.minimum, False)) < min(last, (self.maximum, True))


class ChoiceQuestion(AboutParticipant):
    """One of several options (`single`) or any number of them (`multiple`)."""

    ALWAYS_STORED = frozenset({"hint", "several"})

    kind: Literal["single", "multiple"]
    options: list[Text] = Field(min_length=2)
    #: The category of a `multiple` answer with two or more options in tables. It comes after the
    #: options there, or at its position among them; participants never see it as an option.
    several: Text | None = None

    @property
    def takes_several(self) -> bool:
        return self.kind == "multiple"

    @property
    def offered(self) -> list[str]:
        return [option for option in self.options if option != self.several]

    @property
    def categories(self) -> list[str]:
        return list(dict.fromkeys([*self.options, *([self.several] if self.several else [])]))

    @property
    def values_in_words(self) -> str:
        return "; ".join(self.categories)

    @property
    def note(self) -> str:
        note = "Several answers possible." if self.takes_several else ""
        return note + (f" Tables count them as {self.several}." if self.several else "")

    def answer_of(self, sent: Sequence[str]) -> Answer:
        one = super().answer_of(sent)
        return [option for option in self.offered if option in sent] if self.takes_several else one

    def exported(self, text: str) -> Answer:
        if not self.takes_several:
            return super().exported(text)
        one_of = Options(self.offered)
        chosen = [one_of.answer(one) or one.strip() for one in text.split(SEVERAL)]
        for one in chosen:
            if one not in self.offered:
                raise ValueError(not_among(one, self.offered))
        return [option for option in self.offered if option in chosen]

    def cell(self, answer: Answer) -> int | float | str | None:
        return in_one_cell(answer, self.several) if isinstance(answer, list) else answer

    @property
    def in_files(self) -> Options:
        also = [self.several] if self.several else []
        return Options(self.offered, several=self.takes_several, also=also)

    def may_be(self, cell: str) -> bool:
        options = self.categories
        return cell in options or (self.takes_several and set(cell.split(BETWEEN)) <= set(options))

    @field_validator("options")
    @classmethod
    def _options_once(cls, options: list[str]) -> list[str]:
        refuse_repeats("option", options)
        return options

    @model_validator(mode="after")
    def _several_of_many(self) -> "ChoiceQuestion":
        if self.several is not None and self.kind != "multiple":
            raise ValueError("several is only for questions of kind multiple")
        if len(self.offered) < 2:
            raise ValueError("give at least two options besides several")
        return self


class StateQuestion(AboutParticipant):
    """A US state or the District of Columbia; the Census region is derived from it."""

    is_withheld = True

    kind: Literal["us_state"]

    @property
    def offered(self) -> list[str]:
        return list(STATES)

    @property
    def values_in_words(self) -> str:
        return "US state or District of Columbia"

    @property
    def note(self) -> str:
        return "A list of US states."

    @property
    def in_files(self) -> Options:
        # territories, and countries of people abroad, are not among them
        return Options([*STATES], also=[*STATES.values()], open=True)

    def may_be(self, cell: str) -> bool:
        return True

    def holds_any(self, first: RangeEnd, last: RangeEnd) -> bool:
        return True


Question = Annotated[IntegerQuestion | ChoiceQuestion | StateQuestion, Field(discriminator="kind")]


class ScreeningQuestion(AskedQuestion):
    """A question at the start. Participants who choose an option outside `eligible` are screened
    out.
    """

    options: list[Text] = Field(min_length=2)
    eligible: list[Text] = Field(min_length=1)

    @property
    def offered(self) -> list[str]:
        return self.options

    @property
    def categories(self) -> list[str]:
        return self.options

    @property
    def values_in_words(self) -> str:
        return f"{'; '.join(self.options)}. Eligible: {'; '.join(self.eligible)}"

    @property
    def in_files(self) -> Options:
        return Options(self.options)

    @model_validator(mode="after")
    def _eligible_are_options(self) -> "ScreeningQuestion":
        refuse_repeats("option", self.options)
        for option in self.eligible:
            if option not in self.options:
                raise ValueError(f"eligible {option!r} is not among the options")
        if len(set(self.eligible)) == len(self.options):
            raise ValueError("every option is eligible, so no participant could be screened out")
        return self
