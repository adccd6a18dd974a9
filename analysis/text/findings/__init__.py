"""The main findings of an analysis in sentences, each number with the cell it comes from. Pure.

Answers of recipes that count raters come with answers of those that count ratings. No sentence
says more than its table: a test that does not reject is never "no difference", and each interval
says which others it speaks of.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from analysis.catalogue.columns import PLAN
from analysis.deviations import EXPLORATORY
from analysis.recipe import Recipe
from analysis.tables.request import FindingSpec
from analysis.text.cells import Sentence, Tables, rows_of, those_with
from analysis.text.findings import answers, conditions, groups, robustness, sizes, systems
from analysis.text.findings.positions import positions
from analysis.text.findings.words import of_unit


@dataclass(frozen=True)
class Finding:
    """A question, and what two kinds of recipes say to it: `sound` counts raters (and items),
    `paper` counts ratings or wins. Either may be empty. `table` has the main numbers of it.
    Where a study has several dimensions, `dimension` is what the one of the answers is called.
    `exploratory` is whether any of these numbers was made otherwise than planned.
    """

    title: str
    table: str
    sound: tuple[Sentence, ...]
    paper: tuple[Sentence, ...] = ()
    dimension: str = ""
    exploratory: bool = False


def findings(
    tables: Tables, recipes: Sequence[Recipe], more: Sequence[FindingSpec] = ()
) -> list[Finding]:
    """What the tables say of each dimension, in the order of their questions.

    `tables` are those of the chosen recipes; `more` are questions that are declared beside their
    tables. A question without tables is left out.
    """
    sound, paper = of_unit(recipes, "participant"), of_unit(recipes, "rating")
    dimensions = _dimensions(tables)
    all_findings = [Finding("Who counts", "funnel", tuple(answers.included(tables)))]
    has_model = bool(those_with(rows_of(tables, "reference_contrasts"), "difference"))
    for dimension, label in dimensions.items():
        named = label if dimension and len(dimensions) > 1 else ""
        of = f" ({named})" if named else ""
        questions = [
            (
                "Condition against condition",
                "contrasts" if rows_of(tables, "contrasts") else "mixed_contrasts",
                conditions.contrast(tables, sound, dimension),
                conditions.wins(tables, dimension),
            ),
            (
                "The reference",
                "reference_contrasts" if has_model else "to_reference",
                conditions.to_reference(tables, sound, dimension),
                conditions.points(tables, dimension),
            ),
            ("The systems", "system_groups", systems.order(tables, sound, dimension), ()),
            ("Size of the models", "size_trends", sizes.trends(tables, sound, dimension), ()),
            (
                "Groups of raters",
                "group_tests",
                groups.pairs(tables, sound, dimension),
                groups.pairs(tables, paper, dimension),
            ),
            (
                "Several groups at once",
                "anova",
                groups.several(tables, sound, dimension),
                groups.several(tables, paper, dimension),
            ),
            ("Rankings", "rankings", answers.rankings(tables, sound, dimension), ()),
            ("Best and worst", "choices", answers.choices(tables, sound, dimension), ()),
            ("Comparisons", "strengths", answers.comparisons(tables, sound, dimension), ()),
            (
                "Agreement of raters",
                "agreement",
                answers.agreement(tables, sound or paper, dimension),
                (),
            ),
            ("Exclusions", "sensitivity", answers.sensitivity(tables, sound, dimension), ()),
            (
                "Raters flagged for their writing",
                "without_flagged",
                robustness.flagged(tables, sound, dimension),
                (),
            ),
            (
                "Other choices",
                "multiverse_summary",
                robustness.multiverse(tables, sound, dimension),
                (),
            ),
            (
                "Length of responses",
                "length_adjusted",
                robustness.lengths(tables, sound, dimension),
                (),
            ),
            (
                "People and a judge",
                "prediction_powered",
                robustness.with_judges(tables, dimension),
                (),
            ),
            (
                "Single raters and scenarios",
                "fragility",
                robustness.fragility(tables, sound, dimension),
                (),
            ),
            (
                "Order",
                "order_conclusions",
                chain(answers.order(tables, sound, dimension), positions(tables, sound, dimension)),
                (),
            ),
        ]
        questions += [
            (each.title, each.table, each.say(tables, sound, dimension), ()) for each in more
        ]
        all_findings += [
            Finding(title + of, table, tuple(a), tuple(b), named)
            for title, table, a, b in questions
        ]
    all_findings.append(
        Finding("Printed numbers", "replication", (), tuple(answers.replication(tables)))
    )
    return [
        replace(finding, exploratory=_is_exploratory(tables, finding.table))
        for finding in all_findings
        if finding.sound or finding.paper
    ]


def _is_exploratory(tables: Tables, name: str) -> bool:
    """Whether rows of the included raters are; that of all raters is no answer."""
    return any(row[PLAN.name] == EXPLORATORY for row in rows_of(tables, name, raters="included"))


def _dimensions(tables: Tables) -> dict[str, str]:
    """What was rated, ranked or chosen by, each with its label; empty without a name."""
    names = ("items", "systems", "rankings", "choices", "strengths", "agreement")
    rows = [row for name in names for row in those_with(rows_of(tables, name), "dimension")]
    return {row["dimension"]: row.text("dimension") for row in rows}
