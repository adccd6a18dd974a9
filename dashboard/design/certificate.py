"""The counterbalance certificate: how evenly things were shown, counted from what is stored."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from dashboard.design.grids import Grid, Tally
from dashboard.design.shown_pages import REFERENCE, ShownPages
from dashboard.design.shown_systems import shown_together, systems_above
from survey.evenness_tests import (
    NOTHING,
    ChiSquare,
    choice_test,
    place_test,
    succession_test,
)
from survey.models import Slot, Study
from survey.slots import opened_slots

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
    #: The number of people after which it is complete next.
    target: int


#: A block, and what stood where in it: responses, places or both by number.
Where = tuple[int, int, int]
Fine = dict[Where, Tally]


@dataclass
class Certificate(ShownPages):
    """How evenly the people of one pool were shown everything. `people` is a key of PEOPLE."""

    # ── The design ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def parts(self) -> list[DesignPart]:
        """What is balanced by design; nothing where all is random."""
        layout = self.layout
        design = layout.design
        every: dict[str, int] = {}
        if layout.balanced_blocks:
            every["blocks"] = design.slots_to_balance * layout.n_groups
        elif design.per_participant < design.total:
            every["choice"] = design.slots_to_deal * layout.n_groups
        if not layout.is_complete:
            every["systems"] = layout.slots_to_choose
        if layout.balanced_responses:
            every["responses"] = layout.slots_to_order
        opened = opened_slots(self.study, self.pool)
        return [
            DesignPart(name, slots_needed, max(1, -(-opened // slots_needed)) * slots_needed)
            for name, slots_needed in every.items()
        ]

    def missing(self, part: DesignPart) -> list[int]:
        """The slots that are not filled yet until the part is complete."""
        missing: list[int] = []
        following = 0
        for first, last in sorted(self.counts.filled):
            missing += range(following, min(first, part.target))
            following = max(following, last + 1)
        return [*missing, *range(following, part.target)]

    def _pages_when_complete(self, name: str) -> int | None:
        """How many pages show each block when the part called `name` is complete."""
        design = self.layout.design
        for part in self.parts:
            if part.name == name:
                return part.target * design.per_participant // design.total
        return None

    # ── Counts ───────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _positions(self) -> Fine:
        """By block, response and place on the page."""
        when_complete = self._pages_when_complete("responses")
        fine = {}
        for block, about in self.blocks.items():
            places = range(1, max(self.layout.page_sizes(block)) + 1)
            for response in about.systems:
                expected = self.expected(block, response, at_a_place=True)
                complete = None
                if when_complete is not None:
                    complete = self.complete(when_complete, block, response, at_a_place=True)
                for place in places:
                    where = (block, response, place)
                    fine[where] = Tally(self.counts.places[where], expected, complete)
        return fine

    @cached_property
    def _successions(self) -> Fine:
        """By block, the response above and the response right below it."""
        when_complete = self._pages_when_complete("responses")
        fine = {}
        for block, about in self.blocks.items():
            size = len(about.systems)
            complete = None if when_complete is None else when_complete // size
            for where in ((block, *pair) for pair in permutations(about.systems, 2)):
                count = self.counts.follows[where]
                fine[where] = Tally(count, self.pages[block, 0] / size, complete)
        return fine

    @cached_property
    def _shown(self) -> Fine:
        """By block and response."""
        counts: Counter[tuple[int, int]] = Counter()
        for (block, response, _), n in self.counts.places.items():
            counts[block, response] += n
        pages = self._pages_when_complete("systems")
        return {
            (block, response, 0): Tally(
                counts[block, response],
                self.expected(block, response),
                None if pages is None else self.complete(pages, block, response),
            )
            for block, about in self.blocks.items()
            for response in about.systems
        }

    @cached_property
    def _slots(self) -> dict[tuple[int, int], Tally]:
        """By block and its place among the blocks of a person."""
        columns = self.layout.pages_per_participant
        design = self.layout.design
        seen = self.n_people * design.per_participant / design.total / columns
        pages = self._pages_when_complete("blocks")
        parts = {block: self.layout.parts(block) for block in self.blocks}
        return {
            (block, position): Tally(
                self.counts.slots[block, position],
                seen * parts[block],
                None if pages is None else pages * parts[block] // columns,
            )
            for block in self.blocks
            for position in range(1, columns + 1)
        }

    # ── Tables ───────────────────────────────────────────────────────────────────────────────

    @cached_property
    def system_positions(self) -> Grid:
        """Systems by place on the page."""
        grid = self._grid("system_position", self._positions, self._system, _last)
        if self.layout.always:
            return replace(grid, untested=REFERENCE)
        tables = []
        for cells, places in self._by_stratum(self._positions):
            own = {where: tally for where, tally in cells.items() if where[2] <= places}
            tables.append(self._grid("", own, self._system, _last).counts())
        return replace(grid, test=place_test(tables), untested="a page shows the only system")

    @cached_property
    def system_successions(self) -> Grid:
        """Systems (columns) by the system directly above (rows)."""
        if not self.layout.is_complete:
            return systems_above(self)
        grid = self._grid("system_follows", self._successions, self._system, self._second_system)
        tables = (
            self._grid("", cells, self._system, self._second_system).counts()
            for cells, _ in self._by_stratum(self._successions)
        )
        why = "of two responses, one always follows the other"
        return replace(grid, test=succession_test(tables), untested=why)

    def _by_stratum(self, fine: Fine) -> Iterator[tuple[Fine, int]]:
        """The counts of blocks with the same systems, and of each group, with the number of places
        on its pages.
        """
        for group, blocks in self.strata:
            places = self.layout.page_designs[blocks[0], group].places
            own = {
                (block, response)
                for block in blocks
                for response in self.blocks[block].systems
                if group in self.layout.chances(block, response)
            }
            yield {where: tally for where, tally in fine.items() if where[:2] in own}, places

    @cached_property
    def systems_shown(self) -> Grid:
        """Systems by scenario: on how many pages they were."""
        grid = self._grid("system_scenario", self._shown, self._system, self._scenario)
        test = NOTHING
        for (block, group), design in self.layout.page_designs.items():
            own = [
                self._shown[block, response, 0].count
                for response in self.layout.alternating(block, group)
            ]
            test += choice_test([own], design.shown)
        why = "each page shows every system that its participant may see"
        return replace(grid, test=test, untested=why)

    @cached_property
    def block_slots(self) -> Grid:
        """Blocks by their place among the blocks of a person."""
        cells = {(b, 0, slot): tally for (b, slot), tally in self._slots.items()}
        grid = self._grid("block_slot", cells, self._block, _last)
        why = "scenarios are kept together, and some people see only part of one"
        if self.layout.spread:
            why = "people have several pages of a block"
        return replace(grid, test=self._slot_test(cells, grid), untested=why)

    def _slot_test(self, cells: Fine, grid: Grid) -> ChiSquare:
        """Over all blocks; where scenarios are kept together, over scenarios and within each."""
        if self.layout.spread:
            return NOTHING
        if not self.layout.scenarios_together:
            return place_test([grid.counts()])
        size = self.layout.design.group_size
        if size is None:
            return NOTHING  # some see a part of a scenario: no two orders are alike

        def outer(where: Where) -> str:
            return str((where[2] - 1) // size)

        def inner(where: Where) -> str:
            return str((where[2] - 1) % size)

        scenarios = self._grid("", cells, self._scenario, outer).counts()
        tables = [[[count // size for count in row] for row in scenarios]]
        for name in dict.fromkeys(block.scenario for block in self.blocks.values()):
            own = {w: t for w, t in cells.items() if self.blocks[w[0]].scenario == name}
            tables.append(self._grid("", own, self._block, inner).counts())
        return place_test(tables)

    @cached_property
    def system_slots(self) -> Grid:
        """Systems by the place of their block; its test is that of the blocks."""
        cells = {
            (block, response, slot): tally
            for (block, slot), tally in self._slots.items()
            for response in self.blocks[block].systems
        }
        if not self.layout.is_complete:
            cells = self._placed(cells)
        grid = self._grid("system_slot", cells, self._system, _last)
        return replace(grid, untested="see the test of the blocks, which covers this table")

    def _placed(self, cells: Fine) -> Fine:
        """As `cells`, counting only the responses that pages showed."""
        shares = {
            (block, response): sum(self.layout.chances(block, response).values())
            for block, about in self.blocks.items()
            for response in about.systems
        }
        return {
            where: Tally(
                self.counts.placed[where],
                tally.expected * float(shares[where[:2]] / self.layout.n_groups),
                None,
            )
            for where, tally in cells.items()
        }

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

    @cached_property
    def coarse_grids(self) -> list[Grid]:
        """Tables of systems and blocks."""
        grids = [
            self.system_positions,
            self.system_successions,
            self.block_slots,
            self.system_slots,
        ]
        if self.layout.is_complete:
            return grids
        grids = [self.systems_shown, shown_together(self), *grids]
        return [grid for grid in grids if grid.cells]  # none follows on pages of one response

    @cached_property
    def fine_grids(self) -> list[Grid]:
        """Tables of single responses. Which directly follow each other is left out where pages show
        some of many: few pairs are ever on one page.
        """
        if self.layout.is_complete:
            return [self.response_positions, self.response_successions]
        return [self.response_positions]

    @property
    def grids(self) -> list[Grid]:
        """Every table, coarse ones first."""
        return [*self.coarse_grids, *self.fine_grids]

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
        return self.blocks[where[0]].scenario

    def _block(self, where: Where) -> str:
        return self.blocks[where[0]].label

    def _system(self, where: Where) -> str:
        return self.blocks[where[0]].systems[where[1]]

    def _second_system(self, where: Where) -> str:
        return self.blocks[where[0]].systems[where[2]]

    def _response(self, where: Where) -> str:
        return self.blocks[where[0]].response(where[1])

    def _second_response(self, where: Where) -> str:
        return self.blocks[where[0]].response(where[2])


def _last(where: Where) -> str:
    return str(where[2])


def certificate_rows(study: Study, pools: Iterable[str]) -> Iterator[tuple[object, ...]]:
    """The certificates of all `pools` with anybody in them, one below the other (COLUMNS)."""
    for pool in pools:
        for people in PEOPLE:
            certificate = Certificate(study, pool, people)
            if certificate.n_people:
                yield from certificate.rows()


def usual_pool(used: set[str]) -> str:
    """Whose order is certified where nobody says: real people, unless only simulated ones came."""
    only_simulated = Slot.Pool.SIMULATED in used and Slot.Pool.REAL not in used
    return Slot.Pool.SIMULATED if only_simulated else Slot.Pool.REAL
