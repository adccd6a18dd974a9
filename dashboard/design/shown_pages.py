"""What is stored about the pages that people of one pool were shown, and what to expect of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, permutations
from typing import NamedTuple, Self

from django.db.models import Count, Q, QuerySet

from dashboard.shared.chunk_counts import MANY, counted_in_chunks
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


Key = tuple[int, ...]


class ShownCounts(NamedTuple):
    """How often things were shown; a pair of responses is in both orders."""

    #: By block and group of people.
    pages: Counter[Key]
    #: By block and its place among the blocks of a person.
    slots: Counter[Key]
    #: By block, response and place on the page.
    places: Counter[Key]
    #: By block, the response above and the one right below it.
    follows: Counter[Key]
    #: By block and two responses on one page; where pages show whole blocks, nothing.
    together: Counter[Key]
    #: By block, response and the block's place; where pages show whole blocks, nothing.
    placed: Counter[Key]
    #: By the first and the last of slots in a row, all of which people of a chunk have.
    filled: Counter[Key]

    @classmethod
    def empty(cls) -> Self:
        return cls(*(Counter() for _ in cls._fields))

    @classmethod
    def read(cls, counts: Mapping[str, int]) -> Self:
        """As `written` has written them."""
        read = cls.empty()
        for text, n in counts.items():
            name, *key = text.split()
            getattr(read, name)[tuple(map(int, key))] = n
        return read

    def written(self) -> dict[str, int]:
        """In one dictionary of texts, so that JSON takes it."""
        return {
            f"{name} {' '.join(map(str, key))}": n
            for name, counter in self._asdict().items()
            for key, n in counter.items()
        }


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
    def counts(self) -> ShownCounts:
        """What was shown, of all people together."""
        return ShownCounts.read(self.counted())

    def counted(self, *, store_from: int = MANY) -> Counter[str]:
        """The same as `counted_in_chunks` gives it."""
        people = Participant.objects.filter(self.whose)
        whom = f"shown, {self.pool}, {self.people}"
        return counted_in_chunks(self.study, whom, people, self._count, store_from=store_from)

    def _count(self, ids: range) -> dict[str, int]:
        """What those people were shown whose ids these are."""
        counts, stored = ShownCounts.empty(), self._stored(ids)
        whole = self.layout.is_complete
        for block, order, n in stored.values_list("block_id", "response_order").annotate(
            n=Count("id")
        ):
            counts.pages[block, self.layout.group_of(order)] += n
            for place, response in enumerate(order, start=1):
                counts.places[block, response, place] += n
            for pair in pairwise(order):
                counts.follows[block, *pair] += n
            for pair in () if whole else permutations(order, 2):
                counts.together[block, *pair] += n
        for block, position, n in stored.values_list("block_id", "position").annotate(
            n=Count("id")
        ):
            counts.slots[block, position] += n
        if not whole:
            for block, position, order in stored.values_list(
                "block_id", "position", "response_order"
            ):
                counts.placed.update((block, r, position or 0) for r in order or ())
        slots = self._people(ids).order_by().values_list("slot", flat=True)
        counts.filled.update(_in_a_row(slot for slot in slots if slot is not None))
        return counts.written()

    def _people(self, ids: range) -> "QuerySet[Participant]":
        return Participant.objects.filter(self.whose, id__gte=ids.start, id__lt=ids.stop)

    def _stored(self, ids: range) -> "QuerySet[Presentation]":
        return Presentation.objects.filter(
            participant__in=self._people(ids),
            response_order__isnull=False,
            position__isnull=False,
        ).order_by()

    @cached_property
    def n_people(self) -> int:
        """How many people are counted: those whose order is known."""
        return sum(n for (_, position), n in self.counts.slots.items() if position == 1)

    @property
    def pages(self) -> Counter[Key]:
        """How many pages of each block were shown to people of each group."""
        return self.counts.pages

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
    def strata(self) -> list[tuple[int, list[int]]]:
        """Groups with the blocks whose pages choose from the same systems: those of a set, but for
        blocks that lack a response.
        """
        alike: dict[tuple[int, str, frozenset[str]], list[int]] = {}
        for block, about in self.blocks.items():
            systems = frozenset(about.systems.values())
            for group in range(self.layout.n_groups):
                alike.setdefault((group, about.set_name, systems), []).append(block)
        return [(group, blocks) for (group, *_), blocks in alike.items()]

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
        """How often a response should be shown when its block has been seen so many times, the same
        number for each group.
        """
        pages_of_group = pages * self.layout.parts(block) // self.layout.n_groups
        return int(
            sum(
                pages_of_group * chance / self._places(block, group, at_a_place)
                for group, chance in self.layout.chances(block, response).items()
            )
        )

    def _places(self, block: int, group: int, at_a_place: bool) -> int:
        return self.layout.page_designs[block, group].places if at_a_place else 1


def _in_a_row(numbers: Iterable[int]) -> list[Key]:
    """The first and the last of numbers that follow each other."""
    rows: list[Key] = []
    for number in sorted(set(numbers)):
        is_next = rows and rows[-1][1] == number - 1
        rows.append((rows.pop()[0] if is_next else number, number))
    return rows


#: What a participant sees one of, in the plural.
KINDS = {"system": "systems", "model": "models", "condition": "conditions"}


def pages_in_words(study: Study) -> str:
    """What a page shows and to whom, where that is not each block as a whole."""
    content = content_of(study)
    layout, between = content.layout, content.definition.between_subjects
    also = " and the reference" if layout.always else ""
    sentences = []
    if layout.spread:
        each = content.definition.systems_per_page
        return f"Each participant sees all systems of a block, {each} a page."
    if between is not None:
        sentences.append(f"Each participant sees one of {layout.n_groups} {KINDS[between]}{also}.")
    some = {d for d in layout.page_designs.values() if not d.is_complete}
    shown = sorted({(design.shown, design.alternating) for design in some})
    if shown:
        choices = " or ".join(f"{k} of {n}" for k, n in shown)
        sentences.append(f"Each page shows {choices} systems{also}.")
    return " ".join(sentences)
