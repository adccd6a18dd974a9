"""How a study's protocol worked out: time, changed answers, contradictions, agreement, texts.

This is what a pilot is compared by. It is about everyone who completed the survey, whatever
the rules say: the task is judged here, not the raters. Who is excluded by a decision took no part.
"""

import numpy as np
import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.raters.funnel import excluded_by_decision
from analysis.stats.rankings import concordance_by_block
from analysis.study_data import ProtocolData
from survey.interface import in_words

PERSON = "participant"
BLOCK = ["scenario", "set"]
RESPONSE = [*BLOCK, "model", "condition"]
#: Why measures whose names begin so may have no value.
WITHOUT = {
    "minutes": "no duration is known",
    **dict.fromkeys(
        ["changed_answers", "texts", "writing_people", "interfaces"],
        "all answers are imported and have no such record",
    ),
    "contradict": "no two responses were put in order both by ratings and by ranks",
    "agreement_ratings": "no block has two people who rated all of it and told its responses apart",
    "agreement_ranks": "no block has two people who ranked all of it and told its responses apart",
}

PROTOCOL = TableSpec(
    "protocol",
    "The survey in numbers",
    (
        Column("measure", "What is measured", is_key=True, labels="measures"),
        c.VALUE, c.N.but(meaning="Number of people, pairs or blocks behind the value"), c.NOTE,
    ),
    question="How did the survey go?",
    observations="people, answers",
    says="For everybody who completed the survey. If the server's clock was set back during a "
        "survey, its duration is unknown, and it is counted separately. Changed answers are per "
        "person. Contradictions are the share of pairs of responses that a person ranked against "
        "their own ratings. Agreement is Kendall's W of ratings (or ranks) within a block, "
        "averaged over dimensions and blocks; n counts blocks.",
    section="Participants",
    keep=lambda row: row["value"] is not None,
    kept="measures that have a value",
)  # fmt: skip


def protocol(data: ProtocolData) -> DataFrame:
    """One row per measure: `measure`, `value`, `n` (of what it is computed: people, pairs of
    responses or blocks), and in `note` why there is no value, or which versions of pages.

    People during whose survey the server's clock was set back have no known duration, and are
    counted. What people changed and wrote stays behind when their answers are imported, so only
    those count for it who were shown a page here.
    """
    completed = data.participants["status"] == "completed"
    people = data.participants[completed & ~excluded_by_decision(data.participants)]
    seen_here = data.presentations[PERSON][data.presentations["shown_at"].notna()]
    here = people[people[PERSON].isin(seen_here)]
    of_them = data.ratings[PERSON].isin(people[PERSON])
    ratings = data.ratings[of_them]
    ranks = data.ranks[data.ranks[PERSON].isin(people[PERSON]) & data.ranks["rank"].notna()]
    minutes = pd.to_numeric(people["duration_seconds"]).dropna() / 60
    pairs, contradicted, contradicting = _contradictions(ratings, ranks)
    w_ratings, w_ranks = (
        _mean_w(_of_responses(ratings, "rating")),
        _mean_w(_of_responses(ranks, "rank")),
    )
    texts = data.comments[data.comments["text"].fillna("") != ""]  # some were emptied again
    texts = texts[texts[PERSON].isin(here[PERSON])]
    writing = texts[PERSON].nunique()
    rows: list[tuple[str, float | None, int]] = [
        ("completed", float(len(people)), len(people)),
        *(
            (f"minutes_{name}", _quantile(minutes, q), len(minutes))
            for name, q in (("median", 0.5), ("lower_quartile", 0.25), ("upper_quartile", 0.75))
        ),
        ("clock_stepped", float(people["clock_stepped"].sum()), len(people)),
        ("changed_answers", _changed(data, here), len(here)),
        ("contradictions", contradicted / pairs if pairs else None, pairs),
        (
            "contradicting_people",
            float(contradicting) if pairs else None,
            len(people) if pairs else 0,
        ),
        ("agreement_ratings", *w_ratings),
        ("agreement_ranks", *w_ranks),
        ("texts", float(len(texts)) if len(here) else None, len(here)),
        ("writing_people", float(writing) if len(here) else None, len(here)),
        ("interfaces", float(len(_interfaces(data, here))) if len(here) else None, len(here)),
    ]
    lacking = [name for name, given in (("ratings", ratings), ("ranks", ranks)) if given.empty]
    noted = [(*row, _why_none(row[0], people, lacking) if row[1] is None else "") for row in rows]
    seen = _interfaces(data, here)
    if len(seen) > 1:
        noted[-1] = (*noted[-1][:-1], in_words(seen))
    return DataFrame(noted, columns=["measure", "value", "n", "note"])


def _why_none(measure: str, people: DataFrame, lacking: list[str]) -> str:
    if not len(people):
        return "nobody completed the survey"
    if measure.startswith("contradict") and lacking:
        return f"there are no {' and no '.join(lacking)}"
    answers = measure.removeprefix("agreement_")
    if answers in lacking:
        return f"there are no {answers}"
    return next(why for name, why in WITHOUT.items() if measure.startswith(name))


def _quantile(minutes: "Series[float]", share: float) -> float | None:
    return float(minutes.quantile(share)) if len(minutes) else None


def _interfaces(data: ProtocolData, people: DataFrame) -> set[int]:
    """The versions of the survey's pages that these people saw."""
    own = data.presentations[data.presentations[PERSON].isin(people[PERSON])]
    return {int(version) for version in own["interface"].dropna().unique()}


def _changed(data: ProtocolData, people: DataFrame) -> float | None:
    """Answers changed per person, before sending (where the script ran) and after."""
    if not len(people):
        return None
    changed = 0.0
    for table, column in (
        (data.ratings, "revisions"),
        (data.ranks, "revisions"),
        (data.presentations, "changes"),
    ):
        own = table[table[PERSON].isin(people[PERSON])]
        changed += float(pd.to_numeric(own[column]).sum())
    return changed / len(people)


def _of_responses(table: DataFrame, value: str) -> DataFrame:
    """One value for each response that a person saw: the mean over the table's dimensions."""
    names = dict.fromkeys([PERSON, *RESPONSE], "object")  # an empty table's could be anything
    typed = table.assign(value=pd.to_numeric(table[value])).astype(names)
    means = typed.groupby([PERSON, *RESPONSE], sort=False, dropna=False)["value"].mean()
    return means.reset_index()


def _contradictions(ratings: DataFrame, ranks: DataFrame) -> tuple[int, int, int]:
    """Pairs of responses of a block that a person put in order both by ratings and by ranks;
    those of them in opposite order; and the people who have any. Equal values order nothing.

    Ranks on a dimension that is rated, too, are held against its ratings; others against the
    mean over all dimensions.
    """
    ranked_on = ranks["dimension"].dropna().unique()
    same = ratings["dimension"].isin(ranked_on)
    rated = _of_responses(ratings[same] if same.any() else ratings, "rating")
    both = rated.merge(_of_responses(ranks, "rank"), on=[PERSON, *RESPONSE])
    both["page"] = both.groupby([PERSON, *BLOCK], dropna=False).ngroup()
    both["place"] = range(len(both))
    pairs = both[["page", "place", "value_x", "value_y"]]
    pairs = pairs.merge(pairs, on="page")
    pairs = pairs[pairs["place_x"] < pairs["place_y"]]
    by_ratings = np.sign(pairs["value_x_x"] - pairs["value_x_y"])
    by_ranks = np.sign(pairs["value_y_y"] - pairs["value_y_x"])  # rank 1 is best
    ordered = (by_ratings != 0) & (by_ranks != 0)
    opposite = ordered & (by_ratings != by_ranks)
    contradicting = both[PERSON][both["page"].isin(pairs["page"][opposite])].nunique()
    return int(ordered.sum()), int(opposite.sum()), int(contradicting)


def _mean_w(values: DataFrame) -> tuple[float | None, int]:
    """Mean of Kendall's W over blocks, and over how many; of those who gave every value.

    A block that fewer than two did, or in which all is tied, has none.
    """
    given = values[values["value"].notna()]
    by = {"block": BLOCK, "system": RESPONSE, "rater": [PERSON]}
    numbered = {name: given.groupby(keys, dropna=False).ngroup() for name, keys in by.items()}
    w = concordance_by_block(given.assign(**numbered))["w"]
    return (float(w.mean()), len(w)) if len(w) else (None, 0)
