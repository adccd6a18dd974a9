"""What is said of rankings, choices, agreement, exclusions and order."""

import pytest

from analysis.text.findings import findings
from tests.analysis.text.conftest import Unsaid
from tests.analysis.written import FRONT, ITEMS, SHIPPED, about, cited, recipe, said, tables
from tests.approved import Approval


def test_study_of_rankings_alone_speaks_of_ranks(approved: Approval) -> None:
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
    approved(*said(found[0].sound))


def test_tests_of_several_sets_are_adjusted_over_them(approved: Approval) -> None:
    front = {**FRONT, "dimension": ""}
    test = {**front, "n": 9, "chi_squared": 6.0, "df": 2, "p": 0.0498, "w": 0.3}
    tests = [test | {"set": name, "p_adjusted": 0.0996} for name in "12"]
    ranks = [
        {**front, "set": name, "model": "Ant", "condition": "", "mean_rank": 1.5, "systems": 3}
        for name in "12"
    ]
    found = findings(tables(rankings=ranks, ranking_tests=tests), SHIPPED)
    approved(said(about(found, "Rankings").sound)[1])


def test_ranks_on_no_dimension_stand_without_one_beside_ratings_on_several() -> None:
    test = {**FRONT, "dimension": "", "set": "all", "n": 2, "note": "not estimable, because X"}
    ranks = [{**FRONT, "dimension": "", "set": "all"}]
    rated = [{"dimension": "warmth"}, {"dimension": "advice"}]
    found = findings(tables(items=rated, rankings=ranks, ranking_tests=[test]), SHIPPED)
    assert [finding.title for finding in found] == ["Rankings"]


@pytest.mark.parametrize("n", [3, 9], ids=["few systems", "many systems"])
def test_comparisons_say_who_is_strongest(n: int, approved: Approval) -> None:
    front = {**FRONT, "dimension": "", "condition": "tuned"}
    rows = [
        {**front, "answers": answers, "place": place, "model": f"S{place}", "strength": -place,
         "share": 0.5 / place, "share_ci_low": 0.4 / place, "share_ci_high": 0.6 / place}
        for answers in ("ranks", "ratings") for place in range(1, n + 1)
    ]  # fmt: skip
    found = findings(tables(strengths=rows), SHIPPED)
    assert [finding.title for finding in found] == ["Comparisons"]
    approved(*said(found[0].sound))


def test_another_first_by_observed_numbers_is_named(approved: Approval) -> None:
    front = {**FRONT, "dimension": "", "condition": "tuned"}
    for answers, table, column, ant, bee in (
        ("ranks", "rankings", "mean_rank", 1.4, 1.3),
        ("choices", "choices", "share_best", 0.3, 0.4),
    ):
        of = front | {"answers": answers, "share": 0.5}
        strong = [
            of | {"place": n, "model": m, "strength": -n} for n, m in ((1, "Ant"), (2, "Bee"))
        ]
        seen = [
            front | {"set": "all", "scenario": "all", "model": model, column: value}
            for model, value in (("Ant", ant), ("Bee", bee))
        ]
        made = tables(strengths=strong, **{table: seen})
        approved(*said(about(findings(made, SHIPPED), "Comparisons").sound))
        seen[0][column], seen[1][column] = bee, ant
        made = tables(strengths=strong, **{table: seen})
        assert len(about(findings(made, SHIPPED), "Comparisons").sound) == 1


def test_systems_that_share_the_first_place_of_comparisons_are_both_named(
    approved: Approval,
) -> None:
    front = {**FRONT, "dimension": "", "condition": "tuned", "answers": "choices"}
    rows = [{**front, "place": 1, "model": model, "strength": 0.0, "share": 0.5} for model in "AB"]
    approved(*said(findings(tables(strengths=rows), SHIPPED)[0].sound))


def test_ranks_without_friedmans_test_leave_the_answer_to_the_strengths() -> None:
    front = {**FRONT, "dimension": "", "model": "Ant", "condition": "tuned"}
    test = {**FRONT, "dimension": "", "set": "all", "note": "not estimable, because X"}
    strong = {**front, "answers": "ranks", "place": 1, "strength": 0.0, "share": 1.0}
    found = findings(
        tables(rankings=[front | {"set": "all"}], ranking_tests=[test], strengths=[strong]), SHIPPED
    )
    assert [finding.title for finding in found] == ["Comparisons"]


def test_choices_name_who_is_chosen_most_and_prefer_the_test_by_raters(approved: Approval) -> None:
    front = {**FRONT, "dimension": "", "scenario": "all"}
    chosen = [
        {**front, "model": "Ant", "condition": "tuned", "share_best": 0.625, "share_worst": None},
        {**front, "model": "Bee", "condition": "plain", "share_best": 0.375, "share_worst": None},
    ]
    tests = [
        {**front, "choice": "best", "unit": "choice", "test": "chi_squared", "p": 0.001},
        {
            **front,
            "choice": "best",
            "unit": "participant",
            "test": "permuted_by_rater",
            "p": 0.03,
            "n_raters": 9,
        },
    ]
    found = findings(tables(choices=chosen, choice_tests=tests), SHIPPED)
    approved(*said(about(found, "Best and worst").sound))


def test_choices_count_the_scenarios_in_which_the_first_is_first(approved: Approval) -> None:
    shares = {"all": (0.6, 0.4), "S1": (0.7, 0.3), "S2": (0.5, 0.5), "S3": (0.2, 0.8)}
    shares["S4"] = (0.0, 0.0)  # nobody chose there
    rows = [
        {**FRONT, "dimension": "", "scenario": scenario, "model": model, "condition": ""}
        | {"share_best": share}
        for scenario, each in shares.items()
        for model, share in zip(("Ant", "Bee"), each, strict=True)
    ]
    approved(*said(about(findings(tables(choices=rows), SHIPPED), "Best and worst").sound))


def test_who_shares_the_first_place_is_named_with_who_shares_it(approved: Approval) -> None:
    front = {**FRONT, "dimension": ""}
    test = {**front, "set": "all", "n": 1, "chi_squared": 0.0, "df": 1, "p": 1.0, "w": 0.0}
    systems = [{"model": model, "condition": "tuned"} for model in ("Ant", "Bee", "Cat")]
    means = [front | who | {"set": "all", "systems": 3} for who in systems]
    ranks = [row | {"mean_rank": mean} for row, mean in zip(means, (1.5, 1.5, 3.0), strict=True)]
    shares = [front | who | {"scenario": "all", "share_best": 1 / 3} for who in systems]
    found = findings(tables(rankings=ranks, ranking_tests=[test], choices=shares), SHIPPED)
    approved(said(about(found, "Rankings").sound)[0])
    approved(*said(about(found, "Best and worst").sound))


def test_interval_of_one_is_not_said_of_others_that_share_its_place() -> None:
    front = {**FRONT, "dimension": "", "condition": "tuned"}
    first = [front | {"model": "Ant", "ci": 0.1}, front | {"model": "Bee", "ci": 0.2}]
    shares = [
        {**row, "scenario": "all", "share_best": 0.5, "best_ci_low": ci, "best_ci_high": 0.9}
        for row in first
        for ci in [row["ci"]]
    ]
    ranks = [
        {**row, "set": "all", "systems": 2, "mean_rank": 1.5, "ci_low": ci, "ci_high": 1.9}
        for row in first
        for ci in [row["ci"]]
    ]
    test = {**FRONT, "dimension": "", "set": "all", "n": 4, "chi_squared": 0.0, "df": 1, "p": 1.0}
    found = findings(
        tables(choices=shares, rankings=ranks, ranking_tests=[{**test, "w": 0.0}]), SHIPPED
    )
    assert "interval" not in said(about(found, "Best and worst").sound)[0]
    assert "interval" not in said(about(found, "Rankings").sound)[0]


def test_choices_count_as_units_where_no_test_is_by_raters(approved: Approval) -> None:
    front = {**FRONT, "dimension": "", "scenario": "all"}
    chosen = [{**front, "model": "Ant", "condition": "tuned", "share_best": 0.5}]
    test = {"choice": "best", "unit": "choice", "test": "permuted_within_pages", "p": 0.04}
    found = findings(
        tables(choices=chosen, choice_tests=[{**front, **test, "n_raters": 9, "n_choices": 60}]),
        SHIPPED,
    )
    approved(said(about(found, "Best and worst").sound)[1])


def test_agreement_labels_the_mean_of_raters_apart_from_a_single_one(approved: Approval) -> None:
    rows = [
        {"dimension": "warmth", "statistic": name, "value": value, "n_raters": 9, "n_items": 12}
        | {"of": of}
        for name, value, of in (
            ("icc_2_1", 0.1, "single rater"),
            ("icc_2_k", 0.9, "mean of 4.2 raters"),
            ("krippendorff_alpha_ordinal", None, ""),
        )
    ]
    found = about(findings(tables(items=ITEMS, agreement=rows), SHIPPED), "Agreement of raters")
    approved(*said(found.sound))


def test_agreement_on_choices_is_said_where_nothing_was_rated(approved: Approval) -> None:
    rows = [
        {"dimension": "", "statistic": "randolphs_kappa_best", "value": 0.15, "ci_low": 0.08}
        | {"ci_high": 0.23, "n_raters": 25, "n_items": 10}
    ]
    found = about(findings(tables(agreement=rows), SHIPPED), "Agreement of raters")
    approved(*said(found.sound))


def test_exclusions_name_the_variants_that_change_a_result(approved: Approval) -> None:
    rows = [
        {
            **FRONT,
            "variant": variant,
            "n_raters": n,
            "same_conclusion": not what,
            "what_moves": what,
        }
        for variant, n, what in (
            ("rules in force", 9, ""),
            ("no rule", 12, "by_raters (sign), wins (significance)"),
            ("duration alone", 10, ""),
        )
    ]
    found = about(findings(tables(items=ITEMS, sensitivity=rows), SHIPPED), "Exclusions")
    approved(*said(found.sound))
    assert cited(found.sound[0])[-1][1].startswith("sensitivity.csv#cell=3,")


def test_exclusions_say_where_the_raters_are_the_same(approved: Approval) -> None:
    rows = [
        {**FRONT, "variant": variant, "same_raters": same, "same_conclusion": True}
        for variant, same in (("rules in force", True), ("no rule", True), ("a alone", False))
    ]
    found = about(findings(tables(items=ITEMS, sensitivity=rows), SHIPPED), "Exclusions")
    approved(said(found.sound)[0])


def test_exclusions_that_can_change_nothing_say_so(approved: Approval) -> None:
    row = {**FRONT, "variant": "no rule", "same_raters": True, "same_conclusion": True}
    for rows in ([row], [row, row]):
        found = about(findings(tables(items=ITEMS, sensitivity=rows), SHIPPED), "Exclusions")
        approved(said(found.sound)[0])


def test_exclusions_are_those_of_one_recipe_at_its_level(approved: Approval) -> None:
    strict = recipe("participant", confidence=0.99)
    rows = [
        {**FRONT, "recipe": name, "variant": "no rule", "same_conclusion": same, "what_moves": ""}
        for name, same in (("mine", True), ("sound", False))
    ]
    found = about(findings(tables(items=ITEMS, sensitivity=rows), [strict, *SHIPPED]), "Exclusions")
    approved(*said(found.sound))


def test_order_says_what_moves(approved: Approval) -> None:
    rows = [
        {**FRONT, "model": model, "difference": difference, "moves": moves}
        for model, difference, moves in (("Ant", 0.1, True), ("Bee", 0.2, False), ("all", None, 0))
    ]
    found = about(findings(tables(items=ITEMS, order_conclusions=rows), SHIPPED), "Order")
    approved(*said(found.sound))


def test_order_says_what_a_step_goes_with_where_it_is_more_than_chance(approved: Approval) -> None:
    row = {**FRONT, "estimate": -0.0991, "ci_low": -0.165, "ci_high": -0.034}
    rows = [
        {**row, "covariate": covariate, "p_adjusted": p}
        for covariate, p in (
            ("response_position", 0.01),
            ("block_position", 0.2),
            ("previous_rating", 0.009),
        )
    ]
    found = about(findings(tables(items=ITEMS, order_effects=rows), SHIPPED), "Order")
    approved(*said(found.sound))


def test_only_step_of_order_has_nothing_to_be_adjusted_for(approved: Approval) -> None:
    row = {**FRONT, "covariate": "block_position", "p_adjusted": 0.01}
    row |= {"estimate": 0.1, "ci_low": 0.05, "ci_high": 0.15}
    found = about(findings(tables(items=ITEMS, order_effects=[row]), SHIPPED), "Order")
    approved(said(found.sound)[0])


def test_printed_numbers_are_counted_where_they_could_be_looked_up(approved: Approval) -> None:
    rows = [{"recipe": "paper", "match": match} for match in (True, False, None)]
    note = {"match": None, "note": "not replicated: its model has no name"}
    rows += [{"recipe": "paper", "item": item, **note} for item in ("Continuity", "Its change")]
    rows.append({"recipe": "paper", "item": "Ratio", "note": "not replicated: it is not defined"})
    found = about(findings(tables(replication=rows), SHIPPED), "Printed numbers")
    approved(*said(found.paper))


def test_who_counts_is_told_by_decision_and_rule(approved: Approval) -> None:
    steps = [
        {"step": "decision", "excluded": 1, "remaining": 19},
        {"step": "duration", "excluded": 4, "remaining": 15},
        {"step": "attention", "excluded": 0, "remaining": 15},
    ]
    approved(*said(about(findings(tables(funnel=steps), SHIPPED), "Who counts").sound))
    none = [{"step": "duration", "excluded": 0, "remaining": 0}]
    approved(*said(about(findings(tables(funnel=none), SHIPPED), "Who counts").sound))


def test_share_of_choices_has_its_interval(approved: Approval) -> None:
    row = {**FRONT, "dimension": "", "scenario": "all", "model": "Ant", "condition": "tuned"}
    share = {"share_worst": 0.5, "worst_ci_low": 0.4, "worst_ci_high": 0.6}
    found = about(findings(tables(choices=[row | share]), SHIPPED), "Best and worst")
    approved(*said(found.sound))


@pytest.mark.parametrize(
    "statistic",
    ["krippendorff_alpha_ordinal", "kendalls_w_ranks_within_blocks", "randolphs_kappa_worst"],
)
def test_agreement_says_which_others_its_interval_is_for(
    statistic: str, approved: Approval
) -> None:
    interval = {"value": 0.5, "ci_low": 0.4, "ci_high": 0.6}
    row = {"dimension": "", "statistic": statistic, **interval, "n_raters": 9, "n_items": 1}
    found = about(findings(tables(agreement=[row]), SHIPPED), "Agreement of raters")
    approved(*said(found.sound))


def test_alpha_says_which_items_it_counts_where_others_count_more(approved: Approval) -> None:
    of = {"dimension": "", "value": 0.5, "n_raters": 9}
    rows = [
        {**of, "statistic": "krippendorff_alpha_ordinal", "n_items": 143},
        {**of, "statistic": "icc_2_1", "n_items": 144},
    ]
    found = about(findings(tables(agreement=rows), SHIPPED), "Agreement of raters")
    approved(*said(found.sound))


def test_several_variants_that_change_a_result_are_all_named(approved: Approval) -> None:
    row = {**FRONT, "same_conclusion": False, "n_raters": 8, "what_moves": "mixed_latent (sign)"}
    rows = [row | {"variant": variant} for variant in ("no rule", "duration alone")]
    found = about(findings(tables(items=ITEMS, sensitivity=rows), SHIPPED), "Exclusions")
    approved(said(found.sound)[0])


def test_every_text_of_the_template_is_said(unsaid: Unsaid) -> None:
    assert unsaid("findings/answers.j2") == []
