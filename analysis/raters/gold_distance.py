"""How far are ratings from the gold scores, over all raters who count, and over all who could?

Papers print one number for this, often without saying of what. So the mean and the standard
deviation are given twice: of the raters' MAE (`raters.quality`), and of the single distances
|x − G|. With equally many ratings of each rater the means are equal; the deviations never are.
"""

from typing import Any

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import TableSpec
from analysis.composites import without_composites
from analysis.not_available import NotAvailable
from analysis.raters.funnel import under_rules

GOLD_DISTANCE = TableSpec(
    "gold_distance",
    "Distance of the ratings from the gold scores",
    (
        c.UNIT, c.RATERS,
        c.N.but(meaning="Number of units: raters with an MAE, or ratings with a gold score"),
        c.MEAN.but(meaning="Mean of the units' distance, in points of the scale"), c.SD,
        c.MIN.but(form="decimals"), c.MAX.but(form="decimals"), c.NOTE,
    ),
    question="How far are the ratings from the gold scores?",
    observations="raters; ratings",
    says="The MAE of raters (unit participant) and the absolute distance of single ratings (unit "
        "rating). The two standard deviations differ: distances vary within raters, too. If the "
        "rule {sigma_mae} excludes raters by their MAE, that of the included ones is smaller for "
        "it.",
    section="Participants",
    counts="n counts the unit.",
    folded=True,
)  # fmt: skip
ONE = {"participant": "one rater has no deviation", "rating": "one rating has no deviation"}


def gold_distance(raters: DataFrame, ratings: DataFrame) -> DataFrame:
    """Both units, of the included raters and of all whom the rules apply to.

    `raters` comes from `filtering.filtered`, `ratings` from `study_data.check`. Standard deviations
    have ddof 1. Raises NotAvailable where no rating has a gold score.
    """
    own = without_composites(ratings)
    distance = (own["rating"] - own["gold"]).abs()
    if distance.isna().all():
        raise NotAvailable("no rating has a gold score")
    rows: list[dict[str, Any]] = []
    for name, these in (("included", raters["included"]), ("all", under_rules(raters))):
        people = raters[these]
        values = {
            "participant": people["mae"].dropna(),
            "rating": distance[own["participant"].isin(people["participant"])].dropna(),
        }
        for unit, of in values.items():
            note = ONE[unit] if len(of) == 1 else "" if len(of) else "nobody's ratings have one"
            row = {"unit": unit, "raters": name, "n": len(of), "note": note}
            rows.append(row | {each: of.agg(each) for each in ("mean", "std", "min", "max")})
    return DataFrame(rows).rename(columns={"std": "sd"})[GOLD_DISTANCE.names]
