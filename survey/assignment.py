"""Who sees what, in which order. Pure: ids and a seed in, a plan out."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: Page 1 is the instructions; the blocks begin after it.
PAGES_BEFORE_BLOCKS = 1


@dataclass(frozen=True)
class PlannedBlock:
    """A block's place: its page, its slot among the blocks, its responses from top to bottom."""

    block: int
    page: int
    position: int
    response_order: list[int]


@dataclass(frozen=True)
class PlannedCheck:
    """An attention check's place."""

    name: str
    page: int
    after_block: int


@dataclass(frozen=True)
class Plan:
    """Everything between the instructions and the demographics, for one participant."""

    blocks: list[PlannedBlock]
    checks: list[PlannedCheck]


def plan_survey(
    blocks: Mapping[int, Sequence[int]],
    checks: Mapping[str, tuple[int, int]],
    *,
    seed: int,
) -> Plan:
    """Draw a participant's orders.

    `blocks` gives the response ids of each block id, in file order; `checks` the least and most
    blocks shown before each attention check. Blocks are shuffled, then the responses of each,
    independently; a check's place is uniform in its range. The same seed gives the same plan.
    """
    draw = random.Random(seed)  # noqa: S311  # orders that must repeat, no secrets
    block_order = draw.sample(list(blocks), len(blocks))
    response_orders = {
        block: draw.sample(list(responses), len(responses)) for block, responses in blocks.items()
    }
    places = sorted(
        (draw.randint(least, min(most, len(blocks))), name)
        for name, (least, most) in checks.items()
    )
    planned_blocks, planned_checks = [], []
    page = PAGES_BEFORE_BLOCKS
    for position, block in enumerate(block_order, start=1):
        page += 1
        planned_blocks.append(PlannedBlock(block, page, position, response_orders[block]))
        for after_block, name in places:
            if after_block == position:
                page += 1
                planned_checks.append(PlannedCheck(name, page, after_block))
    return Plan(planned_blocks, planned_checks)
