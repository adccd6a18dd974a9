"""What each column of the tables of an analysis means. Pure."""

from collections.abc import Iterator, Mapping, Sequence

from dashboard.codebook import MEANINGS as OF_EXPORTS

#: Columns that mean the same as in an export.
SHARED = {
    "participant", "status", "duration_seconds", "attention_checks_failed", "sigma", "mae",
    "included", "exclusion", "excluded_by_decision", "scenario", "set", "model", "condition",
    "dimension", "gold", "score", "judge", "response", "replicate", "requested_model",
    "returned_model", "choice", "system", "gold_by",
}  # fmt: skip
MEANINGS = {
    # what a row is about
    "recipe": "Recipe that the row belongs to",
    "unit": "What counts as one observation: rating, participant, scenario, both of these, "
    "comparison, choice or page",
    "raters": "Whose ratings: of the included raters, or of all who entered the filter",
    "sources": "Sources whose participants count in this analysis; there only where test people "
    "may be among them",
    "note": "Why something is not estimable, or what to know about the row; else empty",
    "factor": "Characteristic by which raters are grouped",
    "group_a": "Group a of raters",
    "group_b": "Group b of raters",
    "groups": "How many groups are compared",
    "condition_a": "Condition a of the study's contrast",
    "condition_b": "Condition b of the study's contrast",
    "test": "Which test",
    "statistic": "What is computed, or the test statistic",
    "generalises_to": "For which others the interval and p hold: raters, scenarios or both",
    "variant": "Choice of exclusion rules: those in force, and others",
    "way": "Gold scores by which the filter goes",
    "measure": "What is measured",
    "step": "Rule, in the order of the filter",
    "link": "Link of the mixed model: probit or logit (ordinal), or linear",
    "scale": "latent: what lies behind the categories; ratings: points of the scale",
    "parameter": "Threshold or standard deviation of the model",
    "covariate": "Position of the response, position of the block, or previous rating",
    "characteristic": "Question about the person",
    "category": "Answer; empty for numbers",
    # counts
    "n": "How many of the unit",
    "n_a": "How many of the unit in a",
    "n_b": "How many of the unit in b",
    "n_ratings": "How many ratings",
    "n_raters": "How many raters",
    "n_items": "How many items: responses as shown, on a dimension",
    "n_cells": "Comparisons of a model in a scenario",
    "n_choices": "How many choices",
    "n_gold": "Ratings of responses that have a gold score",
    "n_ranks": "How many ranks",
    "positions": "How many places a page has",
    "n_pages": "How many pages",
    "items": "How many items",
    "systems": "How many systems",
    "shown": "Pages that showed the system",
    "total": "Sum of the ratings",
    "percent": "Of all included raters, in percent",
    "excluded": "Raters whom the step takes out",
    "remaining": "Raters left after the step",
    "alone": "Raters whom the rule would take out by itself, of those whom no decision excluded",
    "missing_cells": "Raters × scenarios (over all models: × models) without a page that was rated "
    "in both conditions",
    "left_out": "Raters who rated one side or the other, but not both on one page",
    "pages_left_out": "Pages that do not show all of these systems, or rank not all",
    "not_compared": "Comparisons in which one condition has no rating",
    # means and differences
    "mean": "Mean",
    "sd": "Standard deviation (n − 1)",
    "min": "Least value",
    "max": "Greatest value",
    "value": "Value of what the row names",
    "mean_a": "Mean of a",
    "mean_b": "Mean of b",
    "sd_a": "Standard deviation of a (n − 1)",
    "sd_b": "Standard deviation of b (n − 1)",
    "mean_reference": "Mean of the reference",
    "mean_rank": "Mean of the raters' mean ranks; 1 is best",
    "difference": "Mean a − mean b; against the reference: system − reference",
    "difference_with": "Difference with the order in the model",
    "estimate": "Estimate",
    "se": "Standard error",
    "share": "Share, from 0 to 1",
    # tests
    "t": "t statistic",
    "df": "Degrees of freedom",
    "F": "F statistic; of both at once min F′",
    "df1": "Degrees of freedom of the numerator",
    "df2": "Degrees of freedom of the denominator",
    "q": "Studentised range statistic",
    "u": "Mann and Whitney's U of group a",
    "chi_squared": "χ² statistic",
    "w": "Kendall's W",
    "p": "p value, two-sided",
    "p_adjusted": "p value adjusted by Holm's method",
    "p_adjusted_scenarios": "p value adjusted by Holm's method over scenarios",
    "p_bh_scenarios": "p value adjusted by Benjamini and Hochberg's method over scenarios",
    "p_bh": "p value adjusted by Benjamini and Hochberg's method",
    "p_equivalent": "Larger p of the two one-sided tests that the difference is inside the margin",
    "p_equivalent_adjusted": "The same, adjusted by Holm's method over the family of p_adjusted",
    "equivalent": "Whether the difference is shown to lie inside the margin (TOST at 5 %, by the "
    "adjusted p)",
    "p_non_inferior": "One-sided p that the system is not worse by the margin",
    "t_non_inferior": "t statistic of that test",
    "p_with": "p value with the order in the model",
    "cohen_d": "Cohen's d",
    "hedges_g": "Hedges' g",
    "eta_squared": "Share of the variance between groups, η²",
    "omega_squared": "The same, less biased: ω²",
    "wilcoxon": "Wilcoxon's T: the smaller of both sums of ranks",
    "t_plus": "Sum of the ranks of positive differences",
    "rank_biserial": "Rank-biserial correlation, from −1 to 1; 1 where a is always above b",
    "zeros": "Raters without a difference",
    "method": "exact, or by a normal approximation",
    "permutations": "Random permutations behind p; empty where the test is no such",
    "because": "Why not Pearson's χ²",
    # wins
    "winner": "a, b or tie, by the higher mean",
    "reference_points": "Points of the reference: one for each mean that its own is above",
    "reference_points_max": "Points that it could earn",
    "reference_percent": "Points of the reference in percent of all that it could earn",
    "a_wins": "Comparisons that condition a wins",
    "b_wins": "Comparisons that condition b wins",
    "ties": "Comparisons with equal means",
    "a_percent": "Wins of a in percent of all comparisons",
    "b_percent": "Wins of b in percent of all comparisons",
    "a_share": "Share of the comparisons without ties that condition a wins",
    "wins_p": "p of the sign test of the wins",
    "ties_count": "What a tie counts for: neither or half",
    "reference": "Which ratings of the reference: own_set or all sets pooled",
    "resamples": "Bootstrap resamples behind the intervals; 0 where none were drawn",
    "drawn_from": "Of how many raters each resample is drawn",
    "share_a": "Share of resamples in which a wins",
    "share_b": "Share of resamples in which b wins",
    "share_tie": "Share of resamples with a tie",
    # the reference
    "reference_model": "The reference's model",
    "reference_condition": "The reference's condition",
    "margin": "Margin of the recipe, in points of the scale",
    "lower_bound": "Lower end of the one-sided interval of the difference",
    "approaches": "Whether the system is shown not to be worse by the margin, at 5 % by the "
    "adjusted p",
    # rankings and choices
    "best": "Times chosen as best",
    "worst": "Times chosen as worst",
    "share_first": "Share of rankings with the system first",
    "share_last": "Share of rankings with the system last",
    "model_a": "Model of the first system",
    "model_b": "Model of the second system",
    "w_within_blocks": "Mean over blocks of Kendall's W of single rankings",
    "blocks": "How many blocks",
    "pages": "How many pages",
    "share_best": "Of the pages that have a best response",
    "share_worst": "Of the pages that have a worst response",
    # mixed models
    "log_likelihood": "Log-likelihood of the model",
    # sensitivity and order
    "by_raters": "Mean a − b over all models, by raters (F1)",
    "by_scenarios": "Mean a − b over all models, by scenarios (F2)",
    "by_raters_n": "Raters behind that difference",
    "by_scenarios_n": "Scenarios behind that difference",
    "mixed_latent": "Mean a − b of the mixed model, on the latent scale",
    "mixed_ratings": "Mean a − b of the mixed model, on the scale of the ratings",
    "same_raters": "Whether the variant includes the very raters that the rules in force include",
    "same_conclusion": "Whether every main result keeps its sign and its significance at the "
    "recipe's level; empty where there is none",
    "what_moves": "Which do not",
    "moves": "Whether the difference changes its sign or its significance at the recipe's level; "
    "empty where there is none",
    # raters
    "longstring": "Longest run of the same rating, in the order shown",
    "irv": "Intra-individual response variability: standard deviation of a rater's ratings on a "
    "dimension, the mean over dimensions",
    "person_total": "Correlation of a rater's ratings on a dimension with the means of the others, "
    "the mean over dimensions",
    "even_odd": "Correlation over blocks of two halves of each block on a dimension, corrected by "
    "Spearman and Brown (not below −1), the mean over dimensions",
    "retest_sd": "Within-rater standard deviation on responses that were shown several times",
    "contradictions": "Pairs that a rater ranked against their own ratings",
    "contradictions_share": "Of all pairs that could contradict",
    "fast_pages": "Share of pages left in less than two seconds per response",
    "duration_z": "Duration in standard deviations from the mean of all who completed the survey",
    "duration_outside": "Whether that is more than three",
    "consensus_deviation": "Mean absolute distance to the other raters' means of the same texts",
    "indices_note": "Why an index is empty",
    "mae_consensus": "Mean absolute distance to the means of the other raters",
    "left_out_by": "By which gold scores the filter leaves the rater out",
    # thresholds
    "side": "Which side of the limit is removed",
    "applied": "Whether the study's rules exclude raters by it",
    "in_force": "Limit in force; empty where the rule is not applied",
    "removed": "Raters beyond it",
    "elbow": "Where the curve of the sorted values bends most",
    "clear": "Whether the raters beyond it are shown to be a group of their own",
    "removed_at_elbow": "Raters beyond the elbow",
    # agreement
    "of": "Of what: a single rater, or the mean of several",
    "interval": "How the interval was made",
    # places on the page
    "answer": "best, worst (share of pages on which it was chosen) or rank",
    "response_position": "Place of the response on the page, from 1",
    "evenly": "What the value would be if places did not matter",
    "value_evened": "Value had the system stood at every place as often",
    # printed numbers
    "item": "What a paper prints",
    "printed": "As printed",
    "obtained": "What this analysis gives; empty where it was not found",
    "match": "Whether ours rounds to the printed number",
    "table": "Table of this analysis that holds our number",
    "row": "Row of that table",
    "column": "Column of that table",
    # judges
    "asked": "Scores that were asked for",
    "valid": "Usable scores among them",
    "incomplete": "Responses with fewer usable scores than were asked for",
    "replicates": "Scores asked for of each response",
    "all_agree": "Share of responses that got the same score every time",
    "mean_sd": "Mean standard deviation of the calls for one response",
    "alpha_ordinal": "Krippendorff's α of the calls, ordinal",
    "alpha_interval": "Krippendorff's α of the calls, interval",
    "rho": "Mean rank correlation of two calls",
    "rho_min": "The least of these correlations",
    "rho_max": "The greatest of these correlations",
    "flags": "What is conspicuous about the judge",
    "calls": "How many calls",
    "changed": "Whether another model than before has answered",
    "fingerprint": "Fingerprint that the endpoint reports",
    "first_at": "First such call (ISO 8601, UTC)",
    "last_at": "Last such call (ISO 8601, UTC)",
    "sets": "Sets in which the response is shown",
    "words": "Words of the response; in scripts that put no spaces between words, letters",
    "people_n": "Ratings with this value of the raters whom every rule but sigma_mae leaves",
    "people_share": "Share of those ratings with this value; a response that stands in several "
    "sets has one vote of each rater",
    "bias": "Mean of judge − people",
    "by": "What responses are grouped by",
    "group": "Which of these groups",
    "limits_low": "Lower 95 % limit of agreement (Bland & Altman)",
    "limits_high": "Upper 95 % limit of agreement (Bland & Altman)",
    "epsilon": "ε: the judge's head start, for what it saves",
    "winning_rate": "Share of raters whom the judge could replace",
    "advantage": "Mean probability that the judge agrees at least as well as a rater",
    "passes": "Whether the winning rate is 0.5 or more",
    "is_baseline": "Whether it is a judge that knows nothing",
    "is_studys": "Whether the ε is the study's",
    "judge_wins": "Share of items on which the judge is at least as close to the others",
    "rater_wins": "Share of items on which the rater is at least as close to the others",
    "replaceable": "Whether the judge, with its head start, comes closer to the others than the "
    "rater, after adjustment",
    "kind": "Kind of remark",
    "text": "The remark",
}
#: The ends of intervals, by what their names end with.
ENDS = {"low": "Lower end of the interval", "high": "Upper end of the interval"}
#: What a column means in one table alone.
MEANINGS_IN = {
    ("mixed_shares", "rating"): "Category of the scale",
    ("guard_systems", "difference"): "Difference to the first way",
    ("ranking_pairs", "condition_a"): "Condition of the first system",
    ("ranking_pairs", "condition_b"): "Condition of the second system",
    ("sensitivity", "unit"): "What counts as one observation, in the order of the results: the "
    "comparison (wins), the participant (by_raters), the scenario (by_scenarios), the rating "
    "(mixed_latent, mixed_ratings)",
    ("protocol", "n"): "Of how many",
    ("raters", "sigma"): "Standard deviation of the rater's gold-scored ratings, or of all "
    "where there are no gold scores",
    (
        "rater_differences",
        "difference",
    ): "The rater's mean of a − b over scenarios, in each over the models rated in both conditions",
    ("judge_scores_shares", "share"): "Share of the judge's scores with this value",
    ("position_conclusions", "moves"): "Whether the system is first by the one value and not by "
    "the other",
    ("position_conclusions", "value"): "Share of its pages, or mean rank over them",
    ("position_effects", "value"): "Share of pages, or mean of raters' mean ranks",
    ("alt_test_raters", "p_adjusted"): "p value adjusted by Benjamini and Yekutieli's method over "
    "raters",
    ("judge_consistency", "kind"): "Whose scores: of a judge (a language model), a file or a panel",
    **{
        (table, "raters"): "Whose ratings: of those whom every rule but sigma_mae leaves"
        for table in ("judge_agreement", "judge_bias", "alt_test")
    },
    **{
        (table, "n_items"): "How many responses, each once in however many sets it stands"
        for table in ("judge_consistency", "judge_agreement", "alt_test", "mixed_models")
    },
    ("alt_test_raters", "items"): "How many responses",
    ("judge_bias", "n"): "How many responses",
    ("judge_scores_shares", "n"): "How many of the judge's scores have this value",
    ("guard_systems", "n"): "How many ratings",
    ("ranking_pairs", "left_out"): "Raters who ranked one of the two alone",
    ("contrasts", "n"): "How many of what the row generalises to",
    ("group_tests", "equivalent"): "Whether the groups are shown to differ by less than the margin "
    "of the recipe (TOST at 5 %, by the adjusted p)",
    ("choices", "score"): "(best − worst) / shown",
    **{
        ("choices", f"{choice}_ci_{end}"): f"{words} of share_{choice}"
        for choice in ("best", "worst")
        for end, words in ENDS.items()
    },
    ("items", "n"): "How many ratings",
    ("wins", "n_a"): "How many ratings of a",
    ("wins", "n_b"): "How many ratings of b",
    ("demographics", "n"): "How many of the included raters",
    ("thresholds", "n"): "How many raters who entered the filter have the measure",
    **{
        (table, "n_items"): "How many items: responses as shown, on a dimension; of choices, blocks"
        for table in ("agreement", "agreement_all")
    },
    ("order_conclusions", "what_moves"): "Which of the two",
    **{
        ("wins_tests", f"a_share_{end}"): f"{words} of a_share: exact, as if comparisons were "
        "independent"
        for end, words in ENDS.items()
    },
}
#: What p is where it is not of a test with two sides.
P_OF = {
    "anova": "p value of F, which has no sides: that groups vary at least as much by chance",
    "contrasts": "p value of F: of raters and of scenarios, where F is t², that of the two-sided "
    "t test",
    "games_howell": "p value of a difference at least as large, either way, between any two of the "
    "groups",
    "ranking_tests": "p value of χ², which has no sides: that mean ranks vary at least as much by "
    "chance",
    "choice_tests": "p value of the statistic, which has no sides: that choices vary at least as "
    "much by chance",
    "position_tests": "p value of χ², which has no sides: that places vary at least as much by "
    "chance",
    "thresholds": "Silverman's p value, one-sided: that the tail of a single group looks as much "
    "like a group of its own",
    "alt_test_raters": "p value, one-sided: of a rater who is nearer to the others than the judge "
    "by ε or more",
}
#: Over what p values are adjusted, where the recipe has no say in it.
ADJUSTED_OVER = {
    "anova": "models, of which there are none here: the same as p",
    "contrasts": "models",
    "paired": "models",
    "paired_all": "models",
    "mixed_contrasts": "models",
    "to_reference": "systems; of p_non_inferior",
    "win_differences": "all comparisons of a dimension",
    "ranking_tests": "sets",
    "ranking_pairs": "all pairs of a dimension",
    "choice_tests": "scenarios",
    "order_effects": "covariates",
    "position_tests": "answers and sets",
    "group_tests": "the recipe's family",
}


def meaning(table: str, column: str) -> str:
    """What a column of a table means; empty where nobody has said."""
    if column == "p" and table in P_OF:
        return P_OF[table]
    said = MEANINGS_IN.get((table, column)) or MEANINGS.get(column)
    if column == "p_adjusted" and table in ADJUSTED_OVER:
        return f"{said} over {ADJUSTED_OVER[table]}"
    if said is None and column in SHARED:
        said = OF_EXPORTS.get(column)
    return said or _by_name(column)


def _by_name(column: str) -> str:
    """Columns whose names are made: a sex's, an interval's ends, the p of something."""
    if column.startswith("excluded_"):
        return f"Of those taken out by the step, of sex: {column[9:].replace('_', ' ')}"
    if column.endswith("_p") and column[:-2] in MEANINGS:
        return f"p of: {MEANINGS[column[:-2]]}"
    for end, words in ENDS.items():
        for tail in (f"_{end}", f"_{end}_with"):
            if column.endswith(tail):
                return _of_interval(words, column.removesuffix(tail), with_order="with" in tail)
    return ""


def _of_interval(words: str, name: str, *, with_order: bool) -> str:
    of = name.removesuffix("ci").rstrip("_")
    said = f"{words} of {of.replace('_', ' ')}" if of else words
    return f"{said}, with the order in the model" if with_order else said


def codebook_rows(tables: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    """File, column and meaning of every column of these tables."""
    for table, columns in tables.items():
        for column in columns:
            yield f"{table}.csv", column, meaning(table, column)
