"""What a planned study could find: standard error, degrees of freedom, power.

The equations of the main result's linear model have the variances for known, so that nothing is
fitted or simulated: v = l'(X'V⁻¹X)⁻¹l, with Satterthwaite's degrees of freedom from the expected
information, and the noncentral t (J. Westfall, D. A. Kenny & C. M. Judd (2014), Statistical power
and optimal design in experiments in which samples of participants respond to samples of stimuli).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pandas import DataFrame
from scipy.optimize import brentq
from scipy.stats import nct, t

from analysis.planning.components import Components
from analysis.planning.design import PlannedDesign
from analysis.stats.inestimable import Inestimable
from analysis.stats.mixed.checks import refuse_design
from analysis.stats.mixed.data import Crossed, crossed
from analysis.stats.mixed.degrees_of_freedom import Reference
from analysis.stats.mixed.linear import Linear
from analysis.stats.mixed.nested import Vector
from analysis.stats.mixed.problems import Refused
from analysis.stats.threads import on_one_thread
from analysis.tables.fits import RANDOM

#: A difference is detectable where it is found in so many studies.
USUAL_POWER = 0.8
ALPHA = 0.05


@dataclass(frozen=True)
class Precision:
    """Of a difference: its standard error in points, its degrees of freedom, and the shares of its
    variance that raters, texts and single ratings make.
    """

    se: float
    df: float
    of_raters: float
    of_texts: float
    of_ratings: float

    @property
    def limited_by(self) -> str:
        shares = {
            "raters": self.of_raters, "texts": self.of_texts, "ratings": self.of_ratings
        }  # fmt: skip
        return max(shares, key=lambda name: shares[name])

    def power(self, difference: float, alpha: float = ALPHA) -> float:
        """How often a true difference of so many points is found, either way, at `alpha`."""
        limit = float(t.isf(alpha / 2, self.df))
        centre = abs(difference) / self.se
        # scipy has no value for the far end of the other tail, which is as good as 0.
        wrong_way = np.nan_to_num(nct.cdf(-limit, self.df, centre))
        return float(nct.sf(limit, self.df, centre) + wrong_way)

    def detectable(self, power: float = USUAL_POWER, alpha: float = ALPHA) -> float:
        """The smallest true difference that is found so often."""
        most = self.se * (float(t.isf(alpha / 2, self.df)) + float(t.isf(1 - power, self.df)) + 1)
        while self.power(most, alpha) < power:
            most *= 2
        return float(brentq(lambda d: self.power(d, alpha) - power, 0, most, xtol=1e-6))


@on_one_thread
def precision(
    design: PlannedDesign, components: Components, weights: Mapping[str, float]
) -> Precision | Inestimable:
    """Of a difference of systems; `weights` say by what each system's mean is multiplied.

    Inestimable where the design cannot tell the effects apart, as with one rater or one scenario.
    """
    frame = design.ratings()
    frame["rating"] = 0.0
    data = crossed(frame, rating="rating", fixed=["system"], groups=RANDOM)
    try:
        refuse_design(data, unknowns=1 + len(data.groups))
    except Refused as refused:
        return Inestimable(refused.kind, refused.because)
    relative, residual = _relative(data, components, frame)
    model = Linear(data, restricted=True)
    absorbed = model.equations.absorb(relative).only(slice(0, -1))
    reference = Reference(absorbed, absorbed.inverse, model.n - model.p)
    levels = data.term("system").levels
    means = data.grid("system").mean(axis=1)
    combination = np.array([weights.get(str(level), 0.0) for level in levels]) @ means
    variance = float(combination @ reference.inverse @ combination) * residual**2
    shares = reference.shares(combination)
    of_side = {
        side.groups[0].name: float(part.sum())
        for side, part in zip(
            data.by_size, np.split(shares[:-1], [len(data.by_size[0].groups)]), strict=True
        )
        if side.groups
    }
    return Precision(
        se=float(np.sqrt(variance)),
        df=float(reference.degrees_of_freedom(combination)),
        of_raters=of_side.get("rater", 0.0),
        of_texts=of_side.get("scenario", 0.0),
        of_ratings=float(shares[-1]),
    )


def _relative(data: Crossed, components: Components, frame: DataFrame) -> tuple[Vector, float]:
    """The SDs of the model's factors over that of single ratings, and the latter.

    A factor that has no effects of its own in this design adds its variance to the one that has: to
    the factor before it, or to single ratings where each has a level of its own.
    """
    variances = {name: sd**2 for name, sd in components.by_factor.items()}
    kept = {group.name: len(group.labels) for group in data.groups}
    residual = components.residual**2
    of_kept = dict.fromkeys(kept, 0.0)
    for chain in RANDOM:
        columns, last = chain.split("/"), ""
        of_side = [name for name in kept if name.split(":")[0] == columns[0]]
        for depth in range(1, len(columns) + 1):
            levels = len(frame[columns[:depth]].drop_duplicates())
            own = next((name for name in of_side if kept[name] == levels), None)
            variance = variances[":".join(columns[:depth])]
            if own is not None:
                last = own
                of_kept[own] += variance
            elif levels == len(data.y):
                residual += variance
            else:
                of_kept[last] += variance
    sd = float(np.sqrt(residual))
    return np.sqrt(np.array([of_kept[group.name] for group in data.groups])) / sd, sd
