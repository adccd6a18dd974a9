"""Tables of systems whose pages show some of them: which were together, and which directly above
which. Counts of each set and group, whose pages are chosen from the same systems, add up.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from dashboard.design.grids import Grid, Tally
from dashboard.design.shown_pages import REFERENCE, Key, ShownPages
from survey.evenness_tests import NOTHING, succession_test, together_test

Pair = tuple[str, str]


@dataclass(frozen=True)
class _Stratum:
    """The `pages` that people of one group saw of the blocks of one set: how often pairs of systems
    were on them; `chances` of two systems to be on one page.
    """

    shown: int
    places: int
    alternating: list[str]
    chances: dict[Pair, float]
    pages: int
    counts: Counter[Pair]

    def table(self) -> list[list[int]]:
        """Counts of the alternating systems."""
        names = self.alternating
        return [[self.counts[row, column] for column in names] for row in names]


def shown_together(pages: ShownPages) -> Grid:
    """On how many pages each two systems were together."""
    test, entries = NOTHING, []
    for stratum in _strata(pages, pages.counts.together):
        entries += [
            (*pair, Tally(stratum.counts[pair], chance * stratum.pages, None))
            for pair, chance in stratum.chances.items()
        ]
        test += together_test([stratum.table()], stratum.shown)
    why = "how often each system was shown decides how often two were together"
    return replace(Grid.of("system_together", entries), test=test, untested=why)


def systems_above(pages: ShownPages) -> Grid:
    """How often each system (columns) was directly below each other one (rows)."""
    test, entries = NOTHING, []
    for stratum in _strata(pages, pages.counts.follows):
        entries += [
            (*pair, Tally(stratum.counts[pair], chance * stratum.pages / stratum.places, None))
            for pair, chance in stratum.chances.items()
        ]
        if not pages.layout.always:
            test += succession_test([stratum.table()], stratum.shown)
    why = REFERENCE if pages.layout.always else "of two systems, one always follows the other"
    return replace(Grid.of("system_follows", entries), test=test, untested=why)


def _strata(pages: ShownPages, pairs: Counter[Key]) -> Iterator[_Stratum]:
    """The strata, with counts of `pairs` of responses: block, one, the other."""
    layout = pages.layout
    counts: dict[tuple[int, int], Counter[Pair]] = {}
    for (block, one, other), n in pairs.items():
        about = pages.blocks[block]
        own = counts.setdefault((block, layout.group_of([one, other])), Counter())
        own[about.systems[one], about.systems[other]] += n
    for group, blocks in pages.strata:
        block, about = blocks[0], pages.blocks[blocks[0]]
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
            pages=sum(pages.pages[block, group] for block in blocks),
            counts=sum((counts.get((b, group), Counter()) for b in blocks), Counter()),
        )
