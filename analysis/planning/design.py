"""Who would rate what: a study's design with other numbers of raters and scenarios."""

from dataclasses import dataclass, replace

import numpy as np
from pandas import DataFrame

from analysis.tables.fits import SystemLevel
from survey.counterbalance import BlockDesign


@dataclass(frozen=True)
class PlannedDesign:
    """`raters` see `pages` pages each (all of them: None), dealt out as the survey does; a page
    shows one scenario and the systems of one of the `sets`.
    """

    sets: tuple[tuple[SystemLevel, ...], ...]
    raters: int
    scenarios: int
    pages: int | None = None

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
        of_page = [
            np.array([(scenario, numbers[system]) for system in self.sets[place]])
            for scenario, place in pages
        ]
        rows = [
            np.column_stack([np.full(len(of_page[page]), rater), of_page[page]])
            for rater in range(self.raters)
            for page in dealt.hand(rater)
        ]
        rater, scenario, system = np.vstack(rows).T
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

    @property
    def _places(self) -> range:
        return range(len(self.sets))

    def contrast(self, condition_a: str, condition_b: str) -> dict[str, float]:
        """The weights of systems in a less b, over all models that have both; empty without any."""
        systems = {system for of_set in self.sets for system in of_set}
        both = sorted(
            system.model
            for system in systems
            if system.condition == condition_a and SystemLevel(system.model, condition_b) in systems
        )
        weights = {}
        for model in both:
            weights[str(SystemLevel(model, condition_a))] = 1 / len(both)
            weights[str(SystemLevel(model, condition_b))] = -1 / len(both)
        return weights
