"""May a judge take a rater's place? The alternative annotator test, beside constant judges.

Raters are those before the `sigma_mae` step, and a response counts once, as in
`judges.agreement_with_people`. `always 3` is a judge that gives every response a 3: where
single raters are noisy it may pass as well, and then passing says little about a real judge.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from pandas import DataFrame, Series

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.judges.agreement_with_people import (
    BEFORE,
    ONCE_EACH,
    OTHER_SCALE,
    PEOPLE,
    WHOSE,
    pair,
)
from analysis.judges.judged import Judged, ScoreSource
from analysis.stats.alt_test import FEWEST_ITEMS, AltTest, alt_test

#: For a crowd, skilled raters and experts (Calderon et al. 2025, section 3).
EPSILONS = (0.1, 0.15, 0.2)
ALT_TEST = TableSpec(
    "alt_test",
    "The alternative annotator test",
    (
        c.JUDGE, c.DIMENSION, c.EPSILON,
        Column("is_studys", "Whether the ε is the study's", label="the study's ε", kind="flag"),
        Column("is_baseline", "Whether this is a baseline that always gives the same score",
            label="constant baseline", kind="flag"),
        Column("winning_rate", "Share of raters whom the judge could replace"),
        Column("advantage", "Mean probability that the judge agrees at least as well as a rater"),
        Column("passes", "Whether the winning rate is 0.5 or more", kind="flag"),
        c.N_RATERS,
        c.N_ITEMS.but(label="n responses", meaning=ONCE_EACH),
        c.RATERS.but(meaning=WHOSE),
        c.NOTE,
    ),
    question="Could the judge replace a rater?",
    observations="responses; raters",
    says=PEOPLE + "The test asks whether the judge is as close to the other raters as each rater "
        "is, with an advantage of ε for the judge (Calderon et al. 2025). The winning rate is the "
        "share of raters whom it could replace; advantage is how often, on average, it is as "
        "close. The judge passes with a winning rate of 0.5 or more. If a judge that always gives "
        "the same score passes, too, passing means little.",
    section="Judges",
)  # fmt: skip
ALT_TEST_RATERS = TableSpec(
    "alt_test_raters",
    "The alternative annotator test, rater by rater",
    (
        c.JUDGE, c.DIMENSION, c.EPSILON, c.PARTICIPANT.but(is_key=False),
        Column("items", "Number of responses", label="n responses", kind="count"),
        Column("judge_wins", "Share of items on which the judge is at least as close to the "
            "others"),
        Column("rater_wins", "Share of items on which the rater is at least as close to the "
            "others"),
        c.P.but(meaning="p value, one-sided; the null hypothesis is that the rater is closer to "
            "the others than the judge by ε or more"),
        Column("p_adjusted", "p value adjusted by the Benjamini–Yekutieli method over raters",
            form="p", label="p (BY)"),
        Column("replaceable", "Whether the judge, with its advantage ε, is closer to the others "
            "than the rater, after adjustment", kind="flag"),
        c.NOTE,
    ),
    question="Which raters could the judge replace?",
    observations="responses",
    says="Judge wins is the share of responses on which the judge is at least as close to the "
        "other raters as this rater; rater wins is the reverse. p (BY) is adjusted over raters by "
        "the Benjamini–Yekutieli method.",
    section="Judges",
    appendix=True,
)  # fmt: skip


def alt_tests(
    judged: Judged, points: Sequence[float], *, epsilon: float
) -> tuple[DataFrame, DataFrame]:
    """The tables `alt_test` and `alt_test_raters`.

    The first has a row per dimension, judge or constant judge at each of `points`, and ε: those of
    the paper and the study's own `epsilon` (`is_studys`), which alone a judge on another scale
    has, with the reason. `n_raters` are those tested, `n_items` the responses that the judge and
    two raters or more judged. The second has a row per judge and rater for the study's ε:
    `participant` and what `AltTest.raters` has.
    """
    rows: list[dict[str, Any]] = []
    of_raters = [DataFrame(columns=ALT_TEST_RATERS.names)]
    for dimension in judged.dimensions:
        people = judged.people.get(dimension)
        if people is None:
            continue
        baselines, passing = _baselines(people, points, epsilon)
        for judge in judged.judges:
            if dimension not in judged.dimensions_of(judge):
                continue
            if not judge.comparable:
                tests = [_other_scale(judged, judge, dimension, epsilon)]
            else:
                means = judged.means(judge, dimension)
                tests = _rows(people, means, epsilon, passing)
                test = alt_test(people, means, epsilon=epsilon)
                of_raters.append(_of_raters(test, judge, dimension))
            named = {"judge": judge.name, "dimension": dimension, "is_baseline": False}
            rows += [named | row for row in tests]
        rows += [{"dimension": dimension, "is_baseline": True} | row for row in baselines]
    table = DataFrame(rows, columns=ALT_TEST.names).assign(raters=BEFORE)
    table["is_studys"] = table["epsilon"] == epsilon
    numbers = {name: pd.to_numeric(table[name]) for name in ("winning_rate", "advantage")}
    table = table.assign(**numbers).astype({"passes": "boolean"})
    return table, pd.concat(of_raters, ignore_index=True)


def _baselines(
    people: DataFrame, points: Sequence[float], epsilon: float
) -> tuple[list[dict[str, Any]], dict[float, list[str]]]:
    """The rows of judges that always answer the same, and which of them pass, by ε."""
    rows: list[dict[str, Any]] = []
    for point in points:
        constant = Series(float(point), index=people.index)
        tests = _rows(people, constant, epsilon, {})
        rows += [{"judge": f"always {point:g}"} | row for row in tests]
    passing: dict[float, list[str]] = {}
    for row in rows:
        if row["passes"]:
            passing.setdefault(row["epsilon"], []).append(row["judge"])
    return rows, passing


def _rows(
    people: DataFrame,
    judge: "Series[float]",
    epsilon: float,
    passing: Mapping[float, list[str]],
) -> list[dict[str, Any]]:
    """A row for each ε; `passing` are the constant judges that pass, by ε."""
    known = judge.reindex(people.index).notna()
    n_items = int((people[known].count(axis=1) >= 2).sum())
    rows = []
    for each in sorted({*EPSILONS, epsilon}):
        row = _row(alt_test(people, judge, epsilon=each), passing.get(each, []))
        rows.append({"epsilon": each, "n_items": n_items} | row)
    return rows


def _row(test: AltTest, passing: list[str]) -> dict[str, Any]:
    tested = test.raters["p"].notna()
    notes = []
    if not tested.any():
        notes.append(f"not estimable, because {_why_untested(test)}")
    elif not tested.all():
        notes.append(f"raters left out for fewer than {FEWEST_ITEMS} items: {(~tested).sum()}")
    if test.passes and passing:
        notes.append(f"passing says little: constant judges pass, too ({', '.join(passing)})")
    return {
        "winning_rate": test.winning_rate,
        "advantage": test.advantage,
        "passes": test.passes if tested.any() else None,
        "n_raters": int(tested.sum()),
        "note": "; ".join(notes),
    }


def _why_untested(test: AltTest) -> str:
    if len(test.raters) < 2:
        return "there is one rater and nobody to compare with"
    if not test.raters["items"].any():
        return "no two raters rated the same response that the judge scored"
    return f"no rater shares {FEWEST_ITEMS} responses with the judge and another rater"


def _other_scale(
    judged: Judged, judge: ScoreSource, dimension: str, epsilon: float
) -> dict[str, Any]:
    both = pair(judged, judge, dimension)
    return {
        "epsilon": epsilon,
        "n_raters": len(both.raters.columns),
        "n_items": len(both.things),
        "note": OTHER_SCALE,
    }


def _of_raters(test: AltTest, judge: ScoreSource, dimension: str) -> DataFrame:
    table = test.raters.rename(columns={"rater": "participant"})
    few = table["p"].isna()
    note = Series("", index=table.index).mask(few, f"fewer than {FEWEST_ITEMS} items")
    named = table.assign(judge=judge.name, dimension=dimension, epsilon=test.epsilon, note=note)
    return named[ALT_TEST_RATERS.names]
