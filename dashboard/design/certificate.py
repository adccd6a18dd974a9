"""The counterbalance certificate: how evenly things were shown, counted from what is stored."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import lcm
from typing import NamedTuple

from django.db.models import Count, Q

from dashboard.design.grids import Grid, Tally
from survey.content import content_of
from survey.counterbalance import rows_of_square
from survey.definition.labels import Labels
from survey.evenness_tests import NOTHING, ChiSquare, place_test, succession_test
from survey.models import BlockResponse, Participant, Presentation, Slot, Study
from survey.slots import sources_of

Status = Participant.Status

#: Who a certificate counts.
PEOPLE = {"completed": "completed", "places": "with a slot now"}
COLUMNS = (
    "pool", "people", "table", "row", "column", "count", "expected", "missing",
    "chi_square", "df", "p",
)  # fmt: skip


@dataclass(frozen=True)
class DesignPart:
    """A part of the design that is complete after every `every` people."""

    name: str
    every: int
    #: The number of people after which it is complete next, and slots up to it not filled yet.
    target: int
    missing: list[int]


@dataclass(frozen=True)
class _Block:
    """A block by its names, its systems by response."""

    scenario: str
    set_name: str
    systems: dict[int, str]

    @property
    def label(self) -> str:
        return " · ".join(filter(None, (self.scenario, self.set_name)))

    def response(self, response: int) -> str:
        return f"{self.label} · {self.systems[response]}"


#: A block, and what stood where in it: responses, places or both by number.
Where = tuple[int, int, int]
Fine = dict[Where, Tally]


@dataclass
class Certificate:
    """How evenly the people of one pool were shown everything. `people` is a key of PEOPLE. Its
    tables name things as files do, or by `labels`.
    """

    study: Study
    pool: str
    people: str
    labels: Labels | None = None

    # ── What is stored ───────────────────────────────────────────────────────────────────────

    @cached_property
    def _whose(self) -> Q:
        return Q(source__in=sources_of(self.pool), study=self.study) & (
            Q(status=Status.COMPLETED) if self.people == "completed" else Q(held_slot__isnull=False)
        )

    @cached_property
    def _presentations(self) -> "_Presentations":
        people = Participant.objects.filter(self._whose)
        shown = Presentation.objects.filter(
            participant__in=people, response_order__isnull=False, position__isnull=False
        ).order_by()
        return _Presentations(
            list(shown.values_list("block_id", "response_order").annotate(n=Count("id"))),
            list(shown.values_list("block_id", "position").annotate(n=Count("id"))),
        )

    @cached_property
    def n_people(self) -> int:
        """How many people are counted: those whose order is known."""
        return sum(n for _, position, n in self._presentations.slots if position == 1)

    @cached_property
    def _blocks(self) -> dict[int, _Block]:
        rows = BlockResponse.objects.filter(block__study=self.study).values_list(
            "block_id",
            "block__scenario__name",
            "block__set_name",
            "response_id",
            "response__system__model",
            "response__system__condition",
        )
        blocks: dict[int, _Block] = {}
        for pk, scenario, set_name, response, model, condition in rows.order_by(
            "block__position", "position"
        ):
            block = blocks.setdefault(
                pk, _Block(self._called("scenarios", scenario), self._called("sets", set_name), {})
            )
            system = self._called("models", model)
            block.systems[response] = f"{system} ({self._called('conditions', condition)})"
        return blocks

    def _called(self, kind: str, name: str) -> str:
        return self.labels.text(kind, name) if self.labels else name

    # ── The design ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def parts(self) -> list[DesignPart]:
        """What is balanced by design; nothing where all is random."""
        layout = content_of(self.study).layout
        design = layout.design
        every: dict[str, int] = {}
        if layout.balanced_blocks:
            every["blocks"] = design.slots_to_balance
        elif design.per_participant < design.total:
            every["choice"] = design.slots_to_deal
        if layout.balanced_responses:
            squares = (rows_of_square(len(block.systems)) for block in self._blocks.values())
            every["responses"] = design.slots_to_repeat(lcm(*squares))
        opened = Slot.objects.filter(study=self.study, pool=self.pool).count()
        slots = Participant.objects.filter(self._whose, slot__isnull=False)
        filled = set(slots.values_list("slot", flat=True))
        parts = []
        for name, slots_needed in every.items():
            target = max(1, -(-opened // slots_needed)) * slots_needed
            missing = [slot for slot in range(target) if slot not in filled]
            parts.append(DesignPart(name, slots_needed, target, missing))
        return parts

    def _complete(self, name: str, cells: int) -> int | None:
        """The count of each of a block's `cells` when the part called `name` is complete."""
        design = content_of(self.study).layout.design
        for part in self.parts:
            if part.name == name:
                return part.target * design.per_participant // design.total // cells
        return None

    # ── Counts ───────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _positions(self) -> Fine:
        """By block, response and place on the page."""
        counts: Counter[Where] = Counter()
        for block, order, n in self._presentations.orders:
            for place, response in enumerate(order, start=1):
                counts[block, response, place] += n
        possible = (
            (block, response, place)
            for block, about in self._blocks.items()
            for response in about.systems
            for place in range(1, len(about.systems) + 1)
        )
        return self._tallied(possible, counts)

    @cached_property
    def _successions(self) -> Fine:
        """By block, the response above and the response right below it."""
        counts: Counter[Where] = Counter()
        for block, order, n in self._presentations.orders:
            for above, below in pairwise(order):
                counts[block, above, below] += n
        possible = (
            (block, above, below)
            for block, about in self._blocks.items()
            for above in about.systems
            for below in about.systems
            if above != below
        )
        return self._tallied(possible, counts)

    def _tallied(self, possible: Iterable[Where], counts: Counter[Where]) -> Fine:
        shown: Counter[int] = Counter()
        for block, _, n in self._presentations.orders:
            shown[block] += n
        fine = {}
        for where in possible:
            size = len(self._blocks[where[0]].systems)
            complete = self._complete("responses", size)
            fine[where] = Tally(counts[where], shown[where[0]] / size, complete)
        return fine

    @cached_property
    def _slots(self) -> dict[tuple[int, int], Tally]:
        """By block and its place among the blocks of a person."""
        counts: Counter[tuple[int, int]] = Counter()
        for block, position, n in self._presentations.slots:
            counts[block, position] += n
        columns = content_of(self.study).layout.design.per_participant
        complete = self._complete("blocks", columns)
        return {
            (block, position): Tally(
                counts[block, position], self.n_people / len(self._blocks), complete
            )
            for block in self._blocks
            for position in range(1, columns + 1)
        }

    # ── Tables ───────────────────────────────────────────────────────────────────────────────

    @cached_property
    def system_positions(self) -> Grid:
        """Systems by place on the page."""
        grid = self._grid("system_position", self._positions, self._system, _last)
        return replace(grid, test=place_test(self._by_set(self._positions, _last)))

    @cached_property
    def system_successions(self) -> Grid:
        """Systems (columns) by the system directly above (rows)."""
        grid = self._grid("system_follows", self._successions, self._system, self._second_system)
        tables = self._by_set(self._successions, self._second_system)
        return replace(grid, test=succession_test(tables))

    def _by_set(self, fine: Fine, column: Callable[[Where], str]) -> Iterator[list[list[int]]]:
        """The counts of each set, whose blocks all show the same systems, as a table of systems."""
        for name in dict.fromkeys(block.set_name for block in self._blocks.values()):
            cells = {w: t for w, t in fine.items() if self._blocks[w[0]].set_name == name}
            yield self._grid("", cells, self._system, column).counts()

    @cached_property
    def block_slots(self) -> Grid:
        """Blocks by their place among the blocks of a person."""
        cells = {(b, 0, slot): tally for (b, slot), tally in self._slots.items()}
        grid = self._grid("block_slot", cells, self._block, _last)
        return replace(grid, test=self._slot_test(cells, grid))

    def _slot_test(self, cells: Fine, grid: Grid) -> ChiSquare:
        """Over all blocks; where scenarios are kept together, over scenarios and within each."""
        if not content_of(self.study).layout.scenarios_together:
            return place_test([grid.counts()])
        size = content_of(self.study).layout.design.group_size
        if size is None:
            return NOTHING  # some see a part of a scenario: no two orders are alike

        def outer(where: Where) -> str:
            return str((where[2] - 1) // size)

        def inner(where: Where) -> str:
            return str((where[2] - 1) % size)

        scenarios = self._grid("", cells, self._scenario, outer).counts()
        tables = [[[count // size for count in row] for row in scenarios]]
        for name in dict.fromkeys(block.scenario for block in self._blocks.values()):
            own = {w: t for w, t in cells.items() if self._blocks[w[0]].scenario == name}
            tables.append(self._grid("", own, self._block, inner).counts())
        return place_test(tables)

    @cached_property
    def system_slots(self) -> Grid:
        """Systems by the place of their block; its test is that of the blocks."""
        cells = {
            (block, response, slot): tally
            for (block, slot), tally in self._slots.items()
            for response in self._blocks[block].systems
        }
        return self._grid("system_slot", cells, self._system, _last)

    @cached_property
    def response_positions(self) -> Grid:
        """Each response of each block by its place on the page."""
        return self._grid("response_position", self._positions, self._response, _last)

    @cached_property
    def response_successions(self) -> Grid:
        """Each response of each block by the one right above it."""
        return self._grid(
            "response_follows", self._successions, self._response, self._second_response
        )

    @property
    def grids(self) -> list[Grid]:
        """Every table, coarse ones first."""
        return [
            self.system_positions,
            self.system_successions,
            self.block_slots,
            self.system_slots,
            self.response_positions,
            self.response_successions,
        ]

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Every cell of every table (COLUMNS)."""
        for grid in self.grids:
            test = grid.test
            tested = (test.statistic, test.df, test.p) if test.df else (None, None, None)
            for (row, column), tally in grid.cells.items():
                missing = None if tally.complete is None else tally.missing
                yield (
                    *(self.pool, self.people, grid.name, row, column),
                    *(tally.count, tally.expected, missing, *tested),
                )

    def _grid(
        self,
        name: str,
        cells: Fine,
        row: Callable[[Where], str],
        column: Callable[[Where], str],
    ) -> Grid:
        return Grid.of(name, ((row(where), column(where), t) for where, t in cells.items()))

    def _scenario(self, where: Where) -> str:
        return self._blocks[where[0]].scenario

    def _block(self, where: Where) -> str:
        return self._blocks[where[0]].label

    def _system(self, where: Where) -> str:
        return self._blocks[where[0]].systems[where[1]]

    def _second_system(self, where: Where) -> str:
        return self._blocks[where[0]].systems[where[2]]

    def _response(self, where: Where) -> str:
        return self._blocks[where[0]].response(where[1])

    def _second_response(self, where: Where) -> str:
        return self._blocks[where[0]].response(where[2])


class _Presentations(NamedTuple):
    """What was shown: (block, order of responses, how often), (block, its place, how often)."""

    orders: list[tuple[int, list[int], int]]
    slots: list[tuple[int, int, int]]


def _last(where: Where) -> str:
    return str(where[2])


def certificate_rows(study: Study, pools: Iterable[str]) -> Iterator[tuple[object, ...]]:
    """The certificates of all `pools` with anybody in them, one below the other (COLUMNS)."""
    for pool in pools:
        for people in PEOPLE:
            certificate = Certificate(study, pool, people)
            if certificate.n_people:
                yield from certificate.rows()
