"""What is said of the multiverse, and of how few raters or scenarios carry the main result."""

from typing import Any

import pytest

from analysis.tables.sensitivity import WITHOUT_FLAGGED
from analysis.text.findings import findings
from tests.analysis.written import FRONT, ITEMS, SHIPPED, about, cited, said, tables
from tests.approved import Approval

SUMMARY = {
    "recipe": "sound", "dimension": "warmth", "model": "all", "scale": "ratings",
    "specifications": 54, "not_estimable": 0, "significant": 12, "significant_share": 12 / 54,
    "sign_changed": 3, "sign_changed_share": 3 / 54, "median": -0.12, "smallest": -0.31,
    "largest": 0.04,
}  # fmt: skip


def test_multiverse_says_how_many_agree(approved: Approval) -> None:
    rows = [SUMMARY | {"scale": "latent", "specifications": 9}, SUMMARY, SUMMARY | {"model": "Ant"}]
    found = about(findings(tables(items=ITEMS, multiverse_summary=rows), SHIPPED), "Other choices")
    approved(*said(found.sound))
    assert cited(found.sound[0])[0] == ("54", "multiverse_summary.csv#cell=3,5")


def test_multiverse_without_a_main_result_or_an_estimate(approved: Approval) -> None:
    unknown = SUMMARY | {"sign_changed": None, "sign_changed_share": None, "specifications": 1}
    nothing = SUMMARY | {"specifications": 0, "not_estimable": 7}
    for row in (unknown, nothing):
        found = findings(tables(items=ITEMS, multiverse_summary=[row]), SHIPPED)
        approved(*said(about(found, "Other choices").sound))


DISAGREED = (
    "not estimable, because this test (p = .041) and the mixed model (p = .06) disagree about it"
)


def fragile(unit: str, turned: str, left_out: int | None, **more: Any) -> dict[str, Any]:
    n = 116 if unit == "participant" else 6
    of = {"unit": unit, "turned": turned, "n": n, "left_out": left_out, "p": 0.01, "note": ""}
    share = None if left_out is None else left_out / n
    return {**FRONT, "model": "all", **of, "left_out_share": share, "p_after": 0.07, **more}


def test_fragility_says_how_few_turn_significance_and_sign(approved: Approval) -> None:
    rows = [
        fragile("participant", "significance", 3),
        fragile("participant", "sign", 29),
        fragile("scenario", "significance", 1),
        fragile("scenario", "sign", None),
    ]
    found = findings(tables(items=ITEMS, fragility=rows), SHIPPED)
    approved(*said(about(found, "Single raters and scenarios").sound))


def test_fragility_of_what_is_not_significant(approved: Approval) -> None:
    rows = [
        fragile("participant", "significance", None, p=0.3),
        fragile("participant", "sign", 1, p=0.3),
        fragile("scenario", "significance", 2, p=0.3, p_after=0.04),
        fragile("scenario", "sign", 3, p=0.3),
    ]
    found = findings(tables(items=ITEMS, fragility=rows), SHIPPED)
    approved(*said(about(found, "Single raters and scenarios").sound))


def test_fragility_where_the_mixed_model_disagrees_is_of_the_sign_alone(approved: Approval) -> None:
    rows = [
        fragile("participant", "significance", None, note=DISAGREED),
        fragile("participant", "sign", 12),
    ]
    found = findings(tables(items=ITEMS, fragility=rows), SHIPPED)
    approved(*said(about(found, "Single raters and scenarios").sound))


def test_fragility_within_a_model_is_none_of_groups_of_systems() -> None:
    rows = [fragile("participant", turned, 3) for turned in ("significance", "sign")]
    of = {**FRONT, "link": "probit", "scale": "ratings"}
    main = of | {"model": "all", "condition_a": "plain", "condition_b": "tuned"}
    systems = [("Ant", "plain"), ("Bee", "tuned"), ("Cat", "plain"), ("Cat", "tuned")]
    estimated = [of | {"model": model, "condition": condition} for model, condition in systems]
    made = tables(items=ITEMS, fragility=rows, mixed_contrasts=[main], mixed_systems=estimated)
    found = findings(made, SHIPPED)
    assert "Single raters and scenarios" not in [finding.title for finding in found]


TOGETHER = {
    "judge": "llama@1", "dimension": "warmth", "estimand": "difference", "model": "all",
    "condition_a": "plain", "condition_b": "tuned", "people": -0.31, "people_ci_low": -0.72,
    "people_ci_high": 0.1, "estimate": -0.38, "ci_low": -0.66, "ci_high": -0.1, "power": 0.6,
    "gain": 2.1441, "n_rated": 60, "n_judged": 240, "note": "",
}  # fmt: skip


ANY = {"rule": "any", "answers": 90, "flagged_answers": 11, "raters": 40, "flagged_raters": 6}
BESIDE = {
    "recipe": "sound", "dimension": "warmth", "result": "difference", "model": "all",
    "condition": "all", "n": 30, "value": -0.31, "ci_low": -0.5, "ci_high": -0.12,
    "n_unflagged": 26, "unflagged": -0.24, "unflagged_low": -0.46, "unflagged_high": -0.02,
    "change": 0.07, "note": "",
}  # fmt: skip


@pytest.mark.parametrize("moves", ["", "by_raters (significance)"], ids=["same", "moves"])
def test_results_without_flagged_raters_stand_beside_all(moves: str, approved: Approval) -> None:
    variant = {
        "recipe": "sound", "dimension": "warmth", "variant": WITHOUT_FLAGGED,
        "same_conclusion": not moves, "what_moves": moves,
    }  # fmt: skip
    found = findings(
        tables(
            items=ITEMS,
            flagged_writing=[ANY | {"included": 30, "flagged_included": 4}],
            without_flagged=[BESIDE],
            sensitivity=[variant],
        ),
        SHIPPED,
    )
    told = about(found, "Raters flagged for their writing")
    approved(*said(told.sound))
    assert ("0.24", "without_flagged.csv#cell=2,11") in cited(told.sound[0])


def test_means_stand_for_a_study_without_two_conditions(approved: Approval) -> None:
    mean = {"result": "mean", "model": "Ant", "condition": "plain"}
    rows = [BESIDE | mean, BESIDE | mean | {"model": "Bee", "change": -0.2, "unflagged_low": None}]
    for flagged in (1, 0):
        counted = [ANY | {"included": 30, "flagged_included": flagged}]
        made = tables(items=ITEMS, without_flagged=rows, flagged_writing=counted)
        found = findings(made, SHIPPED)
        approved(*said(about(found, "Raters flagged for their writing").sound))


def test_scores_of_a_judge_say_what_they_add_to_the_difference(approved: Approval) -> None:
    longer = TOGETHER | {"judge": "experts", "gain": 0.97, "estimate": 0.02}
    systems = TOGETHER | {"estimand": "system"}
    rows = [systems, TOGETHER, longer]
    found = about(
        findings(tables(items=ITEMS, prediction_powered=rows), SHIPPED), "People and a judge"
    )
    approved(*said(found.sound))
    assert cited(found.sound[0])[0] == ("240", "prediction_powered.csv#cell=3,16")


def test_scores_that_are_not_used_are_not_said() -> None:
    rows = [
        TOGETHER | {"power": 0.0, "gain": 1.0},
        TOGETHER | {"power": None, "gain": None, "estimate": None},
    ]
    found = findings(tables(items=ITEMS, prediction_powered=rows), SHIPPED)
    assert "People and a judge" not in [finding.title for finding in found]


def test_what_cannot_be_tested_is_not_said() -> None:
    rows = [fragile("participant", "sign", None, p=None, note=DISAGREED)]
    found = findings(tables(items=ITEMS, fragility=rows), SHIPPED)
    assert "Single raters and scenarios" not in [finding.title for finding in found]


LENGTHS = {
    **FRONT, "link": "probit", "unit": "rating", "n": 2784, "model": "all",
    "condition_a": "plain", "condition_b": "tuned", "words_a": 84.25, "words_b": 61.5,
    "difference": 0.3, "ci_low": 0.1, "ci_high": 0.5, "p": 0.004,
    "adjusted": 0.21, "adjusted_low": 0.02, "adjusted_high": 0.4, "adjusted_p": 0.031,
    "per_doubling": 0.2, "what_moves": "", "note": "",
}  # fmt: skip


def test_equal_lengths_say_what_becomes_of_the_main_result(approved: Approval) -> None:
    lost = {"adjusted": 0.1, "adjusted_low": -0.1, "adjusted_high": 0.3, "adjusted_p": 0.31}
    for changes in (
        {},
        {**lost, "what_moves": "significance"},
        {"p": 0.2, "what_moves": "significance"},
        {"adjusted": -0.21, "adjusted_low": -0.4, "adjusted_high": -0.02, "what_moves": "sign"},
    ):
        rows = [LENGTHS | {"link": "linear"}, LENGTHS | {"model": "Ant"}, LENGTHS | changes]
        found = findings(tables(items=ITEMS, length_adjusted=rows), SHIPPED)
        approved(*said(about(found, "Length of responses").sound))


def test_nothing_is_said_of_lengths_where_no_model_had_them() -> None:
    row = {**FRONT, "link": "probit", "model": "all", "note": "not estimable, because …"}
    found = findings(tables(items=ITEMS, length_adjusted=[row]), SHIPPED)
    assert "Length of responses" not in [finding.title for finding in found]
