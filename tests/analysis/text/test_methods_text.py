"""The methods that can be pasted into a paper: from the settings and what came of them."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.quality_rules import QualityRules, RuleName
from analysis.recipe import MixedModels
from analysis.tables.lead import MIN_F_LEADS
from analysis.text.cells import Table
from analysis.text.methods_text import Settings, methods
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import PAPER, SHIPPED, SOUND, recipe, said, tables

SETTINGS = Settings(
    rules=QualityRules(),
    recipes=SHIPPED,
    sources=["prolific", "link"],
    gold="judge llama",
    scale="on a scale from 1 (no) to 5 (very)",
    software={"python": "3.11.9", "numpy": "2.4", "analysis": "0123456789abcdef"},
    snapshot="fedcba9876543210",
)
BY_RATINGS = "Analysis: Ratings as units, as in The Pursuit of Empathy (paper)"
BY_RATERS = "Analysis: Raters and items as units (sound)"
STEPS = [
    {"step": "duration", "excluded": 9, "remaining": 142},
    {"step": "sigma_mae", "excluded": 26, "remaining": 116},
]


def of(made: dict[str, Table], settings: Settings = SETTINGS) -> dict[str, str]:
    """Paragraphs by title."""
    return {p.title: " ".join(said(p.sentences)) for p in methods(made, settings)}


def test_raters_are_told_rule_by_rule_with_thresholds_and_counts() -> None:
    assert of(tables(funnel=STEPS))["Raters"] == (
        "Participants from these sources count, as far as there are any: prolific and link. Of 151 "
        "people who agreed to take part and finished or left, those were left out, in this order "
        "and for the first rule that matched, (1) who took less than 10 or more than 75 minutes: "
        "9, 142 remaining, (2) whose gold-scored ratings had σ < 0.6 and at the same time a mean "
        "absolute distance to the gold scores of more than 0.9 (σ = standard deviation, n − 1 in "
        "its denominator): 26, 116 remaining. 116 raters (76.8 %) are included."
    )


def test_decisions_of_the_researchers_are_told_first_with_their_reasons() -> None:
    decided = [("invented ID", 3), ("asked us to", 1), ("", 151)]
    raters = [
        {"exclusion": "decision" if why else "", "excluded_by_decision": why}
        for why, n in decided
        for _ in range(n)
    ]
    decision = {"step": "decision", "excluded": 4, "remaining": 151}
    told = of(tables(funnel=[decision, *STEPS], raters=raters))["Raters"]
    assert (
        "Of 155 people who agreed to take part and finished or left, 4 were excluded by the "
        "researchers' decision (“invented ID”: 3; “asked us to”: 1), 151 remaining. Of these, "
        "those were left out, in this order and for the first rule that matched, (1) who took"
    ) in told
    alone = of(tables(funnel=[decision], raters=raters))["Raters"]
    assert alone.endswith("151 remaining. 151 raters (97.4 %) are included.")


def words(rules: QualityRules, name: RuleName) -> str:
    return rules.rule(name).in_words()


def test_rules_are_told_with_their_own_thresholds() -> None:
    rules = QualityRules.model_validate(
        {
            "duration_minutes": {"minimum": 2.5, "maximum": 30},
            "attention": {"failures_allowed": 1},
            "early_exit": {"inactive_minutes": 45},
        }
    )
    assert words(rules, "duration") == "who took less than 2.5 or more than 30 minutes"
    assert words(rules, "attention") == "who failed more than 1 attention checks"
    assert words(QualityRules(), "attention") == "who failed any attention check"
    assert "silent for more than 45 minutes" in words(rules, "early_exit")


def test_study_without_rules_says_so() -> None:
    assert of({})["Raters"].endswith("No rule of exclusion was applied.")


def items(*dimensions: str) -> list[dict[str, Any]]:
    return [
        {"scenario": "S1", "model": "Ant", "condition": condition, "dimension": dimension, "n": 30}
        for dimension in dimensions
        for condition in ("plain", "tuned")
    ]


def test_ratings_are_counted_with_scale_and_gold() -> None:
    assert of(tables(items=items("warmth"), funnel=STEPS))["Ratings"] == (
        "The included raters gave 60 ratings of 2 systems (a model in a condition) in 1 scenario, "
        "on a scale from 1 (no) to 5 (very). Gold scores: judge llama. The rule on σ and mean "
        "absolute distance goes by them."
    )


def test_dimensions_are_named_where_there_are_several() -> None:
    said_of = of(tables(items=items("warmth", "clarity")), replace(SETTINGS, gold="", scale=""))
    assert said_of["Ratings"] == (
        "The included raters gave 120 ratings of 2 systems (a model in a condition) in 1 "
        "scenario, on 2 dimensions (Warmth and Clarity)."
    )


def test_no_ratings_and_no_gold_have_no_paragraph() -> None:
    assert "Ratings" not in of({}, replace(SETTINGS, gold=""))


def test_filter_by_gold_scores_that_are_not_there_is_said_to_match_nobody() -> None:
    assert of(tables(funnel=STEPS), replace(SETTINGS, gold=""))["Ratings"] == (
        "There are no gold scores, so the rule on σ and mean absolute distance could match nobody."
    )


def test_recipe_without_tables_says_so() -> None:
    assert of({})[BY_RATINGS] == "None of its tables could be computed."


def test_recipe_about_ratings_says_so_of_a_study_that_asks_for_none() -> None:
    assert of({}, replace(SETTINGS, scale=""))[BY_RATINGS] == (
        "It is about ratings, for which the study does not ask."
    )


def test_what_was_not_computed_is_not_described() -> None:
    assert of(tables(anova=[{"recipe": "sound", "factor": "region"}]))[BY_RATERS] == (
        "A rater's mean is one observation, however many ratings it rests on. Tables are of the "
        "included raters, and once more of all raters; intervals have 95 % confidence. Groups of "
        "raters by Region were compared by one-way analyses of variance, Fisher's and Welch's, "
        "over all scenarios and in each."
    )


def test_groups_are_described_as_the_recipe_cuts_them() -> None:
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
        group_tests=[{"recipe": "mine", "factor": factor} for factor in ("age", "education")]
    )
    assert of(made, replace(SETTINGS, recipes=[mine]))["Analysis: Mine (mine)"] == (
        "Every rating counts as one observation. Groups of raters (Age: old (above 40 and at most "
        "90) against young (all other answers), without unknown; Education: graduate (Master or "
        "Doctor) against school) were compared per model by Welch's t test, over all ratings and "
        "within each condition. Beside every test stand Cohen's d, with an interval from the "
        "noncentral t distribution that is exact for independent normal values that vary alike in "
        "both groups (equal variances), and Hedges' g, which is d less its bias."
    )


def test_groups_within_each_condition_of_each_scenario_are_told() -> None:
    each = PAPER.model_copy(update={"conditions_in_scenarios": True})
    made = tables(group_tests=[{"recipe": "paper", "factor": "age"}])
    said = of(made, replace(SETTINGS, recipes=[each]))[f"Analysis: {each.title} (paper)"]
    assert (
        "over all ratings and within each condition and each scenario, and within each condition "
        "of each scenario" in said
    )


def test_groups_of_an_earlier_recipe_are_not_described_anew() -> None:
    made = tables(group_tests=[{"recipe": name, "factor": "age"} for name in ("paper", "sound")])
    text = of(made)
    assert "(Age: 60+ (at least 60)" in text[BY_RATINGS]
    assert "Groups of raters (those of recipe paper) were compared" in text[BY_RATERS]


def of_models(*models: str) -> list[dict[str, Any]]:
    """Rows of a table by models, in which one is tested each."""
    return [
        {
            "recipe": "sound",
            "factor": "age",
            "model": model,
            "p": 0.2,
            "p_equivalent": 0.2,
            "margin": 0.25,
        }
        for model in models
    ]


def test_adjustment_names_its_family() -> None:
    made = tables(group_tests=of_models("Ant", "Bee"))
    text = of(made, replace(SETTINGS, recipes=[SOUND]))
    assert (
        "p values are adjusted over models where all else is equal, by Holm's method and, beside "
        "it, by Benjamini and Hochberg's" in text[BY_RATERS]
    )


def test_single_model_has_nothing_to_be_adjusted_for() -> None:
    names = ["contrasts", "paired", "group_tests", "mixed_contrasts", "mixed_models"]
    row = {"condition_a": "plain", "condition_b": "tuned", "link": "probit", "raters": "included"}
    one, several = (
        of(tables(**{name: [row | each for each in of_models(*models)] for name in names}))
        for models in (["Ant"], ["Ant", "Bee", "all"])
    )
    assert "Holm" not in one[BY_RATERS]
    assert one[BY_RATERS].count("; there is one model, so there is nothing to adjust for") == 2
    assert "there is one model" not in several[BY_RATERS]
    assert several[BY_RATERS].count("p values of models are adjusted by Holm's method") == 2
    assert "signed-rank test, adjusted over models by Holm's method" in several[BY_RATERS]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("to_reference", "p values of both are adjusted over systems by Holm's method"),
        ("win_differences", "by a paired t test within raters, adjusted over all comparisons by "
         "Holm's method"),
        ("anova", "Fisher's and Welch's, over all scenarios and in each; p values of scenarios are "
         "adjusted by Holm's method"),
        ("choice_tests", "p values of scenarios are adjusted by Holm's method"),
    ],
)  # fmt: skip
def test_adjustment_is_described_where_there_is_more_than_one(name: str, says: str) -> None:
    row = {"recipe": "sound", "condition": "tuned", "factor": "region", "p_adjusted": 0.2}
    row |= {"margin": 0.25}
    rows = [row | {"model": f"of {place}", "scenario": place} for place in ("S1", "S2")]
    single = [rows[0] | {"scenario": "all"}] if name == "choice_tests" else rows[:1]
    assert says in of(tables(**{name: rows}))[BY_RATERS]
    assert "Holm" not in of(tables(**{name: single}))[BY_RATERS]


@pytest.mark.parametrize("name", ["paired", "ranking_tests"])
def test_signed_ranks_say_who_is_left_out_and_how_p_and_interval_are_found(name: str) -> None:
    text = of(tables(**{name: [{"recipe": "sound", "pages": 9}]}))[BY_RATERS]
    assert (
        "Wilcoxon's test leaves out raters without a difference, whom the column zeros counts; p "
        "is exact for up to 50 raters, else by the normal approximation, ties corrected for, as "
        "the column method says. The matched-pairs rank-biserial correlation has an interval by "
        "Fisher's z, with the standard error that it has where nothing differs; where all "
        "differences have one direction, it has none."
    ) in text


def order(*covariates: str, dimensions: tuple[str, ...] = ("warmth",)) -> str:
    rows = [
        {"recipe": "sound", "covariate": covariate, "dimension": dimension, "estimate": value}
        for dimension in dimensions
        for covariate, value in (*((each, 0.1) for each in covariates), ("constant", None))
    ]
    return of(tables(order_effects=rows))[BY_RATERS].partition("confidence. ")[2]


def test_order_says_what_a_first_rating_has_for_the_previous_one() -> None:
    every = ("response_position", "block_position", "previous_rating")
    assert order(*every) == (
        "Whether order matters was tested by a linear mixed model that has the position of the "
        "response, the position of the block and the previous rating beside the systems; p values "
        "of these are adjusted by Holm's method. A rater's first rating has none before it, and is "
        "given the mean of those that there are."
    )
    several = order(*every, dimensions=("warmth", "advice"))
    assert "the previous rating on the same dimension beside the systems" in several
    assert "A rater's first rating on a dimension has none before it" in several


def test_order_names_only_what_could_be_estimated() -> None:
    assert order("block_position") == (
        "Whether order matters was tested by a linear mixed model that has the position of the "
        "block beside the systems."
    )
    assert order() == "Whether order matters could not be tested; the column note says why."


def test_margins_resamples_and_models_are_those_that_were_used() -> None:
    made = tables(
        to_reference=[{"recipe": "sound", "margin": 0.25}],
        wins_tests=[{"recipe": "sound", "resamples": 2000}],
        mixed_models=[{"recipe": "sound", "link": "probit"}, {"recipe": "sound", "link": "linear"}],
    )
    text = of(made)[BY_RATERS]
    assert "with a margin of 0.25 points (6.25 % of the scale's length)" in text
    assert "2,000 resamples (seed 1) of raters drawn with replacement" in text
    assert (
        "Cumulative link mixed models (probit; Laplace approximation, restricted by Cox and Reid's "
        "adjusted profile likelihood) and linear mixed models (REML) have the system as fixed "
        "effect" in text
    )


def test_lead_of_few_raters_is_described_where_it_is_of_the_raters_of_the_recipe() -> None:
    row = {"recipe": "sound", "raters": "included", "model": "Ant", "note": MIN_F_LEADS}
    says = "min F′ leads, because there are fewer than 20 raters: F2 and mixed models do not allow"
    assert says in of(tables(contrasts=[row]))[BY_RATERS]
    assert "leads" not in of(tables(contrasts=[row | {"raters": "all"}]))[BY_RATERS]


@pytest.mark.parametrize(
    ("link", "says"),
    [
        ("probit", "ratings of up to 10 points are taken as ordered categories."),
        ("linear", "ratings on a slider or of more than 10 points are taken as numbers, because "
         "each further point would need a threshold of its own."),
    ],
)  # fmt: skip
def test_kind_of_model_that_follows_from_the_scale_is_explained(link: str, says: str) -> None:
    made = tables(mixed_models=[{"recipe": "sound", "link": link}])
    assert f"The kind of model follows from the scale: {says}" in of(made)[BY_RATERS]
    chosen = SOUND.model_copy(update={"mixed_models": MixedModels(links=["linear"])})
    text = of(made, replace(SETTINGS, recipes=[chosen]))
    assert "follows from the scale" not in text[BY_RATERS]


def test_no_resamples_are_claimed_where_none_were_drawn() -> None:
    made = tables(wins_tests=[{"recipe": "sound", "resamples": None}])
    assert "resamples" not in of(made)[BY_RATERS]


def test_reference_points_are_described_only_where_there_are_any() -> None:
    row = {"recipe": "sound", "resamples": None}
    with_points = of(tables(wins_tests=[{**row, "reference_points": 3}]))
    without = of(tables(wins_tests=[row]))
    says = "Reference points are earned by the reference's mean in the set in which a model was "
    assert says in with_points[BY_RATERS]
    assert "eference" not in without[BY_RATERS]


@pytest.mark.parametrize(
    ("sets", "says"),
    [
        (["all"], "with Kendall's W, and in pairs by Wilcoxon's signed-rank test, adjusted over "
         "all pairs, by Holm's method. Wilcoxon's"),
        (["1", "2"], "with Kendall's W, adjusted over sets, and in pairs by Wilcoxon's signed-rank "
         "test, adjusted over all pairs of all sets, by Holm's method."),
    ],
)  # fmt: skip
def test_rankings_say_over_what_they_are_adjusted(sets: list[str], says: str) -> None:
    rows = [{"recipe": "sound", "dimension": "", "set": name, "pages": 9} for name in sets]
    assert says in of(tables(ranking_tests=rows, ranking_pairs=2 * rows))[BY_RATERS]


def test_single_pair_of_ranked_systems_has_nothing_to_be_adjusted_for() -> None:
    rows = [{"recipe": "sound", "dimension": name, "set": "all", "pages": 9} for name in "ab"]
    text = of(tables(ranking_tests=rows, ranking_pairs=rows))[BY_RATERS]
    assert "and in pairs by Wilcoxon's signed-rank test. Wilcoxon's" in text


@pytest.mark.parametrize(
    ("tests", "says"),
    [
        (
            [("best", "all"), ("worst", "all")],
            "Whether the place on the page matters to choices was tested by Pearson's χ² of how "
            "often each place was chosen, adjusted over answers by Holm's method; a page, whose "
            "order is its own, is one observation. Systems' shares of choices were also averaged "
            "over places, each place counting the same.",
        ),
        (
            [("rank", "1"), ("rank", "2")],
            "Whether the place on the page matters to ranks was tested by Friedman's χ² over "
            "pages, adjusted over sets by Holm's method; a page, whose order is its own, is one "
            "observation. Systems' mean ranks were also averaged over places, each place "
            "counting the same.",
        ),
        (
            [("best", "all"), ("rank", "all")],
            "matters to choices and ranks was tested by Pearson's χ² of how often each place was "
            "chosen and by Friedman's χ² over pages, adjusted over answers",
        ),
        ([("rank", "all")], "is one observation. Systems' mean ranks"),
    ],
)
def test_places_are_described_by_what_was_asked_for(tests: list[Any], says: str) -> None:
    rows = [{"recipe": "sound", "answer": answer, "set": name} for answer, name in tests]
    assert says in of(tables(position_tests=rows))[BY_RATERS]


@pytest.mark.parametrize(
    ("variants", "says"),
    [
        (
            ["rules in force", "no rule", "early_exit alone"],
            "anew with no rule of exclusion and with each rule alone.",
        ),
        (
            ["no rule", "a alone", "all but a", "sigma over blocks, ddof 1"],
            "anew with no rule of exclusion, with each rule alone, with all but each and with σ "
            "taken in other ways.",
        ),
        (["rules in force"], "No other choice of exclusion rules was there"),
    ],
)
def test_sensitivity_names_the_variants_that_there_were(variants: list[str], says: str) -> None:
    rows = [{"recipe": "sound", "variant": variant} for variant in variants]
    text = of(tables(sensitivity=rows))[BY_RATERS]
    assert says in text


def test_tests_of_equivalent_groups_are_described_where_they_were_made() -> None:
    rows = of_models("Ant", "Bee")
    untested = [row | {"p_equivalent": None} for row in rows]
    assert "TOST" not in of(tables(group_tests=untested))[BY_RATERS]
    assert (
        "That two groups differ by less than 0.25 points (6.25 % of the scale's length) was tested "
        "by two one-sided t tests (TOST), adjusted over the same by Holm's method."
        in of(tables(group_tests=rows))[BY_RATERS]
    )


def test_choices_are_counted_and_their_agreement_is_named() -> None:
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
    assert text["Choices"] == (
        "The included raters chose a best response 6 times and a worst one 4 times, among 2 "
        "systems (a model in a condition) in 2 scenarios."
    )
    sound = text[BY_RATERS]
    assert "Agreement of raters is given as Randolph's free-marginal κ of the choices." in sound
    assert "Shares of best and of worst choices are of the pages that showed a system" in sound


def test_choices_are_told_with_their_tests_and_without_ratings() -> None:
    front = {"recipe": "sound", "raters": "included"}
    tests = [
        {**front, "test": "permuted_within_pages", "permutations": 9999, "p_adjusted": 0.2},
        {**front, "test": "permuted_by_rater", "permutations": 999},
    ]
    sound = of(tables(choice_tests=tests), replace(SETTINGS, scale=""))[BY_RATERS]
    assert sound.startswith("A rater is one observation, however many pages they answered.")
    assert "as best, and as worst, was tested by Σ (observed − expected)² / expected" in sound
    assert "999 to 9,999 permutations (seed 1)" in sound
    assert "p values of scenarios are adjusted by Holm's method" in sound
    assert "Pearson" not in sound


def test_rankings_are_counted_and_their_agreement_is_named() -> None:
    test = {"recipe": "sound", "raters": "included", "set": "all", "pages": 100}
    made = tables(
        ranking_tests=[test | {"pages_left_out": 1}],
        agreement=[{"statistic": "kendalls_w_ranks_within_blocks"}],
    )
    text = of(made)
    assert text["Rankings"] == (
        "The included raters ranked all responses of 100 pages; equal ranks share their middle. 1 "
        "page, ranked in part, could not be used."
    )
    sound = text[BY_RATERS]
    assert "given as Kendall's W of the ranks within blocks." in sound


def test_tables_that_belong_to_no_recipe_stand_with_the_one_by_raters() -> None:
    made = tables(paired=[{"unit": "participant", "model": "Ant"}])
    text = of(made)
    assert "Wilcoxon" in text[BY_RATERS]
    assert "Wilcoxon" not in text[BY_RATINGS]


def test_software_and_snapshot_are_named() -> None:
    assert of({}, replace(SETTINGS, recipes=[PAPER]))["Software"] == (
        "Computed with Fivefold (digest of its analysis code 0123456789ab), Python 3.11.9, NumPy "
        "2.4, from the data snapshot fedcba987654."
    )


def test_nobody_has_come_yet() -> None:
    none = [{"step": "duration", "excluded": 0, "remaining": 0}]
    assert of(tables(funnel=none))["Raters"].endswith("Nobody has finished or left yet.")


def test_spread_says_what_it_is_of() -> None:
    rules = QualityRules.model_validate({"sigma_mae": {"ddof": 0, "sigma_over": "blocks"}})
    assert words(rules, "sigma_mae").endswith(
        "(σ = standard deviation, n in its denominator, over the mean ratings of blocks)"
    )


@pytest.mark.parametrize(
    ("dimensions", "keys"),
    [(("warmth",), "model and scenario"), (("warmth", "advice"), "model, scenario and dimension")],
)
def test_wins_say_what_is_compared_and_what_earns_a_point(
    dimensions: tuple[str, ...], keys: str
) -> None:
    rows = [{"dimension": name, "reference_points": 1} for name in dimensions]
    assert of(tables(wins=rows), replace(SETTINGS, gold=""))["Ratings"] == (
        f"Per {keys}, the condition with the higher mean of the included raters' ratings wins; "
        "equal means are a tie, and nobody's win. The reference earns a point for each of both "
        "means that its own mean, in the sets in which the model was shown, is above."
    )


@pytest.mark.parametrize(
    ("raters", "says"),
    [
        (["included"], "the included raters"),
        (["all"], "all raters, excluded ones among them"),
        (["included", "all"], "the included raters, and once more of all raters"),
        (["all", "included"], "all raters, and once more of the included ones"),
    ],
)
def test_tables_are_of_the_raters_of_the_recipe(raters: list[str], says: str) -> None:
    mine = recipe("participant", raters=raters)
    text = of(tables(games_howell=[{"recipe": "mine"}]), replace(SETTINGS, recipes=[mine]))
    assert text["Analysis: Mine (mine)"].endswith(
        f"Tables are of {says}; intervals have 95 % confidence. Games and Howell's comparisons of "
        "every two groups follow."
    )


def test_wins_are_counted_as_the_recipe_says() -> None:
    mine = recipe("rating", wins={"ties": "half", "reference": "pooled"})
    made = tables(wins_tests=[{"recipe": "mine", "reference_points": 3}])
    assert of(made, replace(SETTINGS, recipes=[mine]))["Analysis: Mine (mine)"].endswith(
        "The number of wins was held against even chances by the sign test (ties are half a win "
        "for each condition). Reference points are earned by the reference's mean in all sets "
        "pooled."
    )


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("methods/study.j2", "methods/recipes.j2") == []
