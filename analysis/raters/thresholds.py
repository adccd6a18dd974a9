"""Where would one draw the lines of the rule `sigma_mae`, and how sure is that?

Thresholds are often read off the elbow of the sorted values. Where raters who answer without
reading are no group of their own there is none, and the table says so. Nothing is decided here: a
threshold that is set after looking at the raters it removes belongs in the report as such.
"""

from typing import Any, Literal

from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.catalogue.vocabulary import VOCABULARY
from analysis.quality_rules import TOLERANCE, QualityRules
from analysis.raters.funnel import under_rules
from analysis.stats.elbow import Elbow, elbow
from analysis.stats.inestimable import Inestimable

THRESHOLDS = TableSpec(
    "thresholds",
    "Thresholds and elbows",
    (
        Column("measure", "What is measured", is_key=True, labels="indices"),
        Column("side", "Which side of the limit is removed", is_key=True),
        c.N.but(meaning="Number of raters in the funnel with this measure"),
        Column("applied", "Whether the study excludes raters by this measure", kind="flag"),
        Column("in_force", "Threshold of the study; empty if the rule is not applied"),
        Column("removed", "Number of raters beyond the threshold", kind="count"),
        Column("elbow", "Sharpest bend in the sorted values"),
        *c.interval("elbow"),
        c.P.but(meaning="Silverman's p value, one-sided: the probability that a single group shows "
            "at least as clear a separate tail"),
        Column("clear", "Whether the raters beyond the elbow are shown to be a separate group",
            kind="flag"),
        Column("removed_at_elbow", "Number of raters beyond the elbow", kind="count"),
        c.NOTE,
    ),
    question="Where do σ and MAE suggest a threshold, and how certain is it?",
    observations="raters",
    says="The elbow is the sharpest bend in the sorted values. No clear elbow means no sign of a "
        "separate careless group (groups under 2 % cannot be detected).",
    section="Participants",
    counts="Counts raters in the funnel. Where the study applies the rule {sigma_mae}, removed "
        "counts raters beyond this measure's threshold. The row of both measures counts raters "
        "beyond both thresholds, whom the rule alone would exclude.",
    keep=lambda row: row["n"] > 0,
    kept="measures that are known of some rater",
)  # fmt: skip
BOTH = "sigma and mae"
Tail = Literal["low", "high"]


def thresholds(raters: DataFrame, rules: QualityRules, *, seed: int) -> DataFrame:
    """The limits of σ and of MAE in force, and where their elbows are; a row for each, and one
    for both together, which is what the rule asks for.

    `raters` are those of `funnel.apply_rules`, of whom those count whom the rules are about,
    whatever other rules say of them: `n` have a value. `applied` says whether the study has that
    rule; where not, there is no limit in force. `removed` is how many lie beyond the limit in
    force, `removed_at_elbow` how many beyond the elbow. `elbow` is where the curve of the sorted
    values bends most, `ci_low` to `ci_high` where it would with other raters (95 %), `p` is
    Silverman's, and `clear` whether there is a group to cut off at all.
    """
    entered = raters[under_rules(raters)]
    applied = "sigma_mae" in rules.order
    limits = rules.sigma_mae
    measures: dict[str, tuple[Tail, float]] = {
        "sigma": ("low", limits.sigma_below),
        "mae": ("high", limits.mae_above),
    }
    rows: list[dict[str, Any]] = []
    beyond, beyond_elbow = [], []
    for name, (tail, limit) in measures.items():
        values = entered[name]
        estimate = elbow(values, tail=tail, seed=seed)
        beyond.append(_beyond(values, tail, limit))
        row: dict[str, Any] = {"measure": name, "side": _side(tail), "n": int(values.count())}
        if applied:
            row |= {"in_force": limit, "removed": int(beyond[-1].sum())}
        if isinstance(estimate, Elbow):
            beyond_elbow.append(_beyond(values, tail, estimate.cut))
        rows.append(row | _described(estimate))
    both = entered[list(measures)].notna().all(axis=1)
    row = {"measure": BOTH, "side": "both", "n": int(both.sum()), "note": _why_no_elbows(rows)}
    if applied:
        row["removed"] = int((beyond[0] & beyond[1]).sum())
    if len(beyond_elbow) == len(measures):
        row["removed_at_elbow"] = int((beyond_elbow[0] & beyond_elbow[1]).sum())
        row["clear"] = all(each["clear"] for each in rows)
    table = DataFrame([*rows, row], columns=THRESHOLDS.names).assign(applied=applied)
    whole = dict.fromkeys(["removed", "removed_at_elbow"], "Int64")
    numbers = dict.fromkeys(["in_force", "elbow", "ci_low", "ci_high", "p"], "float64")
    return table.astype({**whole, **numbers, "clear": "boolean"})


def _beyond(values: "Series[float]", tail: Tail, limit: float) -> "Series[bool]":
    """Who is strictly beyond a limit, as the rule has it."""
    return values < limit - TOLERANCE if tail == "low" else values > limit + TOLERANCE


def _side(tail: Tail) -> str:
    return "below" if tail == "low" else "above"


def _described(estimate: Elbow | Inestimable) -> dict[str, Any]:
    if isinstance(estimate, Inestimable):
        return {"note": str(estimate)}
    low, high = estimate.interval
    return {
        "elbow": estimate.cut,
        "ci_low": low,
        "ci_high": high,
        "p": estimate.p,
        "clear": estimate.clear,
        "removed_at_elbow": estimate.cut_off,
        "note": estimate.verdict,
    }


def _why_no_elbows(rows: list[dict[str, Any]]) -> str:
    """What the row of both can't say without an elbow of each, or says on weak ground."""
    without = [VOCABULARY["indices"][row["measure"]] for row in rows if "elbow" not in row]
    if without:
        return f"not estimable, because there is no elbow of {' and of '.join(without)}"
    unclear = [VOCABULARY["indices"][row["measure"]] for row in rows if not row["clear"]]
    return f"no clear elbow of {' or of '.join(unclear)}" if unclear else ""
