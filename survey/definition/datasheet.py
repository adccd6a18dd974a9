"""The `datasheet:` section of study.yaml: what datasheets ask and a platform cannot know.

Researchers see it, participants never do, so it may change at any time. Pure.
"""

from collections.abc import Collection, Iterator
from typing import Literal

from survey.definition.parts import Part, Text
from survey.files.suggestions import nearest


class Responsible(Part):
    """Who answers for the datasheet."""

    name: Text | None = None
    affiliation: Text | None = None
    email: Text | None = None


class Criterion(Part):
    """What kind of quality a dimension is: how correct, how good, or how much of a feature; of the
    form, the content or both; of the output by itself, held against the input, or against
    something outside; and its name in a taxonomy such as QCET.
    """

    type: Literal["correctness", "goodness", "feature"] | None = None
    aspect: Literal["form", "content", "both"] | None = None
    frame: Literal["output", "input", "external"] | None = None
    taxonomy: Text | None = None


class Datasheet(Part):
    """Answers in words, each once for HEDS and the ARR checklist. What is missing stays open."""

    paper: Text | None = None
    resources: Text | None = None
    completed_by: Responsible = Responsible()
    contact: Responsible = Responsible()
    input: Text | None = None
    task: Text | None = None
    selection: Text | None = None
    power: Text | None = None
    power_script: Text | None = None
    experts: bool | None = None
    known_to_authors: bool | None = None
    authors_rate: bool | None = None
    payment: Text | None = None
    training: Text | None = None
    preregistration: Text | None = None
    screenshots: Text | None = None
    questions: Text | None = None
    criteria: dict[str, Criterion] = {}
    ethics: Text | None = None
    impact: Text | None = None
    risks: Text | None = None
    licence: Text | None = None
    intended_use: Text | None = None
    compute: Text | None = None
    ai_assistants: Text | None = None

    def problems(self, dimensions: Collection[str]) -> Iterator[tuple[tuple[str, str], str]]:
        """Criteria that are no dimension of the study: the key, and a message."""
        for name in self.criteria:
            if name not in dimensions:
                near = nearest(name, dimensions)
                there = (
                    f"did you mean {near!r}?"
                    if near
                    else f"there is {', '.join(dimensions) or 'none'}"
                )
                yield ("criteria", name), f"the study has no dimension {name!r}; {there}"
