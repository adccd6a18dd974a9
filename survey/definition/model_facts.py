"""The `models:` section of study.yaml: what is known of the evaluated models. Pure.

Participants never see it, so it may change at any time.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated

from pydantic import AfterValidator, FiniteFloat

from survey.definition.parts import Part, Text
from survey.files.suggestions import nearest

#: Below this a number is of billions or millions, not of parameters.
FEWEST_PARAMETERS = 10_000


def _parameters(number: float) -> float:
    if number < FEWEST_PARAMETERS:
        raise ValueError(f"{number:g} parameters are too few; write 3.0e9 for three billion")
    return number


class ModelFacts(Part):
    """A model's number of parameters."""

    parameters: Annotated[FiniteFloat, AfterValidator(_parameters)]


#: By the model's name in responses.csv.
GivenModels = dict[Text, ModelFacts]


def problems(
    models: Mapping[str, ModelFacts], known: Collection[str]
) -> Iterator[tuple[tuple[str], str]]:
    """Models that the study does not have: the key below `models`, and a message."""
    for name in models:
        if name not in known:
            near = nearest(name, known)
            there = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
            yield (name,), f"the study has no model {name!r}; {there}"
