"""The table of raters: what the filter and the indices of carelessness say of each."""

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.raters.funnel import excluded_by_decision
from analysis.raters.rater_indices import rater_indices
from analysis.study_data import CheckedData

#: Why a rater excluded by a decision has no indices, and no other rater is compared with them.
DECIDED = "excluded by a decision"
RATERS = TableSpec(
    "raters",
    "Excluded raters",
    (
        c.PARTICIPANT, c.N_RATINGS,
        Column("duration_seconds", "Time from start to end, or to the last answer if the rater did "
            "not finish; empty if the clock was set back meanwhile", form="whole"),
        c.SIGMA, c.MAE,
        Column("included", "Whether the person's ratings count; false while they are taking the "
            "survey", kind="flag").csv_only(),
        Column("exclusion", "First reason for exclusion: `decision`, then the quality rules in "
            "order. Empty for included raters and for those still taking the survey, declined, "
            "screened out, withdrawn, or sent away by the comprehension check", kind="text",
            labels="rules"),
        Column("excluded_by_decision", "Reason for which the researchers excluded the rater, if "
            "they did; only true in the form for sharing", kind="text"),
        Column("status", "Progress of the person in the survey", kind="text", labels="words"),
        Column("attention_checks_failed", "Number of attention checks failed; empty if none was "
            "answered", kind="count"),
        Column("n_gold", "Number of ratings of responses with a gold score",
            kind="count").csv_only(),
        Column("answers_recorded", "Free answers of which it is known how they were written; empty "
            "if there are none", kind="count").csv_only(),
        Column("answers_flagged", "Those of them that a rule of writing flags",
            kind="count").csv_only(),
        Column("flags", "Which rules of writing flag any of them; nobody is excluded by these",
            kind="text").csv_only(),
        c.NOTE,
        Column("longstring", "Longest run of the same rating, in the order shown",
            kind="count").csv_only(),
        Column("irv", "Intra-individual response variability: standard deviation of a rater's "
            "ratings on a dimension, the mean over dimensions", label="IRV").csv_only(),
        Column("person_total", "Correlation of a rater's ratings on a dimension with the means of "
            "the others, the mean over dimensions").csv_only(),
        Column("even_odd", "Correlation over blocks of two halves of each block on a dimension, "
            "corrected by Spearman and Brown (not below −1), the mean over dimensions").csv_only(),
        Column("retest_sd", "Within-rater standard deviation on responses that were shown several "
            "times").csv_only(),
        Column("contradictions", "Pairs that a rater ranked against their own ratings",
            kind="count").csv_only(),
        Column("contradictions_share", "Share of contradictions in all pairs that could "
            "contradict").csv_only(),
        Column("fast_pages", "Share of pages left in less than two seconds per "
            "response").csv_only(),
        Column("duration_z", "Duration in standard deviations from the mean of all who completed "
            "the survey").csv_only(),
        Column("duration_outside", "Whether duration_z is above 3 or below −3",
            kind="flag").csv_only(),
        Column("consensus_deviation", "Mean absolute distance from the other raters' means of the "
            "same texts").csv_only(),
        Column("indices_note", "Why an index is empty", kind="text").csv_only(),
    ),
    question="How did each rater rate?",
    observations="a rater",
    says="Each row is a rater.",
    section="Participants",
    about="exclusion",
    kept="raters excluded by a rule or a decision",
    folded=True,
)  # fmt: skip


def rater_table(checked: CheckedData, raters: DataFrame, *, rated: bool) -> DataFrame:
    """A row per rater. Who is excluded by a decision has no indices, for these compare raters with
    one another.

    `raters` comes from `filtering.filtered`; `rated` says whether the study asks for ratings.
    """
    table = raters.reindex(columns=RATERS.names[: RATERS.names.index("note") + 1])
    table = table.astype({"attention_checks_failed": "Int64"})
    if not rated:  # nobody lacks what nobody was asked for
        table["note"] = ""
    compared = checked.without_decided()
    indices = rater_indices(compared.ratings, compared.ranks, compared.consented)
    merged = table.merge(indices, on="participant", how="left", validate="one_to_one")
    merged["indices_note"] = merged["indices_note"].mask(excluded_by_decision(merged), DECIDED)
    return merged
