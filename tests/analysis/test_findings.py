"""What is said in short: true of its tables, and nothing where there is nothing to say."""

from typing import Any

import pytest

from analysis.cells import Cited, Table
from analysis.findings import Finding, findings
from tests.analysis.written import PAPER, SHIPPED, SOUND, recipe, said, tables

FRONT = {"recipe": "sound", "raters": "included", "dimension": "warmth"}
ITEMS = [{"dimension": "warmth"}]


def of(found: list[Finding], title: str) -> Finding:
    return next(finding for finding in found if finding.title == title)


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
    }


# ── Condition against condition ───────────────────────────────────────────────────────────────────


def test_contrast_says_how_far_how_sure_and_of_whom() -> None:
    found = of(
        findings(contrasts(mixed_contrasts=[mixed(0.16)]), SHIPPED), "Condition against condition"
    )
    assert said(found.sound) == [
        "Over all models, plain was rated 0.20 points lower than tuned. That is more than chance "
        "among raters would make of these texts; whether it goes beyond them, these data do not "
        "say.",
        "For other raters of these very texts (F1): 95 % interval −0.30 to −0.10, p = .010; 30 "
        "raters.",
        "For other scenarios before these raters (F2): 95 % interval −0.30 to −0.10, p = .200; 6 "
        "scenarios.",
        "For both at once: min F′(1, 5.2) = 1.50, p = .300.",
        "For other raters and other texts, a mixed model of both at once (ordinal, probit) puts "
        "plain 0.21 points lower than tuned: 95 % interval −0.50 to 0.08, p = .160.",
    ]
    assert found.paper == ()


def test_numbers_of_a_contrast_lead_to_their_cells() -> None:
    found = of(findings(contrasts(), SHIPPED), "Condition against condition")
    cited = [part for part in found.sound[1] if isinstance(part, Cited)]
    assert [(part.text, part.address) for part in cited] == [
        ("−0.30", "contrasts.csv#cell=2,10"),
        ("−0.10", "contrasts.csv#cell=2,11"),
        (".010", "contrasts.csv#cell=2,12"),
        ("30", "contrasts.csv#cell=2,8"),
    ]


@pytest.mark.parametrize(
    ("raters", "both", "mixed_p", "verdict"),
    [
        (0.01, 0.01, 0.01, "That is more than chance among raters and texts would make."),
        (0.01, 0.2, 0.01, "Whether it goes beyond these texts depends on what is meant by that"),
        (0.01, 0.2, 0.2, "whether it goes beyond them, these data do not say"),
        (0.3, 0.2, 0.2, "No difference is shown; that is no evidence that there is none"),
        (0.3, 0.01, 0.01, "It is shown across texts, and not across raters."),
    ],
)
def test_verdict_goes_no_further_than_the_tests(
    raters: float, both: float, mixed_p: float, verdict: str
) -> None:
    made = contrasts(raters, both, mixed_contrasts=[mixed(mixed_p)])
    first = said(of(findings(made, SHIPPED), "Condition against condition").sound)[0]
    assert verdict in first


def test_equal_means_are_said_to_be_equal() -> None:
    found = findings(contrasts(0.9, 0.9, difference=0.0), SHIPPED)
    assert "plain was rated exactly as high (difference 0.00) as tuned" in said(found[0].sound)[0]


def test_one_scenario_says_why_it_speaks_of_no_other() -> None:
    made = contrasts(0.01, None)
    row = made["contrasts"].rows[1]
    for column in ("difference", "ci_low", "ci_high", "p"):
        row[made["contrasts"].columns.index(column)] = None
    row[made["contrasts"].columns.index("note")] = "not estimable, because there is one scenario"
    sentences = said(findings(made, SHIPPED)[0].sound)
    assert sentences[0].endswith("lower than tuned. More cannot be said of other texts.")
    assert sentences[2] == (
        "For other scenarios before these raters (F2) it is not estimable, because there is one "
        "scenario."
    )
    assert len(sentences) == 3


def test_mixed_model_that_cannot_be_had_says_why() -> None:
    refused = [{**FRONT, "link": "probit", "parameter": "", "note": "not estimable, because X"}]
    sentences = said(findings(contrasts(mixed_models=refused), SHIPPED)[0].sound)
    assert sentences[-1] == "The mixed model (ordinal, probit) is not estimable, because X."


# ── Wins and the reference ────────────────────────────────────────────────────────────────────────


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


def test_wins_stand_on_the_side_of_print_and_their_test_beside_them() -> None:
    test = {
        **FRONT,
        "scenario": "all",
        "condition_a": "plain",
        "a_wins": 1,
        "b_wins": 2,
        "p": 1.0,
        "a_wins_low": 0,
        "a_wins_high": 2,
        "resamples": 2000,
    }
    found = of(findings(summary(wins_tests=[test]), SHIPPED), "Condition against condition")
    assert said(found.paper) == [
        "plain has the higher mean in 1 of 3 comparisons of model and scenario (33.3 %), tuned in "
        "2 (66.7 %), 0 ties. A count of wins says nothing of how large or how sure a difference is."
    ]
    assert said(found.sound) == [
        "1 against 2 wins: sign test p > .999, as if the comparisons were independent.",
        "With raters drawn anew and the same texts, plain wins between 0 and 2 of them (95 % "
        "interval, 2,000 resamples).",
    ]


def test_no_comparison_is_said_to_be_none() -> None:
    made = summary()
    made["wins"].rows[:] = made["wins"].rows[3:]
    assert said(findings(made, SHIPPED)[0].paper) == ["No comparison of means could be made."]


def test_no_points_without_a_reference() -> None:
    made = summary()
    made["wins_summary"].rows[0][8] = 0
    assert [finding.title for finding in findings(made, SHIPPED)] == ["Condition against condition"]


def test_reference_counts_whom_the_adjusted_test_brings_near() -> None:
    rows = [
        {
            **FRONT,
            "unit": "participant",
            "model": model,
            "condition": "tuned",
            "margin": 0.25,
            "ci_high": high,
            "p_adjusted": p,
        }
        for model, high, p in (("Ant", 0.1, 0.01), ("Bee", -0.3, 0.9), ("Cat", 0.2, None))
    ]
    found = of(findings(tables(items=ITEMS, to_reference=rows), SHIPPED), "The reference")
    assert said(found.sound) == [
        "For other raters of these very texts: 1 of 2 systems is shown to lie less than 0.25 "
        "points below the reference, or above it (non-inferiority at 5 %, Holm): Ant tuned.",
        "The whole interval lies below the reference for 1.",
    ]


# ── Groups ────────────────────────────────────────────────────────────────────────────────────────


def group(name: str, unit: str, p: float | None, **changes: Any) -> dict[str, Any]:
    return {
        **FRONT,
        "recipe": name,
        "unit": unit,
        "factor": "age",
        "group_a": "60+",
        "group_b": "under 60",
        "model": "Ant",
        "condition": "all",
        "scenario": "all",
        "test": "student" if unit == "rating" else "welch",
        "n_a": 8,
        "n_b": 108,
        "difference": -0.2,
        "ci_low": -0.5,
        "ci_high": 0.1,
        "p": p,
        "p_adjusted": p,
        "note": "",
        **changes,
    }


def test_groups_stand_beside_each_other_by_raters_and_by_ratings() -> None:
    rows = [
        group("paper", "rating", 0.004, n_a=96, n_b=1296),
        group("sound", "participant", 0.2),
        group("sound", "participant", 0.6, model="Bee", ci_low=-0.1, ci_high=0.2),
        group("sound", "participant", 0.001, scenario="S1"),
    ]
    found = of(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert said(found.sound) == [
        "Age, 60+ against under 60: p < .05 for 0 of 2 models, after Holm for 0 (Welch's t); the "
        "least p is that of Ant, 8 and 108 raters: −0.20 points (−0.50 to 0.10), p = .200, "
        "adjusted p = .200; the 95 % interval rules out 0.25 points or more for 1 of them."
    ]
    assert said(found.paper) == [
        "Age, 60+ against under 60: p < .05 for 1 of 1 model, after Holm for 1 (Student's t); the "
        "least p is that of Ant, 96 and 1,296 ratings: −0.20 points (−0.50 to 0.10), p = .004, "
        "adjusted p = .004."
    ]


def test_groups_that_cannot_be_compared_say_why() -> None:
    rows = [group("sound", "participant", None, note="not estimable, because 60+ has nobody")]
    found = of(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert said(found.sound) == [
        "Age, 60+ against under 60: not estimable, because 60+ has nobody."
    ]


def test_regions_are_counted_over_single_scenarios() -> None:
    rows = [
        {
            **FRONT,
            "factor": "region",
            "scenario": scenario,
            "test": "welch",
            "p": p,
            "p_adjusted_scenarios": adjusted,
        }
        for scenario, p, adjusted in (("all", 0.001, None), ("S1", 0.02, 0.04), ("S2", 0.03, 0.06))
    ]
    found = of(findings(tables(items=ITEMS, anova=rows), SHIPPED), "Several groups at once")
    assert said(found.sound) == [
        "Region, Welch's analysis of variance of raters: p < .05 in 2 of 2 scenarios, after Holm "
        "over them in 1."
    ]


def test_regions_that_cannot_be_compared_say_why() -> None:
    row = {**FRONT, "factor": "region", "scenario": "S1", "test": "welch", "p": None}
    rows = [{**row, "note": "not estimable, because West has 1 value"}]
    found = of(findings(tables(items=ITEMS, anova=rows), SHIPPED), "Several groups at once")
    assert said(found.sound) == ["Region: not estimable, because West has 1 value."]


# ── Rankings, choices and what else may be asked ──────────────────────────────────────────────────


def test_study_of_rankings_alone_speaks_of_ranks() -> None:
    test = {
        **FRONT,
        "dimension": "",
        "set": "all",
        "n": 20,
        "chi_squared": 12.5,
        "df": 2,
        "p": 0.002,
        "w": 0.31,
    }
    ranks = [
        {
            **FRONT,
            "dimension": "",
            "set": "all",
            "model": model,
            "condition": "tuned",
            "systems": 3,
            "mean_rank": mean,
            "ci_low": mean - 0.1,
            "ci_high": mean + 0.1,
        }
        for model, mean in (("Ant", 2.4), ("Bee", 1.5))
    ]
    found = findings(tables(rankings=ranks, ranking_tests=[test]), SHIPPED)
    assert [finding.title for finding in found] == ["Rankings"]
    assert said(found[0].sound) == [
        "Bee tuned has the best mean rank, 1.50 (1.40 to 1.60) among 3 systems; Friedman's χ²(2) = "
        "12.50 over 20 raters, p = .002; Kendall's W of their mean ranks 0.31."
    ]


def test_choices_name_who_is_chosen_most_and_prefer_the_test_by_raters() -> None:
    front = {**FRONT, "dimension": "", "scenario": "all"}
    chosen = [
        {**front, "model": "Ant", "condition": "tuned", "share_best": 0.625, "share_worst": None},
        {**front, "model": "Bee", "condition": "plain", "share_best": 0.375, "share_worst": None},
    ]
    tests = [
        {**front, "choice": "best", "unit": "choice", "test": "chi_squared", "p": 0.001, "n": 9},
        {
            **front,
            "choice": "best",
            "unit": "participant",
            "test": "permuted_by_rater",
            "p": 0.03,
            "n": 9,
        },
    ]
    found = findings(tables(choices=chosen, choice_tests=tests), SHIPPED)
    assert said(of(found, "Best and worst").sound) == [
        "Ant tuned was chosen as best most often: on 62.5 % of its pages.",
        "That all systems are chosen as best alike: p = .030 (permuted by rater, with raters as "
        "units, 9 raters).",
    ]


def test_agreement_labels_the_mean_of_raters_apart_from_a_single_one() -> None:
    rows = [
        {"dimension": "warmth", "statistic": name, "value": value, "n_raters": 9, "n_items": 12}
        for name, value in (
            ("icc_2_1", 0.1),
            ("icc_2_k", 0.9),
            ("krippendorff_alpha_ordinal", None),
        )
    ]
    found = of(findings(tables(items=ITEMS, agreement=rows), SHIPPED), "Agreement of raters")
    assert said(found.sound) == [
        "The reliability of a single rater, ICC(2,1), is 0.10, of 9 raters and 12 items.",
        "The reliability of the mean of all of them, ICC(2,k), is 0.90, of 9 raters and 12 items.",
    ]


def test_exclusions_name_the_variants_that_change_a_result() -> None:
    rows = [
        {**FRONT, "variant": "rules in force", "same_conclusion": True, "what_moves": ""},
        {**FRONT, "variant": "no rule", "same_conclusion": False, "what_moves": "by_raters (sign)"},
        {**FRONT, "variant": "duration alone", "same_conclusion": True, "what_moves": ""},
    ]
    found = of(findings(tables(items=ITEMS, sensitivity=rows), SHIPPED), "Exclusions")
    assert said(found.sound) == [
        "Under 1 of 2 other choices of exclusion rules, a main result changes its sign or crosses "
        "p = .05 (no rule: by raters (sign))."
    ]


def test_order_says_what_moves() -> None:
    rows = [
        {**FRONT, "model": model, "moves": moves}
        for model, moves in (("Ant", True), ("Bee", False))
    ]
    found = of(findings(tables(items=ITEMS, order_conclusions=rows), SHIPPED), "Order")
    assert said(found.sound) == [
        "With positions and the previous rating taken into account, 1 of 2 differences between "
        "conditions change sign or cross p = .05: Ant."
    ]


def test_printed_numbers_are_counted_where_they_could_be_looked_up() -> None:
    rows = [{"recipe": "paper", "match": match} for match in (True, False, None)]
    found = of(findings(tables(replication=rows), SHIPPED), "Printed numbers")
    assert said(found.paper) == [
        "1 of 2 printed numbers that could be looked up come out as printed."
    ]


def test_who_counts_stands_first() -> None:
    steps = [
        {"step": "duration", "excluded": 1, "remaining": 9},
        {"step": "attention", "excluded": 2, "remaining": 7},
    ]
    found = findings(tables(funnel=steps), SHIPPED)[0]
    assert (found.title, said(found.sound)) == (
        "Who counts",
        [
            "7 of 10 people who agreed to take part and finished or left are included. The rules "
            "left out: duration 1, attention 2."
        ],
    )


# ── One recipe, several dimensions, nothing ───────────────────────────────────────────────────────


def test_one_recipe_alone_has_one_side() -> None:
    rows = [group("paper", "rating", 0.004), group("sound", "participant", 0.2)]
    made = tables(items=ITEMS, group_tests=rows)
    only_paper, only_sound = findings(made, [PAPER]), findings(made, [SOUND])
    assert (len(only_paper[0].sound), len(only_paper[0].paper)) == (0, 1)
    assert (len(only_sound[0].sound), len(only_sound[0].paper)) == (1, 0)


def test_recipe_of_ones_own_takes_the_side_of_its_unit() -> None:
    made = tables(items=ITEMS, group_tests=[group("mine", "rating", 0.2)])
    assert len(findings(made, [recipe("rating")])[0].paper) == 1


def test_dimensions_are_told_apart_in_titles() -> None:
    rows = [{"dimension": d} for d in ("warmth", "clarity")]
    agreement = [
        {"dimension": d, "statistic": "icc_2_1", "value": 0.5, "n_raters": 3, "n_items": 4}
        for d in ("warmth", "clarity")
    ]
    found = findings(tables(items=rows, agreement=agreement), SHIPPED)
    assert [finding.title for finding in found] == [
        "Agreement of raters (warmth)",
        "Agreement of raters (clarity)",
    ]


def test_nothing_is_said_of_nothing() -> None:
    assert findings({}, SHIPPED) == []
    assert findings(tables(items=ITEMS), SHIPPED) == []
