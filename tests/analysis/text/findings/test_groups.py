"""What is said of groups of raters: a p above .05 is never "no difference"."""

from typing import Any

from analysis.text.findings import findings
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import FRONT, ITEMS, SHIPPED, about, group, recipe, said, tables


def test_groups_stand_beside_each_other_by_raters_and_by_ratings() -> None:
    rows = [
        group("paper", "rating", 0.004, n_a=96, n_b=1296),
        group("sound", "participant", 0.2, margin=0.25, p_equivalent_adjusted=0.06),
        group("sound", "participant", 0.6, model="Bee", margin=0.25, p_equivalent_adjusted=0.04),
        group("sound", "participant", 0.001, scenario="S1"),
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert said(found.sound) == [
        "Age, 60+ against under 60: p < .05 for 0 of 2 models, after Holm for 0 (Welch's t); the "
        "least p is that of Ant, 8 and 108 raters: −0.20 points (95 % interval −0.50 to 0.10), "
        "p = .200, adjusted p = .200; within the margin of 0.25 points for 1 (TOST at 5 %, Holm): "
        "Bee; neither different nor within it, as far as these data show, for 1."
    ]
    assert said(found.paper) == [
        "Age, 60+ against under 60: p < .05 for 1 of 1 model (Student's t); Ant, 96 and 1,296 "
        "ratings: −0.20 points (95 % interval −0.50 to 0.10), p = .004."
    ]


def test_clear_is_by_p_and_after_holm_by_its_adjusted_value() -> None:
    rows = [
        group("sound", "participant", p, p_adjusted=adjusted, model=model)
        for model, p, adjusted in (("Ant", 0.03, 0.06), ("Bee", 0.2, 0.2))
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert "p < .05 for 1 of 2 models, after Holm for 0 (Welch's t)" in said(found.sound)[0]
    assert "p = .030, adjusted p = .060" in said(found.sound)[0]


def test_single_model_has_nothing_to_be_adjusted_for() -> None:
    of_test = {"margin": 0.25, "p_equivalent_adjusted": 0.04}
    rows = [
        group("sound", "participant", p, scenario=place, dimension=name, **of_test)
        for place, name, p in (("all", "warmth", 0.03), ("S1", "warmth", 0.5), ("all", "x", 0.2))
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert said(found.sound) == [
        "Age, 60+ against under 60: p < .05 for 1 of 1 model (Welch's t); Ant, 8 and 108 raters: "
        "−0.20 points (95 % interval −0.50 to 0.10), p = .030; within the margin of 0.25 points "
        "for 1 (TOST at 5 %): Ant; neither different nor within it, as far as these data show, "
        "for 0."
    ]


def test_family_over_factors_is_adjusted_with_one_model_too() -> None:
    rows = [group("mine", "participant", 0.03, factor=name) for name in ("age", "sex")]
    over = recipe("participant", adjust_over=["model", "factor"])
    found = about(findings(tables(items=ITEMS, group_tests=rows), [over]), "Groups of raters")
    assert "p < .05 for 1 of 1 model, after Holm for 1" in said(found.sound)[0]


def test_model_that_differs_is_not_left_open() -> None:
    margin = {"margin": 0.25, "p_equivalent_adjusted": 0.5}
    rows = [group("sound", "participant", 0.01, **margin)]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert said(found.sound)[0].endswith(
        "within the margin of 0.25 points for 0 (TOST at 5 %); neither different nor within "
        "it, as far as these data show, for 0."
    )


def test_models_that_could_not_be_tested_are_counted() -> None:
    rows = [
        group("sound", "participant", 0.3),
        group("sound", "participant", None, model="Bee", note="not estimable, because X"),
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert "p < .05 for 0 of 1 model" in said(found.sound)[0]
    assert said(found.sound)[0].endswith("; not estimable for 1.")


def test_groups_that_cannot_be_compared_say_why() -> None:
    rows = [group("sound", "participant", None, note="not estimable, because group 60+ is empty")]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert said(found.sound) == [
        "Age, 60+ against under 60: Welch's t is not estimable, because group 60+ is empty."
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
    found = about(findings(tables(items=ITEMS, anova=rows), SHIPPED), "Several groups at once")
    assert said(found.sound) == [
        "Region, Welch's analysis of variance of raters: p < .05 in 2 of 2 scenarios, after Holm "
        "over them in 1."
    ]


def test_regions_over_all_scenarios_alone_have_one_p() -> None:
    row = {**FRONT, "factor": "region", "scenario": "all", "test": "welch", "p": 0.2, "note": ""}
    found = about(findings(tables(items=ITEMS, anova=[row]), SHIPPED), "Several groups at once")
    assert said(found.sound) == [
        "Region, Welch's analysis of variance of raters, all scenarios together: p = .200."
    ]


def test_scenarios_that_could_not_be_tested_are_counted() -> None:
    row = {**FRONT, "factor": "region", "test": "welch"}
    rows: list[dict[str, Any]] = [
        {**row, "scenario": "S1", "p": 0.2, "p_adjusted_scenarios": 0.2, "note": ""},
        {**row, "scenario": "S2", "note": "not estimable, because X"},
    ]
    found = about(findings(tables(items=ITEMS, anova=rows), SHIPPED), "Several groups at once")
    assert said(found.sound)[0].endswith("p < .05 in 0 of 1 scenario; not estimable for 1.")


def test_regions_that_cannot_be_compared_say_why() -> None:
    row = {**FRONT, "factor": "region", "scenario": "S1", "test": "welch", "p": None}
    rows = [{**row, "note": "not estimable, because West has 1 value"}]
    found = about(findings(tables(items=ITEMS, anova=rows), SHIPPED), "Several groups at once")
    assert said(found.sound) == ["Region: not estimable, because West has 1 value."]


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("findings/groups.j2") == []
