"""Orders: drawn from a seed, each its own, uniform, and complete."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from survey.assignment import plan_survey

BLOCKS = {10: [1, 2, 3, 4, 5], 20: [6, 7, 8, 9, 10], 30: [11, 12, 13, 14, 15]}
CHECKS = {"a": (1, 2), "b": (2, 3)}


@given(st.integers(0, 2**62))
def test_everything_is_shown_once_on_consecutive_pages(seed: int) -> None:
    plan = plan_survey(BLOCKS, CHECKS, seed=seed)
    assert sorted(p.block for p in plan.blocks) == [10, 20, 30]
    assert [p.position for p in plan.blocks] == [1, 2, 3]
    for planned in plan.blocks:
        assert sorted(planned.response_order) == BLOCKS[planned.block]
    pages = [p.page for p in plan.blocks] + [c.page for c in plan.checks]
    assert sorted(pages) == [2, 3, 4, 5, 6]


@given(st.integers(0, 2**62))
def test_checks_stand_in_their_range(seed: int) -> None:
    plan = plan_survey(BLOCKS, CHECKS, seed=seed)
    for check in plan.checks:
        least, most = CHECKS[check.name]
        assert least <= check.after_block <= most
        blocks_before = sum(block.page < check.page for block in plan.blocks)
        assert blocks_before == check.after_block


def test_the_same_seed_gives_the_same_plan() -> None:
    assert plan_survey(BLOCKS, CHECKS, seed=7) == plan_survey(BLOCKS, CHECKS, seed=7)


def test_every_order_is_equally_likely() -> None:
    n = 6000
    plans = [plan_survey(BLOCKS, CHECKS, seed=seed) for seed in range(n)]
    first_blocks = Counter(plan.blocks[0].block for plan in plans)
    # Each of 3 blocks first in a third of the plans; 5 standard deviations is 183.
    assert all(abs(count - n / 3) < 5 * (n * 2 / 9) ** 0.5 for count in first_blocks.values())
    tops = Counter(
        next(p for p in plan.blocks if p.block == 10).response_order[0] for plan in plans
    )
    assert len(tops) == 5
    assert all(abs(count - n / 5) < 5 * (n * 4 / 25) ** 0.5 for count in tops.values())


def test_orders_of_two_blocks_are_independent() -> None:
    tops: Counter[tuple[int, int]] = Counter()
    for seed in range(5000):
        by_block = {p.block: p for p in plan_survey(BLOCKS, {}, seed=seed).blocks}
        tops[by_block[10].response_order[0], by_block[20].response_order[0]] += 1
    assert len(tops) == 25
    assert all(abs(count - 200) < 5 * (5000 * 24 / 625) ** 0.5 for count in tops.values())
