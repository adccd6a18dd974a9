"""What the simulation knows of a study: more than any participant's browser. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from survey.definition.study import StudyDefinition


@dataclass(frozen=True)
class Text:
    """A response, and which system wrote it."""

    model: str
    condition: str
    text: str

    @cached_property
    def letters(self) -> str:
        """What of it survives any rendering."""
        return letters(self.text)


@dataclass(frozen=True)
class Block:
    """One scenario × one set, in file order."""

    scenario: str
    set_name: str
    prompt: str
    texts: tuple[Text, ...]


@dataclass(frozen=True)
class Cell:
    """One thing to rate."""

    scenario: str
    set_name: str
    model: str
    condition: str
    dimension: str


@dataclass(frozen=True)
class Content:
    """A version of a study. `gives_code`: whether completing it earns a completion code."""

    definition: StudyDefinition
    version: int
    gives_code: bool
    blocks: tuple[Block, ...]

    def cells(self) -> Iterator[Cell]:
        """Everything there is to rate, in file order."""
        rating = self.definition.rating
        if rating is None:
            return
        for block in self.blocks:
            for text in block.texts:
                for dimension in rating.dimensions:
                    yield Cell(
                        block.scenario, block.set_name, text.model, text.condition, dimension.name
                    )

    @cached_property
    def _blocks_by_texts(self) -> dict[tuple[str, ...], list[Block]]:
        found: dict[tuple[str, ...], list[Block]] = {}
        for block in self.blocks:
            found.setdefault(tuple(sorted(text.letters for text in block.texts)), []).append(block)
        return found

    def recognise(
        self, responses: Mapping[str, str], *, on_page: Callable[[], str]
    ) -> tuple[Block, dict[str, Text]] | None:
        """The block whose responses these are, and whose each is; None if there is none.

        `responses` maps any name onto a text. Of systems that wrote the same text any will do;
        of blocks with the same texts it is the one whose prompt stands on the page (all of its
        text is taken from `on_page` only then).
        """
        shown = {name: letters(text) for name, text in responses.items()}
        candidates = self._blocks_by_texts.get(tuple(sorted(shown.values())), [])
        if len(candidates) > 1:
            whole = letters(on_page())
            candidates = [block for block in candidates if letters(block.prompt) in whole]
        if not candidates:
            return None
        waiting: dict[str, list[Text]] = {}
        for text in candidates[0].texts:
            waiting.setdefault(text.letters, []).append(text)
        return candidates[0], {name: waiting[text].pop(0) for name, text in shown.items()}


def letters(text: str) -> str:
    """Letters and digits alone: line breaks, quotes and emphasis may be rendered in any way."""
    return re.sub(r"[\W_]+", "", text)
