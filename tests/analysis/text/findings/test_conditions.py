"""What is said of conditions and of the reference: no more than their tables."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.text.cells import Table
from analysis.text.findings import findings
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import FRONT, ITEMS, SHIPPED, about, cited, said, tables
from tests.approved import Approval


def contrasts(
    raters: float = 0.01, both: float | None = 0.3, difference: float = -0.2, **changes: Any
) -> dict[str, Table]:
    front = {**FRONT, "model": "all", "condition_a": "plain", "condition_b": "tuned"}
    interval = {"difference": difference, "ci_low": -0.3, "ci_high": -0.1}
    rows: list[dict[str, Any]] = [
        {**front, "generalises_to": "raters", "n": 30, **interval, "p": raters, "note": ""},
        {**front, "generalises_to": "scenarios", "n": 6, **interval, "p": 0.2, "note": ""},
        {
            **front,
            "generalises_to": "both",
            "F": 1.5,
            "df1": 1,
            "df2": 5.24,
            "p": both,
            "note": "" if both is not None else "not estimable, because there is one scenario",
        },
    ]
    return tables(items=ITEMS, contrasts=rows, **changes)


def mixed(p: float) -> dict[str, Any]:
    return {
        **FRONT,
        "link": "probit",
        "model": "all",
        "scale": "ratings",
        "condition_a": "plain",
        "condition_b": "tuned",
        "difference": -0.21,
        "ci_low": -0.5,
        "ci_high": 0.08,
        "p": p,
        "limited_by": "texts",
    }


def test_models_that_are_not_among_all_are_named(approved: Approval) -> None:
    for led in ([], [mixed(0.01)]):
        made = contrasts(mixed_contrasts=led) if led else contrasts()
        table = made["contrasts"]
        table.rows[0][table.columns.index("note")] = "without Bee: no ratings of tuned"
        found = said(about(findings(made, SHIPPED), "Condition against condition").sound)
        approved(found[len(led)])


def test_contrast_says_how_far_how_sure_and_of_whom(approved: Approval) -> None:
    found = about(
        findings(contrasts(mixed_contrasts=[mixed(0.16)]), SHIPPED), "Condition against condition"
    )
    approved(*said(found.sound))
    assert found.paper == ()


@pytest.mark.parametrize("source", ["raters", "texts", "ratings"])
def test_main_result_says_what_it_is_uncertain_about(source: str, approved: Approval) -> None:
    made = contrasts(0.01, 0.2, mixed_contrasts=[mixed(0.001) | {"limited_by": source}])
    main, *_ = said(findings(made, SHIPPED)[0].sound)
    approved(main)


@pytest.mark.parametrize("both", [0, 12])
def test_preferences_of_raters_are_named_where_some_rated_both(
    both: int, approved: Approval
) -> None:
    facts = {**FRONT, "dimension": "warmth", "answers": "ratings", "raters_of_both": both}
    by_raters = mixed(0.001) | {"limited_by": "raters"}
    # of each rater's systems, which are of one condition
    spread = {**FRONT, "dimension": "warmth", "parameter": "sd rater:system"}
    made = contrasts(0.01, 0.2, mixed_contrasts=[by_raters], design=[facts], mixed_models=[spread])
    main, *_ = said(findings(made, SHIPPED)[0].sound)
    approved(main)


def test_raters_of_one_condition_each_have_no_differences_within_them(approved: Approval) -> None:
    row = {**FRONT, "model": "all", "note": "not estimable, because X"}
    rows = [row | {"generalises_to": to} for to in ("raters", "scenarios", "both")]
    approved(*said(findings(tables(items=ITEMS, contrasts=rows), SHIPPED)[0].sound))
    made = tables(items=ITEMS, contrasts=rows, mixed_contrasts=[mixed(0.001)])
    approved(said(findings(made, SHIPPED)[0].sound)[0])


@pytest.mark.parametrize("both", [[], ["Ant"]], ids=["no model", "one model"])
def test_groups_are_compared_where_not_every_model_has_both_conditions(
    both: list[str], approved: Approval
) -> None:
    """What raters of the one model with both say is no answer, and stands in the table alone."""
    of = {**FRONT, "link": "probit", "scale": "ratings", "estimate": 3.2}
    systems = [("Ant", "plain"), ("Bee", "tuned"), ("Cat", "tuned"), *((m, "tuned") for m in both)]
    estimated = [of | {"model": model, "condition": condition} for model, condition in systems]
    made = tables(items=ITEMS, mixed_contrasts=[mixed(0.004)], mixed_systems=estimated)
    if both:
        made |= contrasts() | tables(wins=[{"dimension": "warmth", "model": "Dog"}])
        won = {"scenario": "all", "a_wins": 19, "b_wins": 4, "p": 0.003}
        won |= {"condition_a": "plain", "condition_b": "tuned"}
        made |= tables(wins_tests=[FRONT | won])
    approved(*said(about(findings(made, SHIPPED), "Condition against condition").sound))


def test_two_systems_of_different_models_are_no_groups(approved: Approval) -> None:
    of = {**FRONT, "link": "probit", "scale": "ratings", "estimate": 3.2}
    estimated = [
        of | {"model": model, "condition": condition}
        for model, condition in (("Ant", "plain"), ("Bee", "tuned"))
    ]
    made = tables(items=ITEMS, mixed_contrasts=[mixed(0.004)], mixed_systems=estimated)
    approved(said(about(findings(made, SHIPPED), "Condition against condition").sound)[1])


@pytest.mark.parametrize(
    ("raters", "both"),
    [(0.01, 0.01), (0.01, 0.2), (0.06, 0.2), (0.01, None)],
    ids=lambda p: f"p {p}" if p else "not estimable",
)
def test_without_a_mixed_model_what_was_observed_and_min_f_lead(
    raters: float, both: float | None, approved: Approval
) -> None:
    found = said(findings(contrasts(raters, both), SHIPPED)[0].sound)
    approved(found[0], *found[3:])


def test_only_model_of_a_study_is_named(approved: Approval) -> None:
    only = mixed(0.01) | {"model": "Ant"}
    approved(said(findings(tables(items=ITEMS, mixed_contrasts=[only]), SHIPPED)[0].sound)[0])
    made = contrasts()
    table = made["contrasts"]
    for row in table.rows:
        row[table.columns.index("model")] = "Ant"
    approved(said(findings(made, SHIPPED)[0].sound)[0])


def test_model_that_says_the_opposite_keeps_the_direction(approved: Approval) -> None:
    opposite = mixed(0.2) | {"difference": 0.04, "ci_low": -0.1, "ci_high": 0.18}
    approved(*said(findings(contrasts(mixed_contrasts=[opposite]), SHIPPED)[0].sound)[:3])


def test_numbers_of_a_contrast_lead_to_their_cells() -> None:
    """Also those of plain − tuned, said of tuned against plain."""
    found = about(findings(contrasts(), SHIPPED), "Condition against condition")
    assert cited(found.sound[1]) == [
        ("0.10", "contrasts.csv#cell=2,11"),
        ("0.30", "contrasts.csv#cell=2,10"),
        (".010", "contrasts.csv#cell=2,12"),
        ("30", "contrasts.csv#cell=2,8"),
    ]


@pytest.mark.parametrize(
    ("raters", "both", "mixed_p"),
    [
        (0.01, 0.01, 0.01),
        (0.01, 0.2, 0.01),
        (0.01, 0.2, 0.2),
        (0.06, 0.2, 0.2),
        (0.3, 0.01, 0.01),
        (0.3, None, 0.01),
        (0.01, None, 0.01),
        (0.01, None, 0.2),
    ],
    ids=lambda p: f"p {p}" if p else "not estimable",
)
def test_verdict_goes_no_further_than_the_tests(
    raters: float, both: float | None, mixed_p: float, approved: Approval
) -> None:
    made = contrasts(raters, both, mixed_contrasts=[mixed(mixed_p)])
    approved(said(about(findings(made, SHIPPED), "Condition against condition").sound)[0])


def test_mixed_models_that_disagree_are_said_to(
    approved: Approval,
) -> None:
    made = contrasts(0.01, 0.2, mixed_contrasts=[mixed(0.01), mixed(0.2) | {"link": "linear"}])
    approved(*said(findings(made, SHIPPED)[0].sound)[:3])


def test_equal_means_are_said_to_be_equal(approved: Approval) -> None:
    found = findings(contrasts(0.9, 0.9, difference=0.0), SHIPPED)
    approved(said(found[0].sound)[0])


def test_one_scenario_says_why_it_speaks_of_no_other(approved: Approval) -> None:
    made = contrasts(0.01, None)
    row = made["contrasts"].rows[1]
    for column in ("difference", "ci_low", "ci_high", "p"):
        row[made["contrasts"].columns.index(column)] = None
    row[made["contrasts"].columns.index("note")] = "not estimable, because there is one scenario"
    sentences = said(findings(made, SHIPPED)[0].sound)
    approved(sentences[0])
    approved(sentences[2])
    assert len(sentences) == 3


def test_mixed_model_that_cannot_be_had_says_why(approved: Approval) -> None:
    refused = [{**FRONT, "link": "probit", "parameter": "", "note": "not estimable, because X"}]
    sentences = said(findings(contrasts(mixed_models=refused), SHIPPED)[0].sound)
    approved(sentences[-1])


def summary(**changes: Any) -> dict[str, Table]:
    wins = [
        {"dimension": "warmth", "winner": winner, "condition_a": "plain", "condition_b": "tuned"}
        for winner in ["a", "b", "b", ""]
    ]
    row = {
        "scenario": "all",
        "dimension": "warmth",
        "a_wins": 1,
        "b_wins": 2,
        "ties": 0,
        "a_percent": 33.333,
        "b_percent": 66.667,
        "reference_points": 5,
        "reference_points_max": 8,
        "reference_percent": 62.5,
    }
    return tables(items=ITEMS, wins=wins, wins_summary=[row], **changes)


def test_wins_stand_on_the_side_of_print_and_their_test_beside_them(approved: Approval) -> None:
    test = {
        **FRONT,
        "scenario": "all",
        "condition_a": "plain",
        "condition_b": "tuned",
        "a_wins": 1,
        "b_wins": 2,
        "p": 1.0,
        "a_wins_low": 0,
        "a_wins_high": 2,
        "b_wins_low": 1,
        "b_wins_high": 3,
        "resamples": 2000,
    }
    found = about(findings(summary(wins_tests=[test]), SHIPPED), "Condition against condition")
    approved(*said(found.paper))
    approved(*said(found.sound))


def test_wins_that_no_resample_moves_are_said_so(approved: Approval) -> None:
    test = {**FRONT, "scenario": "all", "condition_a": "plain", "resamples": 2000}
    made = summary(wins_tests=[test | {"a_wins_low": 26, "a_wins_high": 26}])
    approved(*said(about(findings(made, SHIPPED), "Condition against condition").sound))


def test_comparisons_that_could_not_be_tested_are_counted(approved: Approval) -> None:
    rows = [{**FRONT, "p_adjusted": p, "note": ""} for p in (0.01, 0.2, None)]
    found = findings(summary(win_differences=rows), SHIPPED)
    approved(*said(about(found, "Condition against condition").sound))


@pytest.mark.parametrize(
    ("n", "zeros", "method", "end"),
    [
        (5, 0, "exact", "; 5 raters; with so few, p < .05 is impossible."),
        (6, 1, "exact", "; 5 of 6 raters with a difference; with so few, p < .05 is impossible."),
        (6, 0, "exact", "; 6 raters."),
        (60, 7, "asymptotic", "; 53 of 60 raters with a difference."),
    ],
)
def test_signed_ranks_of_raters_stand_beside_their_means(
    n: int, zeros: int, method: str, end: str
) -> None:
    row = {"raters": "included", "dimension": "warmth", "model": "all", "n": n, "zeros": zeros}
    row |= {"p": 0.0625, "rank_biserial": -1.0, "method": method}
    found = findings(contrasts(paired=[row, row | {"model": "Ant"}]), SHIPPED)
    assert said(about(found, "Condition against condition").sound)[-1] == (
        "Raters' means by Wilcoxon's signed-rank test: p = .062, rank-biserial correlation 1.00"
        + end
    )


def test_adjustment_of_a_single_p_is_not_spoken_of(approved: Approval) -> None:
    front = {**FRONT, "p_adjusted": 0.01, "note": ""}
    near = {**front, "unit": "participant", "model": "Ant", "condition": "tuned", "margin": 0.25}
    found = findings(summary(win_differences=[front], to_reference=[near]), SHIPPED)
    approved(*said(about(found, "Condition against condition").sound))
    approved(said(about(found, "The reference").sound)[0])


def test_no_comparison_is_said_to_be_none(approved: Approval) -> None:
    made = summary()
    made["wins"].rows[:] = made["wins"].rows[3:]
    approved(*said(findings(made, SHIPPED)[0].paper))


def test_no_points_without_a_reference() -> None:
    made = summary()
    made["wins_summary"].rows[0][8] = 0
    assert [finding.title for finding in findings(made, SHIPPED)] == ["Condition against condition"]


def test_reference_counts_whom_the_adjusted_test_brings_near(approved: Approval) -> None:
    rows = [
        {
            **FRONT,
            "unit": "participant",
            "model": model,
            "condition": "tuned",
            "reference_model": "Human",
            "reference_condition": "expert",
            "margin": 0.25,
            "ci_high": high,
            "p_adjusted": p,
            "note": "" if p is not None else "not estimable, because X",
        }
        for model, high, p in (("Ant", 0.1, 0.01), ("Bee", -0.3, 0.9), ("Cat", 0.2, None))
    ]
    found = about(findings(tables(items=ITEMS, to_reference=rows), SHIPPED), "The reference")
    approved(*said(found.sound))


def test_single_model_is_named(approved: Approval) -> None:
    rows = [list(row) for row in contrasts()["contrasts"].rows]
    place = contrasts()["contrasts"].places["model"]
    for row in rows:
        row[place] = "Ant"
    made = {"contrasts": replace(contrasts()["contrasts"], rows=rows)}
    found = about(findings({**contrasts(), **made}, SHIPPED), "Condition against condition")
    approved(said(found.sound)[0])


def beside(*systems: tuple[str, float, float, float | None]) -> list[dict[str, Any]]:
    """Model, difference to the reference, its p, and that of non-inferiority where tested."""
    of: dict[str, Any] = {**FRONT, "link": "probit", "condition": "tuned"}
    of |= {"reference_model": "Owl", "reference_condition": "human", "ci_low": -0.9, "ci_high": 0.1}
    return [
        of
        | {"model": model, "difference": difference, "p": p, "p_adjusted": p}
        | {"margin": None if near is None else 0.25, "p_non_inferior_adjusted": near}
        for model, difference, p, near in systems
    ]


@pytest.mark.parametrize(
    "systems",
    [
        [("Ant", -0.4, 0.01, None)],
        [("Ant", -0.1, 0.3, 0.01)],
        [("Ant", -0.4, 0.01, 0.9), ("Bee", -0.5, 0.02, 0.9)],
        [("Ant", -0.4, 0.01, 0.9), ("Bee", 0.1, 0.4, 0.01), ("Cat", 0.5, 0.001, 0.001)],
        [(f"m{n}", -0.1 * n, 0.2 if n < 5 else 0.01, None) for n in range(1, 17)],
    ],
    ids=["one below", "one not told apart", "all below", "each way", "many"],
)
def test_systems_are_held_against_the_reference_by_the_model(
    systems: list[tuple[str, float, float, float | None]], approved: Approval
) -> None:
    made = tables(items=ITEMS, reference_contrasts=beside(*systems))
    finding = about(findings(made, SHIPPED), "The reference")
    assert finding.table == "reference_contrasts"
    approved(*said(finding.sound))


def test_reference_is_left_to_the_model_that_can_be_had() -> None:
    rows = beside(("Ant", -0.4, 0.01, 0.9), ("Bee", 0.1, 0.4, 0.01))
    why = {**FRONT, "link": "logit", "model": "", "note": "not estimable, because X"}
    alone, beside_another = (
        said(about(findings(made, SHIPPED), "The reference").sound)
        for made in (tables(items=ITEMS, reference_contrasts=each) for each in (rows, [why, *rows]))
    )
    assert beside_another == alone


@pytest.mark.parametrize("n", [1, 2])
def test_another_model_beside_the_reference_is_told(n: int, approved: Approval) -> None:
    first = beside(("Ant", -0.4, 0.01, None), ("Bee", 0.1, 0.4, None))[:n]
    rows = [*first, *({**row, "link": "linear", "p_adjusted": 0.2} for row in first)]
    made = tables(items=ITEMS, reference_contrasts=rows)
    approved(said(about(findings(made, SHIPPED), "The reference").sound)[-1])


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("findings/conditions.j2") == []
