"""Judges against people: by hand, and a reason for whatever cannot be had."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from pandas import DataFrame
from scipy.stats import pearsonr, spearmanr

from analysis.judges.agreement_with_people import (
    OTHER_SCALE,
    judge_agreement,
    judge_bias,
    reversed_scales,
)
from analysis.judges.judge_as_rater import alt_tests
from analysis.judges.judged import Judged, JudgesData, judged
from analysis.judges.judging import analyse_judges
from analysis.judges.prediction_powered import prediction_powered_means
from analysis.pipeline import StudyData
from analysis.quality_rules import QualityRules
from analysis.stats.agreement import krippendorff_alpha
from analysis.study_data import check
from tests.analysis.judged_study import CONTRAST, Cell, cells, judges, study

TWO = [cell for cell in cells("S1", "S2") if cell[2] != "big"]
RATINGS = dict(zip(TWO, [1, 2, 3, 4], strict=True))


def together(data: StudyData, of: JudgesData) -> Judged:
    return judged(check(data), of, data.participants["participant"])


def agreement(data: StudyData, of: JudgesData) -> dict[str, dict[Any, Any]]:
    """The rows of one judge, by statistic."""
    table = judge_agreement(together(data, of), level="ordinal", seed=1)
    return {row["statistic"]: row for row in table.to_dict("records")}


def once(scores: Mapping[Cell, float]) -> dict[Cell, list[float | None]]:
    return {cell: [score] for cell, score in scores.items()}


def test_correlations_are_of_item_means_within_scenarios() -> None:
    # Within each scenario the judge goes up with people; between them it goes down.
    scores = once(dict(zip(TWO, [4.0, 5.0, 1.0, 3.0], strict=True)))
    data = study({"r": RATINGS, "s": dict(zip(TWO, [1, 4, 3, 4], strict=True))})
    rows = agreement(data, judges({"j": scores}))
    # People's means 1, 3 | 3, 4, the judge's 4, 5 | 1, 3: Σxy 1 + 1, Σxx 2 + ½, Σyy ½ + 2.
    assert rows["pearson_within"]["value"] == pytest.approx(2 / 2.5)
    centred = pearsonr([-1, 1, -0.5, 0.5], [-0.5, 0.5, -1, 1]).statistic
    assert rows["pearson_within"]["value"] == pytest.approx(centred)
    assert rows["spearman_within"]["value"] == pytest.approx(1)
    assert rows["spearman_within"]["note"] == "bootstrap over 2 scenarios"
    assert (rows["pearson_within"]["n_raters"], rows["pearson_within"]["n_items"]) == (2, 4)


def test_bias_is_signed_and_has_limits() -> None:
    scores = once(dict(zip(TWO, [2.0, 2.0, 3.0, 3.0], strict=True)))
    rows = agreement(study({"r": RATINGS}), judges({"j": scores}))
    # Differences 1, 0 | 0, −1: nothing on the whole, half a point up or down by scenario.
    assert rows["bias"]["value"] == 0
    assert (rows["bias"]["ci_low"], rows["bias"]["ci_high"]) == (-0.5, 0.5)
    assert rows["limits_high"]["value"] == pytest.approx(1.96 * np.sqrt(2 / 3))
    assert rows["limits_low"]["value"] == -rows["limits_high"]["value"]


def test_people_are_the_mean_of_raters() -> None:
    raters = {name: dict.fromkeys(TWO, rating) for name, rating in (("r", 1), ("s", 1), ("t", 5))}
    rows = agreement(study(raters), judges({"j": once(dict.fromkeys(TWO, 3.0))}))
    assert rows["bias"]["value"] == pytest.approx(3 - 7 / 3)


def test_a_reference_in_four_sets_counts_once() -> None:
    everywhere = cells("S1", sets=4)
    ratings = {cell: 5 if cell[2] == "big" else 2 for cell in everywhere}
    scores = once(dict.fromkeys(everywhere, 3.0))
    rows = agreement(study({"r": ratings}), judges({"j": scores}))
    # Eight responses at 3 − 2 and one reference at 3 − 5; by place it would be (8 − 4 · 2) / 12.
    assert rows["bias"]["n_items"] == 9
    assert rows["bias"]["value"] == pytest.approx((8 - 2) / 9)


def test_length_is_correlated_with_the_judge_and_beside_it_with_people() -> None:
    words = dict(zip(TWO, [10, 20, 30, 40], strict=True))
    scores = once(dict(zip(TWO, [1.0, 2.0, 1.0, 2.0], strict=True)))
    people = dict(zip(TWO, [2, 1, 2, 1], strict=True))
    rows = agreement(study({"r": people}), judges({"j": scores}, words=words))
    assert rows["length_spearman"]["value"] == pytest.approx(1)
    assert rows["length_spearman_people"]["value"] == pytest.approx(-1)


def test_alpha_is_of_the_raters_alone_and_with_the_judge_as_one_more() -> None:
    other = dict(zip(TWO, [2, 2, 3, 5], strict=True))
    scores = dict(zip(TWO, [(1.0, 2.0), (2.0, 2.0), (3.0, 4.0), (4.0, 5.0)], strict=True))
    rows = agreement(study({"r": RATINGS, "s": other}), judges({"j": scores}))
    alone = DataFrame({"r": [1, 2, 3, 4], "s": [2, 2, 3, 5]})
    with_judge = alone.assign(judge=[1.5, 2.0, 3.5, 4.5])
    assert rows["alpha_raters"]["value"] == krippendorff_alpha(alone)
    assert rows["alpha_with_judge"]["value"] == krippendorff_alpha(with_judge)
    assert rows["alpha_raters"]["ci_low"] <= rows["alpha_raters"]["value"]


FAMILIES = {"m1": "llama", "m2": "qwen"}
FOUR = [cell for cell in cells("S1", sets=2) if cell[2] != "big"]


def test_own_family_bias_is_what_the_judges_family_gets_more_than_others() -> None:
    scores = once({cell: 5.0 if cell[2] == "m1" else 3.0 for cell in FOUR})
    of = judges({"j": scores}, about={"j": {"family": "Llama"}}, families=FAMILIES)
    data = study({"r": dict.fromkeys(FOUR, 3)})
    assert agreement(data, of)["own_family_bias"]["value"] == 2
    table = judge_bias(together(data, of), seed=1)
    families = table[table["by"] == "family"].set_index("group")
    assert families["bias"].to_dict() == {"llama": 2, "qwen": 0}
    assert families["n"].to_dict() == {"llama": 2, "qwen": 2}


@pytest.mark.parametrize(
    ("family", "families", "reason"),
    [
        ("", FAMILIES, "the judge's family is not stated"),
        ("gpt", FAMILIES, "no evaluated model is of the judge's family (gpt)"),
        (
            "llama",
            {"m1": "llama"},
            "no evaluated model is of another family than the judge's (llama)",
        ),
    ],
)
def test_own_family_bias_has_a_reason_where_families_are_not_known(
    family: str, families: dict[str, str], reason: str
) -> None:
    of = judges({"j": once(RATINGS)}, about={"j": {"family": family}}, families=families)
    row = agreement(study({"r": RATINGS}), of)["own_family_bias"]
    assert row["note"] == f"not estimable, because {reason}"


def test_model_of_no_stated_family_is_not_taken_for_one_of_another() -> None:
    of = judges(
        {"j": once(dict.fromkeys(FOUR, 3.0))},
        about={"j": {"family": "llama"}},
        families={"m1": "llama"},
    )
    row = agreement(study({"r": dict.fromkeys(FOUR, 3)}), of)["own_family_bias"]
    assert row["note"] == (
        "not estimable, because no evaluated model is of another family than the judge's (llama)"
    )


def test_bias_is_told_by_condition_and_model() -> None:
    scores = once(dict(zip(TWO, [2.0, 2.0, 5.0, 3.0], strict=True)))
    table = judge_bias(together(study({"r": RATINGS}), judges({"j": scores})), seed=1)
    # Differences: base +1, tuned 0 | base +2, tuned −1. No family is stated, so none is told.
    found = [(row["by"], row["group"], row["bias"]) for row in table.to_dict("records")]
    assert found == [
        ("all", "all", 0.5),
        ("condition", "base", 1.5),
        ("condition", "tuned", -0.5),
        ("model", "m1", 0.5),
    ]


def test_a_judge_that_always_answers_three_is_shown_for_what_it_is() -> None:
    rows = agreement(study({"r": RATINGS}), judges({"j": once(dict.fromkeys(TWO, 3.0))}))
    for name in ("pearson_within", "spearman_within", "length_spearman"):
        assert np.isnan(rows[name]["value"])
    assert rows["spearman_within"]["note"] == (
        "not estimable, because the judge gave every response the same score (3)"
    )
    assert rows["bias"]["value"] == 0.5


def test_a_judge_on_another_scale_is_compared_by_ranks_alone() -> None:
    scores = once(dict(zip(TWO, [10.0, 90.0, 70.0, 20.0], strict=True)))
    of = judges({"j": scores}, about={"j": {"comparable": False}})
    rows = agreement(study({"r": RATINGS}), of)
    within = np.mean([spearmanr([1, 2], [10, 90]).statistic, spearmanr([3, 4], [70, 20]).statistic])
    assert rows["spearman_within"]["value"] == pytest.approx(within)
    other = {name for name, row in rows.items() if row["note"] == OTHER_SCALE}
    assert other == {
        *("pearson_within", "bias", "limits_low", "limits_high", "own_family_bias"),
        "alpha_with_judge",
    }
    table = judge_bias(together(study({"r": RATINGS}), of), seed=1)
    assert table[["by", "n", "note"]].to_numpy().tolist() == [["all", 4, OTHER_SCALE]]


@pytest.mark.parametrize(
    ("scores", "comparable", "said"),
    [
        ([4.0, 3.0, 2.0, 1.0], True, "r with people is −1.00"),
        ([9.0, 8.0, 7.0, 6.0], False, "ρ with people is −1.00"),
        ([1.0, 2.0, 3.0, 4.0], True, None),
        ([1.0, 2.0, 3.0, 2.9], True, None),  # up in one scenario, down in the other
    ],
)
def test_judge_that_contradicts_people_is_warned_of(
    scores: list[float], comparable: bool, said: str | None
) -> None:
    given = once(dict(zip(TWO, scores, strict=True)))
    of = judges({"j": given}, about={"j": {"comparable": comparable}})
    table = judge_agreement(together(study({"r": RATINGS}), of), level="ordinal", seed=1)
    told = reversed_scales(table)
    assert [kind for kind, _ in told] == (["reversed_scale"] if said else [])
    assert all(str(said) in text for _, text in told)


def test_warning_of_such_a_judge_is_among_the_others() -> None:
    against = once({cell: 5.0 - rating for cell, rating in RATINGS.items()})
    tables, *_ = analyse_judges(study({"r": RATINGS}), judges({"j": against}), QualityRules())
    assert "reversed_scale" in set(tables["guard_warnings"]["kind"])


ONE = TWO[:2]


@pytest.mark.parametrize(
    ("raters", "scores", "statistic", "note"),
    [
        ({"r": RATINGS}, RATINGS, "alpha_raters", "no response has two raters"),
        (
            {"r": dict.fromkeys(TWO, 3), "s": dict.fromkeys(TWO, 3)},
            RATINGS,
            "alpha_raters",
            "all ratings are the same",
        ),
        (
            {"r": dict.fromkeys(TWO, 3)},
            RATINGS,
            "pearson_within",
            "people's mean is the same for every response (3)",
        ),
        (
            {"r": {TWO[0]: 1, TWO[2]: 2}},
            RATINGS,
            "spearman_within",
            "no scenario has two responses with both",
        ),
        ({"r": {TWO[0]: 1}}, RATINGS, "limits_low", "one response has both a score and ratings"),
        (
            {"r": {TWO[0]: 1}},
            {TWO[1]: 1},
            "bias",
            "no response has both a score and ratings",
        ),
        (
            {"r": RATINGS},
            dict(zip(TWO, [1, 1, 2, 2], strict=True)),
            "pearson_within",
            "within scenarios judge or people never varies",
        ),
    ],
    ids=[
        *("one rater", "all the same", "constant raters", "one each", "one response"),
        *("nothing shared", "constant within scenarios"),
    ],
)
def test_what_cannot_be_had_has_its_reason(
    raters: Mapping[str, Mapping[Cell, int]],
    scores: Mapping[Cell, float],
    statistic: str,
    note: str,
) -> None:
    row = agreement(study(raters), judges({"j": once(scores)}))[statistic]
    assert np.isnan(row["value"])
    assert row["note"] == f"not estimable, because {note}"


def test_one_scenario_has_values_without_intervals() -> None:
    rows = agreement(
        study({"r": dict(zip(ONE, [1, 2], strict=True))}),
        judges({"j": once(dict(zip(ONE, [2.0, 4.0], strict=True)))}),
    )
    for name, value in (("pearson_within", 1.0), ("spearman_within", 1.0), ("bias", 1.5)):
        assert rows[name]["value"] == pytest.approx(value)
        assert np.isnan(rows[name]["ci_low"])
        assert rows[name]["note"] == "no interval, because there is one scenario"


def test_a_bias_of_one_response_has_neither_interval_nor_limits() -> None:
    found = together(study({"r": {TWO[0]: 1}}), judges({"j": {TWO[0]: [3.0]}}))
    table = judge_bias(found, seed=1)
    assert set(table["bias"]) == {2.0}
    assert set(table["note"]) == {
        "no interval, because there is one scenario; no limits, because there is one response"
    }


# Examples


def with_examples(of: JudgesData, *cells: Cell) -> JudgesData:
    """The judge "j" had the responses in these cells as examples."""
    places = of.responses.set_index(["scenario", "set", "model", "condition"])["response"]
    rows = [("j", places[cell]) for cell in cells]
    return replace(of, examples=DataFrame(rows, columns=["judge", "response"]))


def test_responses_that_were_examples_are_left_out_and_counted() -> None:
    # Of the last response the judge knows that people gave it a 4; of the others it is wrong by 1.
    scores = once(dict(zip(TWO, [2.0, 3.0, 4.0, 4.0], strict=True)))
    data = study({"r": RATINGS, "s": RATINGS})
    known = with_examples(judges({"j": scores, "k": scores}), TWO[-1])
    table = judge_agreement(together(data, known), level="ordinal", seed=1)
    bias = table[table["statistic"] == "bias"].set_index("judge")
    assert bias["value"].to_dict() == {"j": 1.0, "k": 0.75}
    assert bias["n_items"].to_dict() == {"j": 3, "k": 4}
    assert bias["n_examples"].to_dict() == {"j": 1, "k": 0}


def test_examples_count_in_no_other_comparison_with_people() -> None:
    scores = once(dict(zip(TWO, [2.0, 3.0, 4.0, 4.0], strict=True)))
    data = study({"r": RATINGS, "s": RATINGS, "t": RATINGS})
    known = together(data, with_examples(judges({"j": scores}), TWO[-1]))
    tests, _ = alt_tests(known, [1, 2, 3, 4, 5], epsilon=0.1)
    assert set(tests[tests["judge"] == "j"]["n_items"]) == {3}
    everything = judge_bias(known, seed=1).set_index(["by", "group"])["n"]
    assert everything["all", "all"] == 3
    estimates = prediction_powered_means(known, CONTRAST)
    assert estimates["n_judged"].max() < len(TWO)


def test_example_that_nobody_rated_is_not_counted() -> None:
    scores = once(dict.fromkeys(cells("S1", "S2"), 3.0))
    known = with_examples(judges({"j": scores}), ("S1", "1", "big", "reference"))
    rows = agreement(study({"r": RATINGS}), known)
    assert (rows["bias"]["n_items"], rows["bias"]["n_examples"]) == (4, 0)
