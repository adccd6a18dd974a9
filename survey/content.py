"""The content of a study, cached in memory: it is written once and then only read."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

from survey.assignment import CheckRange, Layout
from survey.definition import StudyDefinition
from survey.definition.pages import group_of, is_on_every_page
from survey.definition.study import SystemName
from survey.definition.training import TrainingItem
from survey.models import BlockResponse, Study
from survey.text_languages import StudyLanguages


@dataclass(frozen=True)
class ResponseContent:
    """A response, with the id that a browser may see and the language of its text."""

    id: int
    public_id: str
    text: str
    language: str = ""


@dataclass(frozen=True)
class BlockContent:
    """A block's scenario and its responses by id, in file order. `language` is the prompt's."""

    id: int
    scenario: str
    prompt: str
    context: str
    responses: dict[int, ResponseContent]
    language: str = ""


@dataclass(frozen=True)
class StudyContent:
    """A study's definition (in its main language first), blocks by id, in file order, and systems
    by the ids of their responses, which no browser gets.
    """

    definition: StudyDefinition
    translations: dict[str, StudyDefinition]
    blocks: dict[int, BlockContent]
    systems: dict[int, SystemName]
    design_seed: int

    def in_language(self, language: str) -> StudyDefinition:
        """The definition in `language`, or in the main one if there is no translation."""
        return self.translations.get(language, self.definition)

    @property
    def languages(self) -> list[str]:
        """The languages that participants may choose from, the main one first."""
        return [self.definition.language, *self.translations]

    @cached_property
    def layout(self) -> Layout:
        """What assignment orders."""
        scenarios: dict[str, list[int]] = {}
        for block in self.blocks.values():
            scenarios.setdefault(block.scenario, []).append(block.id)
        groups: dict[str, set[int]] = {}
        for response, system in self.systems.items():
            if group := group_of(self.definition, system):
                groups.setdefault(group, set()).add(response)
        return Layout(
            responses={block.id: list(block.responses) for block in self.blocks.values()},
            scenarios=list(scenarios.values()),
            design_seed=self.design_seed,
            always=frozenset(
                response
                for response, system in self.systems.items()
                if is_on_every_page(self.definition, system)
            ),
            groups=[frozenset(responses) for responses in groups.values()],
            **vars(self.definition.page_options),
        )

    @property
    def check_ranges(self) -> list[CheckRange]:
        """The ranges of attention checks."""
        return [
            CheckRange(check.name, *check.range, in_block=check.kind == "in_block")
            for check in self.definition.attention_checks
        ]

    # Page numbers in order; None for a part that the study lacks.

    @property
    def screening_page(self) -> int | None:
        """Questions that decide who may take part."""
        return 1 if self.definition.screening else None

    @property
    def instructions_page(self) -> int:
        """What participants will do."""
        return 2 if self.definition.screening else 1

    @property
    def comprehension_page(self) -> int | None:
        """Questions about the instructions."""
        return self.instructions_page + 1 if self.definition.comprehension else None

    @property
    def training_pages(self) -> range:
        """A page for each training item."""
        first = (self.comprehension_page or self.instructions_page) + 1
        return range(first, first + len(self.definition.training_items))

    def training_item(self, page: int) -> TrainingItem:
        """The training item on `page`, in the main language."""
        return self.definition.training_items[self.training_pages.index(page)]

    @property
    def first_block_page(self) -> int:
        """Blocks and the attention checks between them begin here."""
        return self.training_pages.stop

    @cached_property
    def _last_block_page(self) -> int:
        own_pages = sum(check.kind == "item" for check in self.definition.attention_checks)
        return self.first_block_page + self.layout.pages_per_participant + own_pages - 1

    @property
    def closing_page(self) -> int | None:
        """Free answers at the end of the study."""
        return self._last_block_page + 1 if self.definition.closing else None

    @property
    def demographics_page(self) -> int | None:
        """Questions about the participant."""
        return self.total_pages if self.definition.asked_demographics else None

    @cached_property
    def total_pages(self) -> int:
        """All numbered pages; consent and the end have no number."""
        return (
            self._last_block_page
            + bool(self.definition.closing)
            + bool(self.definition.asked_demographics)
        )

    @cached_property
    def kinds(self) -> dict[int, str]:
        """What each page is that is neither a block nor a check, as `PageTime.Kind` has it."""
        kinds = {
            "screening": self.screening_page,
            "instructions": self.instructions_page,
            "comprehension": self.comprehension_page,
            "closing": self.closing_page,
            "demographics": self.demographics_page,
        }
        single = {page: kind for kind, page in kinds.items() if page is not None}
        return single | dict.fromkeys(self.training_pages, "training")

    def has_previous(self, number: int) -> bool:
        """Whether the page before `number` can be opened again. Answers that decide who takes part
        can't be changed.
        """
        return number > 1 and number - 1 not in (self.screening_page, self.comprehension_page)


def content_of(study: Study) -> StudyContent:
    """The study's content, read once per process."""
    return _read(study.pk, study.loaded_at, study.languages_at)


@lru_cache(maxsize=64)
def _read(study_id: int, loaded_at: datetime, languages_at: datetime | None) -> StudyContent:
    """Content as of both times: they are what the cache goes by. A language that is stated while
    this is read is not worth an error.
    """
    study = Study.objects.get(pk=study_id, loaded_at=loaded_at)
    languages = StudyLanguages(study)
    blocks: dict[int, BlockContent] = {}
    systems: dict[int, SystemName] = {}
    members = BlockResponse.objects.filter(block__study=study).select_related(
        "block__scenario", "response__system"
    )
    for member in members.order_by("block__position", "position"):
        scenario = member.block.scenario
        block = blocks.setdefault(
            member.block_id,
            BlockContent(
                member.block_id,
                scenario.name,
                scenario.prompt,
                scenario.context,
                {},
                languages.of_prompt(scenario.prompt).language,
            ),
        )
        response = member.response
        block.responses[response.pk] = ResponseContent(
            response.pk,
            response.public_id,
            response.text,
            languages.of_response(response.text, response.language).language,
        )
        wrote = response.system
        systems[response.pk] = SystemName(model=wrote.model, condition=wrote.condition)
    # JSON turns the pairs into lists; the schema turns them back.
    return StudyContent(
        StudyDefinition.model_validate(study.definition),
        {
            language: StudyDefinition.model_validate(translation)
            for language, translation in study.translations.items()
        },
        blocks,
        systems,
        study.design_seed,
    )
