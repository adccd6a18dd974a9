"""Which raters are flagged for how they wrote their free answers. Nobody is excluded by it.

The rules are in `analysis.writing_rules`. What the results are without the flagged raters is in
`tables/without_flagged.py` and `tables/sensitivity.py`.
"""

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.study_data import records
from analysis.writing_rules import WritingRules, WrittenAnswer

#: The row of an answer or a rater that any rule flags.
ANY = "any"
#: What raters.csv has of each rater.
OF_RATERS = ("answers_recorded", "answers_flagged", "flags")

FLAGGED_WRITING = TableSpec(
    "flagged_writing",
    "Flagged free answers",
    (
        Column("rule", "What is flagged", is_key=True, labels="writing_rules"),
        Column("answers", "Free answers of which it is known how they were written", kind="count"),
        Column("flagged_answers", "Those that the rule flags", kind="count"),
        Column("raters", "Raters in the funnel with such an answer", kind="count"),
        Column("flagged_raters", "Those with a flagged answer", kind="count"),
        Column("included", "Included raters with such an answer", kind="count"),
        Column("flagged_included", "Those with a flagged answer", kind="count",
            label="flagged among the included"),
    ),
    question="How many free answers may have been made elsewhere?",
    observations="free answers; raters",
    says="A flag goes by counts and times of the writing, never by the text. It excludes nobody, "
        "and it is no proof: some honest people are flagged, too. The same for every recipe.",
    section="Participants",
    subject="raters",
)  # fmt: skip


def flagged_answers(writing: DataFrame, rules: WritingRules) -> DataFrame:
    """Each recorded answer: its `participant`, and in `flags` the names of the rules that flag it.

    `writing` has the columns of `StudyData.writing`.
    """
    flags = [rules.flags(WrittenAnswer(int(row["characters"]), row)) for row in records(writing)]
    return DataFrame(
        {"participant": writing["participant"].astype("str"), "flags": Series(flags, dtype=object)}
    )


def flags_of_raters(answers: DataFrame, rules: WritingRules) -> DataFrame:
    """A row per rater with a recorded answer: how many there are, how many are flagged, and all
    flags, in the order of the rules (`pasted, at_once`).
    """
    names = [rule.name for rule in rules.rules]
    rows = []
    for participant, flags in answers.groupby("participant")["flags"]:
        raised = {name for each in flags for name in each}
        said = ", ".join(name for name in names if name in raised)
        rows.append((participant, len(flags), sum(map(bool, flags)), said))
    table = DataFrame(rows, columns=["participant", *OF_RATERS])
    return table.astype(dict.fromkeys(OF_RATERS[:2], "int64"))


def with_flags(raters: DataFrame, writing: DataFrame | None, rules: WritingRules) -> DataFrame:
    """The `raters` with OF_RATERS, which are empty where nothing is known of their writing."""
    flags = DataFrame(columns=["participant", *OF_RATERS])
    if writing is not None:
        flags = flags_of_raters(flagged_answers(writing, rules), rules)
    merged = raters.merge(flags, on="participant", how="left", validate="one_to_one")
    return merged.astype(dict.fromkeys(OF_RATERS[:2], "Int64")).assign(
        flags=merged["flags"].fillna("").astype("str")
    )


def with_flagged(people: DataFrame, raters: DataFrame, *, recorded: bool) -> DataFrame:
    """`people` with `flagged`: whether any rule flags their writing. Without that column where
    nothing is known of anybody's. `raters` are those of `with_flags`.
    """
    if not recorded or raters["answers_recorded"].isna().all():
        return people
    flagged = raters["participant"][raters["flags"] != ""]
    return people.assign(flagged=people["participant"].isin(flagged))


def flagged_among(people: DataFrame) -> frozenset[str] | None:
    """Those of `people` who are flagged; None where nothing is known of anybody's writing."""
    if "flagged" not in people:
        return None
    return frozenset(people["participant"][people["flagged"]])


def flagged_writing(writing: DataFrame, raters: DataFrame, rules: WritingRules) -> DataFrame:
    """How many answers and raters each rule flags, and any of them.

    `raters` are those of the funnel, with `included`. Raises NotAvailable.
    """
    counted = raters[["participant", "included"]]
    answers = flagged_answers(writing, rules).merge(counted, on="participant")
    if answers.empty:
        raise NotAvailable("no script recorded how an answer was written")
    included = answers[answers["included"].astype(bool)]
    rows = []
    for name in [*(rule.name for rule in rules.rules), ANY]:
        raised = [bool(flags) if name == ANY else name in flags for flags in answers["flags"]]
        flagged = answers[raised]
        of_included = flagged[flagged["included"].astype(bool)]
        rows.append(
            {
                "rule": name,
                "answers": len(answers),
                "flagged_answers": len(flagged),
                "raters": answers["participant"].nunique(),
                "flagged_raters": flagged["participant"].nunique(),
                "included": included["participant"].nunique(),
                "flagged_included": of_included["participant"].nunique(),
            }
        )
    return pd.DataFrame(rows, columns=FLAGGED_WRITING.names)
