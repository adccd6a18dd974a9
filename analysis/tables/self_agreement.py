"""Do raters judge the same response alike a second time? Intra-rater reliability, of ratings."""

from typing import Any

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.stats.inestimable import Inestimable
from analysis.stats.intraclass_correlation import intraclass_correlations

SELF_AGREEMENT = TableSpec(
    "self_agreement",
    "Agreement of raters with themselves",
    (
        c.DIMENSION,
        c.N.but(meaning="Number of responses that a rater rated twice, over all raters"),
        c.N_RATERS,
        Column("same", "Rated the same both times, in percent", form="percent"),
        Column("difference", "Mean of the second rating minus the first"),
        Column("distance", "Mean absolute difference of the two ratings"),
        Column("icc", "ICC(A,1), two-way random: absolute agreement of the first and the second "
            "rating, over all raters and responses", label="ICC"),
        *c.interval("icc"),
        c.NOTE,
    ),
    question="Do raters rate the same response alike a second time?",
    observations="a response that a rater rated twice",
    says="The first and the second rating of a response by the same included rater (intra-rater "
        "reliability); later ones are not used. The interval takes pairs as independent.",
    section="Agreement of raters",
    subject="raters",
    counts="n counts pairs of ratings.",
    folded=True,
)  # fmt: skip

#: An intraclass correlation needs so many pairs.
FEWEST = 3


def self_agreement(again: DataFrame) -> DataFrame:
    """A row for each dimension.

    `again` has `participant`, `dimension`, and the `first` and `second` rating of each response
    that was rated twice. Raises NotAvailable.
    """
    if again.empty:
        raise NotAvailable("no included rater rated a response twice")
    rows = [
        {"dimension": dimension, **_row(own)}
        for dimension, own in again.groupby("dimension", observed=True, sort=False)
    ]
    return DataFrame(rows, columns=SELF_AGREEMENT.names)


def _row(own: DataFrame) -> dict[str, Any]:
    change = own["second"] - own["first"]
    row: dict[str, Any] = {
        "n": len(own),
        "n_raters": own["participant"].nunique(),
        "same": 100 * float((change == 0).mean()),
        "difference": float(change.mean()),
        "distance": float(change.abs().mean()),
    }
    if len(own) < FEWEST:
        why = Inestimable("too_few", f"fewer than {FEWEST} responses were rated twice")
        return {**row, "note": str(why)}
    found = intraclass_correlations(own[["first", "second"]])
    form = found if isinstance(found, Inestimable) else found.forms["ICC(A,1)"]
    if isinstance(form, Inestimable):
        return {**row, "note": str(form)}
    low, high = form.interval or (None, None)
    return {**row, "icc": form.estimate, "ci_low": low, "ci_high": high, "note": ""}
