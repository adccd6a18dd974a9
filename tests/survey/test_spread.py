"""A person sees all responses of a block, a few a page."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.assignment import Layout, PlannedBlock, plan_survey

LAYOUT = Layout(
    responses={10: [1, 2, 3, 4, 5], 20: [6, 7, 8, 9], 30: [11, 12, 13, 14, 15]},
    scenarios=[[10, 20], [30]],
    design_seed=3,
    responses_per_page=2,
    spread=True,
)
EVEN = Layout(
    responses={10: [1, 2, 3], 20: [4, 5, 6], 30: [7, 8, 9]},
    scenarios=[[10], [20], [30]],
    design_seed=3,
    responses_per_page=1,
    spread=True,
)
SEEDS = st.integers(0, 2**62)


def pages(layout: Layout, *, slot: int = 0, seed: int = 0) -> list[PlannedBlock]:
    return plan_survey(layout, [], slot=slot, order_seed=seed, first_page=2).blocks


@given(SEEDS, st.integers(0, 500), st.booleans(), st.booleans())
def test_each_response_is_on_one_page(seed: int, slot: int, even: bool, together: bool) -> None:
    layout = replace(
        EVEN if even else LAYOUT,
        balanced_responses=even,
        balanced_blocks=even,
        scenarios_together=together,
    )
    shown = pages(layout, slot=slot, seed=seed)
    assert [page.position for page in shown] == [*range(1, len(shown) + 1)]
    assert len(shown) == layout.pages_per_participant == (9 if even else 8)
    for block, responses in layout.responses.items():
        own = [page for page in shown if page.block == block]
        assert sorted(r for page in own for r in page.response_order) == responses
        assert sorted(page.part for page in own) == [*range(1, layout.parts(block) + 1)]
        assert {len(page.response_order) for page in own} <= {1, 2}
    if together:
        scenario = {block: n for n, group in enumerate(layout.scenarios) for block in group}
        order = [scenario[page.block] for page in shown]
        assert len(set(order)) == 1 + sum(a != b for a, b in pairwise(order))


def test_balanced_pages_show_every_block_before_any_again() -> None:
    layout = replace(EVEN, balanced_blocks=True)
    for slot in range(12):
        blocks = [page.block for page in pages(layout, slot=slot)]
        assert [set(blocks[n : n + 3]) for n in (0, 3, 6)] == [{10, 20, 30}] * 3


def test_balanced_responses_are_equally_often_first_of_their_block() -> None:
    layout = replace(EVEN, balanced_responses=True)
    first = Counter(
        page.response_order[0]
        for slot in range(layout.slots_to_order)
        for page in pages(layout, slot=slot)
        if page.part == 1
    )
    assert len(set(first.values())) == 1 and len(first) == 9


def test_some_blocks_each() -> None:
    layout = replace(EVEN, blocks_per_participant=2)
    assert layout.pages_per_participant == 6
    seen = Counter(page.block for page in pages(layout, slot=1))
    assert sorted(seen.values()) == [3, 3]


@pytest.mark.parametrize(("times", "people"), [(1, 1), (6, 6)])
def test_each_person_rates_each_response(times: int, people: int) -> None:
    assert EVEN.people_for_responses(times) == people


def test_share_of_the_pages_with_one_response_and_with_two() -> None:
    assert EVEN.chances(10, 1) == {0: pytest.approx(1 / 3)}
    assert EVEN.chances(10, 1, 2) == {0: 0}
    assert LAYOUT.chances(20, 6) == {0: pytest.approx(1 / 2)}
    assert LAYOUT.chances(20, 6, 7) == {0: pytest.approx(1 / 6)}
