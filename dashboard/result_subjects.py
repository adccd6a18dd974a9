"""What the tables of recipes are about, and which of their columns a page shows. Pure."""

from dataclasses import dataclass

from analysis.recipe import MOST_CATEGORIES
from analysis.tables.lead import LEAST_RATERS


@dataclass(frozen=True)
class Subject:
    """Tables that are read together."""

    title: str
    tables: tuple[str, ...]


@dataclass(frozen=True)
class About:
    """What a table says, and how to read it. Columns in `in_file` are in its CSV alone."""

    title: str
    says: str
    in_file: tuple[str, ...] = ()


#: The subject of the page of results itself.
MAIN = "wins"
#: By address.
SUBJECTS = {
    "wins": Subject("Main results", ("wins_tests", "win_differences")),
    "systems": Subject("Systems", ("contrasts", "systems", "to_reference", "paired", "paired_all")),
    "groups": Subject("Groups", ("group_tests", "anova", "games_howell")),
    "mixed-models": Subject(
        "Mixed models", ("mixed_contrasts", "mixed_systems", "mixed_shares", "mixed_models")
    ),
    "rankings": Subject(
        "Rankings and choices",
        ("rankings", "ranking_tests", "ranking_pairs", "choices", "choice_tests"),
    ),
    "raters": Subject("Agreement of raters", ("agreement", "agreement_all")),
    "order": Subject(
        "Order and sensitivity",
        (
            "sensitivity",
            "order_conclusions",
            "order_effects",
            "position_conclusions",
            "position_tests",
            "position_effects",
        ),
    ),
    "printed": Subject("Printed numbers", ("replication",)),
}
_SIGNED_RANKS = (
    "Wilcoxon's signed-rank test of raters' means in both conditions. The rank-biserial "
    "correlation is 1 where every rater gave more to a, −1 where every rater gave more to b; the "
    "interval is its own."
)
_AGREEMENT = (
    "Krippendorff's α, intraclass correlations of one rater and of the mean of all, Kendall's W, "
    "and of choices Randolph's κ: 1 is full agreement. Chance alone gives about 0, but W about 1 "
    "divided by the number of raters."
)
ABOUT = {
    "wins_tests": About(
        "How sure the wins are",
        "Wins and reference points; where resamples were drawn, with intervals from raters drawn "
        "anew (and filtered anew, where the filter holds). Beside them the sign test over model × "
        "scenario, and the exact interval of a's share among the wins, as if all comparisons were "
        "independent: each counts once, however close it was.",
        (
            "reference",
            "ties_count",
            "not_compared",
            "drawn_from",
            "a_percent",
            "b_percent",
            "reference_percent",
        ),
    ),
    "win_differences": About(
        "The difference behind every win",
        "Mean a − b within raters who saw both, beside how often each side wins when raters are "
        "drawn anew.",
        ("t", "df", "left_out", "p_bh"),
    ),
    "contrasts": About(
        "Condition a against b",
        "Mean a − b, for other raters of these texts (raters, F1), for other scenarios judged by "
        "these raters (scenarios, F2), and for both at once (min F′). With fewer than "
        f"{LEAST_RATERS} raters, min F′ leads, otherwise the mixed model.",
        ("p_bh", "missing_cells"),
    ),
    "systems": About(
        "Means of the systems",
        "The mean of raters' means (unit participant) and of scenarios' means (unit scenario), "
        "with intervals for other raters or for other scenarios; the two differ where ratings are "
        "missing.",
    ),
    "to_reference": About(
        "Does a system approach the reference?",
        "Mean system − reference, on the pages of which a rater rated both. A system approaches "
        "the reference where it is shown not to be worse by the margin, which has to be set in "
        "advance; it is equivalent where it is shown to be neither worse nor better by it; both at "
        "5 %, adjusted by Holm's method over systems.",
        ("p_equivalent", "p_equivalent_adjusted", "lower_bound"),
    ),
    "paired": About("Signed ranks within raters", _SIGNED_RANKS, ("t_plus", "p_bh", "zeros")),
    "paired_all": About(
        "Signed ranks within raters, nobody excluded",
        _SIGNED_RANKS,
        ("t_plus", "p_bh", "zeros"),
    ),
    "group_tests": About(
        "Two groups of raters",
        "Do groups of raters rate differently? Group a − group b. Where a rating counts by itself "
        "(unit rating), a rater's many ratings count as so many people.",
        (
            "sd_a",
            "sd_b",
            "p_bh",
            "hedges_g",
            "u",
            "rank_biserial",
            "d_ci_low",
            "d_ci_high",
            "margin",
            "p_equivalent",
        ),
    ),
    "anova": About(
        "Several groups of raters",
        "Analyses of variance, one-way and Welch's.",
        ("p_adjusted", "p_bh"),
    ),
    "games_howell": About(
        "Several groups, pair by pair",
        "Games–Howell: each pair of groups, with p values for all pairs together.",
        ("p_bh",),
    ),
    "mixed_contrasts": About(
        "Condition a against b, raters and items at once",
        "From models with random intercepts of raters and items. Of ordinal models on the latent "
        "scale (its unit is that of the link: for probit, the standard deviation of single "
        f"ratings), and on that of the ratings. With fewer than {LEAST_RATERS} raters it does not "
        "lead, because the models do not allow for what each rater thinks of a condition: see "
        "min F′.",
        ("t", "df"),
    ),
    "mixed_systems": About(
        "Estimated means of the systems",
        "On the latent scale for an average rater and item, on that of the ratings the mean over "
        "raters and items.",
        ("df",),
    ),
    "mixed_shares": About(
        "Predicted shares of each rating", "Over raters and items as the model has them."
    ),
    "mixed_models": About(
        "The models themselves",
        "Thresholds between the points of the scale (of ordinal models), and the standard "
        "deviations of raters, of items and (of linear models) of what is left. Where the recipe "
        f"names no kind, scales of up to {MOST_CATEGORIES} points have an ordinal model; sliders "
        "and longer scales have a linear one.",
    ),
    "rankings": About(
        "Mean ranks",
        "Rank 1 is best. Raters' means on pages that show the same systems.",
        ("n_ranks",),
    ),
    "ranking_tests": About(
        "Are the systems ranked alike?",
        "Friedman's test and Kendall's W: 1 where all raters rank alike, 0 where their ranks "
        "cancel out; chance alone gives about 1 divided by the number of raters.",
        ("p_bh", "pages_left_out"),
    ),
    "ranking_pairs": About(
        "Ranks, pair by pair",
        "Wilcoxon's signed-rank test of raters' mean ranks, for every two systems. The "
        "rank-biserial correlation is 1 where every rater placed a above b, −1 where b above a; "
        "the interval is its own.",
        ("t_plus", "zeros", "left_out", "p_bh"),
    ),
    "choices": About(
        "Best and worst",
        "How often each system was chosen as best and as worst, of the times it was shown.",
        ("n",),
    ),
    "choice_tests": About(
        "Are the choices more than chance?",
        "The test that fits the design, and why it is that one.",
        ("p_bh", "permutations"),
    ),
    "agreement": About(
        "Do raters agree?",
        _AGREEMENT,
    ),
    "agreement_all": About(
        "Do raters agree, nobody excluded?",
        _AGREEMENT,
    ),
    "sensitivity": About(
        "What each rule of exclusion does",
        "The main results by the rules in force, without rules, with each of several rules alone "
        "and without each, and, if a rule is about σ, with σ taken in other ways. Differences are "
        "a − b over all models.",
        (
            "n_ratings",
            "reference_points_max",
            *(f"mixed_ratings{end}" for end in ("", "_low", "_high", "_p")),
        ),
    ),
    "order_conclusions": About(
        "Does a conclusion depend on the order?",
        "Mean a − b without and with position, block and previous rating in the model.",
    ),
    "order_effects": About(
        "What the order did",
        "Change of a rating per place on the page, per block, and per point of the rating before.",
        ("df", "p_bh"),
    ),
    "position_conclusions": About(
        "Do choices and ranks depend on the place on the page?",
        "Each system's share of choices, or mean rank, and what it would be had the system stood "
        "at every place on the page equally often.",
    ),
    "position_tests": About(
        "Does the place on the page matter?",
        "Friedman's test over pages, each of which has an order of its own; of choices it is "
        "Pearson's χ² of how often each place was chosen.",
        ("p_bh",),
    ),
    "position_effects": About(
        "What was chosen and ranked at each place",
        "Shares of pages on which the response at that place was chosen, and mean ranks, beside "
        "what they would be if places did not matter.",
    ),
    "replication": About(
        "Printed and obtained",
        "Numbers that a recipe quotes as printed, beside those of this analysis. They match where "
        "ours rounds to the printed one, or keeps to a printed bound.",
    ),
    "thresholds": About(
        "Where the sorted values bend",
        "An elbow is where the curve of the raters' sorted values bends most. Where it is not "
        "clear, these values do not show a group of careless raters; one of fewer than 2 % of the "
        "raters is never shown.",
    ),
}
