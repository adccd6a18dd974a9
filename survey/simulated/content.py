"""What the simulation knows about a study: more than a participant's browser. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from survey.definition.pages import pages_of_each
from survey.definition.settings import LinkParameters, Places
from survey.definition.study import StudyDefinition


@dataclass(frozen=True)
class Text:
    """A response, and which system wrote it."""

    model: str
    condition: str
    text: str

    @cached_property
    def letters(self) -> str:
        """The part of the text that no rendering changes."""
        return letters(self.text)


@dataclass(frozen=True)
class BlockTexts:
    """One scenario × one set, in file order."""

    scenario: str
    set_name: str
    prompt: str
    texts: tuple[Text, ...]

    @property
    def name(self) -> tuple[str, str]:
        """(scenario, set)."""
        return self.scenario, self.set_name


@dataclass(frozen=True)
class RatingKey:
    """One thing to rate."""

    scenario: str
    set_name: str
    model: str
    condition: str
    dimension: str

    def __repr__(self) -> str:
        """Draws are made from this text: while it stays, a seed gives the same raters."""
        values = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"Cell({values})"


@dataclass(frozen=True)
class Content:
    """A version of a study. `codes` are the completion codes by ending, `parameters` its link's
    names for the three identifiers. After `silence` without activity a rater can lose their place.
    """

    definition: StudyDefinition
    version: int
    blocks: tuple[BlockTexts, ...]
    codes: Mapping[str, str] = field(default_factory=dict)
    parameters: LinkParameters = field(default_factory=LinkParameters)
    silence: timedelta = timedelta(minutes=Places().stale_minutes)
    translations: Mapping[str, StudyDefinition] = field(default_factory=dict)

    @property
    def languages(self) -> list[str]:
        """The languages of the study, the main one first."""
        return [self.definition.language, *self.translations]

    def in_language(self, language: str) -> StudyDefinition:
        """The definition in `language`."""
        return self.translations.get(language, self.definition)

    @property
    def blocks_shown(self) -> int:
        """How many pages of blocks a participant sees."""
        return pages_of_each(self.definition, [len(block.texts) for block in self.blocks])

    @property
    def dimensions(self) -> list[str]:
        """The dimensions that raters judge: those they rate, else those they rank or choose by."""
        study = self.definition
        rated = [dimension.name for dimension in study.rating.dimensions] if study.rating else []
        return list(dict.fromkeys([*rated, *study.compared_dimensions])) or [""]

    def cells(self) -> Iterator[RatingKey]:
        """All cells, in file order."""
        for block in self.blocks:
            for text in block.texts:
                for dimension in self.dimensions:
                    yield RatingKey(*block.name, text.model, text.condition, dimension)

    @cached_property
    def _blocks_by_text(self) -> dict[str, list[BlockTexts]]:
        blocks: dict[str, list[BlockTexts]] = {}
        for block in self.blocks:
            for text in dict.fromkeys(text.letters for text in block.texts):
                blocks.setdefault(text, []).append(block)
        return blocks

    def recognise(
        self, responses: Mapping[str, str], *, on_page: Callable[[], str]
    ) -> tuple[BlockTexts, dict[str, Text]] | None:
        """The block that has these responses, and each response's text; None if there is none.

        `responses` maps any name to a text. If systems wrote the same text, any of them is used. If
        blocks have the same texts, it is the one whose prompt is on the page (only then `on_page`
        is called for the page's text).
        """
        shown = {name: letters(text) for name, text in responses.items()}
        texts = Counter(shown.values())
        blocks = self._blocks_by_text.get(next(iter(texts), ""), [])
        candidates = [block for block in blocks if self._may_show(block, texts)]
        if len(candidates) > 1:
            whole = letters(on_page())
            candidates = [block for block in candidates if letters(block.prompt) in whole]
        if not candidates:
            return None
        waiting: dict[str, list[Text]] = {}
        for text in candidates[0].texts:
            waiting.setdefault(text.letters, []).append(text)
        return candidates[0], {name: waiting[text].pop(0) for name, text in shown.items()}

    def _may_show(self, block: BlockTexts, texts: Counter[str]) -> bool:
        """Whether a page of this block may show these texts."""
        own = Counter(text.letters for text in block.texts)
        return texts == own if self.definition.shows_whole_blocks else texts <= own


def letters(text: str) -> str:
    """Letters and digits only: line breaks, quotes and emphasis may be rendered differently."""
    return re.sub(r"[\W_]+", "", text)
