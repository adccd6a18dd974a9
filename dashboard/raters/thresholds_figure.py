"""σ against MAE of every rater, as a drawing of a page: who moves when thresholds move. Pure.

Drawn on the server, so that it needs no script, and as a few paths, so that thousands of raters are
a few kilobytes: raters at the same pixel are drawn once.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from analysis.quality_rules import SigmaMae

WIDTH, HEIGHT = 440, 300
LEFT, RIGHT, TOP, BOTTOM = 44, 8, 10, 40  # margins
#: What a rater is by the thresholds, from the lowest layer to the highest: name and the path of its
#: sign, which begins at the rater's place.
SIGNS = {
    "kept": "h0",
    "excluded": "m-3 0h6",
    "joining": "m-4 0h8m-4-4v8",
    "leaving": "m-4-4l8 8m0-8l-8 8",
}


@dataclass(frozen=True)
class Tick:
    """A number at an axis, and its position."""

    at: float
    text: str


@dataclass(frozen=True)
class SigmaMaeLimit:
    """Both limits of the rule as places on the drawing; the corner above and left is excluded."""

    sigma: float
    mae: float


@dataclass(frozen=True)
class Layer:
    """All raters of a kind: how many there are, and one path of their signs."""

    kind: str
    n: int
    path: str


@dataclass(frozen=True)
class SigmaMaeFigure:
    """The drawing: layers of raters, the limits in force and those tried, and ticks."""

    layers: list[Layer]
    in_force: SigmaMaeLimit
    tried: SigmaMaeLimit
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    n_undrawn: int

    #: Of the drawing, and of the axes in it.
    width, height = WIDTH, HEIGHT
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM

    #: What the rule is called.

    @property
    def has_moved(self) -> bool:
        return self.in_force != self.tried


def sigma_mae_figure(
    sigma: Iterable[float],
    mae: Iterable[float],
    kinds: Iterable[str],
    *,
    in_force: SigmaMae,
    tried: SigmaMae,
) -> SigmaMaeFigure | None:
    """The drawing of raters by their `sigma`, `mae` (NaN: not known) and what they are: `kinds` of
    SIGNS, or nothing for who is not drawn. None where nobody has both numbers.

    The axes cover all raters; limits beyond them are drawn at the end.
    """
    shown = [rater for rater in zip(sigma, mae, kinds, strict=True) if rater[2]]
    points = [rater for rater in shown if not math.isnan(rater[0]) and not math.isnan(rater[1])]
    if not points:
        return None
    x_most, y_most = (
        _round_up(max(values)) for values in ([x for x, *_ in points], [y for _, y, _ in points])
    )
    by_kind: dict[str, list[tuple[int, int]]] = {kind: [] for kind in SIGNS}
    for x, y, kind in points:
        by_kind[kind].append((round(_x(x, x_most)), round(_y(y, y_most))))
    before, after = (
        SigmaMaeLimit(round(_x(each.sigma_below, x_most), 1), round(_y(each.mae_above, y_most), 1))
        for each in (in_force, tried)
    )
    return SigmaMaeFigure(
        [Layer(kind, len(where), _path(where, SIGNS[kind])) for kind, where in by_kind.items()],
        before,
        after,
        x_ticks=[Tick(round(_x(value, x_most), 1), f"{value:g}") for value in _ticks(x_most)],
        y_ticks=[Tick(round(_y(value, y_most), 1), f"{value:g}") for value in _ticks(y_most)],
        n_undrawn=len(shown) - len(points),
    )


def _x(sigma: float, most: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(sigma / most, 1)


def _y(mae: float, most: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(mae / most, 1)


def _path(points: Iterable[tuple[int, int]], sign: str) -> str:
    return "".join(f"M{x} {y}{sign}" for x, y in dict.fromkeys(points))


def _step(most: float) -> float:
    """A round distance of ticks, of which three to seven fit below `most`."""
    power = 10.0 ** math.floor(math.log10(most / 3))
    return next(power * step for step in (5, 2, 1) if most / (power * step) >= 3)


def _round_up(most: float) -> float:
    """The end of an axis: the next half of a tick, with some room."""
    if most <= 0:
        return 1.0
    half = _step(most) / 2
    return half * math.ceil(1.02 * most / half)


def _ticks(most: float) -> Iterator[float]:
    step = _step(most)
    for number in range(int(most / step + 1e-9) + 1):
        yield round(number * step, 10)
