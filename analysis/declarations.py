"""Every table that an analysis can hold, in the order in which they are read.

The module that makes a table also declares what it says and how it is shown. A new one is a line
here.
"""

import json
from pathlib import Path

from analysis import catalogue
from analysis.catalogue.spec import FigureSpec, TableSpec
from analysis.figures import choices as drawn_choices
from analysis.figures import dimensions, forest, quality, ratings, regions, shares, win_matrix
from analysis.figures import funnel as drawn_funnel
from analysis.figures import judge_positions as drawn_judge_positions
from analysis.figures import judges as drawn_judges
from analysis.figures import model_sizes as drawn_sizes
from analysis.figures import multiverse as drawn_multiverse
from analysis.figures import order as drawn_order
from analysis.judges import (
    agreement_with_people,
    automatic_metrics,
    circularity,
    consistency,
    judge_as_rater,
    pairs,
    perturbed,
    prediction_powered,
    trained_scorer,
)
from analysis.judges import positions as judge_positions
from analysis.quality_rules import USUAL_LABELS
from analysis.raters import demographics, funnel, gold_distance, rater_table, thresholds, writing
from analysis.tables import (
    agreement,
    anova,
    choices,
    contrasts,
    design,
    design_health,
    flags,
    fragility,
    group_tests,
    items,
    largest_differences,
    length_adjusted,
    mixed_models,
    model_sizes,
    multiverse,
    order_effects,
    planted,
    positions,
    protocol,
    rankings,
    rater_fit,
    reference_contrasts,
    replication,
    self_agreement,
    sensitivity,
    signed_rank_units,
    strengths,
    system_wins,
    systems,
    themes,
    told_apart,
    wins,
    wins_tests,
    without_flagged,
)
from analysis.tables.request import AnalysisSpec

#: Tables that an analysis always makes, and what makes those that a recipe asks for.
DECLARED: list[TableSpec | AnalysisSpec] = [
    funnel.FUNNEL,
    demographics.DEMOGRAPHICS,
    thresholds.THRESHOLDS,
    gold_distance.GOLD_DISTANCE,
    rater_table.RATERS,
    design.ANALYSIS,
    protocol.PROTOCOL,
    design_health.DESIGN_HEALTH,
    wins.WINS_SUMMARY,
    wins.WINS,
    wins_tests.ANALYSIS,
    contrasts.OF_CONTRASTS,
    reference_contrasts.ANALYSIS,
    told_apart.ANALYSIS,
    system_wins.ANALYSIS,
    model_sizes.ANALYSIS,
    systems.OF_SYSTEMS,
    systems.OF_REFERENCE,
    items.ITEMS,
    flags.FLAGS_TABLE,
    largest_differences.LARGEST_DIFFERENCES,
    contrasts.OF_PAIRS,
    signed_rank_units.ANALYSIS,
    contrasts.RATER_DIFFERENCES,
    group_tests.ANALYSIS,
    anova.OF_ANOVA,
    anova.OF_PAIRS,
    mixed_models.ANALYSIS,
    *rankings.ANALYSES,
    *choices.ANALYSES,
    strengths.ANALYSIS,
    themes.THEME_COUNTS,
    themes.THEME_AGREEMENT,
    agreement.ANALYSIS,
    self_agreement.SELF_AGREEMENT,
    rater_fit.ANALYSIS,
    writing.FLAGGED_WRITING,
    without_flagged.ANALYSIS,
    sensitivity.ANALYSIS,
    fragility.ANALYSIS,
    length_adjusted.ANALYSIS,
    multiverse.MULTIVERSE_SUMMARY,
    multiverse.MULTIVERSE,
    order_effects.ANALYSIS,
    positions.ANALYSIS,
    circularity.GUARD_WARNINGS,
    consistency.JUDGE_CONSISTENCY,
    judge_positions.JUDGE_POSITIONS,
    pairs.JUDGE_PAIRS,
    pairs.JUDGE_PAIR_ORDER,
    agreement_with_people.JUDGE_AGREEMENT,
    agreement_with_people.JUDGE_BIAS,
    prediction_powered.PREDICTION_POWERED,
    judge_as_rater.ALT_TEST,
    judge_as_rater.ALT_TEST_RATERS,
    circularity.GUARD_FUNNEL,
    circularity.GUARD_WINS,
    circularity.GUARD_SYSTEMS,
    circularity.GUARD_RATERS,
    consistency.JUDGE_SCORES_SHARES,
    consistency.JUDGE_MODELS,
    consistency.JUDGE_ITEM_SPREAD,
    automatic_metrics.METRIC_MEANS,
    automatic_metrics.SCORE_AGREEMENT,
    automatic_metrics.METRIC_SOURCES,
    trained_scorer.SCORER_EVALUATION,
    trained_scorer.SCORER_CALIBRATION,
    trained_scorer.SCORER_SOURCE,
    perturbed.PERTURBATION_CHANGES,
    perturbed.PERTURBATION_WORST,
    perturbed.PERTURBATION_TEXTS,
    planted.PLANTED,
    replication.REPLICATION,
]
#: Figures that an analysis draws, and those of what recipes ask for.
DRAWN: list[FigureSpec] = [
    drawn_funnel.CONSORT,
    quality.DURATIONS,
    quality.SIGMA_MAE,
    quality.SIGMA,
    quality.MAE,
    drawn_order.SYSTEMS_ORDER,
    win_matrix.WIN_MATRIX,
    drawn_sizes.MODEL_SIZES,
    forest.SYSTEMS_FOREST,
    dimensions.DIMENSION_MEANS,
    dimensions.DIMENSION_RADAR,
    forest.CONTRASTS_FOREST,
    drawn_multiverse.MULTIVERSE_CURVE,
    drawn_choices.BEST_WORST_SHARES,
    drawn_judge_positions.POSITION_EFFECTS,
    drawn_judges.SHARES,
    drawn_judges.AGAINST_PEOPLE,
    drawn_judges.BLAND_ALTMAN,
    drawn_judges.ALT_TEST,
    trained_scorer.CALIBRATION,
    perturbed.CHANGES,
    regions.REGION_MAP,
    shares.SHARES,
    ratings.RATINGS_KDE,
]
ANALYSES = [entry for entry in DECLARED if isinstance(entry, AnalysisSpec)]


def _tables(entry: TableSpec | AnalysisSpec) -> list[TableSpec]:
    """The tables of an entry; of those that are the same in each recipe, of all raters, too."""
    if isinstance(entry, TableSpec):
        return [entry]
    if entry.of_recipes:
        return list(entry.tables)
    return [each for table in entry.tables for each in (table, table.of_all_raters())]


#: What recipes ask for.
NAMES = [table.name for entry in ANALYSES for table in _tables(entry)] + ["replication"]
TABLES = {table.name: table for entry in DECLARED for table in _tables(entry)}
DOCS = Path(__file__).parents[1] / "docs" / "tables.md"


FIGURES = {
    figure.name: figure
    for figure in (*DRAWN, *(figure for entry in ANALYSES for figure in entry.figures))
}


def as_json() -> str:
    """All tables and figures as the catalogue keeps them, one on a line."""
    parts = []
    for kind, declared in (("tables", TABLES.values()), ("figures", FIGURES.values())):
        lines = [json.dumps(each.as_json(), ensure_ascii=False) for each in declared]
        parts.append(f'"{kind}": [\n' + ",\n".join(lines) + "\n]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def as_docs() -> str:
    """All tables for readers, with their columns."""
    lines = [
        "# Tables of an analysis",
        "",
        "Made by `python -m analysis.declarations` from where each table is computed.",
        "",
        "| question | file | what counts as one |",
        "|---|---|---|",
    ]
    tables = [t.labelled(USUAL_LABELS) for t in TABLES.values() if not t.name.endswith("_all")]
    lines += [
        f"| {table.question} | [`{table.name}.csv`](#{table.name}) | {table.observations} |"
        for table in tables
    ]
    for table in tables:
        title = table.title if table.title.endswith("?") else f"{table.title}."
        lines += ["", f"## {table.name}", "", f"{title} {table.says}".strip(), ""]
        lines += [f"- `{column.name}`: {column.meaning}" for column in table.columns]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    catalogue.FILE.write_text(as_json(), encoding="utf-8")
    DOCS.write_text(as_docs(), encoding="utf-8")
