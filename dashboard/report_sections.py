"""Which tables stand in which section of the report, and what of a table is shown there. Pure.

What tables of recipes are called and say is in `dashboard.result_subjects`, for pages and report.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from analysis.text.cells import Row
from dashboard.result_subjects import ABOUT

ALL = "all"
#: Below it, a row of a table of thousands is shown for its adjusted p alone.
CLEAR = 0.05
SAME = "The same for every recipe."
_AS_IN_WINS = "a and b are those of the table of wins."
_ITEMS = "n items counts responses as shown; where choices agree, blocks."
_PEOPLE = (
    "People are the raters whom every rule but sigma_mae leaves: who is kept for lying near a "
    "judge's scores would agree with it. A response counts once, in however many sets it stands."
)
_THREE_WAYS = (
    "By the gold scores, as the study does it; by the mean of all other raters in their place; and "
    "without the rule sigma_mae. Where the second differs, the results depend on the gold scores; "
    "where the third does, on the rule."
)


@dataclass(frozen=True)
class Shown:
    """How a table stands in the report.

    `says` is how to read it, with what is counted where no column tells; `a_and_b` is where the
    report names the conditions of a table that speaks of them without a column for them, which a
    table in a paper does itself. `keep` chooses rows, and
    `kept` says which; those that `first` is true of are a part by themselves. `aside` are columns
    that are left to the CSV; where there is `only`, all others are. A `folded` table opens on
    demand. In LaTeX a wide table has the columns that are `printed`, and stands `apart` by these.
    """

    title: str = ""
    says: str = ""
    a_and_b: str = ""
    keep: Callable[[Row], bool] | None = None
    kept: str = ""
    first: Callable[[Row], bool] | None = None
    aside: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    folded: bool = False
    printed: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


def _is_pooled(row: Row) -> bool:
    """One t test of a model and factor over everything: Welch's of raters, Student's of ratings."""
    test = "welch" if row["unit"] == "participant" else "student"
    return (row["condition"], row["scenario"], row["test"]) == (ALL, ALL, test)


def _is_pooled_or_clear(row: Row) -> bool:
    return _is_pooled(row) or (row["p_adjusted"] is not None and row["p_adjusted"] < CLEAR)


def _is_over_scenarios(row: Row) -> bool:
    return bool(row["scenario"] == ALL)


#: By section of the report, in order.
SECTIONS: dict[str, dict[str, Shown]] = {
    "Participants": {
        "funnel": Shown(
            "Who was filtered out",
            "Counts people; alone is how many a rule would remove by itself, and the last columns "
            "are the sex of those whom it excludes. The step decision, where there is one, holds "
            "those whom the researchers excluded, each with a reason; the rules are about the "
            f"others. {SAME}",
        ),
        "demographics": Shown("Who the included raters are", "Counts the included raters."),
        "thresholds": Shown(
            says="Counts raters who entered the filter. Where the study applies the rule "
            "sigma_mae, removed are those beyond that measure's limit alone, and in the row of "
            "both those beyond both, whom the rule takes out by itself.",
        ),
        "raters": Shown(
            "Raters who were filtered out",
            "A row is a rater.",
            keep=lambda row: bool(row["exclusion"]),
            kept="the raters whom a rule or a decision left out",
            only=(
                "participant", "status", "duration_seconds", "attention_checks_failed",
                "n_ratings", "sigma", "mae", "exclusion", "excluded_by_decision", "note",
            ),
            folded=True,
        ),
        "protocol": Shown(
            "How the protocol worked out",
            "Of everybody who completed the survey. clock_stepped counts those during whose survey "
            "the server's clock was set back: their minutes are not known. changed_answers is per "
            "person; contradictions, "
            "the share of pairs of responses that somebody ranked against their own ratings; "
            "agreement is Kendall's W of a response's ratings (or ranks), averaged over "
            "dimensions: the mean over blocks, which n counts.",
        ),
    },
    "Wins": {
        "wins_summary": Shown(
            "Wins by scenario",
            "Counts comparisons of a model in a scenario, by means of the included raters' "
            f"ratings. {SAME}",
            "The next table names conditions a and b.",
        ),
        "wins": Shown(
            "Wins by model and scenario",
            f"Means of the included raters' ratings; n counts ratings. {SAME}",
            folded=True,
        ),
        "wins_tests": Shown(says="n cells counts comparisons."),
        "win_differences": Shown(says="n counts raters.", folded=True),
    },
    "Systems": {
        "systems": Shown(says="n counts the unit."),
        "to_reference": Shown(
            says="n counts the unit; p (Holm) is of non-inferiority, "
            "p equivalent of equivalence; lower bound is the end of a one-sided 95 % interval.",
            aside=("df", "t_non_inferior", "reference_model", "reference_condition"),
        ),
        "items": Shown(
            "Mean rating of every response",
            f"n counts the included raters' ratings. {SAME}",
            aside=("total",),
            folded=True,
        ),
    },
    "Contrasts": {
        "contrasts": Shown(
            says="The unit is what it generalises to, which n counts.",
            aside=("unit", "p_bh", "missing_cells"),
        ),
        "paired": Shown(says=f"Of the included raters; n counts them. {SAME}"),
        "rater_differences": Shown(
            "Every rater's difference of the two conditions",
            "A row is a rater on a dimension, whether the filter keeps them or not; differences "
            f"are a − b over all models. {SAME}",
            _AS_IN_WINS,
            folded=True,
        ),
        "paired_all": Shown(says=f"n counts raters. {SAME}", folded=True),
    },
    "Groups of raters": {
        "group_tests": Shown(
            says="n counts the unit.",
            keep=_is_pooled_or_clear,
            kept="one t test over all conditions and scenarios (Welch's of raters, Student's of "
            "ratings), and whatever has an adjusted p below .05",
            first=_is_pooled,
            aside=(
                "sd_a", "sd_b", "hedges_g", "u", "rank_biserial", "p_bh", "margin", "p_equivalent",
            ),
            printed=(
                "recipe", "unit", "raters", "factor", "group_a", "group_b", "model", "condition",
                "scenario", "dimension", "n_a", "n_b", "mean_a", "mean_b", "test", "t", "df", "u",
                "p", "p_adjusted", "cohen_d", "d_ci_low", "d_ci_high", "rank_biserial", "method",
                "p_equivalent_adjusted", "equivalent", "note", "sources",
            ),
            apart=("factor", "test"),
        ),
        "anova": Shown(says="n counts the unit.", aside=("omega_squared", "p_adjusted")),
        "games_howell": Shown(says="n counts the unit.", folded=True),
    },
    "Mixed models": {
        "mixed_contrasts": Shown(says="n counts the unit."),
        "mixed_systems": Shown(says="n counts the unit.", folded=True),
        "mixed_shares": Shown(says="n counts the unit.", folded=True),
        "mixed_models": Shown(says="n ratings counts the unit."),
    },
    "Rankings and choices": {
        "rankings": Shown(says="n counts raters."),
        "ranking_tests": Shown(says="n counts raters."),
        "ranking_pairs": Shown(says="n counts raters.", folded=True),
        "choices": Shown(
            says="n counts raters; shown counts the pages with a choice that showed it to them; "
            "score is (best − worst) / shown.",
            keep=_is_over_scenarios,
            kept="all scenarios together",
            aside=("note",),
        ),
        "choice_tests": Shown(says="The unit says which are observations, raters or choices."),
    },
    "Agreement of raters": {
        "agreement": Shown(says=f"Of the included raters. {_ITEMS}"),
        "agreement_all": Shown(says=_ITEMS, folded=True),
    },
    "Order": {
        "order_effects": Shown(says="n ratings counts the unit."),
        "order_conclusions": Shown(says="n ratings counts the unit."),
        "position_tests": Shown(says="pages counts the unit."),
        "position_effects": Shown(says="Intervals are over raters; n raters counts the unit."),
        "position_conclusions": Shown(says="pages counts the unit."),
    },
    "Judges": {
        "guard_warnings": Shown(
            "What a reader has to know about the gold scores",
            "What becomes of the results if raters are filtered otherwise, whether the judge is of "
            "a family that it judges, and whether its calls share their chance.",
            aside=("kind",),
        ),
        "judge_consistency": Shown(
            "Do judges agree with themselves?",
            "ρ is Spearman's correlation of each two replicates, on average, with the least and "
            "the greatest; α is Krippendorff's over all replicates: 1 is full agreement, 0 what "
            "chance brings about. Consistency is not validity: who always answers 3 is perfectly "
            "consistent. A source is a judge, a file of scores under its name, or a panel; asked "
            "and valid count scores.",
            printed=(
                "judge", "kind", "dimension", "n_items", "replicates", "asked", "valid", "rho",
                "rho_min", "rho_max", "alpha_ordinal", "alpha_ordinal_low", "alpha_ordinal_high",
                "mean_sd", "all_agree", "flags", "note", "sources",
            ),
        ),
        "judge_agreement": Shown(
            "Do people agree with judges?",
            f"{_PEOPLE} pearson_within and spearman_within: whether the judge orders the responses "
            "of a scenario as people do. bias is judge − people in points of the scale; about 95 % "
            "of the differences lie between limits_low and limits_high. own_family_bias: how much "
            "better than people the judge treats models of its own family. length_spearman: "
            "whether longer responses get more, from the judge and from people. alpha_raters and "
            "alpha_with_judge: Krippendorff's α of the raters alone, and with the judge as one "
            "more.",
        ),
        "judge_bias": Shown(
            "Judge minus people",
            f"{_PEOPLE} In points of the scale: above 0 the judge gives more. About 95 % of the "
            "differences lie within the limits of agreement (Bland and Altman). n counts "
            "responses.",
        ),
        "alt_test": Shown(
            "The alternative annotator test",
            f"{_PEOPLE} Does the judge come as close to the other raters as each rater does, with "
            "a head start of ε (Calderon et al. 2025)? winning rate is the share of raters whose "
            "place it may take, advantage how often it comes as close, on average; it passes from "
            "a winning rate of a half on. Where a judge that always gives the "
            "same score passes, passing says little.",
        ),
        "alt_test_raters": Shown(
            "The alternative annotator test, rater by rater",
            "judge wins and rater wins are shares of the responses on which either comes at least "
            "as close to the other raters; p (BY) is adjusted over raters by Benjamini and "
            "Yekutieli's method.",
            folded=True,
        ),
        "guard_funnel": Shown("The filter three ways", f"{_THREE_WAYS} Counts people."),
        "guard_wins": Shown(
            "Wins three ways",
            f"{_THREE_WAYS} Counts comparisons of a model in a scenario.",
            _AS_IN_WINS,
        ),
        "guard_systems": Shown(
            "Means of the systems three ways",
            f"{_THREE_WAYS} n counts ratings; difference is that to the first way.",
            folded=True,
        ),
        "guard_raters": Shown(
            "Whom the distance to the gold scores leaves out",
            "A row is a rater whom it leaves out in any of the three ways.",
            folded=True,
        ),
        "judge_scores_shares": Shown(
            "How often each score is given",
            "n counts the judge's single scores, people n the ratings of the raters whom every "
            "rule but sigma_mae leaves. A response that stands in several sets has one vote of "
            "each rater in people share.",
            folded=True,
        ),
        "judge_models": Shown(
            "Which models answered",
            "As the endpoint says. Where one version of a judge was answered by several models, "
            "its scores are not all of the same judge.",
        ),
        "judge_item_spread": Shown(
            "Every response's scores by every judge",
            "Over the single scores of a response; SD with n − 1.",
            folded=True,
        ),
    },
    "Sensitivity": {
        "sensitivity": Shown(
            says="n raters counts those whom the variant "
            "includes. The unit of wins is the comparison, of differences what they are by, of "
            "mixed models the rating.",
            a_and_b=_AS_IN_WINS,
            aside=(
                "unit",
                "reference_points", "reference_points_max", "mixed_latent", "mixed_latent_low",
                "mixed_latent_high", "mixed_latent_p", "link",
            ),
            printed=(
                "recipe", "unit", "variant", "dimension", "n_raters", "a_wins", "b_wins", "ties",
                "wins_p", "reference_points", "by_raters", "by_raters_low", "by_raters_high",
                "by_scenarios", "by_scenarios_low", "by_scenarios_high", "mixed_ratings",
                "mixed_ratings_low", "mixed_ratings_high", "what_moves", "note", "sources",
            ),
        ),
    },
    "Printed numbers beside ours": {"replication": Shown()},
    "Further tables": {},
}  # fmt: skip
ELSEWHERE = "Further tables"


def section_of(name: str) -> str:
    """Where a table stands; what nobody planned for stands at the end."""
    return next((title for title, tables in SECTIONS.items() if name in tables), ELSEWHERE)


def shown(name: str) -> Shown:
    """How a table stands in the report, with the words that pages have for it, too."""
    here = SECTIONS[section_of(name)].get(name, Shown())
    about = ABOUT.get(name)
    if about is None:
        return replace(here, title=here.title or name.replace("_", " "))
    return replace(
        here,
        title=here.title or about.title,
        says=f"{about.says} {here.says}".strip(),
        aside=here.aside or tuple(column for column in about.in_file if column != "n"),
    )
