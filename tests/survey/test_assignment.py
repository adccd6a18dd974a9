"""Orders: drawn from seeds and slots, complete, uniform or balanced."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.assignment import CheckRange, Layout, Plan, have_room, plan_survey
from survey.counterbalance import rows_of_square
from survey.evenness_tests import place_test, succession_test

LAYOUT = Layout(
    responses={10: [1, 2, 3, 4, 5], 20: [6, 7, 8, 9, 10], 30: [11, 12, 13, 14, 15]},
    scenarios=[[10, 20], [30]],
    design_seed=3,
)
CHECKS = [CheckRange("a", 1, 2), CheckRange("b", 2, 3), CheckRange("c", 1, 3, in_block=True)]
BALANCED = replace(LAYOUT, balanced_blocks=True, balanced_responses=True)
SEEDS = st.integers(0, 2**62)


def plan(
    layout: Layout = LAYOUT,
    checks: list[CheckRange] | None = None,
    *,
    slot: int = 0,
    seed: int = 0,
    first_page: int = 2,
) -> Plan:
    return plan_survey(
        layout,
        CHECKS if checks is None else checks,
        slot=slot,
        order_seed=seed,
        first_page=first_page,
    )


@pytest.mark.slow
@given(SEEDS, st.integers(0, 500), st.sampled_from([LAYOUT, BALANCED]))
def test_everything_is_shown_once_on_consecutive_pages(
    seed: int, slot: int, layout: Layout
) -> None:
    planned = plan(layout, slot=slot, seed=seed, first_page=3)
    assert sorted(p.block for p in planned.blocks) == [10, 20, 30]
    assert [p.position for p in planned.blocks] == [1, 2, 3]
    for block in planned.blocks:
        assert sorted(block.response_order) == layout.responses[block.block]
    own_pages = [check.page for check in planned.checks if check.place is None]
    assert sorted([block.page for block in planned.blocks] + own_pages) == [3, 4, 5, 6, 7]


@given(SEEDS)
def test_checks_stand_in_their_range(seed: int) -> None:
    planned = plan(seed=seed)
    assert {check.name for check in planned.checks} == {"a", "b", "c"}
    for check in planned.checks:
        wanted = next(c for c in CHECKS if c.name == check.name)
        assert wanted.least <= check.after_block <= wanted.most
        blocks_before = sum(block.page < check.page for block in planned.blocks)
        assert blocks_before == check.after_block - wanted.in_block


@given(SEEDS)
def test_a_check_inside_a_block_has_a_place_among_its_entries(seed: int) -> None:
    planned = plan(seed=seed)
    inside = next(check for check in planned.checks if check.name == "c")
    block = planned.blocks[inside.after_block - 1]
    assert inside.page == block.page
    assert inside.place in range(1, len(block.response_order) + 2)


def test_a_check_inside_a_block_stands_at_every_place_equally_often() -> None:
    check = CheckRange("c", 1, 1, in_block=True)
    n = 1200
    places = Counter(plan(checks=[check], seed=seed).checks[0].place for seed in range(n))
    # Above each of 5 responses, and below the last; 5 standard deviations are 65.
    assert set(places) == {1, 2, 3, 4, 5, 6}
    assert all(abs(count - n / 6) < 5 * (n * 5 / 36) ** 0.5 for count in places.values())


@given(SEEDS)
def test_checks_inside_blocks_never_share_a_block(seed: int) -> None:
    crowd = [CheckRange("a", 1, 2, True), CheckRange("b", 2, 3, True), CheckRange("c", 1, 2, True)]
    pages = [check.page for check in plan(checks=crowd, seed=seed).checks]
    assert len(set(pages)) == 3


def test_checks_that_can_not_have_a_block_each_are_noticed() -> None:
    two_in_one = [CheckRange("a", 1, 1, True), CheckRange("b", 1, 1, True)]
    assert not have_room(two_in_one)
    assert have_room([CheckRange("a", 1, 2, True), CheckRange("b", 1, 1, True)])
    assert have_room([CheckRange("a", 1, 1), CheckRange("b", 1, 1)])


@pytest.mark.parametrize("layout", [LAYOUT, BALANCED])
def test_the_same_input_gives_the_same_plan(layout: Layout) -> None:
    assert plan(layout, slot=4, seed=7) == plan(layout, slot=4, seed=7)


@pytest.mark.slow
def test_every_random_order_is_equally_likely() -> None:
    n = 6000
    plans = [plan(seed=seed) for seed in range(n)]
    first_blocks = Counter(planned.blocks[0].block for planned in plans)
    # Each of 3 blocks first in a third of the plans; 5 standard deviations is 183.
    assert all(abs(count - n / 3) < 5 * (n * 2 / 9) ** 0.5 for count in first_blocks.values())
    tops = Counter(
        next(p for p in planned.blocks if p.block == 10).response_order[0] for planned in plans
    )
    assert len(tops) == 5
    assert all(abs(count - n / 5) < 5 * (n * 4 / 25) ** 0.5 for count in tops.values())


def test_random_orders_of_two_blocks_are_independent() -> None:
    tops: Counter[tuple[int, int]] = Counter()
    for seed in range(5000):
        by_block = {p.block: p for p in plan(checks=[], seed=seed).blocks}
        tops[by_block[10].response_order[0], by_block[20].response_order[0]] += 1
    assert len(tops) == 25
    assert all(abs(count - 200) < 5 * (5000 * 24 / 625) ** 0.5 for count in tops.values())


def test_balanced_orders_follow_the_slot_alone() -> None:
    assert plan(BALANCED, [], slot=5, seed=1) == plan(BALANCED, [], slot=5, seed=2)
    assert plan(BALANCED, [], slot=5) != plan(BALANCED, [], slot=6)


def test_balanced_orders_stay_the_same_across_versions() -> None:
    """Otherwise an update in the middle of a study would break its balance."""
    shown = [(p.block, p.response_order) for p in plan(BALANCED, [], slot=5).blocks]
    assert shown == [(20, [8, 6, 7, 10, 9]), (30, [13, 11, 12, 15, 14]), (10, [5, 1, 4, 3, 2])]


def test_balanced_slots_show_each_response_equally_often_at_each_place() -> None:
    for filled in range(1, 31):
        counts: Counter[tuple[int, int]] = Counter()
        for slot in range(filled):
            for block in plan(BALANCED, [], slot=slot).blocks:
                counts.update((place, r) for place, r in enumerate(block.response_order))
        least = min(counts[place, r] for place in range(5) for r in range(1, 16))
        assert max(counts.values()) - least <= 1


def test_balanced_blocks_side_by_side_show_their_systems_in_other_orders() -> None:
    """Those of a scenario, and those at the same place of scenarios that follow each other."""
    scenarios = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    responses = {block: [block * 5 + system for system in range(5)] for block in range(12)}
    layout = Layout(responses, scenarios, design_seed=5, balanced_responses=True)
    for slot in range(rows_of_square(5)):
        planned = plan(layout, [], slot=slot, seed=slot)
        orders = {p.block: tuple(r % 5 for r in p.response_order) for p in planned.blocks}
        for blocks in [*scenarios, *zip(*scenarios, strict=True)]:
            assert len({orders[block] for block in blocks}) == len(blocks)


@pytest.mark.parametrize(
    ("scenarios", "sets", "size"), [(6, 4, 5), (10, 1, 3), (6, 4, 4), (5, 1, 5)]
)
def test_balanced_study_never_looks_less_even_than_chance(
    scenarios: int, sets: int, size: int
) -> None:
    """Over the blocks of each set, which show the same systems, from the first person on."""
    blocks = range(scenarios * sets)
    layout = Layout(
        responses={block: [block * size + system for system in range(size)] for block in blocks},
        scenarios=[list(blocks[i : i + sets]) for i in range(0, len(blocks), sets)],
        design_seed=5,
        balanced_responses=True,
    )
    places = [[[0] * size for _ in range(size)] for _ in range(sets)]
    follows = [[[0] * size for _ in range(size)] for _ in range(sets)]
    for slot in range(2 * rows_of_square(size)):
        drawn = plan_survey(layout, [], slot=slot, order_seed=slot, first_page=1)
        for shown in drawn.blocks:
            systems = [response % size for response in shown.response_order]
            for place, system in enumerate(systems):
                places[shown.block % sets][system][place] += 1
            for above, below in pairwise(systems):
                follows[shown.block % sets][above][below] += 1
        assert place_test(places).p > 0.2
        assert succession_test(follows).p > 0.2


def test_few_blocks_each_keep_every_response_balanced_too() -> None:
    layout = replace(BALANCED, blocks_per_participant=2)
    counts: Counter[tuple[int, int]] = Counter()
    for slot in range(30):
        planned = plan(layout, [], slot=slot)
        assert len(planned.blocks) == 2
        for block in planned.blocks:
            counts.update((place, r) for place, r in enumerate(block.response_order))
    assert {counts[place, r] for place in range(5) for r in range(1, 16)} == {4}


@given(SEEDS, st.integers(0, 50), st.booleans())
def test_scenarios_kept_together_stand_side_by_side(seed: int, slot: int, balanced: bool) -> None:
    layout = replace(LAYOUT, scenarios_together=True, balanced_blocks=balanced)
    order = [block.block for block in plan(layout, slot=slot, seed=seed).blocks]
    assert abs(order.index(10) - order.index(20)) == 1


SEVEN = {10: [*range(1, 8)], 20: [*range(8, 15)], 30: [*range(15, 22)]}
INCOMPLETE = replace(LAYOUT, responses=SEVEN, responses_per_page=3)


@pytest.mark.parametrize("balanced", [False, True])
def test_a_page_shows_some_responses_of_its_block(balanced: bool) -> None:
    layout = replace(INCOMPLETE, balanced_responses=balanced, balanced_blocks=balanced)
    shown: Counter[int] = Counter(dict.fromkeys(range(1, 22), 0))
    places: Counter[tuple[int, int]] = Counter()
    for slot in range(14):
        for block in plan(layout, [], slot=slot, seed=slot).blocks:
            assert len(set(block.response_order)) == 3
            assert set(block.response_order) <= set(SEVEN[block.block])
            shown.update(block.response_order)
            places.update((r, place) for place, r in enumerate(block.response_order))
        assert max(shown.values()) - min(shown.values()) <= 1
    assert set(shown.values()) == {6}
    if balanced:
        assert {places[r, place] for r in shown for place in range(3)} == {2}


def test_the_choice_of_responses_follows_the_slot_and_their_random_order_the_person() -> None:
    one, other = (plan(INCOMPLETE, [], slot=4, seed=seed).blocks for seed in (1, 2))
    shown = [{b.block: b.response_order for b in blocks} for blocks in (one, other)]
    assert {b: set(order) for b, order in shown[0].items()} == {
        b: set(order) for b, order in shown[1].items()
    }
    assert shown[0] != shown[1]


def test_the_reference_is_on_every_page_if_it_is_to_be() -> None:
    layout = replace(INCOMPLETE, always=frozenset([7, 14, 21]), balanced_responses=True)
    places: Counter[int] = Counter()
    for slot in range(9):
        for block in plan(layout, [], slot=slot).blocks:
            (reference,) = set(block.response_order) & {7, 14, 21}
            places[block.response_order.index(reference)] += 1
    assert places == {0: 9, 1: 9, 2: 9}


GROUPS = [frozenset(block[place] for block in SEVEN.values()) for place in range(7)]


def test_each_person_sees_one_group_and_groups_are_even_at_every_moment() -> None:
    layout = replace(LAYOUT, responses=SEVEN, groups=GROUPS, balanced_blocks=True)
    seen: Counter[frozenset[int]] = Counter(dict.fromkeys(GROUPS, 0))
    first: Counter[tuple[frozenset[int], int]] = Counter()
    for slot in range(21):
        blocks = plan(layout, [], slot=slot).blocks
        shown = frozenset(r for block in blocks for r in block.response_order)
        assert [len(block.response_order) for block in blocks] == [1, 1, 1]
        seen[shown] += 1
        first[shown, blocks[0].block] += 1
        assert max(seen.values()) - min(seen.values()) <= 1
    assert set(first.values()) == {1}  # each group began with each block once


def test_groups_with_some_of_their_responses_and_the_reference_on_each_page() -> None:
    blocks = {10: [*range(1, 10)], 20: [*range(10, 19)]}
    groups = [frozenset([1, 2, 3, 4, 10, 11, 12, 13]), frozenset([5, 6, 7, 8, 14, 15, 16, 17])]
    layout = Layout(
        blocks, [[10], [20]], 3, responses_per_page=3, always=frozenset([9, 18]), groups=groups
    )
    for slot in range(12):
        group, _ = layout.turn(slot)
        for block in plan(layout, [], slot=slot).blocks:
            assert len(set(block.response_order) & groups[group]) == 2
            assert set(block.response_order) - groups[group] <= {9, 18}


@pytest.mark.parametrize("responses", ["random", "balanced"])
def test_a_page_of_all_responses_is_the_same_design_as_none_that_says_how_many(
    responses: str,
) -> None:
    layout = replace(LAYOUT, balanced_responses=responses == "balanced")
    said = replace(layout, responses_per_page=5)
    assert all(plan(said, slot=s, seed=s) == plan(layout, slot=s, seed=s) for s in range(12))


@pytest.mark.parametrize(
    ("more", "people"),
    [
        ({}, 6),
        ({"responses_per_page": 3}, 14),  # 7 responses, 3 at a time, each 6 times
        ({"responses_per_page": 3, "blocks_per_participant": 1}, 42),
        ({"groups": GROUPS}, 42),
    ],
)
def test_so_many_people_rate_each_response_six_times(more: dict[str, Any], people: int) -> None:
    layout = replace(LAYOUT, responses=SEVEN, **more)
    assert layout.people_for_responses(6) == people
    shown: Counter[int] = Counter(dict.fromkeys(range(1, 22), 0))
    for slot in range(people):
        for block in plan(layout, [], slot=slot).blocks:
            shown.update(block.response_order)
    assert min(shown.values()) >= 6
