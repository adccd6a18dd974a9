"""Training items: example responses that are rated like real ones, with feedback."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import Field, PlainValidator, field_validator

from survey.definition.parts import Name, Part, Text, WrittenText, refuse_repeats
from survey.definition.points import AsItIs, point_value
from survey.definition.tasks import RatingTask
from survey.files.suggestions import did_you_mean

#: The most training items of a study, and the most responses of one.
MOST_ITEMS, MOST_RESPONSES = 12, 8
KeyPath = tuple[str | int, ...]


def _range(value: Any) -> tuple[float, float]:
    """Two points of a scale. Raises ValueError."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise ValueError("give two points of the scale, such as [1, 2]")
    least, most = point_value(value[0]), point_value(value[1])
    if least > most:
        raise ValueError("give the smaller point first")
    return least, most


ExpectedRange = Annotated[tuple[float, float], PlainValidator(_range), AsItIs]


class TrainingResponse(Part):
    """A response, the range in which experts rated it on each dimension, and why."""

    text: WrittenText
    expected: dict[str, ExpectedRange] = Field(min_length=1)
    why: Text | None = None

    def outside(self, ratings: Mapping[str, float]) -> list[str]:
        """The dimensions on which `ratings` are outside the expected range, in their order."""
        return [
            dimension
            for dimension, (least, most) in self.expected.items()
            if not least <= ratings[dimension] <= most
        ]


class TrainingItem(Part):
    """A scenario and one or more responses to it, on one page."""

    name: Name
    prompt: WrittenText
    context: WrittenText | None = None
    responses: list[TrainingResponse] = Field(min_length=1, max_length=MOST_RESPONSES)

    def is_within(self, ratings: Sequence[Mapping[str, float]]) -> bool:
        """Whether all `ratings`, of each response by dimension, are within their ranges."""
        pairs = zip(self.responses, ratings, strict=True)
        return not any(response.outside(given) for response, given in pairs)


class TrainingKeys(Part):
    """The keys of `training` beside its items.

    An item is rated again while a rating is outside its range, but at most `attempts` times.
    """

    attempts: int = Field(default=1, ge=1, le=10)


class Training(TrainingKeys):
    """The training items in their order."""

    items: list[TrainingItem] = Field(min_length=1, max_length=MOST_ITEMS)

    @field_validator("items")
    @classmethod
    def _names_once(cls, items: list[TrainingItem]) -> list[TrainingItem]:
        refuse_repeats("training item", [item.name for item in items])
        return items

    def is_done(self, item: TrainingItem, tries: Sequence[Sequence[Mapping[str, float]]]) -> bool:
        """Whether `item` needs no further try. `tries` has the ratings of each response by
        dimension, try by try.
        """
        if not tries:
            return False
        return len(tries) >= self.attempts or item.is_within(tries[-1])


class Misfit(NamedTuple):
    """What does not fit the study's rating task, at a path below `training`."""

    path: KeyPath
    message: str


def misfits(training: Training, rating: RatingTask | None) -> Iterator[Misfit]:
    """Expected ratings that the study's scale and dimensions do not have."""
    if rating is None:
        yield Misfit((), "the study asks for no ratings, so there is nothing to train")
        return
    names, values = [d.name for d in rating.dimensions], rating.values
    for i, item in enumerate(training.items):
        for r, response in enumerate(item.responses):
            path = ("items", i, "responses", r, "expected")
            for name, ends in response.expected.items():
                if name not in names:
                    near = did_you_mean(name, names)
                    yield Misfit((*path, name), f"{name!r} is not among the dimensions{near}")
                for value in ends if name in names else ():
                    if value not in values:
                        yield Misfit((*path, name), f"{value} is not a point of the scale")
                        break
            for name in names if response.expected.keys() <= set(names) else ():
                if name not in response.expected:
                    yield Misfit(path, f"the dimension {name!r} is missing")
