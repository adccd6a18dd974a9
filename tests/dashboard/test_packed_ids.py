"""Many ids as a short text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.shared.packed_ids import packed, unpacked


@pytest.mark.parametrize("ids", [[], [7], [1, 2, 3], [5, 3, 4], [2**62, 1, 2**62]])
def test_ids_come_back_in_their_order(ids: list[int]) -> None:
    assert unpacked(packed(ids)) == ids


@given(st.lists(st.integers(min_value=1, max_value=2**62)))
def test_any_ids_come_back(ids: list[int]) -> None:
    assert unpacked(packed(ids)) == ids


def test_ids_of_many_who_came_one_after_the_other_are_a_short_text() -> None:
    ids = [pk for pk in range(10**6, 10**6 + 10_000) if pk % 10]
    assert len(packed(ids)) < len(ids)
