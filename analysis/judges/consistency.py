"""Does a judge say the same when it is asked again?

Consistency is not validity: a judge that always answers 3 is perfectly consistent. Replicates at
temperature 0 are near-copies of one answer, so their agreement says nothing about the next prompt.
"""

from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.judges.judged import ABOUT, Judged, ScoreSource
from analysis.judges.shared_chance import shared_chance
from analysis.stats.agreement import (
    Level,
    krippendorff_alpha,
    krippendorff_interval,
    pairwise_spearman,
)

#: From which share of items with the same score in every replicate these count as near-copies.
NEAR_COPIES = 0.9
NUMBERS = [
    "rho", "rho_min", "rho_max", "alpha_ordinal", "alpha_ordinal_low", "alpha_ordinal_high",
    "alpha_interval", "alpha_interval_low", "alpha_interval_high", "mean_sd", "all_agree",
]  # fmt: skip
JUDGE_CONSISTENCY = TableSpec(
    "judge_consistency",
    "Do judges agree with themselves?",
    (
        c.JUDGE,
        Column("kind", "Source of the scores: a judge (language model), a file or a panel",
            is_key=True),
        c.DIMENSION,
        Column("is_gold", "Whether these are the study's gold scores", kind="flag").csv_only(),
        c.N_ITEMS.but(label="n responses",
            meaning="Number of responses; a response in several sets counts once"),
        Column("replicates", "Scores requested for each response", kind="count"),
        c.ASKED, c.VALID,
        Column("incomplete", "Responses with fewer usable scores than requested", latex=False,
            kind="count"),
        Column("rho", "Mean rank correlation of two replicates", label="ρ"),
        Column("rho_min", "The smallest of these correlations", label="ρ min"),
        Column("rho_max", "The largest of these correlations", label="ρ max"),
        Column("alpha_ordinal", "Krippendorff's α of the calls, ordinal", label="α ordinal"),
        *c.interval("alpha_ordinal", "alpha_ordinal"),
        Column("alpha_interval", "Krippendorff's α of the calls, interval", label="α interval",
            latex=False),
        *c.interval("alpha_interval", "alpha_interval", latex=False),
        Column("mean_sd", "Mean standard deviation of the calls for one response", label="mean SD"),
        Column("all_agree", "Share of responses that got the same score every time"),
        Column("flags", "Warnings about the judge", kind="text"),
        c.NOTE,
    ),
    question="Do judges agree with themselves?",
    observations="scores",
    says="ρ is Spearman's correlation between two replicates: the mean, smallest and largest over "
        "pairs. α is Krippendorff's over all replicates: 1 is full agreement, 0 is chance. "
        "Consistency is not validity: a judge that always answers 3 is perfectly consistent. "
        "Scores come from a judge, a file (under its name) or a panel; asked and valid count "
        "scores.",
    section="Judges",
)  # fmt: skip
JUDGE_ITEM_SPREAD = TableSpec(
    "judge_item_spread",
    "Scores of each response by each judge",
    (
        c.JUDGE, c.DIMENSION,
        Column("response", "The response, identified by the first place where it is shown; the "
            "same in all its sets", is_key=True).csv_only(),
        c.SCENARIO,
        Column("sets", "Sets in which the response is shown", kind="text"),
        c.MODEL, c.CONDITION,
        Column("words", "Number of words in the response; in scripts without spaces between words, "
            "number of letters", kind="count"),
        c.MEAN, c.SD, c.MIN, c.MAX, c.VALID, c.ASKED,
    ),
    question="How much do single scores of a response vary?",
    observations="scores",
    says="Mean, SD (n − 1), minimum and maximum of the single scores of a response.",
    section="Judges",
    appendix=True,
    empty="no judge has a score yet",
)  # fmt: skip
JUDGE_SCORES_SHARES = TableSpec(
    "judge_scores_shares",
    "How often each score is given",
    (
        c.JUDGE, c.DIMENSION,
        Column("score", "The single score; empty if the call gave no usable score"),
        c.N.but(meaning="Number of the judge's scores with this value"),
        c.SHARE.but(meaning="Share of the judge's scores with this value"),
        Column("people_n", "Number of ratings with this value, from the raters kept by every rule "
            "except sigma_mae", kind="count"),
        Column("people_share", "Share of those ratings with this value; each rater's ratings of a "
            "response in several sets count as one"),
    ),
    question="How often is each score given?",
    observations="scores",
    says="n counts the judge's single scores; people n counts ratings of the raters kept by every "
        "rule except {sigma_mae}. In people share, each rater's ratings of a response in several "
        "sets count as one.",
    section="Judges",
    appendix=True,
    empty="no judge has a score yet",
)  # fmt: skip
#: What can become of an answer that is no score.
NO_SCORE = {
    "unusable": "Number of answers in which there is no usable score",
    "cut_off": "Number of answers that were cut off at the limit on their length",
    "refused": "Number of answers of which the endpoint says that the model refused",
    "filtered": "Number of answers that a filter of the endpoint kept back",
}
JUDGE_MODELS = TableSpec(
    "judge_models",
    "Which models answered",
    (
        c.JUDGE,
        Column("returned_model", "Model name that the endpoint reports", is_key=True),
        Column("fingerprint", "Fingerprint that the endpoint reports", kind="text"),
        Column("calls", "Number of calls that it gave scores for", kind="count"),
        Column("first_at", "First such call (ISO 8601, UTC)", kind="text"),
        Column("last_at", "Last such call (ISO 8601, UTC)", kind="text"),
        Column("changed", "Whether the model differs from the one before", kind="flag"),
        *(Column(name, meaning, kind="count") for name, meaning in NO_SCORE.items()),
    ),
    question="Which models answered?",
    observations="calls",
    says="As reported by the endpoint. Answers that were cut off, refused or filtered are not "
        "asked again; after an unusable one the judge is asked once to repair it. If several "
        "models answered for one version of a judge, its scores are not all from the same judge.",
    section="Judges",
)  # fmt: skip


def judge_consistency(judged: Judged, models: DataFrame, *, seed: int) -> DataFrame:
    """One row per judge and dimension: how often it was asked, and how alike its replicates are.

    `asked` and `valid` count scores; `incomplete` are items with fewer of them than asked for.
    `rho` is the mean of Spearman's ρ over pairs of replicates (Pursuit of Empathy, section 5),
    beside the lowest and the highest; α is Krippendorff's over all replicates, with a bootstrap
    interval over items. `mean_sd` (ddof 1) and `all_agree` (a share) are over items with two
    scores or more. `models` comes from `judge_models`. `note` says why something is empty.
    """
    changed = set(models["judge"][models["changed"]])
    rows = []
    for judge in judged.judges:
        dimensions = judged.dimensions_of(judge)
        for dimension in dimensions:
            table = judged.replicates(judge, dimension)
            row = {**_source(judge), "dimension": dimension}
            row |= _consistency(judge, table, judge.name in changed, seed=seed)
            flags = [*row["flags"], *_shared_chance(judged, judge, dimension)]
            rows.append(row | {"flags": "; ".join(flags)})
        if not dimensions:
            nothing = {"n_items": 0, "replicates": judge.replicates, "asked": 0, "valid": 0}
            row = {**_source(judge), "dimension": "", "incomplete": 0}
            rows.append(row | nothing | {"flags": "", "note": "this judge has no scores yet"})
    table = DataFrame(rows, columns=JUDGE_CONSISTENCY.names)
    return table.assign(**{name: pd.to_numeric(table[name]) for name in NUMBERS})


def _source(judge: ScoreSource) -> dict[str, Any]:
    return {"judge": judge.name, "kind": judge.kind, "is_gold": judge.is_gold}


def _consistency(
    judge: ScoreSource, table: DataFrame, changed: bool, *, seed: int
) -> dict[str, Any]:
    asked = max(judge.replicates, len(table.columns))
    valid = table.count(axis=1)
    repeated = table[valid >= 2]
    pairs = pairwise_spearman(table)
    spread = repeated.std(axis=1, ddof=1)
    all_agree = float((repeated.nunique(axis=1) == 1).mean()) if len(repeated) else None
    row = {
        "n_items": len(table),
        "replicates": asked,
        "asked": asked * len(table),
        "valid": int(valid.sum()),
        "incomplete": int((valid < asked).sum()),
        "rho": pairs["rho"].mean(),
        "rho_min": pairs["rho"].min(),
        "rho_max": pairs["rho"].max(),
        "mean_sd": spread.mean(),
        "all_agree": all_agree,
        "flags": _flags(judge, table, all_agree, changed),
        "note": _note(table, repeated, pairs),
    }
    levels: list[Level] = ["ordinal", "interval"]
    for level in levels:
        low, high = krippendorff_interval(table, level, seed=seed) or (None, None)
        row |= {f"alpha_{level}_low": low, f"alpha_{level}_high": high}
        row[f"alpha_{level}"] = krippendorff_alpha(table, level)
    return row


def _flags(
    judge: ScoreSource, table: DataFrame, all_agree: float | None, changed: bool
) -> list[str]:
    """What anybody who reads this judge's numbers has to know first."""
    flags = []
    values = scores_in(table).unique()
    # The replicates of a judge of pairs are two orders: the same answer in both is what is wanted.
    is_model = judge.kind == "judge" and judge.presentation != "pair"
    if judge.is_stand_in:
        flags.append("stand-in: no language model made these scores")
    if len(values) == 1:
        flags.append(f"constant: every score is {values[0]:g}")
    if is_model and len(table.columns) > 1 and judge.temperature == 0:
        flags.append("near-copies: temperature 0")
    elif is_model and len(values) > 1 and all_agree is not None and all_agree >= NEAR_COPIES:
        flags.append(f"near-copies: {all_agree:.0%} of items got the same score every time")
    if changed:
        flags.append("model changed")
    if len(table.columns) < 2:
        flags.append("one replicate: consistency unknown")
    return flags


def _shared_chance(judged: Judged, judge: ScoreSource, dimension: str) -> list[str]:
    """See `shared_chance`. Experts and files are not looked at: people differ in level, and nobody
    knows how a file was made.
    """
    if judge.kind != "judge":
        return []
    return shared_chance(judged.replicates(judge, dimension), judged.calls(judge, dimension))


def gold_warnings(judged: Judged) -> list[tuple[str, str]]:
    """What a reader of the results has to know of the gold judge's calls: kind and text."""
    return [
        ("shared_chance", f"The gold judge {judge.name} on {dimension}: {text}.")
        for judge in judged.judges
        if judge.is_gold
        for dimension in judged.dimensions_of(judge)
        for text in _shared_chance(judged, judge, dimension)
    ]


def _note(table: DataFrame, repeated: DataFrame, pairs: DataFrame) -> str:
    """Why something is empty, where it is; `repeated` are the items with two scores or more."""
    reasons = {
        "no call gave a score": scores_in(table).empty,
        "not estimable, because there is one replicate": len(table.columns) < 2,
        "not estimable, because no item has two scores": repeated.empty,
        "rho and alpha not estimable, because every score is the same": (
            scores_in(repeated).nunique() == 1
        ),
    }
    reason = next((reason for reason, holds in reasons.items() if holds), None)
    if reason is not None:
        return reason
    known, all_pairs = int(pairs["rho"].count()), len(pairs)
    if known < all_pairs:
        return (
            f"rho over {known} of {all_pairs} pairs of replicates: in the others one never varies, "
            "or they share fewer than three items"
        )
    return ""


def scores_in(table: DataFrame) -> "Series[float]":
    """All scores of a table of items × replicates, one below the other."""
    return Series(table.to_numpy(dtype=float).ravel()).dropna()


def judge_item_spread(judged: Judged) -> DataFrame:
    """Every item's mean, standard deviation (ddof 1), lowest and highest score, per judge.

    `asked` is how many scores were asked for, `valid` how many there are. `sets` are those in
    which the response stands.
    """
    parts = []
    for judge in judged.judges:
        for dimension in judged.dimensions_of(judge):
            table = judged.replicates(judge, dimension)
            about = judged.items(judge, dimension)[ABOUT].reindex(table.index)
            numbers: dict[str, Any] = {
                "mean": table.mean(axis=1),
                "sd": table.std(axis=1, ddof=1),
                "min": table.min(axis=1),
                "max": table.max(axis=1),
                "valid": table.count(axis=1),
                "asked": max(judge.replicates, len(table.columns)),
            }
            parts.append(about.assign(judge=judge.name, dimension=dimension, **numbers))
    if not parts:
        return DataFrame(columns=JUDGE_ITEM_SPREAD.names)
    return pd.concat(parts, ignore_index=True)[JUDGE_ITEM_SPREAD.names]


def judge_scores_shares(judged: Judged, points: list[float]) -> DataFrame:
    """How often each judge gave each score, beside how often people did.

    Every one of `points` (those of the scale) has its row, given or not, and so has every other
    score; on another scale than the study's only those that were given. People's ratings of
    one response in several sets share one vote, as a judge's score of it is one.
    """
    rows = []
    for judge in judged.judges:
        for dimension in judged.dimensions_of(judge):
            scores = scores_in(judged.replicates(judge, dimension)).value_counts()
            people_n, votes = _people_votes(judged, dimension)
            given = {*scores.index, *(people_n.index if judge.comparable else [])}
            for score in sorted(given | set(points if judge.comparable else [])):
                row: dict[str, Any] = {"judge": judge.name, "dimension": dimension, "score": score}
                row["n"] = int(scores.get(score, 0))
                row["share"] = row["n"] / scores.sum() if len(scores) else None
                if judge.comparable and len(votes):
                    row["people_n"] = int(people_n.get(score, 0))
                    row["people_share"] = float(votes.get(score, 0.0) / votes.sum())
                rows.append(row)
    table = DataFrame(rows, columns=JUDGE_SCORES_SHARES.names)
    return table.astype({"people_n": "Int64"})


def _people_votes(judged: Judged, dimension: str) -> "tuple[Series[int], Series[float]]":
    """How often people gave each rating: as often as they did, and once per response and rater."""
    ratings = judged.ratings[judged.ratings["dimension"] == dimension]
    repeats = ratings.groupby(["participant", "response"])["rating"].transform("size")
    votes = (1 / repeats).groupby(ratings["rating"]).sum()
    return ratings["rating"].value_counts(), votes


def judge_models(returned: DataFrame) -> DataFrame:
    """Which model answered each judge, when, and what came of it; `changed` is of its version.

    A judge changed where calls of one version were answered by models of several names, or by
    several fingerprints of one; an endpoint that names none tells nothing.
    """
    table = returned.reindex(columns=JUDGE_MODELS.names).reset_index(drop=True)
    table[list(NO_SCORE)] = table[list(NO_SCORE)].fillna(0).astype("int64")
    names = [
        table[column].replace("", None).groupby(table["judge"]).transform("nunique") > 1
        for column in ("returned_model", "fingerprint")
    ]
    table["changed"] = (names[0] | names[1]).astype(bool)
    return table[JUDGE_MODELS.names]
