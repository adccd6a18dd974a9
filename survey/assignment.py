"""What each participant sees, in which order. Pure: ids, a slot and seeds in, a plan out."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm, perm

from survey.counterbalance import BlockDesign, balanced_order, draws, rows_of_square
from survey.incomplete import PageDesign


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """What a study says of the pages of blocks and their order.

    A page shows `responses_per_page` of a block (None: all). If a block is `spread`, a person has
    as many pages of it as it takes to see all its responses.
    """

    blocks_per_participant: int | None = None
    balanced_blocks: bool = False
    balanced_responses: bool = False
    scenarios_together: bool = False
    responses_per_page: int | None = None
    spread: bool = False

    def pages_of(self, responses: int) -> int:
        """How many pages a person has of a block with so many responses."""
        if not self.spread or self.responses_per_page is None:
            return 1
        return -(-responses // self.responses_per_page)


@dataclass(frozen=True)
class Layout(PageOptions):
    """The content to be ordered: response ids by block id and blocks by scenario, in file order.

    Those of `always` are on every page of their block. A person sees the responses of one of the
    `groups` (none: of all) and of `always`.
    """

    responses: dict[int, list[int]]
    scenarios: Sequence[Sequence[int]]
    design_seed: int
    always: frozenset[int] = frozenset()
    groups: Sequence[frozenset[int]] = ()

    def parts(self, block: int) -> int:
        """How many pages a person has of a block that they see."""
        return self.pages_of(len(self.responses[block]))

    @cached_property
    def pages_per_participant(self) -> int:
        """Pages of blocks that a person has; if they see some blocks, all have equally many."""
        if self.design.per_participant == self.design.total:
            return sum(map(self.parts, self.responses))
        return self.design.per_participant * max(map(self.parts, self.responses))

    def turn(self, slot: int) -> tuple[int, int]:
        """The group of this slot, and how many earlier slots have it. Each run of slots from a
        multiple of their number on has every group once.
        """
        turn, place = divmod(slot, self.n_groups)
        order, _ = draws(self.n_groups, (self.design_seed, "groups", turn))
        return order[place], turn

    @property
    def n_groups(self) -> int:
        """How many groups share the slots."""
        return len(self.groups) or 1

    def group_of(self, response_order: Sequence[int]) -> int:
        """The group of a person who was shown this page."""
        if not self.groups:
            return 0
        return next(self._group_by_response[r] for r in response_order if r not in self.always)

    @cached_property
    def _group_by_response(self) -> dict[int, int]:
        return {r: number for number, group in enumerate(self.groups) for r in group}

    def alternating(self, block: int, group: int) -> list[int]:
        """The responses of a block that pages of a group may show, without those of `always`."""
        responses = [r for r in self.responses[block] if r not in self.always]
        if not self.groups:
            return responses
        return [r for r in responses if self._group_by_response[r] == group]

    def always_shown(self, block: int) -> list[int]:
        """The responses that every page of a block shows."""
        return [r for r in self.responses[block] if r in self.always]

    @cached_property
    def page_designs(self) -> dict[tuple[int, int], PageDesign]:
        """How the pages of each block choose among the responses of each group."""
        designs = {}
        for block in self.responses:
            always = len(self.always_shown(block))
            for group in range(self.n_groups):
                n = len(self.alternating(block, group))
                shown = min(n, (self.responses_per_page or n + always) - always)
                designs[block, group] = PageDesign(n, shown, always)
        return designs

    def page_sizes(self, block: int) -> set[int]:
        """How many responses pages of a block show."""
        if self.spread:
            return set(_even_sizes(len(self.responses[block]), self.parts(block)))
        return {self.page_designs[block, group].places for group in range(self.n_groups)}

    def chances(self, block: int, *responses: int) -> dict[int, Fraction]:
        """By group, the share of the pages of a block that should show all these responses; without
        the groups whose pages never do.
        """
        if self.spread:
            return {0: self._chance_if_spread(block, len(responses))}
        alternating = [r for r in responses if r not in self.always]
        groups = set(range(self.n_groups))
        if self.groups:
            groups = groups.intersection(*({self._group_by_response[r]} for r in alternating))
        designs = {group: self.page_designs[block, group] for group in groups}
        chances = {group: d.chance(len(alternating)) for group, d in designs.items()}
        return {group: chance for group, chance in chances.items() if chance}

    def _chance_if_spread(self, block: int, together: int) -> Fraction:
        """The share of a block's pages that show so many given responses together."""
        n, parts = len(self.responses[block]), self.parts(block)
        sizes = _even_sizes(n, parts)
        return sum(
            (Fraction(perm(size, together), perm(n, together) * parts) for size in sizes),
            start=Fraction(0),
        )

    @property
    def is_complete(self) -> bool:
        """Whether each page shows the whole block."""
        return not self.groups and all(design.is_complete for design in self.page_designs.values())

    @property
    def slots_to_choose(self) -> int:
        """After this many slots, and each multiple, each block showed each of its responses equally
        often.
        """
        if self.spread:
            return self.design.slots_to_repeat(1)
        passes = (design.pages_in_pass for design in self.page_designs.values())
        return self.n_groups * self.design.slots_to_repeat(lcm(*passes))

    @property
    def slots_to_order(self) -> int:
        """After this many slots, and each multiple, balanced orders of responses are even."""
        designs = self.page_designs.values()
        rounds = (
            rows_of_square(design.places) if design.is_complete else design.pages_in_round
            for design in designs
        )
        if self.spread:
            rounds = (rows_of_square(design.alternating) for design in designs)
        return self.n_groups * self.design.slots_to_repeat(lcm(*rounds))

    def people_for_blocks(self, times: int) -> int:
        """How many people it takes until each block was shown `times` times."""
        return -(-times * self.design.total // self.design.per_participant)

    def people_for_responses(self, times: int) -> int:
        """How many people it takes until each response of each block was shown `times` times."""
        if self.spread:
            return self.people_for_blocks(times)
        pages = max(-(-times * d.alternating // d.shown) for d in self.page_designs.values())
        return self.n_groups * self.people_for_blocks(pages)

    @cached_property
    def shifts(self) -> dict[int, int]:
        """Each block's offset from the first one in the square of response orders. Neighbouring
        blocks of a scenario differ, and so do blocks at the same position in neighbouring
        scenarios.
        """
        return {
            block: scenario + place
            for scenario, blocks in enumerate(self.scenarios)
            for place, block in enumerate(blocks)
        }

    @cached_property
    def design(self) -> BlockDesign:
        """Which blocks go to which slot."""
        return BlockDesign(
            groups=tuple(tuple(blocks) for blocks in self.scenarios),
            per_participant=self.blocks_per_participant or len(self.responses),
            together=self.scenarios_together,
            seed=self.design_seed,
        )


@dataclass(frozen=True)
class CheckRange:
    """The range for an attention check: `least` to `most` blocks before it or, inside a block, the
    number of that block.
    """

    name: str
    least: int
    most: int
    in_block: bool = False


@dataclass(frozen=True)
class PlannedBlock:
    """A block's page, its position among such pages, and its responses from top to bottom; `part`
    is which page of the block it is.
    """

    block: int
    page: int
    position: int
    response_order: list[int]
    part: int = 1


@dataclass(frozen=True)
class PlannedCheck:
    """An attention check's page, and its position (`place`) among a block's entries, if in one."""

    name: str
    page: int
    after_block: int
    place: int | None = None


@dataclass(frozen=True)
class Plan:
    """The blocks and checks of one participant, page by page."""

    blocks: list[PlannedBlock] = field(default_factory=list)
    checks: list[PlannedCheck] = field(default_factory=list)


def plan_survey(
    layout: Layout, checks: Sequence[CheckRange], *, slot: int, order_seed: int, first_page: int
) -> Plan:
    """The orders of the participant in `slot`; their blocks begin on `first_page`.

    Balanced orders follow from the slot and the study's seed, random ones from the participant's
    `order_seed`. A check's place is uniform in its range; no two checks are in one block. The same
    input gives the same plan.
    """
    group, turn = layout.turn(slot)
    draw = random.Random(order_seed)  # noqa: S311  # orders that must repeat, no secrets
    block_order = _block_order(layout, turn, draw)
    orders = {block: _response_order(layout, block, group, turn, draw) for block in block_order}
    shown = [(block, 1, orders[block]) for block in block_order]
    if layout.spread:
        shown = _spread(layout, orders, draw)
    inside, between = _places_of_checks(checks, draw)
    plan, page = Plan(), first_page - 1
    for position, (block, part, order) in enumerate(shown, start=1):
        page += 1
        plan.blocks.append(PlannedBlock(block, page, position, order, part))
        if position in inside:
            place = draw.randint(1, len(order) + 1)
            plan.checks.append(PlannedCheck(inside[position], page, position, place))
        for name in between.get(position, ()):
            page += 1
            plan.checks.append(PlannedCheck(name, page, position))
    return plan


def _block_order(layout: Layout, slot: int, draw: random.Random) -> list[int]:
    design = layout.design
    if layout.balanced_blocks:
        return design.order(slot)
    chosen = set(design.hand(slot))
    groups = [[block for block in group if block in chosen] for group in layout.scenarios]
    if not layout.scenarios_together:
        groups = [[block for group in groups for block in group]]
    shuffled = draw.sample(groups, len(groups))
    return [block for group in shuffled for block in draw.sample(group, len(group))]


def _spread(
    layout: Layout, orders: dict[int, list[int]], draw: random.Random
) -> list[tuple[int, int, list[int]]]:
    """The pages of a person who sees all responses of each block, a few a page: block, part and
    responses; `orders` are those of the blocks and of their responses.

    In a balanced order, each block has its first page before any has its second. In a random one
    pages are in any order, those of a scenario together if the study wants that.
    """
    pages: dict[int, list[tuple[int, int, list[int]]]] = {}
    for block, order in orders.items():
        first = 0
        for part, size in enumerate(_even_sizes(len(order), layout.parts(block)), start=1):
            pages.setdefault(block, []).append((block, part, order[first : first + size]))
            first += size
    if layout.scenarios_together:
        scenario = {block: n for n, group in enumerate(layout.scenarios) for block in group}
        by_scenario: dict[int, list[tuple[int, int, list[int]]]] = {}
        for block, own in pages.items():
            by_scenario.setdefault(scenario[block], []).extend(own)
        rounds = list(by_scenario.values())
    else:
        rounds = [
            [own[part] for own in pages.values() if part < len(own)]
            for part in range(max(map(len, pages.values())))
        ]
    if layout.balanced_blocks:
        return [page for some in rounds for page in some]
    if not layout.scenarios_together:
        rounds = [[page for some in rounds for page in some]]
    return [page for some in rounds for page in draw.sample(some, len(some))]


def _even_sizes(n: int, parts: int) -> list[int]:
    """The sizes of so many parts of `n`, which differ by one at most."""
    return [n // parts + (part < n % parts) for part in range(parts)]


def _response_order(
    layout: Layout, block: int, group: int, slot: int, draw: random.Random
) -> list[int]:
    responses = layout.alternating(block, group) + layout.always_shown(block)
    design = layout.page_designs[block, group]
    number, shift = layout.design.earlier(block, slot), layout.shifts[block]
    if not design.is_complete and not layout.spread:
        page = design.page(number, key=(layout.design_seed, "systems"), shift=shift)
        responses = [responses[system] for system in page]
        return responses if layout.balanced_responses else draw.sample(responses, len(responses))
    if not layout.balanced_responses:
        return draw.sample(responses, len(responses))
    order = balanced_order(
        len(responses), number, key=(layout.design_seed, "responses"), shift=shift
    )
    return [responses[place] for place in order]


def _places_of_checks(
    checks: Sequence[CheckRange], draw: random.Random
) -> tuple[dict[int, str], dict[int, list[str]]]:
    """Names of checks by the block they are in, and by the block they follow."""
    between: dict[int, list[str]] = {}
    for check in checks:
        if not check.in_block:
            place = draw.randint(check.least, check.most)
            between.setdefault(place, []).append(check.name)
    within = [check for check in checks if check.in_block]
    while True:  # until no two share a block: every such outcome is then equally likely
        places = [draw.randint(check.least, check.most) for check in within]
        if len(set(places)) == len(places):
            return dict(zip(places, (check.name for check in within), strict=True)), between


def have_room(checks: Sequence[CheckRange]) -> bool:
    """Whether each check inside a block can have a different block."""
    taken: set[int] = set()
    for check in sorted((c for c in checks if c.in_block), key=lambda c: c.most):
        free = [place for place in range(check.least, check.most + 1) if place not in taken]
        if not free:
            return False
        taken.add(free[0])
    return True
