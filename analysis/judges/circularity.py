"""Does the gold score choose the raters who then confirm it?

The rule `sigma_mae` drops raters who rate flatly and lie far from the gold scores. Filtering by
distance to a judge favours people who agree with it, and the systems that it favours. So the
funnel, the wins and the means are computed three ways: with the gold scores, as the study does it;
with the mean of the other raters in their place, so that nobody is measured by a machine or by
themselves; and without that rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.judges.judged import ScoreSource, same_family
from analysis.not_available import NotAvailable
from analysis.quality_rules import QualityRules, RuleName
from analysis.raters.funnel import FUNNEL, apply_rules
from analysis.raters.quality import quality_under
from analysis.study_data import ITEM, CheckedData, Contrast, plain
from analysis.tables.items import items, rating_counts
from analysis.tables.wins import WINS_SUMMARY, wins, wins_summary

CONSENSUS = "leave-one-rater-out consensus"
UNFILTERED = "no sigma_mae filter"
#: What a sentence calls another way than the study's.
SAID = {
    CONSENSUS: "With the leave-one-rater-out consensus instead of the gold scores",
    UNFILTERED: "Without the rule sigma_mae",
}
RULE: RuleName = "sigma_mae"
THREE_WAYS = (
    "The filter with the study's gold scores, with the mean of all other raters instead of gold "
    "scores, and without the rule {sigma_mae}. If the second differs, the results depend on the "
    "gold scores; if the third differs, on the rule."
)
GUARD_WARNINGS = TableSpec(
    "guard_warnings",
    "Warnings about the gold scores",
    (
        Column("kind", "Kind of remark", is_key=True).csv_only(),
        Column("text", "The remark", is_key=True, labels="remarks"),
    ),
    question="What should readers know about the gold scores?",
    observations="a remark",
    says="How the results change with other filters, whether the judge scores models of its own "
        "family, and whether its calls share random numbers.",
    section="Judges",
)  # fmt: skip
GUARD_FUNNEL = TableSpec(
    "guard_funnel",
    "The filter three ways",
    (c.WAY, *FUNNEL.columns),
    question="Does the filter depend on the judge?",
    observations="raters",
    says=f"{THREE_WAYS} Counts people.",
    section="Judges",
)  # fmt: skip
GUARD_WINS = TableSpec(
    "guard_wins",
    "Wins three ways",
    (c.WAY, *WINS_SUMMARY.columns),
    question="Do the wins depend on the judge?",
    observations="comparisons of means",
    says=f"{THREE_WAYS} Counts comparisons of a model"
        " in a scenario.",
    section="Judges",
)  # fmt: skip
GUARD_SYSTEMS = TableSpec(
    "guard_systems",
    "Means of the systems three ways",
    (
        c.WAY, c.MODEL, c.CONDITION, c.DIMENSION, c.N.but(meaning="Number of ratings"), c.MEAN,
        c.DIFFERENCE.but(
            meaning="Difference from the study's own filter",
            label="difference from the study's own",
        ),
    ),
    question="Do the means depend on the judge?",
    observations="ratings",
    says=f"{THREE_WAYS} n counts ratings; difference is that from the study's own filter.",
    section="Judges",
    appendix=True,
)  # fmt: skip
GUARD_RATERS = TableSpec(
    "guard_raters",
    "Raters excluded by their distance from the gold scores",
    (
        c.PARTICIPANT,
        c.SIGMA.but(meaning="Standard deviation of the rater's ratings with a gold score"), c.MAE,
        Column("mae_consensus", "Mean absolute distance from the means of the other raters",
            label="MAE to the others"),
        Column("left_out_by", "Gold scores with which the filter excludes the rater", kind="text",
            labels="within_rules"),
    ),
    question="Whom does the distance from the gold scores exclude?",
    observations="a rater",
    says="Each row is a rater whom the rule excludes in at least one of the three ways.",
    section="Judges",
    appendix=True,
)  # fmt: skip
DECIMALS = 9  # differences closer than this are of rounding


@dataclass(frozen=True)
class Way:
    """One way to filter, and what comes out: who is included, and items and wins from them.

    `wins` is None where there are none to count.
    """

    name: str
    steps: DataFrame
    included: "Series[bool]"
    exclusion: "Series[str]"
    items: DataFrame
    wins: DataFrame | None

    def counts(self) -> Series:
        """Wins, ties and points over all scenarios, summed over dimensions."""
        assert self.wins is not None
        rows = self.wins[self.wins["scenario"] == "all"]
        return rows[["a_wins", "b_wins", "ties", "reference_points"]].sum()


def raters_before(checked: CheckedData, rules: QualityRules) -> "Series[str]":
    """Who is left by every rule but `sigma_mae`."""
    raters = quality_under(rules, checked.consented, checked.ratings)
    return raters["participant"][apply_rules(raters, rules.without(RULE)).included]


def consensus_mae(checked: CheckedData, rules: QualityRules) -> "Series[float]":
    """Each rater's distance to the mean of the others' ratings of the same items, in place of
    their gold scores: items without one say nothing here either.

    By participant, in the order of `consented`. The others are those whom every other rule
    leaves; an item that none of them rated says nothing.
    """
    ratings = checked.ratings
    counts = ratings["participant"].isin(raters_before(checked, rules))
    own = ratings["rating"].where(counts)
    of_item = own.groupby([ratings[name] for name in ITEM], observed=True)
    n = of_item.transform("count") - counts.astype("int64")
    others = (of_item.transform("sum") - own.fillna(0)) / n.where(n > 0)
    by_others = ratings.assign(gold=others.where(ratings["gold"].notna()))
    quality = quality_under(rules, checked.consented, by_others)
    return quality.set_index("participant")["mae"]


def circularity(
    checked: CheckedData,
    contrast: Contrast,
    rules: QualityRules,
    *,
    gold: ScoreSource,
    families: Mapping[str, str],
) -> dict[str, DataFrame]:
    """The tables of the guard, by name. Raises NotAvailable where there is nothing to guard
    against.

    `guard_funnel`, `guard_wins`: `way`, then the columns of funnel and wins_summary.
    `guard_systems`: a system's mean rating, and its difference to the first way.
    `guard_raters`: whom `sigma_mae` leaves out in any way, and which.
    `guard_warnings`: what of it a reader has to know, in plain words.
    """
    if RULE not in rules.order:
        raise NotAvailable("the study filters nobody by their distance to the gold scores")
    if checked.ratings["gold"].isna().all():
        raise NotAvailable(
            "no rating has a gold score, so nobody is filtered by their distance to one"
        )
    raters = quality_under(rules, checked.consented, checked.ratings)
    mae = consensus_mae(checked, rules).reindex(raters["participant"]).to_numpy()
    first = f"{'stand-in' if gold.is_stand_in else gold.kind} gold"
    ways = [
        _way(first, checked, contrast, raters, rules),
        _way(CONSENSUS, checked, contrast, raters.assign(mae=mae), rules),
        _way(UNFILTERED, checked, contrast, raters, rules.without(RULE)),
    ]
    systems = _systems(ways)
    tables = {
        "guard_funnel": _stacked({way.name: way.steps for way in ways}),
        "guard_systems": systems,
        "guard_raters": _raters(ways, raters.assign(mae_consensus=mae)),
    }
    summaries = {way.name: way.wins for way in ways if way.wins is not None}
    if summaries:
        tables["guard_wins"] = _stacked(summaries)
    texts = [*_of_families(checked, gold, families), *_of_ways(ways, systems, contrast)]
    tables["guard_warnings"] = DataFrame(texts, columns=GUARD_WARNINGS.names)
    return tables


def _way(
    name: str, checked: CheckedData, contrast: Contrast, raters: DataFrame, rules: QualityRules
) -> Way:
    funnel = apply_rules(raters, rules)
    names = raters["participant"][funnel.included]
    counts = rating_counts(checked.ratings[checked.ratings["participant"].isin(names)])
    table = items(counts, checked.known)
    won = None
    if len(counts):
        try:
            won = plain(wins_summary(wins(table, contrast)))
        except NotAvailable:
            won = None  # the wins themselves are absent for the same reason, which stands there
    included = Series(funnel.included.to_numpy(), index=raters["participant"])
    exclusion = Series(funnel.exclusion.to_numpy(), index=raters["participant"])
    return Way(name, funnel.steps, included, exclusion, table, won)


def _stacked(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Tables of the same columns, each under its way."""
    parts = []
    for way, table in tables.items():
        part = table.copy()
        part.insert(0, "way", way)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def _systems(ways: Sequence[Way]) -> DataFrame:
    """Every system's mean over its ratings, and how it differs from the first way's."""
    keys = ["model", "condition", "dimension"]
    parts: dict[str, DataFrame] = {}
    first: Series[float] | None = None
    for way in ways:
        sums = way.items.groupby(keys, observed=True)[["n", "total"]].sum()
        mean = sums["total"] / sums["n"].where(sums["n"] > 0)
        first = mean if first is None else first
        table = DataFrame({"n": sums["n"], "mean": mean, "difference": mean - first})
        parts[way.name] = plain(table.reset_index())
    return _stacked(parts)[GUARD_SYSTEMS.names]


def _raters(ways: Sequence[Way], raters: DataFrame) -> DataFrame:
    """Whom `sigma_mae` leaves out in any way; `left_out_by` names the ways."""
    left_out = DataFrame({way.name: way.exclusion == RULE for way in ways})
    excluded = left_out[left_out.any(axis=1)]
    by = [", ".join(excluded.columns[row]) for row in excluded.to_numpy()]
    table = raters.set_index("participant").loc[excluded.index].assign(left_out_by=by)
    return table.reset_index()[GUARD_RATERS.names]


def _of_families(
    checked: CheckedData, gold: ScoreSource, families: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Whether the gold judge judges models of its own family, as far as families are stated."""
    if gold.kind == "panel" or (gold.kind == "file" and gold.is_stand_in):
        return []
    if gold.kind == "file":
        text = "If a model made the gold scores of a file, its family is not stated. It may have "
        return [("family_unknown", text + "judged models of its own family.")]
    models = [str(model) for model in checked.known["model"].unique()]
    if not gold.family:
        text = f"The family of the gold judge {gold.name} is not stated. It may judge models of "
        return [("family_unknown", text + "its own family.")]
    warnings = []
    own = [model for model in models if same_family(families.get(model, ""), gold.family)]
    if own:
        text = (
            f"The gold judge {gold.name} is of the family {gold.family}, and so are the models "
            f"that it judges: {', '.join(own)}. A judge may favour its own family; see its bias "
            "by family."
        )
        warnings.append(("same_family", text))
    unknown = [model for model in models if not families.get(model)]
    if unknown:
        text = f"The family of these models is not stated: {', '.join(unknown)}."
        warnings.append(("family_unknown", text))
    return warnings


def _of_ways(ways: Sequence[Way], systems: DataFrame, contrast: Contrast) -> list[tuple[str, str]]:
    """By how much the other ways differ from the first, in words."""
    warnings = []
    first = ways[0]
    for way in ways[1:]:
        more, fewer = (way.included & ~first.included).sum(), (first.included & ~way.included).sum()
        if more or fewer:
            text = (
                f"{SAID[way.name]}, {way.included.sum()} raters are kept instead of "
                f"{first.included.sum()}: {more} more and {fewer} fewer."
            )
            warnings.append(("raters_differ", text))
        if way.wins is not None and first.wins is not None:
            warnings += _of_wins(first, way, contrast)
        rows = systems[systems["way"] == way.name].dropna(subset="difference")
        sizes = rows["difference"].abs().round(DECIMALS)
        if first.included.equals(way.included):
            text = f"{SAID[way.name]}, the same raters are kept, so wins and means are the same."
            warnings.append(("ways_agree", text))
        if (sizes > 0).any():
            row = rows.iloc[int(sizes.argmax())]
            of = f" on {row['dimension']}" if systems["dimension"].nunique() > 1 else ""
            text = (
                f"{SAID[way.name]}, the mean that changes most is that of {row['model']} "
                f"({row['condition']}){of}: by {row['difference']:+.3f} to {row['mean']:.3f}."
            )
            warnings.append(("means_differ", text))
    return warnings


def _of_wins(first: Way, way: Way, contrast: Contrast) -> list[tuple[str, str]]:
    before, after = first.counts(), way.counts()
    if before.equals(after):
        return []
    a, b = contrast.conditions
    names = {"a_wins": f"wins of {a}", "b_wins": f"wins of {b}", "ties": "ties"}
    if contrast.reference is not None:
        names["reference_points"] = "points of the reference"
    changes = [
        f"{name} {before[column]} → {after[column]}"
        for column, name in names.items()
        if before[column] != after[column]
    ]
    return [("wins_differ", f"{SAID[way.name]}: {', '.join(changes)}.")]
