"""Columns that several tables share, each with its meaning. Pure."""

from analysis.catalogue.spec import Column, Form
from survey.definition.labels import words

STEP = Column("step", "Rule, in the order of the filter", is_key=True, labels="rules")
EXCLUDED = Column("excluded", "Raters whom the step takes out", kind="count")
REMAINING = Column("remaining", "Raters left after the step", kind="count")
ALONE = Column(
    "alone",
    "Raters whom the rule would take out by itself, of those whom no decision excluded",
    kind="count",
)
EXCLUDED_BY_SEX = Column("excluded_*", "Of those taken out by the step, of sex: {}", kind="count")
PARTICIPANT = Column(
    "participant", "Pseudonym, random; or as given where the ratings were imported", is_key=True
)
N_RATINGS = Column("n_ratings", "How many ratings", kind="count")
SIGMA = Column(
    "sigma",
    "Standard deviation of the rater's gold-scored ratings, or of all where "
    "there are no gold scores",
    label="σ",
)
MAE = Column("mae", "Mean absolute distance of these ratings to the gold scores", label="MAE")
NOTE = Column(
    "note", "Why something is not estimable, or what to know about the row; else empty", kind="text"
)
N = Column("n", "How many of the unit", kind="count")
P = Column("p", "p value, two-sided", form="p")
MEAN = Column("mean", "Mean")
SD = Column("sd", "Standard deviation (n − 1)", behind="mean", label="SD")
MIN = Column("min", "Least value", form="whole")
MAX = Column("max", "Greatest value", form="whole")
VALUE = Column("value", "Value of what the row names", form="mixed")
SCENARIO = Column(
    "scenario",
    "User input that was answered",
    choice=True,
    first="all",
    is_key=True,
    labels="scenarios",
)
SET = Column(
    "set",
    "Pairing of models that were shown together; empty where the study has one",
    choice=True,
    is_key=True,
    labels="sets",
)
MODEL = Column(
    "model", "Language model that wrote the response", choice=True, is_key=True, labels="models"
)
CONDITION = Column(
    "condition",
    "How the model was used",
    choice=True,
    first="all",
    is_key=True,
    labels="conditions",
)
DIMENSION = Column("dimension", "What was rated", choice=True, is_key=True, labels="dimensions")
#: Headings and texts say which conditions these are.
CONDITION_A, CONDITION_B = (
    Column(
        f"condition_{side}",
        f"Condition {side} of the study's contrast",
        is_key=True,
        labels="conditions",
    ).csv_only()
    for side in "ab"
)
MEAN_A = Column("mean_a", "Mean of a", label="mean of {a}")
MEAN_B = Column("mean_b", "Mean of b", label="mean of {b}")
WINNER = Column("winner", "a, b or tie, by the higher mean", kind="text", labels="sides")
REFERENCE_POINTS = Column(
    "reference_points",
    "Points of the reference: one for each mean that its own is above",
    kind="count",
)
N_A = Column("n_a", "How many of the unit in a", label="n of {a}", kind="count")
N_B = Column("n_b", "How many of the unit in b", label="n of {b}", beside="n_a", kind="count")
A_WINS = Column("a_wins", "Comparisons that condition a wins", label="wins of {a}", form="whole")
B_WINS = Column("b_wins", "Comparisons that condition b wins", label="wins of {b}", form="whole")
TIES = Column("ties", "Comparisons with equal means", kind="count")
A_PERCENT = Column(
    "a_percent",
    "Wins of a in percent of all comparisons",
    label="wins of {a}, percent",
    form="percent",
)
B_PERCENT = Column(
    "b_percent",
    "Wins of b in percent of all comparisons",
    label="wins of {b}, percent",
    form="percent",
)
REFERENCE_POINTS_MAX = Column("reference_points_max", "Points that it could earn", kind="count")
REFERENCE_PERCENT = Column(
    "reference_percent",
    "Points of the reference in percent of all that it could earn",
    form="percent",
)
NOT_COMPARED = Column(
    "not_compared", "Comparisons in which one condition has no rating", kind="count"
)
RECIPE = Column("recipe", "Recipe that the row belongs to", is_key=True, part=True)
UNIT = Column(
    "unit",
    "What counts as one observation: rating, participant, scenario, both of "
    "these, comparison, choice or page",
    choice=True,
    is_key=True,
    part=True,
)
RATERS = Column(
    "raters",
    "Whose ratings: of the included raters, or of all who entered the filter",
    choice=True,
    first="included",
    is_key=True,
    part=True,
    labels="within_rules",
)
DIFFERENCE = Column(
    "difference",
    "Mean a − mean b; against the reference: system − reference",
    label="{a} minus {b}",
)
T = Column("t", "t statistic")
DF = Column("df", "Degrees of freedom", behind="t", form="whole")
LEFT_OUT = Column(
    "left_out", "Raters who rated one side or the other, but not both on one page", kind="count"
)
P_BH = Column(
    "p_bh", "p value adjusted by Benjamini and Hochberg's method", form="p", label="p (BH)"
)
MARGIN = Column("margin", "Margin of the recipe, in points of the scale")
P_EQUIVALENT = Column(
    "p_equivalent",
    "Larger p of the two one-sided tests that the difference is inside the margin",
    form="p",
)
P_EQUIVALENT_ADJUSTED = Column(
    "p_equivalent_adjusted",
    "The same, adjusted by Holm's method over the family of p_adjusted",
    form="p",
    label="p equivalent (Holm)",
)
EQUIVALENT = Column(
    "equivalent",
    "Whether the difference is shown to lie inside the margin (TOST at 5 %, by the adjusted p)",
    kind="flag",
)
F = Column("F", "F statistic; of both at once min F′")
DF1 = Column("df1", "Degrees of freedom of the numerator", behind="F", form="whole")
DF2 = Column("df2", "Degrees of freedom of the denominator", behind="F", form="whole")
WILCOXON = Column(
    "wilcoxon", "Wilcoxon's T: the smaller of both sums of ranks", form="whole", label="T"
)
RANK_BISERIAL = Column(
    "rank_biserial",
    "Rank-biserial correlation, from −1 to 1; 1 where a is always above b",
    label="rank-biserial",
)
T_PLUS = Column("t_plus", "Sum of the ranks of positive differences", form="whole")
ZEROS = Column("zeros", "Raters without a difference", kind="count")
METHOD = Column("method", "exact, or by a normal approximation", kind="text")
LINK = Column(
    "link",
    "Link of the mixed model: probit or logit (ordinal), or linear",
    choice=True,
    is_key=True,
    part=True,
)
SCALE = Column(
    "scale",
    "latent: what lies behind the categories; ratings: points of the scale",
    choice=True,
    is_key=True,
    part=True,
)
SE = Column("se", "Standard error", decimals=3, label="SE")
ESTIMATE = Column("estimate", "Estimate")
SHARE = Column("share", "Share, from 0 to 1")
N_RATERS = Column("n_raters", "How many raters", kind="count")
N_ITEMS = Column("n_items", "How many items: responses as shown, on a dimension", kind="count")
FACTOR = Column(
    "factor",
    "Characteristic by which raters are grouped",
    choice=True,
    is_key=True,
    labels="characteristics",
)
GROUP_A = Column("group_a", "Group a of raters", is_key=True)
GROUP_B = Column("group_b", "Group b of raters", beside="group_a", is_key=True)
TEST = Column("test", "Which test", choice=True, is_key=True, labels="tests")
SYSTEMS = Column("systems", "How many systems", kind="count")
CHI_SQUARED = Column("chi_squared", "χ² statistic", label="χ²")
PAGES = Column("pages", "How many pages", kind="count")
PAGES_LEFT_OUT = Column(
    "pages_left_out", "Pages that do not show all of these systems, or rank not all", kind="count"
)
STATISTIC = Column(
    "statistic",
    "What is computed, or the test statistic",
    is_key=True,
    kind="number",
    labels="statistics",
)
MOVES = Column(
    "moves",
    "Whether the difference changes its sign or its significance at the "
    "recipe's level; empty where there is none",
    kind="flag",
)
WHAT_MOVES = Column("what_moves", "Which do not", kind="text", labels="results")
ANSWER = Column(
    "answer", "best, worst (share of pages on which it was chosen) or rank", is_key=True
)
JUDGE = Column("judge", "Source of the score: a judge and its version, or a file", is_key=True)
ASKED = Column("asked", "Scores that were asked for", kind="count")
VALID = Column("valid", "Usable scores among them", kind="count")
EPSILON = Column("epsilon", "ε: the judge's head start, for what it saves", label="ε")
WAY = Column("way", "Gold scores by which the filter goes", is_key=True, labels="within_rules")
SOURCES = Column(
    "sources",
    "Sources whose participants count in this analysis; there only where test people may be among "
    "them",
    kind="text",
)
GOLD_BY = Column("gold_by", "What made the gold scores used here", kind="text")
#: What most tables begin with.
FRONT = (RECIPE, UNIT, RATERS)
#: What an analysis may add to any table.
ADDED = (SOURCES, GOLD_BY)


def p_holm(over: str) -> Column:
    """p adjusted by Holm's method over a family."""
    said = f"p value adjusted by Holm's method over {over}"
    return Column("p_adjusted", said, label="p (Holm)", form="p")


def interval(
    of: str,
    name: str = "ci",
    tail: str = "",
    *,
    note: str = "",
    form: Form = "decimals",
    page: bool = True,
    report: bool = True,
    latex: bool = True,
) -> tuple[Column, Column]:
    """Both ends of the interval of a number: `ci_low` and `ci_high`, or by another `name`."""
    whose = "" if name == "ci" else f" of {words(of)}"
    said = f"end of the interval{whose}" + (f": {note}" if note else "")
    low, high = (
        Column(
            f"{name}_{end}{tail}",
            f"{word} {said}",
            of=of,
            form=form,
            page=page,
            report=report,
            latex=latex,
        )
        for end, word in (("low", "Lower"), ("high", "Upper"))
    )
    return low, high
