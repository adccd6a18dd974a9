"""Balanced orders and balanced choices of blocks. Pure: numbers and a seed in, orders out.

Everything is a function of a participant's slot (0, 1, 2, …) and the study's seed, so nothing is
counted while people arrive: when the slots in use are 0 to N−1, the counts are balanced. The next
participant gets an abandoned slot, which restores the balance.

Orders are rows of Williams squares: Latin squares (each item once at each position) in which each
item also follows each other item equally often. E. J. Williams (1949), Experimental designs
balanced for the estimation of residual effects of treatments, Australian Journal of Chemistry 2.
"""

import random
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd


def rows_of_square(n: int) -> int:
    """Rows that balance position and succession of `n` items: n if n is even, else 2n."""
    return n if n % 2 == 0 or n == 1 else 2 * n


def williams_row(n: int, row: int) -> list[int]:
    """Row `row` of the Williams square of 0 … n−1; rows n … 2n−1 are the first n backwards."""
    zigzag = [step // 2 + 1 if step % 2 else -(step // 2) for step in range(n)]
    shifted = [(place + row) % n for place in zigzag]
    return shifted if row < n else shifted[::-1]


def _row(n: int, half: int, shift: int) -> list[int]:
    """Row `shift` of the square's first half or, if n and `half` are odd, of its second."""
    return williams_row(n, half * n % rows_of_square(n) + shift % n)


@lru_cache(maxsize=4096)
def draws(n: int, key: Hashable) -> tuple[list[int], list[int]]:
    """New labels for the items of one square, and the order in which its rows are used."""
    draw = _random(key, n)
    return draw.sample(range(n), n), draw.sample(range(n), n)


def _random(*key: Hashable) -> random.Random:
    return random.Random(repr(key))  # noqa: S311  # orders that must repeat, no secrets


def balanced_order(n: int, number: int, *, key: Hashable, shift: int = 0) -> list[int]:
    """Order `number` of an endless sequence over 0 … n−1; `key` names the sequence.

    Each run of n orders from a multiple of n on is a Latin square, each run of `rows_of_square(n)`
    a Williams square; in between, counts differ by one at most. Labels and row order are drawn
    again for each square. One participant's blocks use sequences that differ only in `shift`:
    `rows_of_square(n)` consecutive ones form a Williams square too, so they are even together
    before each is even alone. (If n is odd, every second one begins with the square's other half.)
    """
    square, row = divmod(number, rows_of_square(n))
    names, rows = draws(n, (key, square))
    half, place = divmod(row, n)
    return [names[i] for i in _row(n, half + shift, rows[place] + shift)]


@dataclass(frozen=True)
class BlockDesign:
    """Which blocks the person in each slot sees, in which order.

    `groups` has the blocks of each scenario, in file order; `per_participant` is how many blocks a
    person sees. `together` keeps the blocks of a scenario on consecutive pages.
    """

    groups: tuple[tuple[int, ...], ...]
    per_participant: int
    together: bool
    seed: int

    @property
    def total(self) -> int:
        """How many blocks there are."""
        return sum(map(len, self.groups))

    @property
    def slots_to_deal(self) -> int:
        """After this many slots, and each multiple, each block was dealt out equally often."""
        return self.total // gcd(self.total, self.per_participant)

    @property
    def group_size(self) -> int | None:
        """Number of blocks of a scenario, if whole scenarios are dealt and kept together."""
        sizes = set(map(len, self.groups))
        size = sizes.pop()
        return size if self.together and not sizes and self.per_participant % size == 0 else None

    @property
    def _passes(self) -> int:
        """Passes until each block has been at each position."""
        size = self.group_size
        if size is None:
            return rows_of_square(self.per_participant)
        return rows_of_square(self.per_participant // size) * rows_of_square(size)

    @property
    def slots_to_balance(self) -> int:
        """After this many slots, and each multiple, choice and order of blocks are even."""
        return self.slots_to_deal * self._passes

    def slots_to_repeat(self, times: int) -> int:
        """After this many slots each block was dealt out `times` times, or a multiple of it."""
        in_a_deal = self.per_participant // gcd(self.total, self.per_participant)
        return self.slots_to_deal * times // gcd(times, in_a_deal)

    @lru_cache(maxsize=256)  # noqa: B019  # a handful of small designs per process
    def _circle(self, number: int) -> list[int]:
        """All blocks, in an order drawn again each time the design is complete."""
        draw = _random(self.seed, "circle", number)
        if not self.together:
            blocks = [block for group in self.groups for block in group]
            return draw.sample(blocks, len(blocks))
        groups = draw.sample(self.groups, len(self.groups))
        return [block for group in groups for block in draw.sample(group, len(group))]

    def hand(self, slot: int) -> list[int]:
        """The blocks of this slot, not yet in the order of presentation."""
        completed, rest = divmod(slot, self.slots_to_balance)
        circle = self._circle(completed)
        first = rest * self.per_participant
        return [circle[(first + i) % self.total] for i in range(self.per_participant)]

    def earlier(self, block: int, slot: int) -> int:
        """How many of the slots before this one see the block."""
        completed, rest = divmod(slot, self.slots_to_balance)
        each = self.slots_to_balance * self.per_participant // self.total
        dealt, place = rest * self.per_participant, self._circle(completed).index(block)
        return completed * each + max(0, -(-(dealt - place) // self.total))

    def order(self, slot: int) -> list[int]:
        """The blocks of this slot in balanced order."""
        number = slot % self.slots_to_balance // self.slots_to_deal
        hand = self.hand(slot)
        if not self.together:
            return _in_rows([hand], number)
        scenario = {block: i for i, group in enumerate(self.groups) for block in group}
        by_scenario: dict[int, list[int]] = {}
        for block in hand:
            by_scenario.setdefault(scenario[block], []).append(block)
        return _in_rows(list(by_scenario.values()), number)


def _in_rows(groups: Sequence[Sequence[int]], number: int) -> list[int]:
    """Order `number` of `groups`, which are kept together, and of the items in each.

    Two squares are used at once, one over groups and one within each. Shifts go through all pairs
    of rows before a square's other half is used, so by then each item has been once at each
    position.
    """
    n = len(groups)
    halves, row = divmod(number, n * max(map(len, groups)))
    inner_half, outer_half = divmod(halves, rows_of_square(n) // n)
    inner, outer = divmod(row, n)
    ordered: list[int] = []
    for place in _row(n, outer_half, outer):
        group = groups[place]
        ordered += [group[i] for i in _row(len(group), inner_half, inner + place)]
    return ordered
