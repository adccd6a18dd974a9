"""The `composites:` section of study.yaml: dimensions that are means of rated ones. Pure.

Participants never see them and nothing of them is stored, so they may change at any time.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from pydantic import AfterValidator

from survey.definition.dimension_names import DimensionName
from survey.definition.parts import refuse_repeats
from survey.files.suggestions import nearest


def _two_or_more(parts: list[str]) -> list[str]:
    refuse_repeats("dimension", parts)
    if len(parts) < 2:
        raise ValueError("a composite is the mean of two dimensions or more")
    return parts


#: Each composite's parts, by its name.
GivenComposites = dict[DimensionName, Annotated[list[DimensionName], AfterValidator(_two_or_more)]]


def problems(
    composites: Mapping[str, Sequence[str]], dimensions: Sequence[str]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What does not fit the rated `dimensions` of the study: the key below `composites`, and a
    message.
    """
    for name, parts in composites.items():
        if not dimensions:
            yield (name,), "the study asks for no ratings that a composite could be the mean of"
            continue
        if name in dimensions:
            yield (
                (name,),
                f"{name!r} is a dimension that raters rate; give the composite a new name",
            )
        for place, part in enumerate(parts):
            if part not in dimensions:
                near = nearest(part, dimensions)
                there = f"did you mean {near!r}?" if near else f"there are {', '.join(dimensions)}"
                yield (name, place), f"the study rates no dimension {part!r}; {there}"
