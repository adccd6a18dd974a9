"""A finished analysis as files: tables as CSV and LaTeX, figures as JSON and images, one report."""

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from analysis.figures.static import write_images
from analysis.models import AnalysisRun
from analysis.queries import results_of
from analysis.recipe import SHIPPED
from analysis.recipe_sets import recipes_of
from analysis.text.latex import latex_table
from dashboard.report import report_html
from dashboard.report_sections import shown
from dashboard.report_tables import PARTS
from dashboard.result_columns import codebook_rows
from survey.csv_text import csv_lines


class NoSuchRecipe(Exception):
    """The study has no recipe of that name; the message names those that it has."""


def chosen_recipes(run: AnalysisRun, chosen: str) -> list[str]:
    """The names of the recipes that `both` or a single name stands for. Raises NoSuchRecipe."""
    known = [recipe.name for recipe in recipes_of(run.recipe_set)]
    names = [name for name in SHIPPED if name in known] if chosen == "both" else [chosen]
    if not set(names) <= set(known):
        raise NoSuchRecipe(
            f"there is no recipe {chosen}; the study has {', '.join(known)}, and both"
        )
    return names


def write_analysis(run: AnalysisRun, folder: Path, *, recipe: str, images: bool) -> dict[str, Any]:
    """Write a done run's files into `folder`; the manifest that belongs to them.

    Tables with a column `recipe` have the rows of the chosen ones. The bytes of the tables depend
    on nothing but the run's results and that choice. Images take a browser and some seconds; why
    some are missing is in the manifest. Raises NoSuchRecipe.
    """
    recipes = chosen_recipes(run, recipe)
    tables = {name: only(table, recipes) for name, table in results_of(run, "table").items()}
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
    # The browser draws while the rest is written.
    with ThreadPoolExecutor(max_workers=1) as browser:
        drawn = browser.submit(write_images, figures, folder) if images else None
        _write_tables(tables, folder)
        _write_figures(figures, folder)
        report = report_html(run, tables, figures, manifest)
        (folder / "report.html").write_text(report, encoding="utf-8")
        return manifest | {"images": drawn.result() if drawn else "not asked for"}


def _write_tables(tables: dict[str, Any], folder: Path) -> None:
    """Each table as CSV and as LaTeX, and what each column means."""
    for name, table in tables.items():
        columns, rows = table["columns"], table["rows"]
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(columns, rows))
        (folder / f"{name}.tex").write_text(as_latex(name, columns, rows), encoding="utf-8")
    about = {name: list(map(str, table["columns"])) for name, table in tables.items()}
    with (folder / "codebook.csv").open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(["file", "column", "meaning"], map(list, codebook_rows(about))))


def as_latex(name: str, columns: list[str], rows: list[list[Any]]) -> str:
    """A table as LaTeX, with the columns that a paper prints."""
    how = shown(name)
    printed = how.printed or how.only
    left = [column for column in columns if column not in printed] if printed else how.aside
    return latex_table(name, how.title, columns, rows, apart=(*PARTS, *how.apart), aside=left)


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
