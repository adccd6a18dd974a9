"""A finished analysis as files: tables as CSV and, if asked for, LaTeX, figures as JSON and images,
one report with its methods and their references.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from analysis import catalogue
from analysis.labels import labels_of
from analysis.models import AnalysisRun
from analysis.queries import results_of
from analysis.recipe_sets import recipes_of
from analysis.text.cells import Table
from dashboard.share.latex_files import as_latex, levels
from dashboard.share.output_folder import without_authors
from dashboard.share.packages import chosen_recipes
from dashboard.share.report import report_files
from dashboard.share.sharing_form import for_sharing
from survey.definition.labels import Labels
from survey.files.csv_text import ABOUT_TEXTS, csv_lines

#: Which tables are also written as LaTeX: `main` are those that are not in the report's appendix.
Latex = Literal["none", "main", "all"]


def write_analysis(
    run: AnalysisRun,
    folder: Path,
    *,
    recipe: str,
    latex: Latex = "none",
    write_images: Callable[[dict[str, Any], Path], str] | None,
    sharing: bool = False,
) -> dict[str, Any]:
    """Write a done run's files into `folder`; the manifest that belongs to them.

    Tables with a column `recipe` have the rows of the chosen ones. The bytes of the tables depend
    on nothing but the run's results and these choices. `sharing` leaves out what researchers wrote
    about raters, who they are, and answers that the study withholds. Images take a browser and some
    seconds; why some are missing is in the manifest.
    Raises RequestRefused.
    """
    recipes = chosen_recipes(recipes_of(run.recipe_set), recipe)
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


def _write_tables(
    tables: dict[str, Any],
    folder: Path,
    labels: Labels,
    of_intervals: Mapping[str, float],
    latex: Latex,
) -> None:
    """Each table as CSV, those asked for as LaTeX, and what each column means."""
    for name, content in tables.items():
        columns, rows = content["columns"], content["rows"]
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(columns, rows))
        table = Table(name, columns, rows, labels)
        if latex == "all" or (latex == "main" and not table.spec.appendix):
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
