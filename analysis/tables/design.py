"""What was answered, by how many, and who saw what: the facts of the design, as they came about."""

from collections.abc import Iterator
from typing import Any

from pandas import DataFrame

from analysis.catalogue import columns as c
from analysis.catalogue.spec import Column, TableSpec
from analysis.not_available import NotAvailable
from analysis.study_data import Contrast
from analysis.tables.request import NOBODY, AnalysisSpec, Request, Tables

DESIGN = TableSpec(
    "design",
    "What was answered, and by how many",
    (
        c.RECIPE, c.RATERS, c.DIMENSION,
        Column("answers", "Kind of answers: ratings, ranks or choices", is_key=True, choice=True),
        c.N.but(meaning="Number of answers"),
        c.N_RATERS,
        Column("n_scenarios", "Number of scenarios", kind="count"),
        Column("n_systems", "Number of systems", kind="count"),
        Column("n_texts", "Number of texts; a text in several sets counts once", kind="count",
            label="texts"),
        Column("raters_per_text", "Raters of a text, on average", form="decimals",
            label="raters per text"),
        Column("texts_per_rater", "Texts that a rater answered about, on average", form="decimals",
            label="texts per rater"),
        Column("raters_of_one_system", "Raters who saw texts of one system only", kind="count",
            label="raters of one system"),
        Column("raters_of_both", "Raters who saw both conditions that the study compares",
            kind="count", label="raters of both conditions"),
        Column("raters_of_one", "Raters who saw one of these conditions only", kind="count",
            label="raters of one condition"),
        Column("scale_from", "Least rating of the scale", form="short", label="scale from"),
        Column("scale_to", "Greatest rating of the scale", form="short", label="scale to"),
    ),
    question="What was answered, and by how many?",
    observations="answers",
    says="Who answered about what. Raters who saw one of the conditions each are compared with "
        "others; raters who saw both, with themselves.",
    section="Participants",
    subject="raters",
    counts="n counts answers.",
)  # fmt: skip
#: What names the page of a rater's choice.
PAGE = ["participant", "scenario", "set", "dimension"]
#: Empty where a study compares no two conditions.
BY_CONDITIONS = ["raters_of_both", "raters_of_one"]


def design(
    ratings: DataFrame,
    ranks: DataFrame,
    contrast: Contrast,
    *,
    ends: tuple[float, float] | None = None,
) -> DataFrame:
    """A row per dimension and kind of answers.

    `ratings` and `ranks` have `participant`, `response` and the columns of an item, and `ranks`
    `rank` and `choice`; either may be empty. `ends` are those of the scale. Raises NotAvailable.
    """
    rows = [
        {"dimension": str(dimension), "answers": kind, **_of(own, contrast), **scale}
        for kind, answers, scale in _kinds(ratings, ranks, ends)
        for dimension, own in answers.groupby("dimension", observed=True)
    ]
    if not rows:
        raise NotAvailable("nobody answered anything")
    whole = ["n", "n_raters", "n_scenarios", "n_systems", "n_texts", "raters_of_one_system"]
    names = [name for name in DESIGN.names if name not in ("recipe", "raters")]
    table = DataFrame(rows, columns=names)
    return table.astype(dict.fromkeys([*whole, *BY_CONDITIONS], "Int64"))


def _kinds(
    ratings: DataFrame, ranks: DataFrame, ends: tuple[float, float] | None
) -> Iterator[tuple[str, DataFrame, dict[str, float]]]:
    scale = dict(zip(("scale_from", "scale_to"), ends, strict=True)) if ends else {}
    ranked, chosen = ranks["rank"].notna(), ranks["choice"].isin(["best", "worst"])
    yield "ratings", ratings.assign(is_answer=True), scale
    yield "ranks", ranks[ranked].assign(is_answer=True), {}
    # who chose one response of a page saw the others, too
    of_page = chosen.groupby([ranks[column] for column in PAGE], observed=True).transform("any")
    yield "choices", ranks[of_page].assign(is_answer=chosen[of_page]), {}


def _of(answers: DataFrame, contrast: Contrast) -> dict[str, Any]:
    by_rater = answers.groupby("participant")
    seen = answers.drop_duplicates(["participant", "response"])
    systems = answers.drop_duplicates(["participant", "model", "condition"])
    pair = [contrast.condition_a, contrast.condition_b]
    conditions = answers[answers["condition"].isin(pair)]
    seen_by = conditions.groupby("participant")["condition"].nunique()
    compared = [int((seen_by == n).sum()) for n in (2, 1)] if None not in pair else [None, None]
    n_texts = answers["response"].nunique()
    return {
        "n": int(answers["is_answer"].sum()),
        "n_raters": by_rater.ngroups,
        "n_scenarios": answers["scenario"].nunique(),
        "n_systems": len(answers.drop_duplicates(["model", "condition"])),
        "n_texts": n_texts,
        "raters_per_text": len(seen) / n_texts,
        "texts_per_rater": len(seen) / by_rater.ngroups,
        "raters_of_one_system": int((systems["participant"].value_counts() == 1).sum()),
        **dict(zip(BY_CONDITIONS, compared, strict=True)),
    }


def _make(request: Request) -> Tables:
    answers, study = request.answers, request.study
    if request.raters == "included" and answers.people.empty:
        raise NotAvailable(NOBODY)
    table = design(answers.ratings, answers.ranks, study.contrast, ends=study.fits.ends)
    return {"design": table.assign(recipe=request.recipe.name, raters=request.raters)[DESIGN.names]}


ANALYSIS = AnalysisSpec((DESIGN,), _make, of_recipes=False, of_ratings=False)
