"""Rated responses that a judge has in its prompt as examples. Pure.

A call about a scenario never shows examples of that scenario: no response is scored with its own
rating in the prompt, or with those of the other responses to the same message.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from survey.definition.parts import Part
from survey.refusals import Conflict

SOURCE = re.compile(r"(panel|file) \S.{0,99}")


def _is_source(text: str) -> str:
    if not SOURCE.fullmatch(text):
        raise ValueError(f"{text!r} is no source of ratings; write 'panel NAME' or 'file NAME'")
    return text


#: As on the command line: `panel experts`, `file imported`.
ExampleSource = Annotated[str, AfterValidator(_is_source)]


class ExamplesDefinition(Part):
    """Whose ratings are a judge's examples, and how many."""

    source: ExampleSource
    #: Two or more, of two scenarios or more: each scenario has examples of another one.
    number: int = Field(default=4, ge=2, le=50)
    #: Chooses them; another seed chooses others.
    seed: int = Field(default=1, ge=0, le=2**31)


class RatedExample(Part):
    """A response with its scores, as shown to a judge."""

    scenario: str
    prompt: str
    context: str
    response: str
    #: By dimension.
    scores: dict[str, int]


class TooFewExamples(Conflict):
    """There are too few rated responses; the message says how many, and is for people."""


def choose_examples(
    candidates: Iterable[RatedExample], *, number: int, seed: int
) -> list[RatedExample]:
    """`number` of the candidates, of as many scenarios as possible, in the order of the prompt.

    The same candidates and seed give the same examples, whatever the order of the candidates.
    Raises TooFewExamples.
    """
    order = sorted(candidates, key=lambda each: (each.scenario, each.response))
    random.Random(f"examples:{seed}").shuffle(order)  # noqa: S311  no secret
    by_scenario: dict[str, list[RatedExample]] = defaultdict(list)
    for each in order:
        by_scenario[each.scenario].append(each)
    if len(order) < number or len(by_scenario) < 2:
        responses = f"{len(order)} response{'' if len(order) == 1 else 's'}"
        scenarios = f"{len(by_scenario)} scenario{'' if len(by_scenario) == 1 else 's'}"
        raise TooFewExamples(
            f"{responses} of {scenarios} are rated on every dimension of the judge, and it needs "
            f"{number} examples, of two scenarios or more"
        )
    # The scenarios in turn, each with its next response.
    turns = [(turn, at) for at, of in enumerate(by_scenario.values()) for turn in range(len(of))]
    lists = list(by_scenario.values())
    return [lists[at][turn] for turn, at in sorted(turns)[:number]]


def shown_for(examples: Sequence[RatedExample], scenario: str) -> list[RatedExample]:
    """The examples that a call about a scenario shows: those of all others."""
    return [each for each in examples if each.scenario != scenario]
