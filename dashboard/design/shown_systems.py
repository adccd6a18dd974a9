"""Tables of systems whose pages show some of them: which were together, and which directly above
which. Counts of each set and group, whose pages are chosen from the same systems, add up.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

from dashboard.design.grids import Grid, Tally
from dashboard.design.shown_pages import REFERENCE, ShownPages
from survey.evenness_tests import NOTHING, succession_test, together_test

Pair = tuple[str, str]


@dataclass(frozen=True)
class _Stratum:
    """The pages that people of one group saw of the blocks of one set: `orders` of systems by how
    often they were shown; `chances` of two systems to be on one page.
    """

    shown: int
    places: int
    alternating: list[str]
    chances: dict[Pair, float]
    orders: Counter[tuple[str, ...]]

    @property
    def pages(self) -> int:
        return self.orders.total()

    def table(self, counts: Counter[Pair]) -> list[list[int]]:
        """Counts of the alternating systems."""
        names = self.alternating
        return [[counts[row, column] for column in names] for row in names]


def shown_together(pages: ShownPages) -> Grid:
    """On how many pages each two systems were together."""
    test, entries = NOTHING, []
    for stratum in _strata(pages):
        counts = _counted(stratum.orders, lambda order: permutations(order, 2))
        entries += [
            (*pair, Tally(counts[pair], chance * stratum.pages, None))
            for pair, chance in stratum.chances.items()
        ]
        test += together_test([stratum.table(counts)], stratum.shown)
    why = "how often each system was shown decides how often two were together"
    return replace(Grid.of("system_together", entries), test=test, untested=why)


def systems_above(pages: ShownPages) -> Grid:
    """How often each system (columns) was directly below each other one (rows)."""
    test, entries = NOTHING, []
    for stratum in _strata(pages):
        counts = _counted(stratum.orders, pairwise)
        entries += [
            (*pair, Tally(counts[pair], chance * stratum.pages / stratum.places, None))
            for pair, chance in stratum.chances.items()
        ]
        if not pages.layout.always:
            test += succession_test([stratum.table(counts)], stratum.shown)
    why = REFERENCE if pages.layout.always else "of two systems, one always follows the other"
    return replace(Grid.of("system_follows", entries), test=test, untested=why)


def _counted(
    orders: Counter[tuple[str, ...]], pairs: Callable[[tuple[str, ...]], Iterable[Pair]]
) -> Counter[Pair]:
    counts: Counter[Pair] = Counter()
    for order, n in orders.items():
        for pair in pairs(order):
            counts[pair] += n
    return counts


def _strata(pages: ShownPages) -> Iterator[_Stratum]:
    layout = pages.layout
    orders: dict[tuple[str, int], Counter[tuple[str, ...]]] = {}
    for block, order, n in pages.presentations.orders:
        about = pages.blocks[block]
        own = orders.setdefault((about.set_name, layout.group_of(order)), Counter())
        own[tuple(about.systems[response] for response in order)] += n
    for set_name, group in pages.strata:
        block, about = next((b, a) for b, a in pages.blocks.items() if a.set_name == set_name)
        chances = {
            (about.systems[one], about.systems[other]): float(chance[group])
            for one, other in permutations(about.systems, 2)
            if group in (chance := layout.chances(block, one, other))
        }
        design = layout.page_designs[block, group]
        yield _Stratum(
            shown=design.shown,
            places=design.places,
            alternating=[about.systems[r] for r in layout.alternating(block, group)],
            chances=chances,
            orders=orders.get((set_name, group), Counter()),
        )
