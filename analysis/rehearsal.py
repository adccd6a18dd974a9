"""The simulated raters of a study, and which ratings to expect of them.

A profile shifts responses on a latent scale from 0 to 1, which the points of the study's scale
share. With normal deviations of raters, responses and single ratings, the expected rating of a
careful rater follows exactly.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import erfc, sqrt
from statistics import fmean

from analysis.not_available import NotAvailable
from survey.simulated.content import Content, RatingKey
from survey.simulated.plan import SimulatedRater
from survey.simulated.profile import Behaviour, Effects, GroupShift


@dataclass(frozen=True)
class Rehearsal:
    """The simulated raters of a study by pseudonym, with what was decided of them."""

    content: Content
    raters: Mapping[str, SimulatedRater]

    @cached_property
    def effects(self) -> Effects:
        """What was planted. Raises NotAvailable where there is not one answer."""
        planted: list[Effects] = []
        for rater in self.raters.values():
            if rater.profile.effects not in planted:
                planted.append(rater.profile.effects)
        if not planted:
            raise NotAvailable(
                "no profile is recorded for the simulated raters: send them again with simulate"
            )
        if len(planted) > 1:
            raise NotAvailable(
                f"the simulated raters come from {len(planted)} profiles with different effects"
            )
        return planted[0]


@dataclass(frozen=True)
class Expected:
    """Mean ratings to expect from careful raters."""

    rehearsal: Rehearsal
    _means: dict[tuple[RatingKey, tuple[bool, ...]], float] = field(default_factory=dict)

    @cached_property
    def cells(self) -> list[RatingKey]:
        """A response in a scenario and on a dimension, once, in however many sets it is shown."""
        cells = (
            RatingKey(cell.scenario, "", cell.model, cell.condition, cell.dimension)
            for cell in self.rehearsal.content.cells()
        )
        return list(dict.fromkeys(cells))

    @cached_property
    def groups(self) -> list[GroupShift]:
        return list(self.rehearsal.effects.groups)

    @cached_property
    def values(self) -> Sequence[float]:
        """The points of the scale; none where nothing is rated."""
        rating = self.rehearsal.content.definition.rating
        return rating.values if rating else []

    def pattern(self, name: str) -> tuple[bool, ...] | None:
        """Which planted groups a careful rater is in; None for others."""
        rater = self.rehearsal.raters.get(name)
        if rater is None or rater.behaviour is not Behaviour.CAREFUL:
            return None
        return tuple(group.includes(rater.said.get(group.question, [])) for group in self.groups)

    def patterns(self, names: Iterable[str]) -> Counter[tuple[bool, ...]]:
        """How many of these raters are in which planted groups."""
        return Counter(p for name in names if (p := self.pattern(name)) is not None)

    def of(self, cell: RatingKey, pattern: tuple[bool, ...]) -> float:
        """The expected rating of a response; where nothing is rated, its latent position."""
        key = (cell, pattern)
        if key not in self._means:
            effects = self.rehearsal.effects
            place = (
                effects.centre
                + effects.conditions.get(cell.condition, 0.0)
                + sum(system.shift for system in effects.systems if system.moves(cell))
                + effects.scenarios.get(cell.scenario, 0.0)
                + effects.dimensions.get(cell.dimension, 0.0)
                + sum(
                    group.shift
                    for group, is_in in zip(self.groups, pattern, strict=True)
                    if is_in and group.moves(cell)
                )
            )
            spread = sqrt(effects.rater_sd**2 + effects.item_sd**2 + effects.residual_sd**2)
            self._means[key] = expected_rating(place, spread, self.values)
        return self._means[key]

    def mean(self, cells: Sequence[RatingKey], patterns: Counter[tuple[bool, ...]]) -> float:
        """Over responses, and over raters in proportion to their groups."""
        weights = patterns or Counter({(False,) * len(self.groups): 1})
        total = sum(weights.values())
        return fmean(
            sum(n * self.of(cell, pattern) for pattern, n in weights.items()) / total
            for cell in cells
        )


def expected_rating(place: float, spread: float, values: Sequence[float]) -> float:
    """The mean rating at a normal latent position, whose equal shares of 0…1 are the `values`,
    limited to the ends; the position itself where there are none.
    """
    if not values:
        return place
    total = float(values[0])
    for step, (below, above) in enumerate(pairwise(values), start=1):
        border = step / len(values)
        if spread:
            reached = erfc((border - place) / (spread * sqrt(2))) / 2
        else:
            reached = float(place >= border)
        total += (above - below) * reached
    return total
