"""What small changes of texts do to the scores of every source: tables of `analysis.perturbations`
in an analysis.
"""

from dataclasses import dataclass, field

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, FigureSpec, TableSpec
from analysis.catalogue.subjects import PERTURBATIONS
from analysis.perturbations import changes, worst
from analysis.perturbations.measuring import TOLERANCE

SOURCE = Column(
    "source", "Metric, judge or trained scorer", is_key=True, choice=True, labels="sources"
)
KIND = Column("kind", "Which of these it is", is_key=True)
PERTURBATION = Column(
    "perturbation", "How the text was changed", is_key=True, labels="perturbations"
)
DIMENSION = c.DIMENSION.but(meaning="What was scored; empty for metrics")
PERTURBATION_CHANGES = TableSpec(
    "perturbation_changes",
    "Changes of scores by perturbation",
    (
        SOURCE, KIND, DIMENSION, PERTURBATION,
        c.N.but(meaning="Number of texts that the perturbation changed, with both scores"),
        Column("before", "Mean score of the texts before"),
        Column("change", "Mean of the score after minus that before"), *c.interval("change"),
        Column("change_sd", "The same in standard deviations of the scores before",
            label="change in SD"),
        *c.interval("change_sd", "change_sd"),
        Column("absolute", "Mean size of a change"),
        Column("largest", "Largest change"),
        Column("invariant", f"Share of texts whose score changes by at most {100 * TOLERANCE:g} % "
            "of the scale, or of the range of the scores before where there is none"),
        *c.interval("invariant", "invariant"),
        c.NOTE,
    ),
    question="Do small changes of a text change its scores?",
    observations="texts",
    says="The same responses are scored before and after each perturbation. Most of these leave "
        "the meaning as it is, so a sound score would hardly change; what a metric counts may "
        "change by definition. Intervals are bootstrapped over scenarios.",
    section="Perturbations",
    subject=PERTURBATIONS,
)  # fmt: skip
PERTURBATION_WORST = TableSpec(
    "perturbation_worst",
    "Largest changes of scores",
    (
        SOURCE, KIND, DIMENSION, PERTURBATION, c.SCENARIO.but(first=""), c.MODEL, c.CONDITION,
        Column("before", "Score before"), Column("after", "Score after"),
        Column("change", "Score after minus score before"),
        Column("original", "The response", kind="text"),
        Column("text", "The changed text", kind="text"),
    ),
    question="Which changes of texts move scores most?",
    observations="texts",
    says="Of each source and dimension, the five texts whose score changed most.",
    section="Perturbations",
    subject=PERTURBATIONS,
    folded=True,
    empty="no score changed",
)  # fmt: skip
PERTURBATION_TEXTS = TableSpec(
    "perturbation_texts",
    "How texts were perturbed",
    (
        PERTURBATION,
        Column("meaning", "What is changed", kind="text"),
        Column("by", "A rule, or the language model that rewrote the texts", kind="text"),
        Column("settings", "Seed or request, as JSON", kind="text"),
        c.N.but(meaning="Number of responses"),
        Column("same", "Of these, texts that stayed as they were or could not be made",
            kind="count"),
        Column("not_given", "Texts that the model did not give: cut off, refused or filtered",
            kind="count"),
    ),
    question="How were the texts changed?",
    observations="perturbations",
    says="Rules give the same texts with the same seed. A language model may give others.",
    section="Perturbations",
    subject=PERTURBATIONS,
    folded=True,
)  # fmt: skip
CHANGES = FigureSpec(
    "perturbation_changes", "Changes of scores by perturbation", "Perturbations",
    "perturbation_changes",
)  # fmt: skip
TABLES = [PERTURBATION_CHANGES.name, PERTURBATION_WORST.name, PERTURBATION_TEXTS.name]
NOT_PERTURBED = "no response was perturbed: see docs/perturbations.md"


@dataclass(frozen=True)
class PerturbedData:
    """`scores` are what `perturbations.changes` takes, with `response`, `model`, `condition`,
    `original` and `text`; `texts` have the columns of PERTURBATION_TEXTS.
    """

    scores: DataFrame = field(default_factory=DataFrame)
    texts: DataFrame = field(default_factory=DataFrame)


def perturbation_tables(
    data: PerturbedData, *, seed: int
) -> tuple[dict[str, DataFrame], dict[str, str]]:
    """The tables by name, and why they are not there."""
    if data.texts.empty:
        return {}, dict.fromkeys([*TABLES, CHANGES.name], NOT_PERTURBED)
    tables = {
        PERTURBATION_CHANGES.name: changes(data.scores, seed=seed),
        PERTURBATION_WORST.name: worst(data.scores)[PERTURBATION_WORST.names],
        PERTURBATION_TEXTS.name: data.texts,
    }
    return tables, {}
