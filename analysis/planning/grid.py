"""Raters × scenarios: what each number of both could detect, how long it takes, what it costs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pandas import DataFrame

from analysis.planning.components import Components
from analysis.planning.design import PlannedDesign
from analysis.planning.power import USUAL_POWER, Precision, precision
from analysis.stats.inestimable import Inestimable

COLUMNS = [
    "raters", "scenarios", "pages_per_rater", "ratings", "minutes", "cost", "se", "df",
    "detectable", "power", "limited_by", "note",
]  # fmt: skip
#: More raters hardly help where four times as many lower the detectable difference by less.
HARDLY = 0.1


@dataclass(frozen=True)
class Cost:
    """Minutes of a page and of everything else, and what an hour costs, fees included."""

    minutes_per_page: float
    other_minutes: float = 0.0
    pay_per_hour: float = 0.0
    fee_percent: float = 0.0

    def minutes(self, pages: int) -> float:
        """Of one rater."""
        return self.other_minutes + pages * self.minutes_per_page

    def of(self, raters: int, pages: int) -> float:
        hours = raters * self.minutes(pages) / 60
        return hours * self.pay_per_hour * (1 + self.fee_percent / 100)


@dataclass(frozen=True)
class StudyPlan:
    """A design, how much ratings differ, the contrast's weights, the difference that matters (in
    points) and how often it is to be found.
    """

    design: PlannedDesign
    components: Components
    weights: Mapping[str, float]
    cost: Cost
    difference: float
    power: float = USUAL_POWER

    def at(self, raters: int, scenarios: int) -> Precision | Inestimable:
        return precision(self.design.of(raters, scenarios), self.components, self.weights)

    def row(self, raters: int, scenarios: int) -> dict[str, object]:
        """A row of the grid."""
        design = self.design.of(raters, scenarios)
        pages = design.pages_per_rater
        row: dict[str, object] = {
            "raters": raters,
            "scenarios": scenarios,
            "pages_per_rater": pages,
            "minutes": self.cost.minutes(pages),
            "cost": self.cost.of(raters, pages),
        }
        at = self.at(raters, scenarios)
        if isinstance(at, Inestimable):
            return row | {"note": str(at)}
        return row | {
            "ratings": len(design.ratings()),
            "se": at.se,
            "df": at.df,
            "detectable": at.detectable(self.power),
            "power": at.power(self.difference),
            "limited_by": at.limited_by,
            "note": "",
        }


def grid(plan: StudyPlan, raters: Sequence[int], scenarios: Sequence[int]) -> DataFrame:
    """The columns of `COLUMNS`, a row for each number of scenarios and raters; `note` says why a
    row has no numbers.
    """
    rows = [plan.row(r, s) for s in sorted(set(scenarios)) for r in sorted(set(raters))]
    return DataFrame(rows).reindex(columns=COLUMNS)


def around(number: int, least: int, most: int) -> list[int]:
    """A quarter, half, once, twice and four times a number, within limits."""
    tried = (round(number * factor) for factor in (0.25, 0.5, 1, 2, 4))
    return sorted({min(max(each, least), most) for each in tried})


def advice(plan: StudyPlan) -> Iterator[str]:
    """What the design as it is can find, and what would help."""
    design = plan.design
    at = plan.at(design.raters, design.scenarios)
    if isinstance(at, Inestimable):
        yield f"The main result is {at}."
        return
    found, wanted = at.detectable(plan.power), plan.difference
    share = f"{100 * plan.power:g} %"
    yield (
        f"With {design.raters} raters and {design.scenarios} scenarios, a true difference of "
        f"{found:.2f} points is found in {share} of studies, and one of {wanted:g} points in "
        f"{100 * at.power(wanted):.0f} %."
    )
    more = plan.at(4 * design.raters, design.scenarios)
    texts = plan.at(design.raters, 2 * design.scenarios)
    if isinstance(more, Precision) and more.detectable(plan.power) > (1 - HARDLY) * found:
        it_would_be = (
            f"with {4 * design.raters} it would be {more.detectable(plan.power):.2f} points"
        )
        if round(more.detectable(plan.power), 2) > round(found, 2):
            yield (
                f"More raters cannot help: {it_would_be}. What then limits the test are "
                f"{design.scenarios} scenarios, with {more.df:.1f} degrees of freedom instead of "
                f"{at.df:.1f}. Add scenarios."
            )
        else:
            yield f"More raters cannot help much: {it_would_be}. Add scenarios."
    if isinstance(texts, Precision):
        better = texts.detectable(plan.power)
        if better > (1 - HARDLY) * found:
            yield (
                f"More scenarios cannot help much: with {2 * design.scenarios} it would be "
                f"{better:.2f} points. Add raters."
            )
        else:
            yield f"With {2 * design.scenarios} scenarios it would be {better:.2f} points."
