"""Balanced choices of the systems that a page shows. Pure: numbers and a seed in, pages out.

A block may list more systems than a page shows. Which of them a page shows, and where, follows from
how often the block was shown before, so nothing is counted while people arrive:

- The systems of a block stand in a circle, and its pages are dealt from it. So at every moment no
  system of the block was shown more than once more often than another.
- A pass deals pages from one circle until it ends where it began. A round is so many passes that
  each system can be equally often at each position of the page, and is.
- The circles of neighbouring blocks, and those of one block's passes, are chosen one after the
  other: at each place the system that the same page of other rounds showed least often, and that
  was least often together with the others on the page. So each person sees each system, and each
  pair of systems is together, about equally often. So are two at neighbouring positions.

Cyclic incomplete blocks and what makes them good, even concurrences: J. A. John and E. R. Williams
(1995), Cyclic and Computer Generated Designs, 2nd ed., chapters 2 and 3. The greedy choice is our
own; `tests/survey/test_incomplete.py` says how even it is.
"""

import random
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import gcd, prod

from survey.counterbalance import draws

#: About so many circles are chosen, at least in so many rounds. Later rounds use them again, with
#: new labels.
CIRCLES = 48
LEAST_ROUNDS = 6
ONE = Fraction(1)
Page = list[int]


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
    def pages_in_pass(self) -> int:
        """After this many pages, and each multiple, each system was shown equally often."""
        return self.alternating // gcd(self.alternating, self.shown)

    @property
    def passes(self) -> int:
        """Passes of a round."""
        times = self.shown * self.pages_in_pass // self.alternating
        return self.places // gcd(self.places, times)

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
        names = [*names, self.alternating]
        order = [names[system] for system in _family(self)[chosen][page]]
        return order[::-1] if done % 2 else order  # other blocks had it as it is, a round before


@lru_cache(maxsize=64)
def _family(design: PageDesign) -> list[list[Page]]:
    """The pages of each round, each from the top."""
    drawn = random.Random(repr(design))  # noqa: S311  # pages that must repeat, no secrets
    n, length = design.alternating, design.pages_in_pass
    everywhere, counts = _Counts.of(n), [_Counts.of(n) for _ in range(design.pages_in_round)]
    below = [[0] * (n + 1) for _ in range(n + 2)]
    family = []
    for _ in range(design.rounds):
        pages: list[Page] = []
        for first in range(0, design.pages_in_round, length):
            pages += _pass(design, counts[first : first + length], everywhere, drawn)
        for page, count in zip(pages, counts, strict=True):
            count.add(page)
            everywhere.add(page)
        family.append(_ordered([page + [n] * design.always for page in pages], below, drawn))
    return family


@dataclass(frozen=True)
class _Counts:
    """How often pages of the rounds so far showed each system, and each two of them together."""

    shown: list[int]
    together: list[list[int]]

    @classmethod
    def of(cls, n: int) -> "_Counts":
        return cls([0] * n, [[0] * n for _ in range(n)])

    def add(self, page: Page) -> None:
        for system in page:
            self.shown[system] += 1
            for other in page:
                self.together[system][other] += other != system


def _pass(
    design: PageDesign, counts: list[_Counts], everywhere: _Counts, drawn: random.Random
) -> list[Page]:
    """Pages dealt from a circle. It is filled place by place with the system that the pages of this
    place, in all rounds so far, showed least often, alone and together with the systems that they
    have already (`counts`), and that was least often together with these `everywhere`.
    """
    n, k = design.alternating, design.shown
    pages = [[(page * k + seat) % n for seat in range(k)] for page in range(len(counts))]
    circle: list[int] = []
    left = drawn.sample(range(n), n)
    for place in range(n):
        costs = []
        for here, count in zip(pages, counts, strict=True):
            if place in here:
                before = [circle[other] for other in here if other < place]
                costs += [count.shown, *(count.together[system] for system in before)]
                costs += [everywhere.together[system] for system in before]
        total = [sum(cost) for cost in zip(*costs, strict=True)]
        system = min(left, key=total.__getitem__)
        left.remove(system)
        circle.append(system)
    return [[circle[place] for place in places] for places in pages]


def _ordered(pages: list[Page], below: list[list[int]], drawn: random.Random) -> list[Page]:
    """The pages of a round with each system equally often at each position, and below the systems
    that it was `below` least often so far (these counts are updated).

    Position by position, one system of each page is drawn: a matching of pages and systems. As each
    system is on a multiple of so many pages as there are positions, there always is one (D. König,
    1916); augmenting paths find it.
    """
    waiting = [drawn.sample(page, len(page)) for page in pages]
    most = {system: n // len(pages[0]) for system, n in Counter(chain(*pages)).items()}
    ordered: list[Page] = [[] for _ in pages]
    for _ in pages[0]:
        for page, left in zip(ordered, waiting, strict=True):
            left.sort(key=below[page[-1] if page else -1].__getitem__)
        chosen = _matching(waiting, most)
        for page, left, system in zip(ordered, waiting, chosen, strict=True):
            below[page[-1] if page else -1][system] += 1
            page.append(system)
            left.remove(system)
    return ordered


def _matching(waiting: list[Page], most: dict[int, int]) -> Page:
    """For each page one of the systems that wait there, if possible the first; no system more often
    than `most` allows.
    """
    chosen = [-1] * len(waiting)
    pages_of: dict[int, list[int]] = {system: [] for system in most}

    def choose(page: int, tried: set[int]) -> bool:
        for system in waiting[page]:
            if system in tried:
                continue
            tried.add(system)
            pages = pages_of[system]
            if len(pages) >= most[system]:
                for place, other in enumerate(pages):
                    if choose(other, tried):
                        del pages[place]
                        break
                else:
                    continue
            pages.append(page)
            chosen[page] = system
            return True
        return False

    for page in range(len(waiting)):
        assert choose(page, set())
    return chosen
