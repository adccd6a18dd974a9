"""What a fitted mixed model says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from pandas import DataFrame

from analysis.stats.mixed.data import Crossed
from analysis.stats.mixed.degrees_of_freedom import Reference
from analysis.stats.mixed.links import DISTRIBUTIONS, Link
from analysis.stats.mixed.nested import Matrix, Vector
from analysis.stats.mixed.problems import Note


@dataclass(frozen=True)
class MixedFit:
    """Estimates of a linear (`link` "identity") or a cumulative link mixed model.

    `coefficients` are the fixed effects, by name of their column: with an intercept and in units
    of the ratings in a linear model, without and on the latent scale in an ordinal one, which has
    `thresholds` instead ("1|2" lies between the categories 1 and 2; `categories` are those that
    were used). `sds` are the standard deviations of the random intercepts by factor, of the same
    unit; 0 where the estimate is at the boundary, which `notes` says, too. `residual_sd` is None in
    an ordinal model, whose latent error has a standard normal or logistic distribution.

    `covariance` is over thresholds, coefficients and, in an ordinal model, the SDs ("sd: rater");
    an SD of 0 has neither variance nor standard error. `modes` are the conditional modes of the
    random effects, by factor a value for each level. `log_likelihood` is the restricted one where
    `restricted`. A fit that is handed out has converged; `miss` is about how far from the maximum
    it is, in standard errors.
    """

    data: Crossed = field(repr=False)
    link: Literal["identity"] | Link
    restricted: bool
    coefficients: "pd.Series[float]"
    thresholds: "pd.Series[float]"
    categories: tuple[float, ...]
    covariance: DataFrame = field(repr=False)
    sds: Mapping[str, float]
    residual_sd: float | None
    modes: "Mapping[str, pd.Series[float]]" = field(repr=False)
    log_likelihood: float
    miss: float
    notes: tuple[Note, ...]
    reference: Reference = field(repr=False)

    @property
    def error(self) -> float:
        """The SD of the error, in units of `sds`; about that of an ordinal model's latent error."""
        if self.link == "identity":
            return self.residual_sd or 0.0
        return DISTRIBUTIONS[self.link].spread

    @property
    def standard_errors(self) -> "pd.Series[float]":
        """Of the thresholds, the coefficients and, in an ordinal model, the SDs (NaN where 0)."""
        variances = np.diagonal(self.covariance.to_numpy()).copy()
        for at, name in enumerate(self.covariance.index):
            if name.startswith("sd: ") and variances[at] == 0:
                variances[at] = np.nan
        return pd.Series(np.sqrt(variances), index=self.covariance.index)

    @property
    def variance_components(self) -> "tuple[pd.Series[float], DataFrame]":
        """The variances of a linear model's random effects and, as `residual`, of its error; and
        the covariance of their estimates, from the expected information. Raises ValueError for an
        ordinal model, whose error is no estimate.
        """
        if self.residual_sd is None:
            raise ValueError("An ordinal model has no variance of its error")
        sds = {group.name: self.sds[group.name] for group in self.data.groups}
        squares = {name: sd**2 for name, sd in sds.items()} | {"residual": self.residual_sd**2}
        spread = self.reference.spread * self.residual_sd**4
        return pd.Series(squares), DataFrame(spread, index=[*squares], columns=[*squares])

    def degrees_of_freedom(self, combinations: Matrix) -> Vector:
        """Satterthwaite's, of a linear combination of thresholds and coefficients together, or of
        each row.
        """
        return self.reference.degrees_of_freedom(combinations)

    def main_sources(self, combinations: Matrix) -> list[str]:
        """What makes most of the variance of each row, a linear combination of thresholds and
        coefficients: one of the two sides, by the name of its coarsest factor, or the "error" of
        single ratings.
        """
        shares = self.reference.shares(combinations)
        first, second = self.data.by_size
        depth = len(first.groups)
        names = [*(side.groups[0].name if side.groups else "" for side in (first, second)), "error"]
        sides = [shares[:, :depth].sum(axis=1), shares[:, depth:-1].sum(axis=1), shares[:, -1]]
        return [names[place] for place in np.argmax(sides, axis=0)]
