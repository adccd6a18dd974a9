"""Do judges say of responses what people say of them?

People are the raters whom every rule but `sigma_mae` leaves. That rule drops raters for their
distance to the judge's scores; to hold the judge against those whom it leaves would be to ask
only people who agree with it. So no number here depends on a gold score.

A response that stands in several sets counts once: a rater's ratings of it are averaged, then the
raters' (see `judges.judged`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.number_text import decimals
from analysis.catalogue.spec import Column, TableSpec
from analysis.judges.judged import Judged, ScoreSource, same_family
from analysis.stats.agreement import (
    Level,
    krippendorff_alpha,
    krippendorff_interval,
    limits_of_agreement,
)
from analysis.stats.validity import (
    Correlation,
    Mean,
    correlation_within,
    difference_of_means,
    grouped_mean,
    signed_bias,
)

#: Who "people" are in these tables, and how responses count.
PEOPLE = (
    "People are the raters kept by every rule except {sigma_mae}. That rule keeps raters near a "
    "judge's scores, who would then agree with the judge. Each response counts once, even if it is "
    "in several sets. "
)
WHOSE = "Whose ratings: those of the raters kept by every rule except sigma_mae"
ONCE_EACH = "Number of responses; a response in several sets counts once"
JUDGE_AGREEMENT = TableSpec(
    "judge_agreement",
    "Do people agree with judges?",
    (
        c.JUDGE, c.DIMENSION, c.STATISTIC, c.VALUE, *c.interval("value"), c.N_RATERS,
        c.N_ITEMS.but(label="n responses", meaning=ONCE_EACH),
        Column("n_examples", "Number of rated responses that are left out, because the judge had "
            "them as examples in its prompt", label="n examples", kind="count").csv_only(),
        c.RATERS.but(meaning=WHOSE),
        c.NOTE,
    ),
    question="Do people agree with judges?",
    observations="responses",
    says=PEOPLE + "Correlations of means and of ranks show whether the judge orders the responses "
        "of a scenario as people do. Bias is judge minus people in points of the scale; about 95 % "
        "of the differences are between the limits of agreement. Bias towards its own family shows "
        "how much the judge favours models of that family, compared with people. Scores and length "
        "show whether longer responses get higher scores, from the judge and from people. α is "
        "Krippendorff's, for the raters alone and with the judge as an additional rater.",
    section="Judges",
)  # fmt: skip
JUDGE_BIAS = TableSpec(
    "judge_bias",
    "Judge minus people",
    (
        c.JUDGE, c.DIMENSION,
        Column("by", "Characteristic by which responses are grouped", is_key=True, labels="words"),
        Column("group", "Name of the group", is_key=True, labels="anything"),
        Column("bias", "Mean of judge minus people", label="judge minus people"),
        *c.interval("bias"),
        *(end.but(meaning=f"{side} 95 % limit of agreement (Bland and Altman)")
          for end, side in zip(c.interval("bias", "limits"), ("Lower", "Upper"), strict=True)),
        c.N.but(meaning="Number of responses"),
        c.RATERS.but(meaning=WHOSE),
        c.NOTE,
    ),
    question="Where do judges score higher than people?",
    observations="responses",
    says=PEOPLE + "In points of the scale: above 0, the judge gives higher scores. About 95 % of "
        "the differences are between the limits of agreement (Bland and Altman). n counts "
        "responses.",
    section="Judges",
)  # fmt: skip
BIAS_NUMBERS = ["bias", "ci_low", "ci_high", "limits_low", "limits_high"]
#: Which raters people are, in every table about them.
BEFORE = "before sigma_mae"
OTHER_SCALE = "not estimable, because the judge uses another scale than people: only ranks compare"
NO_FAMILY = "no family stated"
#: A correlation with people from which down a judge contradicts them; weaker ones may be chance.
CLEARLY_NEGATIVE = -0.3


class Statistic(NamedTuple):
    """A row of judge_agreement; `note` says why `value` is None, or how to read it."""

    name: str
    value: float | None
    interval: tuple[float, float] | None
    note: str


@dataclass(frozen=True)
class Pair:
    """A judge and people on one dimension.

    `things` has a row per response with both: `group` (scenario), `judge`, `people`, `words`,
    `condition`, `model`, `family`. `raters` are its ratings (responses × raters).
    """

    judge: ScoreSource
    things: DataFrame
    raters: DataFrame

    @property
    def constant(self) -> float | None:
        """The one score that the judge gave everything, if it did."""
        scores = self.things["judge"].unique()
        return float(scores[0]) if len(scores) == 1 and len(self.things) > 1 else None


def pair(judged: Judged, judge: ScoreSource, dimension: str) -> Pair:
    """The judge's and people's means of every response that both judged."""
    things = judged.responses[dimension]
    people = judged.people.get(dimension, DataFrame(index=things.index, dtype=float))
    things = things.rename(columns={"scenario": "group"})
    things = things.assign(judge=judged.means(judge, dimension), people=people.mean(axis=1))
    things = things[things["judge"].notna() & things["people"].notna()]
    return Pair(judge, things, people.reindex(things.index).dropna(axis=1, how="all"))


def judge_agreement(judged: Judged, *, level: Level, seed: int) -> DataFrame:
    """One row per judge, dimension and statistic, with what it rests on.

    `pearson_within`, `spearman_within`: item means within scenario, bootstrap over scenarios.
    `bias`: mean of judge − people; `limits_low`, `limits_high`: limits of agreement.
    `own_family_bias`: bias on models of the judge's own family less that on all others.
    `length_spearman` and `length_spearman_people`: score against length in words, within scenario.
    `alpha_raters` and `alpha_with_judge`: Krippendorff's α (`level`) of the raters alone and with
    the judge's mean as one rater more; bootstrap over responses.
    """
    rows = []
    for judge in judged.judges:
        for dimension in judged.dimensions_of(judge):
            both = pair(judged, judge, dimension)
            numbers = {
                "n_raters": len(both.raters.columns),
                "n_items": len(both.things),
                "n_examples": judged.n_examples(judge, dimension),
            }
            key = {"judge": judge.name, "dimension": dimension}
            rows += [
                key | numbers | _row(statistic) for statistic in _statistics(both, level, seed)
            ]
    table = DataFrame(rows, columns=JUDGE_AGREEMENT.names).assign(raters=BEFORE)
    return table.assign(
        **{name: pd.to_numeric(table[name]) for name in ("value", "ci_low", "ci_high")}
    )


def _row(statistic: Statistic) -> dict[str, Any]:
    low, high = statistic.interval or (None, None)
    return {
        "statistic": statistic.name,
        "value": statistic.value,
        "ci_low": low,
        "ci_high": high,
        "note": statistic.note,
    }


def _statistics(both: Pair, level: Level, seed: int) -> Iterator[Statistic]:
    yield _pearson(both, seed)
    yield _correlation("spearman_within", both, ["judge", "people"], seed, ranks=True)
    yield from _biases(both, seed)
    yield _correlation("length_spearman", both, ["words", "judge"], seed, ranks=True)
    yield _correlation("length_spearman_people", both, ["words", "people"], seed, ranks=True)
    yield _alpha("alpha_raters", both, both.raters, level, seed)
    if both.judge.comparable:
        judge = both.things["judge"].rename("the judge")
        together = pd.concat([both.raters, judge], axis=1)
        yield _alpha("alpha_with_judge", both, together, level, seed)
    else:
        yield Statistic("alpha_with_judge", None, None, OTHER_SCALE)


def _pearson(both: Pair, seed: int) -> Statistic:
    if not both.judge.comparable:
        return Statistic("pearson_within", None, None, OTHER_SCALE)
    return _correlation("pearson_within", both, ["judge", "people"], seed, ranks=False)


def _correlation(
    name: str, both: Pair, columns: Sequence[str], seed: int, *, ranks: bool
) -> Statistic:
    correlation = correlation_within(both.things, seed=seed, columns=columns, ranks=ranks)
    if correlation is None:
        return Statistic(name, None, None, _why_no_correlation(both, columns))
    return Statistic(name, correlation.r, correlation.interval, _scenarios(correlation))


def _scenarios(correlation: Correlation) -> str:
    if correlation.groups == 1:
        return "no interval, because there is one scenario"
    return f"bootstrap over {correlation.groups} scenarios"


def _why_no_correlation(both: Pair, columns: Sequence[str]) -> str:
    known = both.things[["group", *columns]].dropna()
    if both.things.empty:
        return _NOTHING_SHARED
    if known.empty:
        return "not estimable, because no response's length is known"
    if "judge" in columns and both.constant is not None:
        same = f"the judge gave every response the same score ({both.constant:g})"
    elif "people" in columns and known["people"].nunique() == 1:
        same = f"people's mean is the same for every response ({known['people'].iloc[0]:g})"
    elif known["group"].is_unique:
        same = "no scenario has two responses with both"
    else:
        same = f"within scenarios {' or '.join(columns)} never varies"
    return f"not estimable, because {same}"


_NOTHING_SHARED = "not estimable, because no response has both a score and ratings"


def _biases(both: Pair, seed: int) -> Iterator[Statistic]:
    """The bias, its limits of agreement, and what the judge's own family gets more than others."""
    names = ["bias", "limits_low", "limits_high", "own_family_bias"]
    if both.things.empty or not both.judge.comparable:
        reason = OTHER_SCALE if len(both.things) else _NOTHING_SHARED
        yield from (Statistic(name, None, None, reason) for name in names)
        return
    differences = both.things["judge"] - both.things["people"]
    groups = both.things["group"]
    yield _mean("bias", grouped_mean(differences, groups, seed=seed), groups)
    limits = limits_of_agreement(differences)
    if limits is not None:
        note = "no interval is computed"
        yield Statistic("limits_low", limits.lower, None, note)
        yield Statistic("limits_high", limits.upper, None, note)
    else:
        note = "not estimable, because one response has both a score and ratings"
        yield from (Statistic(name, None, None, note) for name in ("limits_low", "limits_high"))
    family, families = both.judge.family, both.things["family"]
    own = families.map(lambda name: same_family(name, family)).astype(bool)
    named = own | (families != "")
    if not family:
        reason = "the judge's family is not stated"
    elif not own.any():
        reason = f"no evaluated model is of the judge's family ({family})"
    elif own[named].all():
        reason = f"no evaluated model is of another family than the judge's ({family})"
    else:
        bias = difference_of_means(differences[named], own[named], groups[named], seed=seed)
        yield _mean("own_family_bias", bias, groups[named])
        return
    yield Statistic("own_family_bias", None, None, f"not estimable, because {reason}")


def _mean(name: str, mean: Mean | None, groups: "Series[Any]") -> Statistic:
    assert mean is not None  # there are differences
    note = f"bootstrap over {groups.nunique()} scenarios"
    if mean.interval is None:
        note = "no interval, because there is one scenario"
    return Statistic(name, mean.value, mean.interval, note)


def _alpha(name: str, both: Pair, ratings: DataFrame, level: Level, seed: int) -> Statistic:
    alpha = krippendorff_alpha(ratings, level)
    if alpha is not None:
        interval = krippendorff_interval(ratings, level, seed=seed)
        return Statistic(name, alpha, interval, f"{level}; bootstrap over responses")
    if both.things.empty:
        return Statistic(name, None, None, _NOTHING_SHARED)
    alone = (ratings.count(axis=1) < 2).all()
    reason = "no response has two raters" if alone else "all ratings are the same"
    return Statistic(name, None, None, f"not estimable, because {reason}")


def reversed_scales(agreement: DataFrame) -> list[tuple[str, str]]:
    """A warning (kind and text) of each judge that contradicts people, from `judge_agreement`: r,
    or of another scale ρ, is clearly negative.
    """
    known = agreement[agreement["value"].notna()]
    warnings: dict[tuple[str, str], str] = {}
    for name, sign in (("pearson_within", "r"), ("spearman_within", "ρ")):
        for row in known[known["statistic"] == name].to_dict("records"):
            if row["value"] <= CLEARLY_NEGATIVE and not row["ci_high"] >= 0:  # may be missing
                text = (
                    f"{row['judge']} on {row['dimension']}: {sign} with people is "
                    f"{decimals(row['value'])}. Check whether its scale runs the other way."
                )
                warnings.setdefault((row["judge"], row["dimension"]), text)
    return [("reversed_scale", text) for text in warnings.values()]


def judge_bias(judged: Judged, *, seed: int) -> DataFrame:
    """How much higher each judge scores than people: of all responses, and by what they are.

    `by` is `all`, `condition`, `family` or `model`, `group` one of its values. `bias` is the mean
    of judge − people over `n` responses, `ci_low` and `ci_high` its bootstrap interval over
    scenarios, `limits_low` and `limits_high` the limits of agreement.
    """
    rows: list[dict[str, Any]] = []
    for judge in judged.judges:
        for dimension in judged.dimensions_of(judge):
            both = pair(judged, judge, dimension)
            key = {"judge": judge.name, "dimension": dimension}
            if both.things.empty or not judge.comparable:
                reason = OTHER_SCALE if len(both.things) else _NOTHING_SHARED
                nothing = {"by": "all", "group": "all", "n": len(both.things), "note": reason}
                rows.append(key | nothing)
            else:
                rows += [key | row for row in _bias_rows(both.things, seed)]
    table = DataFrame(rows, columns=JUDGE_BIAS.names).assign(raters=BEFORE)
    return table.assign(**{name: pd.to_numeric(table[name]) for name in BIAS_NUMBERS})


def _bias_rows(things: DataFrame, seed: int) -> Iterator[dict[str, Any]]:
    families = things["family"].replace("", NO_FAMILY)
    things = things.assign(all="all", family=families)
    for by in ("all", "condition", "family", "model"):
        if by == "family" and (families == NO_FAMILY).all():
            continue
        for row in signed_bias(things, by, seed=seed).to_dict("records"):
            yield {
                "by": by,
                "group": row[by],
                "bias": row["bias"],
                "ci_low": row["ci_low"],
                "ci_high": row["ci_high"],
                "limits_low": row["lower"],
                "limits_high": row["upper"],
                "n": row["things"],
                "note": _why_empty(row),
            }


def _why_empty(row: dict[Any, Any]) -> str:
    reasons = []
    if pd.isna(row["ci_low"]):
        reasons.append("no interval, because there is one scenario")
    if pd.isna(row["lower"]):
        reasons.append("no limits, because there is one response")
    return "; ".join(reasons)
