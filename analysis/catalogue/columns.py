"""Columns that several tables share, each with its meaning. Pure."""

from analysis.catalogue.spec import Column, Form
from survey.definition.labels import words

STEP = Column("step", "Rule, in the order of the filter", is_key=True, labels="rules")
EXCLUDED = Column("excluded", "Raters whom the step excludes", kind="count")
REMAINING = Column("remaining", "Raters left after the step", kind="count")
ALONE = Column(
    "alone",
    "Raters whom this rule alone would exclude, among those not excluded by decision",
    kind="count",
)
EXCLUDED_BY_SEX = Column("excluded_*", "Raters whom the step excludes, of sex: {}", kind="count")
PARTICIPANT = Column("participant", "Random pseudonym, or the imported one", is_key=True)
N_RATINGS = Column("n_ratings", "Number of ratings", kind="count")
SIGMA = Column(
    "sigma",
    "Standard deviation of the rater's ratings with a gold score, or of all ratings if there are "
    "no gold scores",
    label="σ",
)
MAE = Column("mae", "Mean absolute distance of these ratings from the gold scores", label="MAE")
NOTE = Column(
    "note",
    "Why something is not estimable, or a remark; otherwise empty",
    kind="text",
    labels="remarks",
)
N = Column("n", "Number of units", kind="count")
P = Column("p", "p value, two-sided", form="p")
MEAN = Column("mean", "Mean")
SD = Column("sd", "Standard deviation (n − 1)", behind="mean", label="SD")
MIN = Column("min", "Smallest value", form="whole")
MAX = Column("max", "Largest value", form="whole")
VALUE = Column("value", "Value of the statistic or measure in this row", form="mixed")
SCENARIO = Column(
    "scenario",
    "User input to which the systems responded",
    choice=True,
    first="all",
    is_key=True,
    labels="scenarios",
)
SET = Column(
    "set",
    "Set of models that were shown together; empty if the study has one set",
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
#: What a system is held against.
REFERENCE_SYSTEM = (
    Column(
        "reference_model", "The reference's model", is_key=True, latex=False, report=False,
        labels="models",
    ),
    Column(
        "reference_condition", "The reference's condition", is_key=True, latex=False, report=False,
        labels="conditions",
    ),
)  # fmt: skip
#: The two systems of a row that is about a pair of them.
SYSTEM_A, SYSTEM_B = (
    (
        Column(f"model_{side}", f"Model of system {side}", is_key=True, labels="models"),
        Column(
            f"condition_{side}", f"Condition of system {side}", is_key=True, labels="conditions"
        ),
    )
    for side in "ab"
)
MEAN_A = Column("mean_a", "Mean of side a", label="mean of {a}")
MEAN_B = Column("mean_b", "Mean of side b", label="mean of {b}")
WINNER = Column("winner", "a, b or tie, by the higher mean", kind="text", labels="sides")
REFERENCE_POINTS = Column(
    "reference_points",
    "Points of the reference: one for each mean that is below its own",
    kind="count",
)
N_A = Column("n_a", "Number of units in a", label="n of {a}", kind="count")
N_B = Column("n_b", "Number of units in b", label="n of {b}", beside="n_a", kind="count")
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
REFERENCE_POINTS_MAX = Column(
    "reference_points_max", "Points that the reference could earn", kind="count"
)
REFERENCE_PERCENT = Column(
    "reference_percent",
    "Points of the reference in percent of those that it could earn",
    form="percent",
)
NOT_COMPARED = Column(
    "not_compared", "Comparisons in which one condition has no rating", kind="count"
)
RECIPE = Column("recipe", "Recipe of this row", is_key=True, part=True)
UNIT = Column(
    "unit",
    "What counts as one observation: rating, participant, scenario, both (participant and "
    "scenario), comparison, choice or page",
    choice=True,
    is_key=True,
    part=True,
)
RATERS = Column(
    "raters",
    "Whose ratings: those of the included raters, or of all raters in the funnel",
    choice=True,
    first="included",
    is_key=True,
    part=True,
    labels="within_rules",
)
DIFFERENCE = Column("difference", "Mean of a minus mean of b", label="{a} minus {b}", signed=True)
T = Column("t", "t statistic")
DF = Column("df", "Degrees of freedom", behind="t", form="whole")
LEFT_OUT = Column(
    "left_out", "Raters who rated only one side, or never both on one page", kind="count"
)
P_BH = Column("p_bh", "p value adjusted by the Benjamini–Hochberg method", form="p", label="p (BH)")
MARGIN = Column("margin", "Margin of the recipe, in points of the scale")
P_EQUIVALENT = Column(
    "p_equivalent",
    "The larger p of the two one-sided tests (TOST) that the difference is inside the margin",
    form="p",
)
P_EQUIVALENT_ADJUSTED = Column(
    "p_equivalent_adjusted",
    "The p of equivalence, adjusted by Holm's method over the same family as p_adjusted",
    form="p",
    label="p equivalent (Holm)",
)
EQUIVALENT = Column(
    "equivalent",
    "Whether the difference is shown to be inside the margin (TOST at 5 %, by the adjusted p)",
    kind="flag",
)
F = Column("F", "F statistic; min F′ for raters and scenarios at once")
DF1 = Column("df1", "Degrees of freedom of the numerator", behind="F", form="whole")
DF2 = Column("df2", "Degrees of freedom of the denominator", behind="F", form="whole")
WILCOXON = Column(
    "wilcoxon", "Wilcoxon's T: the smaller of the two sums of ranks", form="whole", label="T"
)
RANK_BISERIAL = Column(
    "rank_biserial",
    "Rank-biserial correlation, from −1 to 1; 1 if all differences are positive",
    label="rank-biserial",
    signed=True,
)
T_PLUS = Column("t_plus", "Sum of the ranks of positive differences", form="whole")
ZEROS = Column("zeros", "Raters without a difference", kind="count")
METHOD = Column(
    "method",
    "How p was computed: exact, over random permutations, or by an approximation",
    kind="text",
    labels="methods",
)
LINK = Column(
    "link",
    "Link of the mixed model: probit or logit (ordinal), or linear",
    choice=True,
    is_key=True,
    part=True,
)
SCALE = Column(
    "scale",
    "latent: the continuous scale behind the categories; ratings: points of the scale",
    choice=True,
    is_key=True,
    part=True,
)
SE = Column("se", "Standard error", decimals=3, label="SE")
ESTIMATE = Column("estimate", "Estimate")
SHARE = Column("share", "Share, from 0 to 1")
PLACE = Column(
    "place", "Place in the order; 1 is the highest, and equal ones share the better", kind="count"
)
SHARE_FIRST = Column(
    "share_first", "Share of resamples in which the system is first, alone or tied with others"
)
N_RATERS = Column("n_raters", "Number of raters", kind="count")
N_ITEMS = Column("n_items", "Number of items: responses as shown, on a dimension", kind="count")
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
SYSTEMS = Column("systems", "Number of systems", kind="count")
CHI_SQUARED = Column("chi_squared", "χ² statistic", label="χ²")
PAGES = Column("pages", "Number of pages", kind="count")
PAGES_LEFT_OUT = Column(
    "pages_left_out", "Pages not used: not all of these systems shown or ranked", kind="count"
)
STATISTIC = Column(
    "statistic",
    "Name of the statistic, or the test statistic",
    is_key=True,
    kind="number",
    labels="statistics",
)
MOVES = Column(
    "moves",
    "Whether the difference changes its sign or its significance at the recipe's level; empty if "
    "there is no difference",
    kind="flag",
)
WHAT_MOVES = Column("what_moves", "Results that change", kind="text", labels="results")
ANSWER = Column("answer", "best or worst (share of pages with this choice), or rank", is_key=True)
JUDGE = Column("judge", "Source of the score: a judge and its version, or a file", is_key=True)
ASKED = Column("asked", "Scores requested", kind="count")
VALID = Column("valid", "Usable scores among them", kind="count")
EPSILON = Column("epsilon", "ε: the advantage given to the judge, because it costs less", label="ε")
WAY = Column("way", "Gold scores that the filter uses", is_key=True, labels="within_rules")
SOURCES = Column(
    "sources",
    "Sources of the participants in this analysis; present only if they may include test "
    "participants",
    kind="text",
)
GOLD_BY = Column("gold_by", "Origin of the gold scores used here", kind="text")
PLAN = Column(
    "plan",
    "Whether the row was made as the locked plan says: as planned, or exploratory; present only if "
    "a plan is locked",
    kind="text",
)
PLAN_DIFFERS = Column(
    "plan_differs",
    "What an exploratory row was made with otherwise than planned; present as the column plan is",
    kind="text",
).csv_only()
#: The first columns of most tables.
FRONT = (RECIPE, UNIT, RATERS)
#: What an analysis may add to any table.
ADDED = (SOURCES, GOLD_BY, PLAN, PLAN_DIFFERS)


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
