"""What is stored about the pages that people of one pool were shown, and what to expect of it."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet

from survey.assignment import Layout
from survey.content import content_of
from survey.definition.labels import Labels
from survey.models import BlockResponse, Participant, Presentation, Study
from survey.slots import sources_of

Status = Participant.Status
#: Why orders are not tested where the reference is on every page.
REFERENCE = "the reference is on every page, so systems are not exchangeable"


@dataclass(frozen=True)
class ShownBlock:
    """A block by its names, its systems by response."""

    scenario: str
    set_name: str
    systems: dict[int, str]

    @property
    def label(self) -> str:
        """Scenario and set."""
        return " · ".join(filter(None, (self.scenario, self.set_name)))

    def response(self, response: int) -> str:
        """One of its responses."""
        return f"{self.label} · {self.systems[response]}"


class StoredPages(NamedTuple):
    """What was shown: (block, order of responses, how often), (block, its place, how often)."""

    orders: list[tuple[int, list[int], int]]
    slots: list[tuple[int, int, int]]


@dataclass
class ShownPages:
    """The pages of the people of one pool, `completed` or with a slot now (`places`). Names are
    those of files, or `labels`.
    """

    study: Study
    pool: str
    people: str
    labels: Labels | None = None

    @cached_property
    def layout(self) -> Layout:
        """The study's design."""
        return content_of(self.study).layout

    @cached_property
    def whose(self) -> Q:
        """Which participants are counted."""
        return Q(source__in=sources_of(self.pool), study=self.study) & (
            Q(status=Status.COMPLETED) if self.people == "completed" else Q(held_slot__isnull=False)
        )

    @cached_property
    def presentations(self) -> StoredPages:
        """Orders and places of blocks, as stored."""
        return StoredPages(
            list(self._stored.values_list("block_id", "response_order").annotate(n=Count("id"))),
            list(self._stored.values_list("block_id", "position").annotate(n=Count("id"))),
        )

    @cached_property
    def placed_orders(self) -> list[tuple[int, int | None, Any]]:
        """The block of each page, its place among the blocks, and the order of its responses."""
        return list(self._stored.values_list("block_id", "position", "response_order"))

    @property
    def _stored(self) -> "QuerySet[Presentation]":
        return Presentation.objects.filter(
            participant__in=Participant.objects.filter(self.whose),
            response_order__isnull=False,
            position__isnull=False,
        ).order_by()

    @cached_property
    def n_people(self) -> int:
        """How many people are counted: those whose order is known."""
        return sum(n for _, position, n in self.presentations.slots if position == 1)

    @cached_property
    def blocks(self) -> dict[int, ShownBlock]:
        """The study's blocks by id, in its order."""
        rows = BlockResponse.objects.filter(block__study=self.study).values_list(
            "block_id",
            "block__scenario__name",
            "block__set_name",
            "response_id",
            "response__system__model",
            "response__system__condition",
        )
        blocks: dict[int, ShownBlock] = {}
        for pk, scenario, set_name, response, model, condition in rows.order_by(
            "block__position", "position"
        ):
            named = self._called("scenarios", scenario), self._called("sets", set_name)
            block = blocks.setdefault(pk, ShownBlock(*named, {}))
            system = self._called("models", model)
            block.systems[response] = f"{system} ({self._called('conditions', condition)})"
        return blocks

    def _called(self, kind: str, name: str) -> str:
        return self.labels.text(kind, name) if self.labels else name

    @cached_property
    def strata(self) -> dict[tuple[str, int], int]:
        """Set and group, whose pages choose from the same systems; with the places of a page."""
        return {
            (about.set_name, group): self.layout.page_designs[block, group].places
            for block, about in self.blocks.items()
            for group in range(self.layout.n_groups)
        }

    @cached_property
    def pages(self) -> Counter[tuple[int, int]]:
        """How many pages of each block were shown to people of each group."""
        counts: Counter[tuple[int, int]] = Counter()
        for block, order, n in self.presentations.orders:
            counts[block, self.layout.group_of(order)] += n
        return counts

    def expected(self, block: int, *responses: int, at_a_place: bool = False) -> float:
        """On how many of the pages of a block all these responses should be; on how many at one
        given place of those that the page has, if `at_a_place`.
        """
        return float(
            sum(
                self.pages[block, group] * chance / self._places(block, group, at_a_place)
                for group, chance in self.layout.chances(block, *responses).items()
            )
        )

    def complete(self, pages: int, block: int, response: int, *, at_a_place: bool = False) -> int:
        """How often a response should be shown when its block has been on so many pages, the same
        number for each group.
        """
        pages_of_group = pages // self.layout.n_groups
        return int(
            sum(
                pages_of_group * chance / self._places(block, group, at_a_place)
                for group, chance in self.layout.chances(block, response).items()
            )
        )

    def _places(self, block: int, group: int, at_a_place: bool) -> int:
        return self.layout.page_designs[block, group].places if at_a_place else 1


#: What a participant sees one of, in the plural.
KINDS = {"system": "systems", "model": "models", "condition": "conditions"}


def pages_in_words(study: Study) -> str:
    """What a page shows and to whom, where that is not each block as a whole."""
    content = content_of(study)
    layout, between = content.layout, content.definition.between_subjects
    also = " and the reference" if layout.always else ""
    sentences = []
    if between is not None:
        sentences.append(f"Each participant sees one of {layout.n_groups} {KINDS[between]}{also}.")
    some = {d for d in layout.page_designs.values() if not d.is_complete}
    shown = sorted({(design.shown, design.alternating) for design in some})
    if shown:
        choices = " or ".join(f"{k} of {n}" for k, n in shown)
        sentences.append(f"Each page shows {choices} systems{also}.")
    return " ".join(sentences)
