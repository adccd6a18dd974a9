"""The methods that can be pasted into a paper: from the settings and what came of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from analysis.quality_rules import QualityRules, RuleName
from analysis.recipe import MixedModels
from analysis.text.cells import Table
from analysis.text.methods_text import AnalysisSettings, methods
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import PAPER, SHIPPED, SOUND, recipe, said, tables
from tests.approved import Approval

SETTINGS = AnalysisSettings(
    rules=QualityRules(),
    recipes=SHIPPED,
    sources=["prolific", "link"],
    gold="judge llama",
    scale="on a scale from 1 (no) to 5 (very)",
    software={
        "fivefold": "1.2.3",
        "python": "3.11.9",
        "numpy": "2.4",
        "analysis": "0123456789abcdef",
    },
    snapshot="fedcba9876543210",
)
BY_RATINGS = "Analysis: Ratings as units, as in The Pursuit of Empathy (paper)"
BY_RATERS = "Analysis: Raters and items as units (sound)"
STEPS = [
    {"step": "duration", "excluded": 9, "remaining": 142},
    {"step": "sigma_mae", "excluded": 26, "remaining": 116},
]


def of(made: dict[str, Table], settings: AnalysisSettings = SETTINGS) -> dict[str, str]:
    """Paragraphs by title."""
    return {p.title: " ".join(said(p.sentences)) for p in methods(made, settings)}


def test_raters_are_told_rule_by_rule_with_thresholds_and_counts(approved: Approval) -> None:
    approved(of(tables(funnel=STEPS))["Raters"])


def test_decisions_of_the_researchers_are_told_first_with_their_reasons(approved: Approval) -> None:
    decided = [("invented ID", 3), ("asked us to", 1), ("", 151)]
    raters = [
        {"exclusion": "decision" if why else "", "excluded_by_decision": why}
        for why, n in decided
        for _ in range(n)
    ]
    decision = {"step": "decision", "excluded": 4, "remaining": 151}
    told = of(tables(funnel=[decision, *STEPS], raters=raters))["Raters"]
    approved(told)
    alone = of(tables(funnel=[decision], raters=raters))["Raters"]
    approved(alone)


def test_policy_on_ai_and_flags_of_writing_are_told(approved: Approval) -> None:
    row = {"rule": "any", "answers": 90, "flagged_answers": 11, "raters": 40, "flagged_raters": 6}
    told = of(tables(flagged_writing=[row]), replace(SETTINGS, ai_policy=True))
    approved(told["AI tools"])
    assert "AI tools" not in of(tables(funnel=STEPS))


def test_what_came_before_the_first_block_is_told_with_its_counts() -> None:
    outcomes = {"passed_first": 80, "passed_second": 12, "failed": 1}
    before = replace(SETTINGS, comprehension=outcomes, training_items=2)
    told = of(tables(funnel=STEPS), before)["Raters"]
    assert (
        "80 passed at the first attempt and 12 at the second; 1 did not pass and were sent away "
        "before they rated anything. Participants then rated 2 training items with feedback; "
        "these ratings are not analysed."
    ) in told
    assert "instructions" not in of(tables(funnel=STEPS))["Raters"]


REPEATED = [
    (
        {"taken": "first", "ratings": 3, "ranks": 0, "raters": 1},
        "One rater judged the same responses several times (3 repeated ratings); the first "
        "judgment of each rater and response is analysed.",
    ),
    (
        {"taken": "mean", "ratings": 12, "ranks": 6, "raters": 4},
        "4 raters judged the same responses several times (12 repeated ratings, 6 repeated ranks "
        "and choices); the mean of a rater's ratings of a response is analysed, and the first of "
        "their ranks and choices.",
    ),
]


@pytest.mark.parametrize(("repeats", "expected"), REPEATED)
def test_repeated_judgments_are_told_with_what_counts(
    repeats: dict[str, Any], expected: str
) -> None:
    told = of(tables(), replace(SETTINGS, repeats=repeats))
    assert expected in told["Ratings"]


def test_composites_are_told_as_computed_and_count_no_ratings() -> None:
    rows = [
        {"dimension": name, "n": 10, "model": "m", "condition": "a", "scenario": "S1"}
        for name in ("warmth", "care", "empathy")
    ]
    settings = replace(SETTINGS, composites={"empathy": ["warmth", "care"]})
    told = of(tables(items=rows), settings)["Ratings"]
    assert "gave 20 ratings" in told
    assert "on 2 dimensions (Warmth and Care)" in told
    assert (
        "Empathy is computed: the mean of Warmth and Care, of each rater and response that has a "
        "rating on all of them."
    ) in told


def words(rules: QualityRules, name: RuleName) -> str:
    return rules.rule(name).in_words()


def test_rules_are_told_with_their_own_thresholds(approved: Approval) -> None:
    rules = QualityRules.model_validate(
        {
            "duration_minutes": {"minimum": 2.5, "maximum": 30},
            "attention": {"failures_allowed": 1},
            "early_exit": {"inactive_minutes": 45},
        }
    )
    approved(words(rules, "duration"))
    approved(words(rules, "attention"))
    approved(words(QualityRules(), "attention"))
    approved(words(rules, "early_exit"))


def test_study_without_rules_says_so(approved: Approval) -> None:
    approved(of({})["Raters"])


def items(*dimensions: str) -> list[dict[str, Any]]:
    return [
        {"scenario": "S1", "model": "Ant", "condition": condition, "dimension": dimension, "n": 30}
        for dimension in dimensions
        for condition in ("plain", "tuned")
    ]


def test_ratings_are_counted_with_scale_and_gold(approved: Approval) -> None:
    approved(of(tables(items=items("warmth"), funnel=STEPS))["Ratings"])


def test_dimensions_are_named_where_there_are_several(approved: Approval) -> None:
    said_of = of(tables(items=items("warmth", "clarity")), replace(SETTINGS, gold="", scale=""))
    approved(said_of["Ratings"])


def test_no_ratings_and_no_gold_have_no_paragraph() -> None:
    assert "Ratings" not in of({}, replace(SETTINGS, gold=""))


def test_filter_by_gold_scores_that_are_not_there_is_said_to_match_nobody(
    approved: Approval,
) -> None:
    approved(of(tables(funnel=STEPS), replace(SETTINGS, gold=""))["Ratings"])


def test_scores_of_what_nobody_rated_are_described(approved: Approval) -> None:
    row = {"judge": "llama@1", "power": 0.4, "n_rated": 60, "n_judged": 240}
    rows = [row, row, row | {"judge": "experts", "power": 0.0}]
    approved(of(tables(prediction_powered=rows))["People and judges"])


def test_examples_of_a_judge_are_described_with_how_many_were_left_out() -> None:
    row = {"judge": "llama@1", "dimension": "empathy", "statistic": "bias", "n_examples": 4}
    other = row | {"judge": "gpt@1", "n_examples": 0}
    rows = [row, row | {"statistic": "pearson_within"}, other]
    assert of(tables(judge_agreement=rows))["People and judges"] == (
        "The prompt of llama@1 showed rated responses to other scenarios as examples, never to the "
        "scenario in question. 4 responses that were among these examples are left out wherever "
        "the scores of llama@1 on Empathy are compared with people's ratings."
    )
    assert "People and judges" not in of(tables(judge_agreement=[other]))


@pytest.mark.parametrize("changes", [{"power": None}, {"n_judged": 60}])
def test_scores_of_nothing_else_than_what_was_rated_are_not_described(
    changes: dict[str, Any],
) -> None:
    row = {"judge": "llama@1", "power": 0.0, "n_rated": 60, "n_judged": 240} | changes
    assert "People and judges" not in of(tables(prediction_powered=[row]))


def test_nothing_is_said_of_a_recipe_without_tables() -> None:
    assert {BY_RATINGS, BY_RATERS}.isdisjoint(of({}))


def test_tests_that_nothing_could_be_put_to_are_not_described() -> None:
    """As in a study in which each rater sees one system."""
    rows = [{"recipe": "sound", "unit": "participant", "p": None, "value": None}]
    names = ("contrasts", "paired", "win_differences", "fragility", "agreement")
    assert BY_RATERS not in of(tables(**dict.fromkeys(names, rows)))


def test_friedmans_test_is_not_claimed_where_pages_show_other_systems() -> None:
    row = {"recipe": "sound", "raters": "included", "dimension": "", "set": "all", "pages": 9}
    text = of(tables(ranking_tests=[row | {"p": None}], ranking_pairs=3 * [row]))[BY_RATERS]
    assert "Wilcoxon" in text
    assert "Friedman" not in text


def test_what_was_not_computed_is_not_described(approved: Approval) -> None:
    approved(of(tables(anova=[{"recipe": "sound", "factor": "region"}]))[BY_RATERS])


def test_groups_are_described_as_the_recipe_cuts_them(approved: Approval) -> None:
    mine = recipe(
        "rating",
        groups={
            "age": {
                "column": "age",
                "a": {"label": "old", "above": 40, "at_most": 90},
                "b": {"label": "young", "others": True},
                "left_out": ["unknown"],
            },
            "sex": {
                "column": "sex",
                "a": {"label": "f", "values": ["f"]},
                "b": {"label": "m", "values": ["m"]},
            },
            "education": {
                "column": "education",
                "a": {"label": "graduate", "values": ["Master", "Doctor"]},
                "b": {"label": "school", "values": ["school"]},
            },
        },
        group_tests=["welch"],
        each_scenario=False,
        adjust_over=[],
    )
    made = tables(
        group_tests=within(
            *({"recipe": "mine", "factor": factor} for factor in ("age", "education")),
            of=CONDITIONS,
        )
    )
    approved(of(made, replace(SETTINGS, recipes=[mine]))["Analysis: Mine (mine)"])


#: Parts in which groups are compared, as condition and scenario.
CONDITIONS = [("all", "all"), ("plain", "all"), ("tuned", "all")]
PARTS = [*CONDITIONS, ("all", "S1"), ("all", "S2")]


def within(*rows: dict[str, Any], of: Sequence[tuple[str, str]] = PARTS) -> list[dict[str, Any]]:
    """Each row in each of these parts."""
    return [
        row | {"condition": condition, "scenario": scenario}
        for row in rows
        for condition, scenario in of
    ]


def test_groups_within_each_condition_of_each_scenario_are_told(approved: Approval) -> None:
    each = PAPER.model_copy(update={"conditions_in_scenarios": True})
    row = {"recipe": "paper", "factor": "age"}
    made = tables(group_tests=within(row, of=[*CONDITIONS, ("all", "S1"), ("plain", "S1")]))
    said = of(made, replace(SETTINGS, recipes=[each]))[f"Analysis: {each.title} (paper)"]
    approved(said)


def test_groups_of_an_earlier_recipe_are_not_described_anew(approved: Approval) -> None:
    rows = ({"recipe": name, "factor": "age"} for name in ("paper", "sound"))
    made = tables(group_tests=within(*rows))
    text = of(made)
    assert "(Age: 60+ (at least 60)" in text[BY_RATINGS]
    approved(text[BY_RATERS])


def of_models(*models: str) -> list[dict[str, Any]]:
    """Rows of a table by models, in which one is tested each."""
    tested = {"factor": "age", "p": 0.2, "p_equivalent": 0.2, "margin": 0.25}
    return within(*({"recipe": "sound", "model": model, **tested} for model in models))


def test_groups_within_the_only_condition_are_groups_over_all_ratings() -> None:
    made = tables(group_tests=within({"recipe": "paper", "factor": "age"}, of=[("all", "S1")]))
    assert ", over all ratings and within each scenario" in of(made)[BY_RATINGS]


def test_adjustment_names_its_family(approved: Approval) -> None:
    made = tables(group_tests=of_models("Ant", "Bee"))
    text = of(made, replace(SETTINGS, recipes=[SOUND]))
    approved(text[BY_RATERS])


@pytest.mark.parametrize("name", ["reference_contrasts", "system_pairs"])
def test_tests_of_systems_have_the_models_degrees_of_freedom(name: str) -> None:
    model = mixed("probit", "rater", "scenario")
    row = {"recipe": "sound", "link": "probit", "raters": "included", "difference": 0.1}
    assert "tests and intervals use" in of(tables(mixed_models=model, **{name: [row]}))[BY_RATERS]
    assert "tests and intervals" not in of(tables(mixed_models=model))[BY_RATERS]


def test_single_model_has_nothing_to_be_adjusted_for(approved: Approval) -> None:
    names = ["contrasts", "paired", "group_tests", "mixed_contrasts"]
    model = mixed("probit", "rater", "scenario")
    row = {"condition_a": "plain", "condition_b": "tuned", "link": "probit", "raters": "included"}
    one, several = (
        of(
            tables(
                mixed_models=model,
                **{name: [row | each for each in of_models(*models)] for name in names},
            )
        )
        for models in (["Ant"], ["Ant", "Bee", "all"])
    )
    assert "Holm" not in one[BY_RATERS]
    assert one[BY_RATERS].count("; there is one model, so p values are not adjusted") == 2
    assert "there is one model" not in several[BY_RATERS]
    assert several[BY_RATERS].count("p values of models are adjusted by Holm's method") == 2
    approved(several[BY_RATERS])


def test_groups_of_systems_are_said_to_be_compared_by_their_means() -> None:
    row = {"recipe": "sound", "raters": "included", "link": "probit"}
    compared = row | {"model": "all", "condition_a": "plain", "condition_b": "tuned"}
    systems = [("Ant", "plain"), ("Bee", "tuned"), ("Ant", "tuned")]

    def said(n: int) -> str:
        estimated = [row | {"model": model, "condition": each} for model, each in systems[:n]]
        of_groups = {"mixed_contrasts": [compared], "mixed_systems": estimated}
        return of(tables(mixed_models=mixed("probit", "rater", "scenario"), **of_groups))[BY_RATERS]

    by_means = "are compared by the means of their systems, each system with the same weight."
    assert by_means in said(2) and by_means in said(3)
    systems.pop(1)
    assert by_means not in said(2)


@pytest.mark.parametrize("name", ["to_reference", "win_differences", "anova", "choice_tests"])
def test_adjustment_is_described_where_there_is_more_than_one(
    name: str, approved: Approval
) -> None:
    row = {"recipe": "sound", "condition": "tuned", "factor": "region", "p_adjusted": 0.2}
    row |= {"margin": 0.25}
    rows = [row | {"model": f"of {place}", "scenario": place} for place in ("S1", "S2")]
    single = [rows[0] | {"scenario": "all"}] if name == "choice_tests" else rows[:1]
    approved(of(tables(**{name: rows}))[BY_RATERS])
    assert "Holm" not in of(tables(**{name: single}))[BY_RATERS]


@pytest.mark.parametrize("name", ["paired", "ranking_tests"])
def test_signed_ranks_say_who_is_left_out_and_how_p_and_interval_are_found(
    name: str, approved: Approval
) -> None:
    text = of(tables(**{name: [{"recipe": "sound", "pages": 9}]}))[BY_RATERS]
    approved(text)


@pytest.mark.parametrize("models", [["Ant"], ["Ant", "Bee", "all"]])
def test_signed_ranks_of_a_recipe_of_ratings_name_both_units(
    models: list[str], approved: Approval
) -> None:
    row = {"recipe": "paper", "condition_a": "plain", "condition_b": "tuned", "p": 0.01}
    made = tables(signed_ranks=[row | {"model": model} for model in models])
    text = of(made)[BY_RATINGS]
    assert ("Holm" in text) == (len(models) > 1)
    approved(text)


def order(*covariates: str, dimensions: tuple[str, ...] = ("warmth",)) -> str:
    rows = [
        {"recipe": "sound", "covariate": covariate, "dimension": dimension, "estimate": value}
        for dimension in dimensions
        for covariate, value in (*((each, 0.1) for each in covariates), ("constant", None))
    ]
    return of(tables(order_effects=rows))[BY_RATERS].partition("confidence. ")[2]


def test_order_says_what_a_first_rating_has_for_the_previous_one(approved: Approval) -> None:
    every = ("response_position", "block_position", "previous_rating")
    approved(order(*every))
    several = order(*every, dimensions=("warmth", "advice"))
    approved(several)


def test_order_names_only_what_could_be_estimated(approved: Approval) -> None:
    approved(order("block_position"))
    approved(order())


#: What models of several systems in several conditions have.
NESTED = [
    "rater", "rater:condition", "rater:condition:system",
    "scenario", "scenario:condition", "scenario:condition:system",
]  # fmt: skip


def mixed(link: str, *spreads: str) -> list[dict[str, object]]:
    """A model with these standard deviations."""
    return [{"recipe": "sound", "link": link, "parameter": f"sd {name}"} for name in spreads]


def test_margins_resamples_and_models_are_those_that_were_used(approved: Approval) -> None:
    made = tables(
        to_reference=[{"recipe": "sound", "margin": 0.25}],
        wins_tests=[{"recipe": "sound", "resamples": 2000}],
        mixed_models=mixed("probit", *NESTED) + mixed("linear", *NESTED),
    )
    text = of(made)[BY_RATERS]
    approved(text)


@pytest.mark.parametrize(
    "spreads",
    [
        ["rater", "rater:system", "scenario", "scenario:system"],
        ["rater", "scenario", "scenario:condition", "scenario:condition:system"],
        ["scenario", "scenario:system"],
    ],
    ids=["one condition", "one system a rater", "one rating a rater"],
)
def test_random_effects_are_those_of_the_model(spreads: list[str], approved: Approval) -> None:
    approved(of(tables(mixed_models=mixed("linear", *spreads)))[BY_RATERS])


@pytest.mark.parametrize("link", ["probit", "linear"])
def test_kind_of_model_that_follows_from_the_scale_is_explained(
    link: str, approved: Approval
) -> None:
    made = tables(mixed_models=mixed(link, *NESTED))
    approved(of(made)[BY_RATERS])
    chosen = SOUND.model_copy(update={"mixed_models": MixedModels(links=["linear"])})
    text = of(made, replace(SETTINGS, recipes=[chosen]))
    assert "follows from the scale" not in text[BY_RATERS]


def test_no_resamples_are_claimed_where_none_were_drawn() -> None:
    made = tables(wins_tests=[{"recipe": "sound", "resamples": None}])
    assert "resamples" not in of(made)[BY_RATERS]


def test_reference_points_are_described_only_where_there_are_any(approved: Approval) -> None:
    row = {"recipe": "sound", "resamples": None}
    with_points = of(tables(wins_tests=[{**row, "reference_points": 3}]))
    without = of(tables(wins_tests=[row]))
    approved(with_points[BY_RATERS])
    assert "eference" not in without[BY_RATERS]


@pytest.mark.parametrize("sets", [["all"], ["1", "2"]], ids=["one set", "several sets"])
def test_rankings_say_over_what_they_are_adjusted(sets: list[str], approved: Approval) -> None:
    rows = [{"recipe": "sound", "dimension": "", "set": name, "pages": 9} for name in sets]
    exact = [row | {"method": "exact"} for row in rows]
    approved(of(tables(ranking_tests=exact, ranking_pairs=2 * rows))[BY_RATERS])
    approved(of(tables(ranking_tests=rows, ranking_pairs=2 * rows))[BY_RATERS])


def test_single_pair_of_ranked_systems_has_nothing_to_be_adjusted_for(approved: Approval) -> None:
    rows = [{"recipe": "sound", "dimension": name, "set": "all", "pages": 9} for name in "ab"]
    text = of(tables(ranking_tests=rows, ranking_pairs=rows))[BY_RATERS]
    approved(text)


@pytest.mark.parametrize(
    "tests",
    [
        [("best", "all"), ("worst", "all")],
        [("rank", "1"), ("rank", "2")],
        [("best", "all"), ("rank", "all")],
        [("rank", "all")],
    ],
    ids=["choices", "ranks of several sets", "both", "ranks"],
)
def test_places_are_described_by_what_was_asked_for(tests: list[Any], approved: Approval) -> None:
    rows = [{"recipe": "sound", "answer": answer, "set": name} for answer, name in tests]
    approved(of(tables(position_tests=rows))[BY_RATERS])


@pytest.mark.parametrize(
    "variants",
    [
        ["rules in force", "no rule", "early_exit alone"],
        ["no rule", "a alone", "all but a", "sigma over blocks, ddof 1"],
        ["rules in force"],
    ],
    ids=["single rules", "every kind", "none"],
)
def test_sensitivity_names_the_variants_that_there_were(
    variants: list[str], approved: Approval
) -> None:
    rows = [{"recipe": "sound", "variant": variant} for variant in variants]
    approved(of(tables(sensitivity=rows))[BY_RATERS])


def test_tests_of_equivalent_groups_are_described_where_they_were_made(approved: Approval) -> None:
    rows = of_models("Ant", "Bee")
    untested = [row | {"p_equivalent": None} for row in rows]
    assert "TOST" not in of(tables(group_tests=untested))[BY_RATERS]
    approved(of(tables(group_tests=rows))[BY_RATERS])


def test_choices_are_counted_and_their_agreement_is_named(approved: Approval) -> None:
    front = {"recipe": "sound", "raters": "included"}
    made = tables(
        choices=[
            {**front, "scenario": place, "model": model, "condition": "c", "best": 3, "worst": 2}
            for place in ("all", "Q1", "Q2")
            for model in ("Ant", "Bee")
        ],
        agreement=[{"statistic": "randolphs_kappa_best"}],
    )
    text = of(made)
    approved(text["Choices"])
    sound = text[BY_RATERS]
    approved(sound)


def test_choices_are_told_with_their_tests_and_without_ratings(approved: Approval) -> None:
    front = {"recipe": "sound", "raters": "included"}
    tests = [
        {**front, "test": "permuted_within_pages", "permutations": 9999, "p_adjusted": 0.2},
        {**front, "test": "permuted_by_rater", "permutations": 999},
    ]
    sound = of(tables(choice_tests=tests), replace(SETTINGS, scale=""))[BY_RATERS]
    approved(sound)
    assert "Pearson" not in sound


def test_rankings_are_counted_and_their_agreement_is_named(approved: Approval) -> None:
    test = {"recipe": "sound", "raters": "included", "set": "all", "pages": 100}
    made = tables(
        ranking_tests=[test | {"pages_left_out": 1}],
        agreement=[{"statistic": "kendalls_w_ranks_within_blocks"}],
    )
    text = of(made)
    approved(text["Rankings"])
    sound = text[BY_RATERS]
    approved(sound)


def test_tables_that_belong_to_no_recipe_stand_with_the_one_by_raters() -> None:
    made = tables(paired=[{"unit": "participant", "model": "Ant"}])
    text = of(made)
    assert "Wilcoxon" in text[BY_RATERS]
    assert BY_RATINGS not in text


def test_software_and_snapshot_are_named(approved: Approval) -> None:
    approved(of({}, replace(SETTINGS, recipes=[PAPER]))["Software"])


def test_nobody_has_come_yet(approved: Approval) -> None:
    none = [{"step": "duration", "excluded": 0, "remaining": 0}]
    approved(of(tables(funnel=none))["Raters"])


def test_spread_says_what_it_is_of(approved: Approval) -> None:
    rules = QualityRules.model_validate({"sigma_mae": {"ddof": 0, "sigma_over": "blocks"}})
    approved(words(rules, "sigma_mae"))


@pytest.mark.parametrize(
    "dimensions", [["warmth"], ["warmth", "advice"]], ids=["one dimension", "two dimensions"]
)
def test_wins_say_what_is_compared_and_what_earns_a_point(
    dimensions: list[str], approved: Approval
) -> None:
    rows = [{"dimension": name, "reference_points": 1} for name in dimensions]
    approved(of(tables(wins=rows), replace(SETTINGS, gold=""))["Ratings"])


@pytest.mark.parametrize(
    "raters", [["included"], ["all"], ["included", "all"], ["all", "included"]], ids=" then ".join
)
def test_tables_are_of_the_raters_of_the_recipe(raters: list[str], approved: Approval) -> None:
    mine = recipe("participant", raters=raters)
    text = of(tables(games_howell=[{"recipe": "mine"}]), replace(SETTINGS, recipes=[mine]))
    approved(text["Analysis: Mine (mine)"])


def test_wins_are_counted_as_the_recipe_says(approved: Approval) -> None:
    mine = recipe("rating", wins={"ties": "half", "reference": "pooled"})
    made = tables(wins_tests=[{"recipe": "mine", "reference_points": 3}])
    approved(of(made, replace(SETTINGS, recipes=[mine]))["Analysis: Mine (mine)"])


def test_all_pairs_of_systems_are_one_family(approved: Approval) -> None:
    pair = {"recipe": "sound", "raters": "included", "dimension": "warmth", "link": "probit"}
    for rows in ([pair] * 3, [pair, pair | {"raters": "all"}]):
        approved(of(tables(system_pairs=rows))[BY_RATERS])


def test_means_and_order_of_systems_are_those_of_the_model(approved: Approval) -> None:
    row = {"recipe": "sound", "raters": "included", "dimension": "warmth", "condition": "tuned"}
    rows = [row | {"model": model} for model in ("Ant", "Bee")]
    approved(of(tables(system_groups=rows))[BY_RATERS])
    approved(of(tables(system_groups=rows[:1]))[BY_RATERS])


@pytest.mark.parametrize("margin", [0.25, None])
@pytest.mark.parametrize("systems", [1, 2])
def test_comparison_with_the_reference_says_how(
    margin: float | None, systems: int, approved: Approval
) -> None:
    row: dict[str, Any] = {"recipe": "sound", "raters": "included", "dimension": "warmth"}
    row["condition"] = "tuned"
    rows = [row | {"model": model, "margin": margin} for model in ("Ant", "Bee")[:systems]]
    approved(of(tables(reference_contrasts=rows))[BY_RATERS])


def test_strengths_name_the_models_of_what_was_compared(approved: Approval) -> None:
    row = {"recipe": "sound", "raters": "included", "dimension": "", "ci_low": None}
    models = ["davidson", "plackett_luce", "best_worst", "bradley_terry"]
    rows = [row | {"comparison_model": model} for model in models]
    approved(of(tables(strengths=rows))[BY_RATERS])
    approved(of(tables(strengths=[rows[0] | {"ci_low": 0.1}]))[BY_RATERS])


def test_checks_of_the_main_result_are_described_where_they_were_made(approved: Approval) -> None:
    rows = [{"recipe": "sound"}]
    adjusted = [{"recipe": "sound", "adjusted": 0.2}]
    approved(
        of(tables(fragility=rows, length_adjusted=adjusted, multiverse_summary=rows))[BY_RATERS]
    )


def test_results_without_flagged_raters_are_described(approved: Approval) -> None:
    variants = ["rules in force", "rules in force, without flagged raters"]
    rows = [{"recipe": "sound", "variant": variant} for variant in variants]
    approved(of(tables(sensitivity=rows, without_flagged=[{"recipe": "sound"}]))[BY_RATERS])


def test_equal_lengths_are_not_described_where_no_model_had_them() -> None:
    without = of(
        tables(
            fragility=[{"recipe": "sound"}], length_adjusted=[{"recipe": "sound", "adjusted": None}]
        )
    )
    assert "number of words" not in without[BY_RATERS]


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("methods/study.j2", "methods/recipes.j2") == []
