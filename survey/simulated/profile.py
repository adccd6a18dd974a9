"""A profile file: shares of behaviours, planted effects, times, demographics. Pure."""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from survey.definition.parts import Part
from survey.definition.questions import numbers_in
from survey.simulated.content import RatingKey


class Behaviour(StrEnum):
    """A simulated rater's behaviour. Each kind has one fault and is careful otherwise."""

    CAREFUL = "careful"
    SPEEDER = "speeder"
    STRAIGHT_LINER = "straight_liner"
    RANDOM_CLICKER = "random_clicker"
    ATTENTION_FAILER = "attention_failer"
    EARLY_EXIT = "early_exit"
    STALLER = "staller"
    DECLINER = "decliner"
    COMPREHENSION_FAILER = "comprehension_failer"
    SCREENED_OUT = "screened_out"


class Deed(StrEnum):
    """What a rater from the local Prolific does about their submission there."""

    ENTERS_CODE = "enters_code"
    SECOND_DEVICE = "second_device"
    NO_CODE = "no_code"
    SWAPPED_CODE = "swapped_code"
    TIMES_OUT = "times_out"
    RETURNS = "returns"
    FORGED_IDS = "forged_ids"


def _pair(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Number = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
Spread = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Minutes = Annotated[float, Field(gt=0, le=600)]
Window = Annotated[tuple[Minutes, Minutes], BeforeValidator(_pair)]


class Behaviours(Part):
    """Shares of all raters; the others are careful."""

    speeder: Share = 0.0
    straight_liner: Share = 0.0
    random_clicker: Share = 0.0
    attention_failer: Share = 0.0
    early_exit: Share = 0.0
    staller: Share = 0.0
    decliner: Share = 0.0
    screened_out: Share = 0.0
    #: Who fail both attempts at the comprehension check.
    comprehension_failer: Share = 0.0

    @model_validator(mode="after")
    def _at_most_all(self) -> "Behaviours":
        total = sum(self.shares().values())
        if total > 1:
            raise ValueError(f"the shares add up to {float(total):g}, more than 1")
        return self

    def shares(self) -> dict[Behaviour, Fraction]:
        """The share of each careless behaviour, exactly as written."""
        return {Behaviour(name): Fraction(str(share)) for name, share in self}


class AtProlific(Part):
    """Shares of raters from the local Prolific; the others enter the code that they were shown.

    `returns` is the share of those who leave early: they return their submission, and the others
    of them run out of time.
    """

    second_device: Share = 0.0
    no_code: Share = 0.0
    swapped_code: Share = 0.0
    times_out: Share = 0.0
    forged_ids: Share = 0.0
    returns: Share = 0.5

    @model_validator(mode="after")
    def _at_most_all(self) -> "AtProlific":
        _at_most_one({deed: float(share) for deed, share in self.shares().items()})
        return self

    def shares(self) -> dict[Deed, Fraction]:
        """The share of all raters for each deed, exactly as written."""
        given = {Deed(name): Fraction(str(share)) for name, share in self}
        del given[Deed.RETURNS]
        return given


class Shift(Part):
    """A shift of all cells with these names; a missing name matches all."""

    model: str | None = None
    condition: str | None = None
    scenario: str | None = None
    dimension: str | None = None
    shift: Number

    def moves(self, cell: RatingKey) -> bool:
        """Whether the shift applies to the cell."""
        return (
            self.model in (None, cell.model)
            and self.condition in (None, cell.condition)
            and self.scenario in (None, cell.scenario)
            and self.dimension in (None, cell.dimension)
        )


class SystemShift(Shift):
    """A shift of one system, everywhere or in one scenario or on one dimension."""

    model: str
    condition: str


class GroupShift(Shift):
    """A shift of raters who give certain answers to a demographic question.

    The answer is one of `values`, or a number in the range of `at_least` and `below`.
    """

    question: str
    values: list[str] = []
    at_least: Number | None = None
    below: Number | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether the group is a range of numbers."""
        return self.at_least is not None or self.below is not None

    @model_validator(mode="after")
    def _values_or_range(self) -> "GroupShift":
        if bool(self.values) == self.is_numeric:
            raise ValueError("define the group: either values, or at_least and below")
        least, end = self.at_least, self.below
        if least is not None and end is not None and least >= end:
            raise ValueError(f"no number is at least {least:g} and below {end:g}")
        return self

    def includes(self, answers: Sequence[str]) -> bool:
        """Whether a rater with these answers to the question is in the group."""
        if not self.is_numeric:
            return any(answer in self.values for answer in answers)
        return any(
            (self.at_least is None or number >= self.at_least)
            and (self.below is None or number < self.below)
            for number in numbers_in(answers)
        )


class Effects(Part):
    """Effects on ratings, on a latent scale from 0 (the lowest point's end) to 1 (the highest's).

    The points of the study's scale divide it equally: with five points each covers 0.2, so a shift
    of 0.1 is half a point. Shifts add up.
    """

    centre: Number = 0.55
    conditions: dict[str, Number] = {}
    systems: list[SystemShift] = []
    scenarios: dict[str, Number] = {}
    dimensions: dict[str, Number] = {}
    groups: list[GroupShift] = []
    rater_sd: Spread = 0.07
    item_sd: Spread = 0.07
    residual_sd: Spread = 0.18


class Times(Part):
    """How long people take, in minutes: least and most."""

    careful: Window = (15.0, 45.0)
    speeder: Window = (3.0, 8.0)
    staller_pause: Window = (65.0, 120.0)

    @model_validator(mode="after")
    def _rising(self) -> "Times":
        for name, (least, most) in self:
            if least > most:
                raise ValueError(f"{name}: give two numbers of minutes, the smaller first")
        return self


class DemographicAnswers(Part):
    """Answers to one demographic question: `mean` and `sd` of a number, or shares of options."""

    mean: Number | None = None
    sd: Spread | None = None
    shares: dict[str, Share] = {}
    #: Share of raters who tick a second option if a question allows several.
    second: Share = 0.0

    @model_validator(mode="after")
    def _number_or_options(self) -> "DemographicAnswers":
        if (self.mean is None) != (self.sd is None):
            raise ValueError("give mean and sd together")
        if (self.mean is None) == (not self.shares):
            raise ValueError("give either mean and sd, or shares of options")
        if self.shares and not sum(self.shares.values()) > 0:
            raise ValueError("at least one share must be above 0")
        return self


class Demographics(Part):
    """Demographic answers. For questions without an entry, all options are equally likely."""

    skip: Share = 0.0
    answers: dict[str, DemographicAnswers] = {}


def _at_most_one(shares: dict[str, float]) -> dict[str, float]:
    if sum(shares.values()) > 1:
        raise ValueError(f"the shares add up to {sum(shares.values()):g}, more than 1")
    return shares


class Devices(Part):
    """Shares of devices; all others use a desktop."""

    phone: Share = 0.0
    tablet: Share = 0.0

    @model_validator(mode="after")
    def _at_most_all(self) -> "Devices":
        _at_most_one(dict(self))
        return self


class SimulationProfile(Part):
    """A whole profile; every part is optional."""

    behaviours: Behaviours = Behaviours()
    effects: Effects = Effects()
    minutes: Times = Times()
    demographics: Demographics = Demographics()
    #: Share of the people who pass the comprehension check that need the second attempt.
    second_attempt: Share = 0.0
    #: Share of the tries at training items in which people miss the expected range.
    missed_training: Share = 0.0
    #: Share of the optional free questions that people answer.
    writes: Share = 0.4
    #: Share of raters who paste their free answers from elsewhere; all others type them.
    pastes: Share = 0.0
    #: Shares of the study's further languages; all others use its main one.
    languages: Annotated[dict[str, Share], AfterValidator(_at_most_one)] = {}
    devices: Devices = Devices()
    prolific: AtProlific = AtProlific()
