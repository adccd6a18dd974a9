"""How much ratings differ, and from what: the variance components of the main result's model."""

from collections.abc import Mapping

from pydantic import Field, FiniteFloat

from analysis.stats.mixed import MixedFit
from survey.definition.parts import Part


class Components(Part):
    """Standard deviations in points of the scale: of raters, of their preferences for a condition
    and for a system in it, of scenarios, of what a condition makes of a scenario, of texts (what a
    system makes of it), and of single ratings.
    """

    rater: FiniteFloat = Field(ge=0)
    rater_condition: FiniteFloat = Field(ge=0)
    rater_system: FiniteFloat = Field(ge=0)
    scenario: FiniteFloat = Field(ge=0)
    scenario_condition: FiniteFloat = Field(ge=0)
    text: FiniteFloat = Field(ge=0)
    residual: FiniteFloat = Field(gt=0)

    @property
    def by_factor(self) -> dict[str, float]:
        """By the names that the factors have in a fit where all of them have effects."""
        return {factor: float(getattr(self, name)) for name, factor in FACTORS.items()}


#: The factors of `tables.fits.RANDOM`.
FACTORS = {
    "rater": "rater",
    "rater_condition": "rater:condition",
    "rater_system": "rater:condition:system",
    "scenario": "scenario",
    "scenario_condition": "scenario:condition",
    "text": "scenario:condition:system",
}
#: Percent of the scale's length where nothing is known of a study: on a scale from 1 to 5, ratings
#: differ by .9 points from one page to another, raters by .44. The difference of two ratings by one
#: rater then has an SD of 1.3, that of the ratings of BN et al. (2025); rater SDs are those of
#: intraclass correlations of .1 to .2. The others are what public ratings of texts have shown; they
#: differ much between studies, so that a pilot is worth more.
TYPICAL = Components(
    rater=11, rater_condition=5, rater_system=4, scenario=5, scenario_condition=2.5, text=8,
    residual=22.5,
)  # fmt: skip


def typical(scale_length: float) -> Components:
    """`TYPICAL` in points of a scale of this length (4 for 1 to 5)."""
    shares = TYPICAL.model_dump()
    return Components(**{name: share / 100 * scale_length for name, share in shares.items()})


def of_fit(fit: MixedFit) -> Components:
    """Those of a linear model of a pilot's ratings; a factor without effects of its own has 0, as
    its effects are part of another's.
    """
    if fit.residual_sd is None:
        raise ValueError("the components of an ordinal model are not in points of the scale")
    return from_sds(fit.sds, fit.residual_sd)


def from_sds(sds: Mapping[str, float], residual: float) -> Components:
    """By the names of a fit's factors. A nested factor's name leaves out factors that add nothing,
    as in "rater:system" where all systems have one condition.
    """
    shortened = {
        "rater:system": "rater:condition:system",
        "scenario:system": "scenario:condition:system",
    }
    named = {shortened.get(name, name): float(sd) for name, sd in sds.items()}
    each = {name: named.get(factor, 0.0) for name, factor in FACTORS.items()}
    return Components(**each, residual=residual)
