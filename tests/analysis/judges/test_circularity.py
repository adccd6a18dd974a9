"""Three ways to filter, in a study where the judge's taste decides who is left.

The judge scores tuned responses low. Four raters like them, one of them hardly varying (careful,
but far from the judge); one gives everything a 1 (careless, but near to it).
"""

from collections.abc import Mapping
from fractions import Fraction
from math import isnan
from typing import Any

import pytest

from analysis.judges.circularity import (
    CONSENSUS,
    UNFILTERED,
    circularity,
    consensus_mae,
    raters_before,
)
from analysis.judges.judged import ScoreSource
from analysis.not_available import NotAvailable
from analysis.pipeline import Contrast, StudyData, analyse
from analysis.quality_rules import QualityRules
from analysis.study_data import check
from tests.analysis.judged_study import Cell, cells, study

pytestmark = pytest.mark.slow

CELLS = cells("S1", "S2")  # base, tuned, reference in each
GOLD = dict(zip(CELLS, [2.0, 1.0, 2.0] * 2, strict=True))
RATERS: dict[str, dict[Cell, int]] = {
    "fond": dict(zip(CELLS, [3, 3, 4, 2, 4, 3], strict=True)),
    "varied": dict(zip(CELLS, [4, 3, 5, 3, 5, 4], strict=True)),
    "mixed": dict(zip(CELLS, [4, 4, 5, 2, 4, 3], strict=True)),
    "careful": dict(zip(CELLS, [3, 4, 4, 3, 4, 4], strict=True)),
    "careless": dict.fromkeys(CELLS, 1),
}
JUDGE = ScoreSource(
    name="llama@1",
    kind="judge",
    is_gold=True,
    family="llama",
    temperature=1.0,
    replicates=3,
    comparable=True,
    is_stand_in=False,
    presentation="single",
)
FAMILIES = {"m1": "qwen", "big": "claude"}
FIRST = "judge gold"


def guard(
    data: StudyData,
    rules: QualityRules | None = None,
    *,
    gold: ScoreSource = JUDGE,
    families: Mapping[str, str] = FAMILIES,
) -> dict[str, list[dict[Any, Any]]]:
    """The tables as rows."""
    tables = circularity(
        check(data), data.contrast, rules or QualityRules(), gold=gold, families=families
    )
    return {name: table.to_dict("records") for name, table in tables.items()}


def test_the_judge_drops_the_careful_and_the_others_the_careless() -> None:
    rows = guard(study(RATERS, gold=GOLD))["guard_raters"]
    assert [(row["participant"], row["left_out_by"]) for row in rows] == [
        ("careful", FIRST),
        ("careless", CONSENSUS),
    ]
    careful, careless = rows
    # Gold scores 2, 1, 2: the careful rater is 1, 3, 2 away, and the careless 1, 0, 1.
    assert (careful["mae"], careless["mae"]) == (2, pytest.approx(2 / 3))
    # The four others' sums, 3+4+4+3 and so on, are those of the items' ratings.
    others = [Fraction(n, 4) - 1 for n in (14, 14, 18, 10, 17, 14)]
    assert careless["mae_consensus"] == pytest.approx(float(sum(others) / 6))
    sums = (12, 11, 15, 8, 14, 11)
    others = [Fraction(n, 4) - own for n, own in zip(sums, (3, 4, 4) * 2, strict=True)]
    assert careful["mae_consensus"] == pytest.approx(float(sum(map(abs, others)) / 6))


def test_funnel_wins_and_means_stand_side_by_side() -> None:
    data = study(RATERS, gold=GOLD)
    tables = guard(data)
    last = [row for row in tables["guard_funnel"] if row["step"] == "sigma_mae"]
    assert [(row["way"], row["remaining"]) for row in last] == [(FIRST, 4), (CONSENSUS, 4)]
    assert tables["guard_funnel"][-1]["way"] == UNFILTERED
    assert tables["guard_funnel"][-1]["remaining"] == 5

    own = analyse(data, QualityRules()).tables
    first = [row for row in tables["guard_wins"] if row.pop("way") == FIRST]
    assert first == own["wins_summary"].to_dict("records")

    tuned = [row for row in tables["guard_systems"] if row["condition"] == "tuned"]
    # Three raters' 23 points with the careless one's 2, with the careful one's 8, and with both.
    means = [25 / 8, 31 / 8, 33 / 10]
    assert [row["n"] for row in tuned] == [8, 8, 10]
    assert [row["mean"] for row in tuned] == pytest.approx(means)
    assert [row["difference"] for row in tuned] == pytest.approx([m - means[0] for m in means])


def test_the_consensus_is_of_those_whom_every_other_rule_leaves() -> None:
    people = {"careless": {"duration_seconds": 30.0}}
    checked = check(study(RATERS, gold=GOLD, people=people))
    rules = QualityRules()
    assert raters_before(checked, rules).tolist() == ["careful", "fond", "mixed", "varied"]
    mae = consensus_mae(checked, rules)
    sums = (11, 10, 14, 7, 13, 10)  # without the careless one
    others = [Fraction(n, 3) - own for n, own in zip(sums, (3, 4, 4) * 2, strict=True)]
    assert mae["careful"] == pytest.approx(float(sum(map(abs, others)) / 6))
    # Who is no part of the consensus is still held against it.
    assert mae["careless"] > 2


def test_an_item_without_other_raters_says_nothing() -> None:
    alone = {cell: rating for cell, rating in RATERS["fond"].items() if cell[0] == "S1"}
    checked = check(study({"fond": RATERS["fond"], "varied": alone}, gold=GOLD))
    mae = consensus_mae(checked, QualityRules())
    assert mae.to_dict() == {"fond": 0, "varied": 0}
    (only,) = consensus_mae(check(study({"fond": alone}, gold=GOLD)), QualityRules())
    assert isnan(only)


def test_items_without_a_gold_score_say_nothing_about_the_distance_to_others_either() -> None:
    scored = {cell: gold for cell, gold in GOLD.items() if cell[0] == "S1"}
    mae = consensus_mae(check(study(RATERS, gold=scored)), QualityRules())
    others = [Fraction(n, 4) - 1 for n in (14, 14, 18)]  # as above, in the first scenario
    assert mae["careless"] == pytest.approx(float(sum(others) / 3))


def test_the_differences_are_told_in_words() -> None:
    texts = [row["text"] for row in guard(study(RATERS, gold=GOLD))["guard_warnings"]]
    consensus = "With the leave-one-rater-out consensus instead of the gold scores"
    assert texts == [
        f"{consensus}, 4 raters are kept instead of 4: 1 more and 1 fewer.",
        f"{consensus}: wins of base 1 → 0, ties 0 → 1.",
        f"{consensus}, the mean that changes most is that of m1 (tuned): by +0.750 to 3.875.",
        "Without the rule sigma_mae, 5 raters are kept instead of 4: 1 more and 0 fewer.",
        "Without the rule sigma_mae: wins of base 1 → 0, ties 0 → 1.",
        "Without the rule sigma_mae, the mean that changes most is that of m1 (tuned): "
        "by +0.175 to 3.300.",
    ]


def test_ways_that_agree_are_said_to() -> None:
    kept = {name: RATERS[name] for name in ("fond", "varied")}
    assert guard(study(kept, gold=GOLD))["guard_warnings"] == [
        {
            "kind": "ways_agree",
            "text": f"{way}, the same raters are kept, so wins and means are the same.",
        }
        for way in (
            "With the leave-one-rater-out consensus instead of the gold scores",
            "Without the rule sigma_mae",
        )
    ]


@pytest.mark.parametrize(
    ("gold", "families", "kinds"),
    [
        (JUDGE, {"m1": "llama", "big": "claude"}, {"same_family": ["llama@1", "llama", "m1"]}),
        (JUDGE, {"m1": "Llama", "big": "claude"}, {"same_family": ["llama@1", "llama", "m1"]}),
        (JUDGE, {"m1": "qwen"}, {"family_unknown": ["big"]}),
        (JUDGE._replace(family=""), FAMILIES, {"family_unknown": ["llama@1", "not stated"]}),
        (JUDGE._replace(kind="panel", family=""), FAMILIES, {}),
        (JUDGE._replace(kind="file", family=""), FAMILIES, {"family_unknown": ["a file"]}),
        (JUDGE._replace(kind="file", family="", is_stand_in=True), FAMILIES, {}),
    ],
    ids=[
        *("the same", "capitalised", "a model's unknown", "the judge's unknown"),
        *("a panel has none", "a file does not say", "a file of a stand-in"),
    ],
)
def test_families_are_named(
    gold: ScoreSource, families: dict[str, str], kinds: dict[str, list[str]]
) -> None:
    rows = guard(study(RATERS, gold=GOLD), gold=gold, families=families)["guard_warnings"]
    told = {row["kind"]: row["text"] for row in rows if "family" in row["kind"]}
    assert set(told) == set(kinds)
    for kind, words in kinds.items():
        assert all(word in told[kind] for word in words)


def test_scores_of_a_stand_in_are_called_so() -> None:
    rows = guard(study(RATERS, gold=GOLD), gold=JUDGE._replace(is_stand_in=True))["guard_raters"]
    assert rows[0]["left_out_by"] == "stand-in gold"


def test_a_study_without_a_contrast_has_no_wins_and_everything_else() -> None:
    tables = guard(study(RATERS, gold=GOLD, contrast=Contrast(None, None, None)))
    assert set(tables) == {"guard_funnel", "guard_systems", "guard_raters", "guard_warnings"}


def test_where_nobody_is_filtered_by_distance_there_is_nothing_to_guard_against() -> None:
    with pytest.raises(NotAvailable, match="filters nobody by their distance"):
        guard(study(RATERS, gold=GOLD), QualityRules(order=["duration"]))
    with pytest.raises(NotAvailable, match="no rating has a gold score"):
        guard(study(RATERS))


def test_everybody_left_out_leaves_tables_without_means() -> None:
    people = {name: {"duration_seconds": 1.0} for name in RATERS}
    tables = guard(study(RATERS, gold=GOLD, people=people))
    assert "guard_wins" not in tables
    assert {row["n"] for row in tables["guard_systems"]} == {0}
    assert tables["guard_raters"] == []
