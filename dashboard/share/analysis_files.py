"""A finished analysis as files: tables as CSV and LaTeX, figures as JSON and images, one report
with its methods and their references.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from analysis import catalogue
from analysis.labels import labels_of
from analysis.models import AnalysisRun
from analysis.queries import results_of
from analysis.recipe import BOTH, SHIPPED, Recipe
from analysis.recipe_sets import recipes_of
from analysis.text.cells import Table
from analysis.text.latex import Words, latex_table
from analysis.text.metric_latex import metric_latex
from analysis.text.metric_tables import METRIC_MEANS
from dashboard.share.output_folder import without_authors
from dashboard.share.report import report_files
from dashboard.share.report_tables import declared
from survey.definition.labels import Labels
from survey.definition.settings import Settings
from survey.files.csv_text import ABOUT_TEXTS, csv_lines
from survey.files.suggestions import did_you_mean
from survey.models import Study
from survey.tidy import definition_of

#: Which tables are written as LaTeX.
Latex = Literal["main", "all"]
#: The level of intervals that no recipe sets: of judges, and of elbows.
USUAL_LEVEL = 0.95
#: Tables whose title is about the rows that the report keeps. Of other tables, the report keeps few
#: to be short; who puts a table into a paper chooses for themselves, from all rows.
TITLE_IS_OF_KEPT = {"raters"}


class NoSuchRecipe(Exception):
    """The study has no recipe of that name; the message lists its recipes."""


def chosen_recipes(run: AnalysisRun, chosen: str) -> list[str]:
    """The names of the recipes for `both` or a single name. Raises NoSuchRecipe."""
    known = [recipe.name for recipe in recipes_of(run.recipe_set)]
    names = [name for name in SHIPPED if name in known] if chosen == BOTH else [chosen]
    if not set(names) <= set(known):
        near = did_you_mean(chosen, [*known, BOTH])
        raise NoSuchRecipe(
            f"the study has no recipe {chosen}; choose {', '.join(known)} or {BOTH}{near}"
        )
    return names


def write_analysis(
    run: AnalysisRun,
    folder: Path,
    *,
    recipe: str,
    latex: Latex = "main",
    write_images: Callable[[dict[str, Any], Path], str] | None,
    sharing: bool = False,
) -> dict[str, Any]:
    """Write a done run's files into `folder`; the manifest that belongs to them.

    Tables with a column `recipe` have the rows of the chosen ones. The bytes of the tables depend
    on nothing but the run's results and these choices. `latex` is of the tables of the `main` part
    of the report, or of `all`. `sharing` leaves out what researchers wrote about raters, who
    they are, and answers that the study withholds. Images take a browser and some seconds; why some
    are missing is in the manifest.
    Raises NoSuchRecipe.
    """
    recipes = chosen_recipes(run, recipe)
    tables = {name: only(table, recipes) for name, table in results_of(run, "table").items()}
    if sharing:
        tables = for_sharing(tables, run.study)
    figures = results_of(run, "figure")
    manifest: dict[str, Any] = run.manifest | {
        "run": run.pk,
        # From the set, for PostgreSQL's manifest has lost the order of groups.
        "recipes": {
            recipe.name: recipe.model_dump(mode="json")
            for recipe in recipes_of(run.recipe_set)
            if recipe.name in recipes
        },
    }
    if sharing:
        manifest = without_authors(manifest)
    labels = labels_of(run.study)
    _write_tables(tables, folder, labels, levels(recipes_of(run.recipe_set)), latex)
    _write_figures(figures, folder)
    for name, text in report_files(run, tables, figures, manifest, labels).items():
        (folder / name).write_text(text, encoding="utf-8")
    if plan := manifest.get("plan"):
        locked = run.study.locked_plans.get(version=plan["version"])
        (folder / "plan.json").write_text(locked.content, encoding="utf-8")
    images = write_images(figures, folder) if write_images else "not asked for"
    return manifest | {"images": images}


def for_sharing(tables: dict[str, Any], study: Study) -> dict[str, Any]:
    """The tables without what the form for sharing of the data lacks, too."""
    shared = dict(tables)
    if "raters" in shared:
        shared["raters"] = _without_reasons(shared["raters"])
    if "demographics" in shared:
        share = Settings.model_validate(study.settings).share
        withheld = share.withheld(definition_of(study))
        table = shared["demographics"]
        place = table["columns"].index("characteristic")
        rows = [row for row in table["rows"] if row[place] not in withheld]
        shared["demographics"] = {**table, "rows": rows}
    return shared


def _without_reasons(raters: dict[str, Any]) -> dict[str, Any]:
    """The table of raters without the reasons of manual exclusions."""
    place = raters["columns"].index("excluded_by_decision")
    rows = [
        [(value and True) if at == place else value for at, value in enumerate(row)]
        for row in raters["rows"]
    ]
    return {**raters, "rows": rows}


def _write_tables(
    tables: dict[str, Any],
    folder: Path,
    labels: Labels,
    of_intervals: Mapping[str, float],
    latex: Latex,
) -> None:
    """Each table as CSV, those for a paper as LaTeX, and what each column means."""
    for name, content in tables.items():
        columns, rows = content["columns"], content["rows"]
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(columns, rows))
        table = Table(name, columns, rows, labels)
        if latex == "all" or not declared(table).appendix:
            (folder / f"{name}.tex").write_text(as_latex(table, of_intervals), encoding="utf-8")
    specs = {name: catalogue.table(name, labels) for name in tables}
    meanings = [
        [f"{name}.csv", column.name, column.meaning, column.heading]
        for name, table in tables.items()
        for column in map(specs[name].column, table["columns"])
    ]
    with (folder / "codebook.csv").open("w", encoding="utf-8", newline="") as file:
        rows = [*meanings, ABOUT_TEXTS]
        file.writelines(csv_lines(["file", "column", "meaning", "label"], rows))


def as_latex(table: Table, of_intervals: Mapping[str, float] | None = None) -> str:
    """A table as LaTeX, with the columns that a paper prints. `of_intervals` are the `levels` of
    intervals, of which the table says nothing.
    """
    how = declared(table)
    rows = table.rows
    if table.name in TITLE_IS_OF_KEPT and how.keep:
        rows = [rows[row.place] for row in table if how.keep(row)]
        if not rows:
            return f"% No table: {table.file} has no row of {how.kept}.\n"
    words = Words(f"{how.says} {how.counts}".strip(), of_intervals or {})
    if table.name == METRIC_MEANS:
        return metric_latex(table, how, words)
    return latex_table(
        how,
        table.columns,
        rows,
        words=words,
        aside=_of_no_reference(table),
    )


def _of_no_reference(table: Table) -> list[str]:
    """Columns of points for a reference, where nothing was compared with one: all are zero."""
    most = "reference_points_max"
    if most not in table.columns or any(row[most] for row in table):
        return []
    return [column for column in table.columns if column.startswith("reference_")]


def levels(recipes: Iterable[Recipe]) -> dict[str, float]:
    """The level of intervals by recipe; by "" that of tables that name none, if it is sure.

    Some of these have the usual one, some that of a recipe.
    """
    by_recipe = {recipe.name: recipe.confidence for recipe in recipes}
    is_sure = set(by_recipe.values()) <= {USUAL_LEVEL}
    return by_recipe | ({"": USUAL_LEVEL} if is_sure else {})


def _write_figures(figures: dict[str, Any], folder: Path) -> None:
    """Each figure as Plotly's JSON."""
    for name, figure in figures.items():
        text = json.dumps(figure, ensure_ascii=False, sort_keys=True)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def only(table: dict[str, Any], recipes: Sequence[str]) -> dict[str, Any]:
    """The rows of these recipes, where a table tells them apart."""
    if "recipe" not in table["columns"]:
        return table
    place = table["columns"].index("recipe")
    return {**table, "rows": [row for row in table["rows"] if row[place] in recipes]}
