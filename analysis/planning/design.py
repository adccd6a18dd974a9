"""Who would rate what: a study's design with other numbers of raters and scenarios."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from pandas import DataFrame

from analysis.tables.fits import SystemLevel
from survey.counterbalance import BlockDesign
from survey.definition.contrast import comparison_of

Between = Literal["system", "model", "condition"]


def _name(system: SystemLevel, of: Between) -> str:
    return str(system) if of == "system" else str(getattr(system, of))


@dataclass(frozen=True)
class PlannedDesign:
    """`raters` see `pages` pages each (all of them: None), dealt out as the survey does; a page
    shows one scenario and the systems of one of the `sets`, or `shown` of them in turn. Where
    systems differ `between` raters, each rater sees the systems of one name throughout: of one
    system, model or condition.
    """

    sets: tuple[tuple[SystemLevel, ...], ...]
    raters: int
    scenarios: int
    pages: int | None = None
    shown: int | None = None
    between: Between | None = None

    @property
    def pages_per_rater(self) -> int:
        every = self.scenarios * len(self.sets)
        return every if self.pages is None else min(self.pages, every)

    def of(self, raters: int, scenarios: int) -> "PlannedDesign":
        return replace(self, raters=raters, scenarios=scenarios)

    def ratings(self) -> DataFrame:
        """A row for each rating: numbers of `rater` and `scenario`, `condition` and `system`."""
        pages = [(scenario, place) for scenario in range(self.scenarios) for place in self._places]
        groups = np.arange(len(pages)).reshape(self.scenarios, len(self.sets))
        dealt = BlockDesign(
            groups=tuple(tuple(map(int, group)) for group in groups),
            per_participant=self.pages_per_rater,
            together=False,
            seed=1,
        )
        systems = sorted({system for of_set in self.sets for system in of_set}, key=str)
        numbers = {system: number for number, system in enumerate(systems)}
        rows = [
            (rater, pages[page][0], numbers[system])
            for rater in range(self.raters)
            for page in dealt.hand(rater)
            for system in self._on_page(self.sets[pages[page][1]], rater, page)
        ]
        rater, scenario, system = np.array(rows).T
        named = np.array([str(each) for each in systems], dtype=object)
        conditions = np.array([each.condition for each in systems], dtype=object)
        return DataFrame(
            {
                "rater": rater,
                "scenario": scenario,
                "condition": conditions[system],
                "system": named[system],
            }
        )

    def _on_page(
        self, systems: Sequence[SystemLevel], rater: int, page: int
    ) -> Sequence[SystemLevel]:
        """What of a set's systems a rater sees on a page."""
        if self.between is not None:
            names = list(dict.fromkeys(_name(system, self.between) for system in systems))
            own = names[rater % len(names)]
            systems = [system for system in systems if _name(system, self.between) == own]
        if self.shown is None or self.shown >= len(systems):
            return systems
        start = (rater * self.shown + page) % len(systems)
        return [*systems, *systems][start : start + self.shown]

    @property
    def _places(self) -> range:
        return range(len(self.sets))

    def contrast(self, condition_a: str, condition_b: str) -> dict[str, float]:
        """The weights of systems in a less b, as the mixed model compares them; empty where a
        condition has no system.
        """
        systems = sorted({(each.model, each.condition) for of_set in self.sets for each in of_set})
        comparison = comparison_of(systems, condition_a, condition_b)
        weights = comparison.of_all if comparison else {}
        return {str(SystemLevel(*system)): weight for system, weight in weights.items()}
