"""What is said of groups of raters: a p above .05 is never "no difference"."""

from typing import Any

from analysis.text.findings import findings
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import FRONT, ITEMS, SHIPPED, about, group, recipe, said, tables
from tests.approved import Approval


def test_groups_stand_beside_each_other_by_raters_and_by_ratings(approved: Approval) -> None:
    rows = [
        group("paper", "rating", 0.004, n_a=96, n_b=1296),
        group("sound", "participant", 0.2, margin=0.25, p_equivalent_adjusted=0.06),
        group("sound", "participant", 0.6, model="Bee", margin=0.25, p_equivalent_adjusted=0.04),
        group("sound", "participant", 0.001, scenario="S1"),
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    approved(*said(found.sound))
    approved(*said(found.paper))


def test_clear_is_by_p_and_after_holm_by_its_adjusted_value(approved: Approval) -> None:
    rows = [
        group("sound", "participant", p, p_adjusted=adjusted, model=model)
        for model, p, adjusted in (("Ant", 0.03, 0.06), ("Bee", 0.2, 0.2))
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    approved(said(found.sound)[0])
    assert "p = .030, adjusted p = .060" in said(found.sound)[0]


def test_single_model_has_nothing_to_be_adjusted_for(approved: Approval) -> None:
    of_test = {"margin": 0.25, "p_equivalent_adjusted": 0.04}
    rows = [
        group("sound", "participant", p, scenario=place, dimension=name, **of_test)
        for place, name, p in (("all", "warmth", 0.03), ("S1", "warmth", 0.5), ("all", "x", 0.2))
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    approved(*said(found.sound))


def test_family_over_factors_is_adjusted_with_one_model_too(approved: Approval) -> None:
    rows = [group("mine", "participant", 0.03, factor=name) for name in ("age", "sex")]
    over = recipe("participant", adjust_over=["model", "factor"])
    found = about(findings(tables(items=ITEMS, group_tests=rows), [over]), "Groups of raters")
    approved(said(found.sound)[0])


def test_model_that_differs_is_not_left_open(approved: Approval) -> None:
    margin = {"margin": 0.25, "p_equivalent_adjusted": 0.5}
    rows = [group("sound", "participant", 0.01, **margin)]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    approved(said(found.sound)[0])


def test_models_that_could_not_be_tested_are_counted() -> None:
    rows = [
        group("sound", "participant", 0.3),
        group("sound", "participant", None, model="Bee", note="not estimable, because X"),
    ]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    assert "p < .05 for 0 of 1 model" in said(found.sound)[0]
    assert said(found.sound)[0].endswith("; not estimable for 1.")


def test_groups_that_cannot_be_compared_say_why(approved: Approval) -> None:
    rows = [group("sound", "participant", None, note="not estimable, because group 60+ is empty")]
    found = about(findings(tables(items=ITEMS, group_tests=rows), SHIPPED), "Groups of raters")
    approved(*said(found.sound))


def test_regions_are_counted_over_single_scenarios(approved: Approval) -> None:
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
    approved(*said(found.sound))


def test_regions_over_all_scenarios_alone_have_one_p(approved: Approval) -> None:
    row = {**FRONT, "factor": "region", "scenario": "all", "test": "welch", "p": 0.2, "note": ""}
    found = about(findings(tables(items=ITEMS, anova=[row]), SHIPPED), "Several groups at once")
    approved(*said(found.sound))


def test_scenarios_that_could_not_be_tested_are_counted(approved: Approval) -> None:
    row = {**FRONT, "factor": "region", "test": "welch"}
    rows: list[dict[str, Any]] = [
        {**row, "scenario": "S1", "p": 0.2, "p_adjusted_scenarios": 0.2, "note": ""},
        {**row, "scenario": "S2", "note": "not estimable, because X"},
    ]
    found = about(findings(tables(items=ITEMS, anova=rows), SHIPPED), "Several groups at once")
    approved(said(found.sound)[0])


def test_regions_that_cannot_be_compared_say_why(approved: Approval) -> None:
    row = {**FRONT, "factor": "region", "scenario": "S1", "test": "welch", "p": None}
    rows = [{**row, "note": "not estimable, because West has 1 value"}]
    found = about(findings(tables(items=ITEMS, anova=rows), SHIPPED), "Several groups at once")
    approved(*said(found.sound))


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("findings/groups.j2") == []
