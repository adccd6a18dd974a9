"""Balanced choices of the systems that a page shows. Pure: numbers and a seed in, pages out.

A block may list more systems than a page shows. Which of them a page shows, and where, follows from
how often the block was shown before, so nothing is counted while people arrive:

- The systems of a block stand in a circle, and its pages are dealt from it. So at every moment no
  system of the block was shown more than once more often than another.
- A pass deals pages from one circle until it ends where it began. A round is so many passes that
  each system was equally often at each position of the page.
- The circles of neighbouring blocks, and those of one block's rounds, are chosen one after the
  other: at each place the system that the same page of other circles showed least often, and that
  was least often together with the others on the page. So each person sees each system, and each
  pair of systems is together, about equally often.

Cyclic incomplete blocks and what makes them good, even concurrences: J. A. John and E. R. Williams
(1995), Cyclic and Computer Generated Designs, 2nd ed., chapters 2 and 3. The greedy choice is our
own; `tests/survey/test_incomplete.py` says how even it is.
"""

import random
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, prod

from survey.counterbalance import balanced_row, draws

#: About so many circles are chosen, at least in so many rounds. Later rounds use them again, with
#: new labels.
CIRCLES = 48
LEAST_ROUNDS = 6
ONE = Fraction(1)


@dataclass(frozen=True)
class PageDesign:
    """Pages of a block of `alternating` systems (0, 1, …) of which each page shows `shown`, and, if
    `always` is 1, one more that each page shows (its number is `alternating`).
    """

    alternating: int
    shown: int
    always: int = 0

    @property
    def places(self) -> int:
        """Responses on a page."""
        return self.shown + self.always

    @property
    def is_complete(self) -> bool:
        """Whether each page shows every system."""
        return self.shown == self.alternating

    @property
    def classes(self) -> int:
        """Pages begin at every so many places of the circle."""
        return gcd(self.alternating, self.shown)

    @property
    def pages_in_pass(self) -> int:
        """After this many pages, and each multiple, each system was shown equally often."""
        return self.alternating // self.classes

    @property
    def passes(self) -> int:
        """Passes of a round."""
        return self.places if self.always else self.classes

    @property
    def pages_in_round(self) -> int:
        """After this many pages, and each multiple, each was equally often at each position."""
        return self.pages_in_pass * self.passes

    def chance(self, together: int) -> Fraction:
        """The share of the pages that show so many given alternating systems together, if all
        choices are equally frequent.
        """
        steps = range(together)
        return prod((Fraction(self.shown - i, self.alternating - i) for i in steps), start=ONE)

    @property
    def rounds(self) -> int:
        """Rounds with circles of their own."""
        return max(LEAST_ROUNDS, CIRCLES // self.passes)

    def page(self, number: int, *, key: Hashable, shift: int = 0) -> list[int]:
        """Page `number` of an endless sequence, its systems from the top; `key` names the sequence.

        One study's blocks use sequences that differ only in `shift`.
        """
        done, page = divmod(number, self.pages_in_round)
        cycle, chosen = divmod(done + shift, self.rounds)
        names, _ = draws(self.alternating, (key, cycle))
        seats = [names[system] for system in _family(self)[chosen][page]]
        seats += [self.alternating] * self.always
        row = page // self.pages_in_pass
        return [seats[seat] for seat in balanced_row(self.places, done + shift, row + shift)]


@lru_cache(maxsize=64)
def _family(design: PageDesign) -> list[list[list[int]]]:
    """The pages of each round, from seat to seat.

    In all passes of a round a system stays in its class, the places of the circle with one
    remainder of the division by their number. So it has other seats in each pass of shifted rows.
    """
    n, classes, length = design.alternating, design.classes, design.pages_in_pass
    drawn = random.Random(repr(design))  # noqa: S311  # pages that must repeat, no secrets
    everywhere, counts = _Counts.of(n), [_Counts.of(n) for _ in range(design.pages_in_round)]
    family = []
    for _ in range(design.rounds):
        pages: list[list[int]] = []
        waiting = [drawn.sample(range(n), n)] * classes
        for first in range(0, design.pages_in_round, length):
            circle = _circle(design, waiting, counts[first : first + length], everywhere)
            pages += [[circle[place] for place in places] for places in _places(design)]
            waiting = [drawn.sample(circle[c::classes], n // classes) for c in range(classes)]
        for page, count in zip(pages, counts, strict=True):
            count.add(page)
            everywhere.add(page)
        family.append(pages)
    return family


@dataclass(frozen=True)
class _Counts:
    """How often pages of the rounds so far showed each system, and each two of them together."""

    shown: list[int]
    together: list[list[int]]

    @classmethod
    def of(cls, n: int) -> "_Counts":
        return cls([0] * n, [[0] * n for _ in range(n)])

    def add(self, page: list[int]) -> None:
        for system in page:
            self.shown[system] += 1
            for other in page:
                self.together[system][other] += other != system


def _places(design: PageDesign) -> list[list[int]]:
    """The places of the circle that each page of a pass shows."""
    n, k = design.alternating, design.shown
    return [[(page * k + seat) % n for seat in range(k)] for page in range(design.pages_in_pass)]


def _circle(
    design: PageDesign, waiting: list[list[int]], counts: list[_Counts], everywhere: _Counts
) -> list[int]:
    """A circle filled place by place from the systems `waiting` for the class of the place: with
    the one that the pages of this place, of all circles so far, showed least often, alone and
    together with the systems that they have already (`counts`), and that was least often together
    with these `everywhere`.
    """
    pages = _places(design)
    circle: list[int] = []
    for place in range(design.alternating):
        costs = []
        for here, count in zip(pages, counts, strict=True):
            if place in here:
                before = [circle[other] for other in here if other < place]
                costs += [count.shown, *(count.together[system] for system in before)]
                costs += [everywhere.together[system] for system in before]
        total = [sum(cost) for cost in zip(*costs, strict=True)]
        left = waiting[place % design.classes]
        system = min(left, key=total.__getitem__)
        left.remove(system)
        circle.append(system)
    return circle
