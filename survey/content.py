"""What a study shows, kept in memory: content is written once and then only read."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache

from survey.assignment import PAGES_BEFORE_BLOCKS
from survey.definition import StudyDefinition
from survey.models import BlockResponse, Study


@dataclass(frozen=True)
class ResponseContent:
    """A response as a browser may know it."""

    id: int
    public_id: str
    text: str


@dataclass(frozen=True)
class BlockContent:
    """A block's prompt and its responses by id, in file order."""

    id: int
    prompt: str
    context: str
    responses: dict[int, ResponseContent]


@dataclass(frozen=True)
class StudyContent:
    """A study's definition and blocks by id, in file order."""

    definition: StudyDefinition
    blocks: dict[int, BlockContent]

    @cached_property
    def total_pages(self) -> int:
        """Instructions, blocks, attention checks, demographics."""
        return (
            PAGES_BEFORE_BLOCKS
            + len(self.blocks)
            + len(self.definition.attention_checks)
            + bool(self.definition.demographics)
        )

    @property
    def demographics_page(self) -> int | None:
        """The last page, where there are questions."""
        return self.total_pages if self.definition.demographics else None


def content_of(study: Study) -> StudyContent:
    """The study's content, read once per process."""
    return _read(study.pk, study.loaded_at)


@lru_cache(maxsize=64)
def _read(study_id: int, loaded_at: datetime) -> StudyContent:
    study = Study.objects.get(pk=study_id, loaded_at=loaded_at)
    blocks: dict[int, BlockContent] = {}
    members = BlockResponse.objects.filter(block__study=study).select_related(
        "block__scenario", "response"
    )
    for member in members.order_by("block__position", "position"):
        block = blocks.setdefault(
            member.block_id,
            BlockContent(
                member.block_id,
                member.block.scenario.prompt,
                member.block.scenario.context,
                {},
            ),
        )
        response = member.response
        block.responses[response.pk] = ResponseContent(
            response.pk, response.public_id, response.text
        )
    # JSON turns the pairs into lists; the schema turns them back.
    return StudyContent(StudyDefinition.model_validate(study.definition), blocks)
