"""Pages that show some of a block's systems: even for each block, and over blocks."""

from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from survey.incomplete import PageDesign

#: (systems, on a page), the reference on every page or not.
SHAPES = [(14, 3, 0), (50, 8, 0), (5, 1, 0), (7, 2, 0), (2, 1, 0), (6, 3, 0), (13, 2, 1)]
DESIGNS = [PageDesign(*shape) for shape in SHAPES]


def ids(design: PageDesign) -> str:
    return f"{design.shown} of {design.alternating}" + " and the reference" * design.always


every_design = pytest.mark.parametrize("design", DESIGNS, ids=ids)


def pages(design: PageDesign, n: int, *, shift: int = 0) -> list[list[int]]:
    return [design.page(number, key="study", shift=shift) for number in range(n)]


def spread(counts: Counter[Any]) -> int:
    return max(counts.values()) - min(counts.values())


@every_design
@pytest.mark.parametrize("shift", [0, 5, 61])
def test_no_system_of_a_block_is_ever_shown_more_than_once_more_than_another(
    design: PageDesign, shift: int
) -> None:
    shown = Counter(dict.fromkeys(range(design.alternating), 0))
    for page in pages(design, 2 * design.pages_in_round + 3, shift=shift):
        assert len(set(page)) == len(page) == design.places
        assert [system for system in page if system == design.alternating] == (
            [design.alternating] * design.always
        )
        shown.update(system for system in page if system < design.alternating)
        assert spread(shown) <= 1


@every_design
def test_each_round_shows_each_system_equally_often_at_each_position(design: PageDesign) -> None:
    cells = product(range(design.alternating + design.always), range(design.places))
    counts = Counter(dict.fromkeys(cells, 0))
    for number, page in enumerate(pages(design, 2 * design.pages_in_round), start=1):
        counts.update((system, place) for place, system in enumerate(page))
        if not design.always:
            assert spread(counts) <= 1
        if number % design.pages_in_round == 0:
            each = {system: count for (system, _), count in counts.items()}
            assert all(count == each[system] for (system, _), count in counts.items())


def pairs(shown: list[list[int]], design: PageDesign) -> Counter[Any]:
    counts: Counter[Any] = Counter(dict.fromkeys(combinations(range(design.alternating), 2), 0))
    for page in shown:
        alternating = sorted(system for system in page if system < design.alternating)
        counts.update(combinations(alternating, 2))
    return counts


def deviation(counts: Counter[Any]) -> float:
    """The standard deviation of the counts, relative to that of random pages (Poisson)."""
    mean = counts.total() / len(counts)
    squares = sum((count - mean) ** 2 for count in counts.values())
    return float((squares / len(counts) / mean) ** 0.5)


@pytest.mark.parametrize(
    ("design", "rounds", "spread_of_pairs"),
    [
        (PageDesign(14, 3), 12, 6),  # of 5.5 on average
        (PageDesign(7, 2), 12, 3),  # of 4
        (PageDesign(6, 3), 12, 6),  # of 14.4
        (PageDesign(50, 8), 12, 18),  # of 13.7
        (PageDesign(13, 2, 1), 6, 4),  # of 3
    ],
    ids=lambda value: ids(value) if isinstance(value, PageDesign) else str(value),
)
def test_pairs_of_systems_of_one_block_are_together_about_equally_often(
    design: PageDesign, rounds: int, spread_of_pairs: int
) -> None:
    counts = pairs(pages(design, rounds * design.pages_in_round), design)
    assert spread(counts) <= spread_of_pairs
    assert deviation(counts) < 0.65


@pytest.mark.parametrize(("systems", "shown"), [(14, 3), (50, 8), (12, 4), (7, 2)])
def test_blocks_side_by_side_are_even_together(systems: int, shown: int) -> None:
    """Three people who see a hundred scenarios: what each saw, what all saw, which pairs."""
    design = PageDesign(systems, shown)
    seen = [
        [page for shift in range(100) for page in [design.page(n, key="study", shift=shift)]]
        for n in range(3)
    ]
    everywhere: Counter[Any] = Counter()
    for person in seen:
        own: Counter[Any] = Counter(system for page in person for system in page)
        assert deviation(own) < 0.65
        everywhere.update(own)
    assert deviation(everywhere) < 0.5
    assert deviation(pairs([page for person in seen for page in person], design)) < 0.9


def test_studies_of_the_same_shape_do_not_share_their_pages() -> None:
    design = PageDesign(9, 3)
    first, second = ([design.page(n, key=key) for n in range(9)] for key in ("a", "b"))
    assert first != second


def test_pages_stay_the_same_across_versions() -> None:
    """Otherwise an update in the middle of a study would break its balance."""
    assert pages(PageDesign(7, 3), 3) == [[3, 2, 6], [1, 5, 4], [0, 6, 2]]


@pytest.mark.slow
@given(st.integers(1, 20), st.integers(1, 8), st.booleans(), st.integers(0, 2000))
def test_any_shape_gives_whole_pages(systems: int, shown: int, always: bool, number: int) -> None:
    design = PageDesign(systems, min(systems, shown), int(always))
    page = design.page(number, key=1, shift=number)
    assert len(set(page)) == design.places
    assert set(page) <= set(range(systems + 1))
