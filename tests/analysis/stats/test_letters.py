"""Letters: two groups share one exactly if they are not told apart."""

from itertools import combinations

import numpy as np
import pytest

from analysis.stats.letters import Flags, letters, not_told_apart


def apart(k: int, *pairs: tuple[int, int]) -> Flags:
    """Told apart are these pairs of k groups."""
    table = np.zeros((k, k), dtype=bool)
    for one, other in pairs:
        table[one, other] = table[other, one] = True
    return table


def shares(table: Flags) -> Flags:
    """Which groups share a letter."""
    sets = np.array(not_told_apart(table))
    return np.asarray((sets[:, :, None] & sets[:, None, :]).any(axis=0))


def test_all_are_told_apart_or_none_is() -> None:
    assert letters(apart(3)) == ["a", "a", "a"]
    assert letters(apart(3, *combinations(range(3), 2))) == ["a", "b", "c"]


def test_first_and_last_are_told_apart_and_the_middle_from_neither() -> None:
    assert letters(apart(3, (0, 2))) == ["a", "ab", "b"]


def test_group_may_be_told_apart_from_its_neighbours_and_not_from_one_further_away() -> None:
    """As with unequal numbers of ratings: no group of neighbours could show it."""
    assert letters(apart(4, (0, 1), (0, 2), (1, 3))) == ["a", "b", "bc", "ac"]


def test_letter_within_another_is_absorbed() -> None:
    """All with all but the pair 1, 2: Piepho's first step alone would give more than two."""
    assert letters(apart(4, (1, 2))) == ["ab", "a", "b", "ab"]


@pytest.mark.parametrize("seed", range(20))
def test_sharing_a_letter_is_not_being_told_apart_whatever_the_pattern(seed: int) -> None:
    draw = np.random.default_rng(seed)
    table = np.triu(draw.random((9, 9)) < draw.random(), 1)
    table |= table.T
    assert (shares(table) == ~table).all()
    for one, other in combinations(not_told_apart(table), 2):
        assert not (one <= other).all() and not (other <= one).all()


@pytest.mark.slow
def test_sixty_groups_have_a_name_each_and_many_systems_take_no_time() -> None:
    every = letters(~np.eye(60, dtype=bool))
    assert every[25:28] == ["z", "A", "B"] and every[51:54] == ["Z", "a2", "b2"]
    near = np.abs(np.subtract.outer(range(50), range(50))) > 7
    assert letters(near)[0] == "a" and len(set("".join(letters(near)))) == 43
