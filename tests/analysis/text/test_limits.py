"""Limits are said where they are true, and only there."""

from typing import Any

import pytest

from analysis.quality_rules import QualityRules
from analysis.recipe import Recipe
from analysis.text.cells import Table
from analysis.text.limits import limits
from survey.interface import in_words
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import PAPER, SHIPPED, SOUND, cited, said, tables
from tests.approved import Approval

FRONT = {"recipe": "sound", "raters": "included", "dimension": "warmth"}


def of(made: dict[str, Table], recipes: list[Recipe] = SHIPPED, *, scale: int = 0) -> list[str]:
    return said(limits(made, recipes, QualityRules(), gold="judge", scale=scale))


def designed(**facts: Any) -> dict[str, Any]:
    """A row of the design's facts: enough of everything, but for these."""
    many = {"n_raters": 40, "n_scenarios": 40, "n_systems": 4, "raters_of_both": 40}
    many |= {"raters_of_one": 0, "raters_of_one_system": 0}
    return {**FRONT, **many, "answers": "ratings", **facts}


def main_result(limited_by: str, p: float = 0.2, **changes: Any) -> dict[str, Any]:
    of = {**FRONT, "link": "probit", "model": "all", "scale": "ratings"}
    return of | {"ci_low": -0.2, "ci_high": 0.4, "p": p, "limited_by": limited_by, **changes}


def about(word: str, made: dict[str, Table], recipes: list[Recipe] = SHIPPED) -> list[str]:
    """The limits in which that stands."""
    return [sentence for sentence in of(made, recipes) if word in sentence]


def test_no_tables_have_no_limits() -> None:
    assert of({}) == []


def test_flags_of_writing_are_no_proof_either_way(approved: Approval) -> None:
    row = {"rule": "any", "answers": 9, "flagged_answers": 2, "raters": 8, "flagged_raters": 1}
    approved(*about("flagged", tables(flagged_writing=[row | {"rule": "pasted"}, row])))


def test_pages_that_changed_while_people_took_part_are_told(approved: Approval) -> None:
    note = in_words([1, 2])
    rows = [{"measure": "interfaces", "value": 2.0, "n": 40, "note": note}]
    approved(*about("versions of the survey", tables(protocol=rows)))


def test_pages_that_stayed_are_not_told() -> None:
    for value in (1.0, None):
        rows = [{"measure": "interfaces", "value": value, "n": 40, "note": ""}]
        assert not about("versions of the survey", tables(protocol=rows))


# ── Wins and scenarios ────────────────────────────────────────────────────────────────────────────


def wins(p: float | None) -> dict[str, Any]:
    return {**FRONT, "scenario": "all", "a_wins": 26, "b_wins": 22, "p": p}


def test_wins_that_a_coin_might_give_are_said_to_be_such(approved: Approval) -> None:
    rows = [{**wins(0.6655), "recipe": "paper"}, wins(0.6655)]
    approved(*about("sign test", tables(wins_tests=rows)))


def test_even_count_of_wins_is_not_called_uneven(approved: Approval) -> None:
    row = wins(1.0) | {"a_wins": 6, "b_wins": 6}
    approved(*about("wins", tables(wins_tests=[row])))


@pytest.mark.parametrize("p", [0.04, None])
def test_clear_or_untested_wins_have_no_such_limit(p: float | None) -> None:
    assert about("sign test", tables(wins_tests=[wins(p)])) == []


@pytest.mark.parametrize("n", [1, 6])
def test_few_scenarios_are_counted(n: int, approved: Approval) -> None:
    approved(*about("scenario", tables(design=[designed(n_scenarios=n)])))


@pytest.mark.parametrize(
    "names", [["choices"], ["rankings"], ["choices", "rankings"]], ids=" and ".join
)
def test_texts_of_what_was_asked_for_are_fixed(names: list[str], approved: Approval) -> None:
    approved(*about("the same texts", tables(**{name: [FRONT] for name in names})))


def test_enough_scenarios_are_no_limit() -> None:
    assert about("There are", tables(design=[designed(n_scenarios=20)])) == []


def test_few_scenarios_are_no_limit_of_what_is_beyond_doubt() -> None:
    few, main = designed(n_scenarios=9), main_result("texts", p=0.0004)
    assert not about("scenarios have", tables(design=[few], mixed_contrasts=[main]))
    for name in ("reference_contrasts", "system_pairs"):
        clear, unclear = ({**FRONT, "link": "probit", "p": p} for p in (0.0001, 0.01))
        assert not about("scenarios have", tables(design=[few], **{name: [clear]}))
        assert about("scenarios have", tables(design=[few], **{name: [clear, unclear]}))


@pytest.mark.parametrize("name", ["reference_contrasts", "system_pairs"])
def test_more_raters_are_no_help_only_where_texts_limit_every_result(name: str) -> None:
    few = designed(n_scenarios=9)
    rows = [{**FRONT, "link": "probit", "p": 0.01, "limited_by": "texts"} for _ in range(2)]
    assert about("do not help", tables(design=[few], **{name: rows}))
    rows[1]["limited_by"] = "ratings"
    assert not about("do not help", tables(design=[few], **{name: rows}))
    assert not about("do not help", tables(design=[few]))


def test_few_scenarios_leave_no_test_without_power_where_there_is_one_system() -> None:
    assert not about("little power", tables(design=[designed(n_scenarios=9, n_systems=1)]))


def test_single_texts_are_a_limit_where_systems_have_one_each() -> None:
    keys = [("Ant", "plain", "1"), ("Ant", "tuned", "1"), ("Oracle", "reference", "1")]
    keys.append(("Oracle", "reference", "2"))
    rows = [
        {"scenario": "S1", "model": model, "condition": condition, "set": name}
        for model, condition, name in keys
    ]
    assert len(about("one good text", tables(items=rows))) == 1
    several = [{**row, "set": other} for row in rows for other in "ab"]
    assert about("one good text", tables(items=several)) == []
    (of_one,) = about("one good text", tables(items=rows[:1]))
    assert of_one.startswith("The system has one text per scenario.") and "better" not in of_one


# ── Groups ────────────────────────────────────────────────────────────────────────────────────────


def answers(characteristic: str, **n: int) -> list[dict[str, Any]]:
    return [
        {"characteristic": characteristic, "category": answer.replace("_", " "), "n": count}
        for answer, count in n.items()
    ]


def test_answers_that_no_group_knows_are_told_with_their_numbers(approved: Approval) -> None:
    genders = answers("gender", Female=67, Male=49, Prefer_not_to_answer=2, Not_answered=1)
    approved(*about("no group", tables(demographics=[*genders, *answers("race", Purple=3)])))
    (sentence,) = limits(tables(demographics=genders), [SOUND], QualityRules(), gold="", scale=0)
    assert [address for _, address in cited(sentence)] == [
        "demographics.csv#cell=2,3",
        "demographics.csv#cell=3,3",
    ]


def test_answers_that_a_group_knows_are_no_limit() -> None:
    known = answers("gender", Woman=67, Man=49, Prefer_not_to_answer=2)
    assert about("no group", tables(demographics=known)) == []


def test_of_many_answers_that_no_group_knows_some_are_named(approved: Approval) -> None:
    many = answers("gender", **{f"g{number}": 1 for number in range(8)})
    (said,) = about("no group", tables(demographics=many), [SOUND])
    approved(said)


def group(**changes: Any) -> dict[str, Any]:
    return {
        **FRONT,
        "factor": "age",
        "group_a": "60+",
        "group_b": "under 60",
        "condition": "all",
        "scenario": "all",
        "test": "student",
        "n_a": 8,
        "n_b": 108,
        "df": 114.0,
        "p": 0.2,
        **changes,
    }


def test_small_group_is_named_with_its_raters(approved: Approval) -> None:
    approved(*about("The group", tables(group_tests=[group(), group(factor="sex", n_a=50)])))


def test_groups_over_conditions_that_other_raters_saw_are_a_limit(approved: Approval) -> None:
    rows = [group(model="Ant", condition=condition) for condition in ("all", "plain", "tuned")]
    between = [designed(raters_of_both=0)]
    approved(*about("saw one", tables(group_tests=rows, design=between)))
    assert about("saw one", tables(group_tests=rows, design=[designed(raters_of_both=3)])) == []
    of_one_each = [*rows[:2], group(model="Bee", condition="tuned")]
    assert about("saw one", tables(group_tests=of_one_each, design=between)) == []


def test_small_group_of_a_models_raters_names_the_model(approved: Approval) -> None:
    """Where each rater saw one model, a group has other raters for each."""
    rows = [group(model="Ant", n_a=8), group(model="Bee", n_a=14)]
    approved(*about("The group", tables(group_tests=rows)))


def test_empty_group_is_not_said_to_have_a_mean() -> None:
    assert about("The group", tables(group_tests=[group(n_a=0, p=None)])) == []


def test_approximate_test_of_a_small_group_is_a_limit(approved: Approval) -> None:
    ranked = about("The group", tables(group_tests=[group(method="asymptotic")]))
    approved(ranked[0])
    assert ranked != about("The group", tables(group_tests=[group(method="exact")]))


def test_factors_that_share_no_adjustment_are_counted(approved: Approval) -> None:
    rows = [group(), group(factor="sex")]
    approved(*about("not adjusted", tables(group_tests=rows)))
    rows += [group(scenario="S1"), group(scenario="S2")]
    approved(*about("not adjusted", tables(group_tests=rows)))
    over = ["model", "factor", "scenario"]
    over_factors = SOUND.model_copy(update={"adjust_over": over})
    assert about("not adjusted", tables(group_tests=rows), [over_factors]) == []


def test_dimensions_that_share_no_adjustment_are_counted(approved: Approval) -> None:
    rows = [{"dimension": dimension} for dimension in ("warmth", "clarity")]
    tested = [main_result("texts", p=0.0001)]
    approved(*about("not adjusted", tables(items=rows, mixed_contrasts=tested)))
    assert about("not adjusted", tables(items=rows[:1], mixed_contrasts=tested)) == []
    assert about("not adjusted", tables(items=rows)) == [], "nothing is tested"


def paper_tests() -> dict[str, Table]:
    rows = [
        group(recipe="paper", df=2782.0, p=0.01),
        group(recipe="paper", df=1390.0, p=0.5, model="Bee"),
        group(recipe="paper", df=1400.5, p=0.5, test="welch"),
    ]
    steps = [{"step": "duration", "excluded": 0, "remaining": 116}]
    return tables(group_tests=rows, funnel=steps)


def test_ratings_as_units_show_how_many_degrees_come_of_how_many_raters(approved: Approval) -> None:
    approved(about("as independent", paper_tests())[0])
    assert about("as independent", paper_tests(), [SOUND]) == []


def test_unadjusted_tests_are_counted_beside_what_chance_gives(approved: Approval) -> None:
    approved(about("unadjusted", paper_tests(), [PAPER])[0])


@pytest.mark.parametrize(("models", "limits"), [(["Ant"], 1), (["Ant", "Bee"], 0)])
def test_tests_by_raters_are_unadjusted_where_there_is_one_model(
    models: list[str], limits: int
) -> None:
    rows = [
        group(test=test, model=model, scenario=place, raters=raters, p=0.03)
        for test in ("student", "welch")
        for model in models
        for place in ("all", "S1", "S2")
        for raters in ("included", "all")
    ]
    said_of = about("unadjusted", tables(group_tests=rows))
    assert [sentence.split(".")[0] for sentence in said_of] == limits * [
        "Recipe sound makes 3 comparisons of groups by Welch's t; 3 have p < "
    ]


# ── The filter ────────────────────────────────────────────────────────────────────────────────────


def filtered(remaining: int, mae: float | None = 0.5) -> dict[str, Table]:
    steps = [{"step": "sigma_mae", "excluded": 100 - remaining, "remaining": remaining}]
    return tables(funnel=steps, raters=[{"participant": "ann", "mae": mae}])


def test_judge_filter_is_a_limit_where_there_are_gold_scores(approved: Approval) -> None:
    approved(about("gold scores", filtered(92))[0])
    assert about("excluded 1 rater with σ below", filtered(99))
    assert about("gold scores", filtered(100)) == []  # nobody was chosen by them
    assert about("gold scores", filtered(92, mae=None)) == []


@pytest.mark.parametrize(("flat", "decides"), [(9, True), (8, False)])
def test_distance_that_decides_nothing_beside_sigma_is_said_to(flat: int, decides: bool) -> None:
    removed = {"sigma": flat, "mae": 90, "sigma and mae": 8}
    rows = [{"measure": measure, "removed": n} for measure, n in removed.items()]
    (said_of,) = about(
        "The rule “Low variance and far from gold”", filtered(92) | tables(thresholds=rows)
    )
    assert ("more likely to be included" in said_of) == decides
    nothing = (
        "All 8 with so small a σ are that far from them, so here the distance makes no difference."
    )
    assert said_of.endswith(nothing) != decides


def test_strict_filter_says_how_many_it_leaves(approved: Approval) -> None:
    approved(*about("The filter keeps", filtered(80)))
    assert about("The filter keeps", filtered(92)) == []


def test_nobody_included_is_said(approved: Approval) -> None:
    approved(*about("No rater", filtered(0)))


def test_results_of_choices_by_all_raters_stand_beside_too(approved: Approval) -> None:
    made = filtered(80) | tables(choices=[{**FRONT, "raters": "all"}])
    (said_of,) = about("The filter keeps", made)
    approved(said_of)


@pytest.mark.parametrize("n", [1, 5])
def test_few_raters_are_counted_with_rules_or_without(n: int, approved: Approval) -> None:
    few = designed(n_raters=n)
    approved(*about("so few, con", tables(design=[few])))
    approved(*about("so few, con", tables(design=[few], strengths=[{**FRONT, "ci_low": 0.1}])))


def test_few_raters_are_those_of_a_dimension_or_of_ranks_where_these_differ(
    approved: Approval,
) -> None:
    few = designed(n_raters=4)
    approved(*about("so few, con", tables(design=[few, designed(dimension="clarity")])))
    ranked = few | {"answers": "ranks", "dimension": ""}
    approved(*about("so few, con", tables(design=[designed(), ranked])))


def test_enough_raters_are_no_limit() -> None:
    assert about("so few, con", tables(design=[designed(n_raters=10)])) == []


def test_raters_of_one_condition_each_are_compared_with_others(approved: Approval) -> None:
    main = [main_result("texts")]
    between, mostly, even = (
        designed(raters_of_both=both, raters_of_one=one) for both, one in ((0, 40), (2, 10), (6, 6))
    )
    for most in (between, mostly):
        approved(*about("between raters", tables(design=[most], mixed_contrasts=main)))
    for made in ({"design": [even], "mixed_contrasts": main}, {"design": [between]}):
        assert not about("between raters", tables(**made))


def test_dimension_is_named_where_raters_of_one_alone_saw_one_condition_each(
    approved: Approval,
) -> None:
    apart = designed(raters_of_both=0, raters_of_one=9, dimension="tone")
    rows = [designed(dimension="warmth"), apart]
    both = [main_result("texts", dimension=dimension) for dimension in ("warmth", "tone")]
    approved(*about("between raters", tables(design=rows, mixed_contrasts=both)))
    assert not about("between raters", tables(design=rows, mixed_contrasts=both[:1]))


def test_raters_of_one_system_each_are_compared_with_others(approved: Approval) -> None:
    """Also where a study compares no two conditions."""
    one, most, few = (designed(raters_of_both=None, raters_of_one_system=n) for n in (40, 39, 2))
    for name in ("reference_contrasts", "system_pairs"):
        tests = {name: [{**FRONT, "link": "probit", "p": 0.2}]}
        for apart in (one, most):
            approved(*about("between raters", tables(design=[apart], **tests)))
        assert not about("between raters", tables(design=[few], **tests))
    assert not about("between raters", tables(design=[one]))


def test_raters_are_a_limit_where_they_make_most_of_the_uncertainty(approved: Approval) -> None:
    apart, both = (designed(n_raters=5, raters_of_both=n) for n in (0, 5))
    of_ant, main = main_result("raters", model="Ant"), main_result("raters")
    approved(*about("hardly", tables(mixed_contrasts=[of_ant, main], design=[apart])))
    approved(*about("hardly", tables(mixed_contrasts=[of_ant], design=[apart])))
    approved(*about("hardly", tables(mixed_contrasts=[main], design=[both])))
    by_texts = [of_ant, main_result("texts")]
    assert not about("hardly", tables(mixed_contrasts=by_texts, design=[both]))


def test_raters_are_no_limit_of_a_difference_that_is_shown() -> None:
    shown = [main_result("raters", p=0.0001)]
    assert not about("hardly", tables(mixed_contrasts=shown, design=[designed()]))


def test_limits_read_a_difference_as_the_findings_do() -> None:
    """The higher side first."""
    lower = main_result("raters", difference=-0.1, ci_low=-0.4, ci_high=0.2)
    (said_of,) = about("hardly", tables(mixed_contrasts=[lower], design=[designed()]))
    assert "(interval from −0.20 to 0.40)" in said_of
    (said_of,) = about("sign test", tables(wins_tests=[wins(0.5) | {"a_wins": 2, "b_wins": 5}]))
    assert said_of.startswith("5 against 2 wins")


def test_main_result_of_several_models_is_that_of_the_first() -> None:
    both = [main_result("raters"), main_result("raters", link="linear", ci_low=-0.3)]
    (said_of,) = about("hardly", tables(mixed_contrasts=both, design=[designed()]))
    assert said_of.count("interval from") == 1


def test_what_is_said_of_several_dimensions_is_said_once(approved: Approval) -> None:
    names = ["warmth", "clarity", "depth"]
    mains = [main_result("raters", dimension=name) for name in names]
    designs = [designed(n_raters=5, dimension=name) for name in names]
    approved(*about("hardly", tables(mixed_contrasts=mains, design=designs)))
    each = [wins(0.3) | {"dimension": name} for name in names]
    items = [{"dimension": name} for name in names]
    approved(*about("wins", tables(wins_tests=each, items=items)))
    even = [row | {"a_wins": 3, "b_wins": 3, "p": 1.0} for row in each]
    approved(*about("wins", tables(wins_tests=even, items=items)))


@pytest.mark.parametrize(
    ("limited_by", "they_do"), [("raters", True), ("ratings", True), ("texts", False)]
)
def test_more_raters_are_no_help_only_where_texts_are_the_limit(
    limited_by: str, they_do: bool
) -> None:
    few = designed(n_scenarios=9)
    rows = [main_result(limited_by), main_result("ratings", model="Ant")]
    scenarios = about("other scenarios", tables(mixed_contrasts=rows, design=[few]))
    assert ("More raters do not help" in " ".join(scenarios)) != they_do


def test_choices_take_people_and_texts_as_they_came() -> None:
    said_of = of(tables(choices=[FRONT]))
    assert [sentence.split(" ", 3)[:3] for sentence in said_of] == [
        ["“Other", "raters”", "are"],
        ["Shares", "of", "choices,"],
    ]


# ── What cannot be known, or was not ──────────────────────────────────────────────────────────────


def test_margin_holds_only_if_set_before() -> None:
    made = tables(to_reference=[{**FRONT, "margin": 0.25}])
    assert len(about("margin of 0.25 points", made)) == 1
    made = tables(reference_contrasts=[{**FRONT, "margin": 0.25}])
    assert len(about("margin of 0.25 points", made)) == 1
    assert about("margin", made, [PAPER]) == []


def test_margin_between_groups_is_a_limit_where_groups_are_compared() -> None:
    made = tables(group_tests=[{**FRONT, "factor": "age", "margin": 0.25}])
    assert len(about("points between groups of raters comes from the recipe", made)) == 1
    assert about("to the reference", made) == []


def test_means_of_points_are_a_limit_of_scales_with_points() -> None:
    made = tables(items=[{"scenario": "S1"}])
    assert any("5 points of the scale" in sentence for sentence in of(made, scale=5))
    assert not any("points of the scale" in sentence for sentence in of(made, scale=0))


def test_ordinal_models_take_points_as_even_on_the_scale_of_the_ratings_alone(
    approved: Approval,
) -> None:
    made = tables(items=[{"scenario": "S1"}], mixed_shares=[{"link": "probit"}])
    approved(*[sentence for sentence in of(made, scale=5) if "evenly" in sentence])


def test_empty_cells_are_counted_where_most_are_missing(approved: Approval) -> None:
    rows = [
        {**FRONT, "model": model, "missing_cells": missing, "p": 0.5}
        for model, missing in (("all", 9), ("Ant", 7), ("Bee", 0))
    ]
    approved(*about("Not every", tables(contrasts=rows, mixed_contrasts=[FRONT])))
    (alone,) = about("Not every", tables(contrasts=rows[1:]))
    approved(alone)
    assert about("Not every", tables(contrasts=rows[2:])) == []
    nothing_paired = [row | {"p": None} for row in rows]
    assert about("Not every", tables(contrasts=nothing_paired)) == []


def test_responses_without_ratings_are_named(approved: Approval) -> None:
    rows = [
        {"scenario": f"S{n}", "model": "Ant", "condition": "tuned", "n": n % 2} for n in range(14)
    ]
    approved(*about("no rating of an included rater", tables(items=rows)))
    assert about("no rating of an included rater", tables(items=rows[1:2])) == []


def test_wins_between_means_of_other_raters_are_a_limit(approved: Approval) -> None:
    rows = [{"scenario": "S1", "n_a": 24, "n_b": n} for n in (24, 12)]
    within = {"design": [designed(raters_of_both=3)]}
    approved(*about("Wins compare", tables(wins=rows, **within)))
    tested = [{**FRONT, "p": 0.2}]
    approved(*about("Wins compare", tables(wins=rows, win_differences=tested, **within)))
    assert about("Wins compare", tables(wins=rows[:1], **within)) == []
    uncompared = {"scenario": "S1", "n_a": 24, "n_b": 0}
    assert about("Wins compare", tables(wins=[*rows[:1], uncompared], **within)) == []
    between = [designed(raters_of_both=0)]
    assert about("Wins compare", tables(wins=rows, design=between)) == [], "said of all results"


def test_warnings_and_notes_are_passed_on_once(approved: Approval) -> None:
    made = tables(
        guard_warnings=[
            {"kind": "same_family", "text": "A judge may favour its own family."},
            {"kind": "ways_agree", "text": "All three ways agree."},
        ],
        mixed_models=[{**FRONT, "note": "Nobody chose 1."}, {**FRONT, "note": "Nobody chose 1."}],
    )
    approved(*of(made))


def test_notes_of_mixed_models_name_their_dimension_where_there_are_several(
    approved: Approval,
) -> None:
    rows = [
        {**FRONT, "dimension": dimension, "note": note}
        for dimension, note in (("warmth", ""), ("advice", "Nobody chose 1."))
    ]
    approved(*of(tables(mixed_models=rows)))


def test_rows_that_are_not_estimable_are_counted_by_table(approved: Approval) -> None:
    rows = [{"note": "not estimable, because X"}, {"note": ""}]
    of_raters = {"agreement": rows[:1], "agreement_all": rows[:1], "thresholds": rows}
    approved(*of(tables(anova=rows, **of_raters)))


def test_wins_name_their_dimension_where_there_are_several(approved: Approval) -> None:
    rated = [{"dimension": name} for name in ("warmth", "advice")]
    approved(about("against", tables(wins_tests=[wins(0.7)], items=rated))[0])


def test_families_without_adjustment_are_counted_by_kind(approved: Approval) -> None:
    keys = [("age", "plain", "S1"), ("age", "tuned", "S2"), ("sex", "plain", "all")]
    rows = [
        {**FRONT, "factor": factor, "condition": condition, "scenario": scenario}
        for factor, condition, scenario in keys
    ]
    approved(*about("not adjusted", tables(group_tests=rows)))


# ── Design ────────────────────────────────────────────────────────────────────────────────────────


def test_differential_attrition_is_named_where_there_is_some(approved: Approval) -> None:
    row = {
        "outcome": "dropped_out", "part": "condition", "lowest": "plain", "lowest_share": 0.05,
        "highest": "tuned", "highest_share": 0.4, "test": "chi_squared", "p_adjusted": 0.004,
    }  # fmt: skip
    other = {"outcome": "excluded", "part": "first_scenario", "lowest": "S1", "highest": "S2"}
    few = row | other | {"test": "fisher"}
    approved(*about("attrition", tables(design_health=[row, few, row | {"p_adjusted": 0.4}])))
    approved(*about("attrition", tables(design_health=[few])))
    assert about("attrition", tables(design_health=[row | {"p_adjusted": None}])) == []


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("limits.j2") == []
