"""Balanced orders: squares that are squares, and designs that even out whoever drops out."""

from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.counterbalance import BlockDesign, balanced_order, rows_of_square, williams_row

SIZES = range(1, 9)


def design(groups: list[int], k: int, *, together: bool = False, seed: int = 1) -> BlockDesign:
    """A design over groups of the given sizes; blocks are numbered from 100 on."""
    numbers = iter(range(100, 100 + sum(groups)))
    blocks = tuple(tuple(next(numbers) for _ in range(size)) for size in groups)
    return BlockDesign(blocks, k, together, seed)


@pytest.mark.parametrize("n", SIZES)
def test_williams_square_has_each_thing_once_at_each_place_and_after_each_other(n: int) -> None:
    rows = [williams_row(n, row) for row in range(rows_of_square(n))]
    times = len(rows) // n
    assert Counter((place, thing) for row in rows for place, thing in enumerate(row)) == {
        (place, thing): times for place in range(n) for thing in range(n)
    }
    followers = Counter(pair for row in rows for pair in pairwise(row))
    assert set(followers.values()) <= {times}
    assert len(followers) == n * (n - 1)


@pytest.mark.parametrize("n", SIZES)
def test_order_counts_never_differ_by_more_than_one_and_even_out(n: int) -> None:
    counts = Counter({(place, thing): 0 for place in range(n) for thing in range(n)})
    for number in range(4 * n):
        counts.update(enumerate(balanced_order(n, number, key="study")))
        assert max(counts.values()) - min(counts.values()) <= 1
    assert set(counts.values()) == {4}


@pytest.mark.parametrize("n", SIZES)
def test_shifted_orders_side_by_side_are_a_williams_square(n: int) -> None:
    rows = rows_of_square(n)
    orders = [balanced_order(n, 7, key="study", shift=shift) for shift in range(3, 3 + rows)]
    counts = Counter(cell for order in orders for cell in enumerate(order))
    assert set(counts.values()) == {rows // n}
    followers = Counter(pair for order in orders for pair in pairwise(order))
    assert len(set(followers.values())) <= 1


def test_squares_differ_from_each_other_and_between_studies() -> None:
    first = [tuple(balanced_order(6, number, key="a")) for number in range(18)]
    assert len({tuple(first[i : i + 6]) for i in (0, 6, 12)}) == 3
    assert first != [tuple(balanced_order(6, number, key="b")) for number in range(18)]


DESIGNS = {
    "all blocks": design([4] * 6, 24),
    "all blocks, odd": design([1] * 5, 5),
    "scenarios together": design([4] * 6, 24, together=True),
    "scenarios together, odd": design([3] * 5, 15, together=True),
    "a few blocks each": design([4] * 6, 8),
    "a few blocks each, odd": design([1] * 15, 5),
    "a few scenarios each": design([4] * 6, 8, together=True),
    "no common divisor": design([1] * 10, 3),
    "one block each": design([1] * 7, 1),
}


@pytest.mark.parametrize("blocks", DESIGNS.values(), ids=DESIGNS)
def test_complete_design_shows_each_block_equally_often_at_each_place(blocks: BlockDesign) -> None:
    for first in (0, blocks.slots_to_balance):
        slots = range(first, first + blocks.slots_to_balance)
        counts = Counter(cell for slot in slots for cell in enumerate(blocks.order(slot)))
        assert len(counts) == blocks.total * blocks.per_participant
        assert len(set(counts.values())) == 1


@pytest.mark.parametrize("blocks", DESIGNS.values(), ids=DESIGNS)
def test_blocks_are_dealt_evenly_at_every_moment(blocks: BlockDesign) -> None:
    seen = Counter({block: 0 for group in blocks.groups for block in group})
    for slot in range(min(blocks.slots_to_balance * 2 + 3, 500)):
        for block, count in seen.items():
            assert blocks.earlier(block, slot) == count
        hand = blocks.order(slot)
        assert len(set(hand)) == blocks.per_participant
        assert sorted(hand) == sorted(blocks.hand(slot))
        seen.update(hand)
        assert max(seen.values()) - min(seen.values()) <= 1


@pytest.mark.parametrize("blocks", DESIGNS.values(), ids=DESIGNS)
def test_places_of_blocks_never_differ_by_more_than_one(blocks: BlockDesign) -> None:
    every = [block for group in blocks.groups for block in group]
    counts = Counter(dict.fromkeys(product(range(blocks.per_participant), every), 0))
    for slot in range(min(2 * blocks.slots_to_balance, 400)):
        counts.update(enumerate(blocks.order(slot)))
        assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("name", ["all blocks", "all blocks, odd", "a few blocks each"])
def test_complete_design_lets_each_block_follow_each_other_of_its_hand_equally_often(
    name: str,
) -> None:
    blocks = DESIGNS[name]
    k = blocks.per_participant
    orders = [blocks.order(slot) for slot in range(blocks.slots_to_balance)]
    followers = Counter(pair for order in orders for pair in pairwise(order))
    assert len(set(followers.values())) == 1
    assert len(followers) == blocks.total * (k - 1)


def test_blocks_of_a_scenario_stay_together() -> None:
    blocks = DESIGNS["scenarios together"]
    for slot in range(48):
        order = blocks.order(slot)
        hands = [{block // 4 for block in order[i : i + 4]} for i in range(0, 24, 4)]
        assert all(len(scenarios) == 1 for scenarios in hands)


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
    st.integers(1, 24),
    st.booleans(),
    st.integers(0, 300),
)
def test_any_design_deals_whole_hands(groups: list[int], k: int, together: bool, slot: int) -> None:
    k = min(k, sum(groups))
    blocks = design(groups, k, together=together)
    order = blocks.order(slot)
    assert len(order) == len(set(order)) == k
    if together:
        scenario = {block: i for i, group in enumerate(blocks.groups) for block in group}
        changes = sum(scenario[a] != scenario[b] for a, b in pairwise(order))
        assert changes == len({scenario[block] for block in order}) - 1
