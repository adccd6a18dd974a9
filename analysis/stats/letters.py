"""Which groups are not told apart, as letters: those that share one are not.

H.-P. Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, count
from string import ascii_letters

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]


def letters(told_apart: Flags) -> list[str]:
    """The letters of each group, a first; two groups share one exactly if they are not told apart.

    `told_apart` is symmetric (groups × groups), and groups are in the order in which letters are
    given, such as that of their means. After z come capitals, then a2.
    """
    names = _names()
    given = [(members, next(names)) for members in not_told_apart(told_apart)]
    return [
        "".join(name for members, name in given if members[at]) for at in range(len(told_apart))
    ]


def not_told_apart(told_apart: Flags) -> Sequence[Flags]:
    """The largest sets of groups of which no two are told apart, by their first members.

    Piepho's insert and absorb: a set with two that are told apart makes place for two sets, each
    without one of them, and a set within another is absorbed.
    """
    sets = [np.ones(len(told_apart), dtype=bool)]
    for one, other in combinations(range(len(told_apart)), 2):
        if not told_apart[one, other]:
            continue
        kept = [members for members in sets if not (members[one] and members[other])]
        halves = [_without(members, at) for members in sets if members[one] and members[other]
                  for at in (one, other)]  # fmt: skip
        for number, half in enumerate(halves):
            rest = [*kept, *halves[number + 1 :]]
            if not any((half <= members).all() for members in rest):
                kept.append(half)
        sets = kept
    return sorted(sets, key=lambda members: tuple(~members))


def _without(members: Flags, at: int) -> Flags:
    half = members.copy()
    half[at] = False
    return half


def _names() -> Iterator[str]:
    yield from ascii_letters
    for number in count(2):
        yield from (f"{letter}{number}" for letter in ascii_letters)
