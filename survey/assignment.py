"""What each participant sees, in which order. Pure: ids, a slot and seeds in, a plan out."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from survey.counterbalance import BlockDesign, balanced_order


@dataclass(frozen=True)
class Layout:
    """The content to be ordered: response ids by block id and blocks by scenario, in file order."""

    responses: dict[int, list[int]]
    scenarios: Sequence[Sequence[int]]
    design_seed: int
    blocks_per_participant: int | None = None
    balanced_blocks: bool = False
    balanced_responses: bool = False
    scenarios_together: bool = False

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
    """A block's page, its position among the blocks, and its responses from top to bottom."""

    block: int
    page: int
    position: int
    response_order: list[int]


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
    draw = random.Random(order_seed)  # noqa: S311  # orders that must repeat, no secrets
    block_order = _block_order(layout, slot, draw)
    orders = {block: _response_order(layout, block, slot, draw) for block in block_order}
    inside, between = _places_of_checks(checks, draw)
    plan, page = Plan(), first_page - 1
    for position, block in enumerate(block_order, start=1):
        page += 1
        plan.blocks.append(PlannedBlock(block, page, position, orders[block]))
        if position in inside:
            place = draw.randint(1, len(orders[block]) + 1)
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


def _response_order(layout: Layout, block: int, slot: int, draw: random.Random) -> list[int]:
    responses = layout.responses[block]
    if not layout.balanced_responses:
        return draw.sample(responses, len(responses))
    order = balanced_order(
        len(responses),
        layout.design.earlier(block, slot),
        key=(layout.design_seed, "responses"),
        shift=layout.shifts[block],
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
