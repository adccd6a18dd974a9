"""Is the difference small enough not to matter? Equivalence, and not being inferior.

The margin is in the unit of the values and is set before the data are seen. Any t-test goes in: of
two groups, Student's or Welch's, or of pairs.
"""

from dataclasses import dataclass

from scipy.special import stdtr, stdtrit

from analysis.stats.mean_difference import MeanDifference

#: The level of a test unless another is asked for.
ALPHA = 0.05


@dataclass(frozen=True)
class Equivalence:
    """`p_lower` is against a difference of −margin or less, `p_upper` against +margin or more; `p`
    is the larger. `equivalent` where p < alpha, that is, where `interval` (1 − 2 alpha) lies
    within the margins.
    """

    difference: float
    interval: tuple[float, float]
    margin: float
    t_lower: float
    t_upper: float
    df: float
    p_lower: float
    p_upper: float
    alpha: float

    @property
    def p(self) -> float:
        return max(self.p_lower, self.p_upper)

    @property
    def equivalent(self) -> bool:
        return self.p < self.alpha


def equivalence(found: MeanDifference, margin: float, *, alpha: float = ALPHA) -> Equivalence:
    """Two one-sided t-tests (TOST). Raises ValueError unless the margin is positive.

    D. J. Schuirmann (1987), A comparison of the two one-sided tests procedure and the power
    approach for assessing the equivalence of average bioavailability.
    """
    _refuse(margin)
    t_lower = (found.difference + margin) / found.standard_error
    t_upper = (found.difference - margin) / found.standard_error
    return Equivalence(
        difference=found.difference,
        interval=found.interval_of(1 - 2 * alpha),
        margin=margin,
        t_lower=t_lower,
        t_upper=t_upper,
        df=found.df,
        p_lower=float(stdtr(found.df, -t_lower)),
        p_upper=float(stdtr(found.df, t_upper)),
        alpha=alpha,
    )


@dataclass(frozen=True)
class NonInferiority:
    """`lower` is the one-sided bound (1 − alpha) of the difference; a is not inferior where it lies
    above −margin, that is, where p < alpha.
    """

    difference: float
    lower: float
    margin: float
    t: float
    df: float
    p: float
    alpha: float

    @property
    def non_inferior(self) -> bool:
        return self.p < self.alpha


def non_inferiority(
    found: MeanDifference, margin: float, *, alpha: float = ALPHA
) -> NonInferiority:
    """Is a (higher is better) worse than b by less than the margin? One one-sided t-test.

    Raises ValueError unless the margin is positive. G. Piaggio et al. (2012), Reporting of
    noninferiority and equivalence randomized trials.
    """
    _refuse(margin)
    t = (found.difference + margin) / found.standard_error
    half = float(stdtrit(found.df, 1 - alpha)) * found.standard_error
    return NonInferiority(
        difference=found.difference,
        lower=found.difference - half,
        margin=margin,
        t=t,
        df=found.df,
        p=float(stdtr(found.df, -t)),
        alpha=alpha,
    )


def _refuse(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"A margin is above 0, not {margin:g}")
