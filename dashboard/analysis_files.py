"""A finished analysis as files: tables as CSV and LaTeX, figures as JSON and images, one report."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from analysis.models import AnalysisRun
from analysis.queries import results_of
from analysis.recipe import BOTH, SHIPPED, Recipe
from analysis.recipe_sets import recipes_of
from analysis.text.cells import Table
from analysis.text.latex import Words, latex_table
from dashboard.report import report_html
from dashboard.report_sections import Shown, shown
from dashboard.report_tables import PARTS, words
from dashboard.result_columns import codebook_rows
from survey.csv_text import csv_lines

#: The level of intervals that no recipe sets: of judges, and of elbows.
USUAL_LEVEL = 0.95
#: Tables whose title is about the rows that the report keeps. Of other tables, the report keeps few
#: to be short; who puts a table into a paper chooses for themselves, from all rows.
TITLE_IS_OF_KEPT = {"raters"}


@dataclass(frozen=True)
class Told:
    """What LaTeX tables say that they do not have: the level of intervals, by recipe, and which
    conditions are a and b.
    """

    levels: dict[str, float] = field(default_factory=dict)
    conditions: tuple[str, str] | None = None


class NoSuchRecipe(Exception):
    """The study has no recipe of that name; the message names those that it has."""


def chosen_recipes(run: AnalysisRun, chosen: str) -> list[str]:
    """The names of the recipes that `both` or a single name stands for. Raises NoSuchRecipe."""
    known = [recipe.name for recipe in recipes_of(run.recipe_set)]
    names = [name for name in SHIPPED if name in known] if chosen == BOTH else [chosen]
    if not set(names) <= set(known):
        raise NoSuchRecipe(
            f"there is no recipe {chosen}; the study has {', '.join(known)}, and both"
        )
    return names


def write_analysis(
    run: AnalysisRun,
    folder: Path,
    *,
    recipe: str,
    write_images: Callable[[dict[str, Any], Path], str] | None,
) -> dict[str, Any]:
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
    told = Told(levels(recipes_of(run.recipe_set)), _conditions(tables))
    _write_tables(tables, folder, told)
    _write_figures(figures, folder)
    report = report_html(run, tables, figures, manifest)
    (folder / "report.html").write_text(report, encoding="utf-8")
    images = write_images(figures, folder) if write_images else "not asked for"
    return manifest | {"images": images}


def _write_tables(tables: dict[str, Any], folder: Path, told: Told) -> None:
    """Each table as CSV and as LaTeX, and what each column means."""
    for name, table in tables.items():
        columns, rows = table["columns"], table["rows"]
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(columns, rows))
        (folder / f"{name}.tex").write_text(as_latex(name, columns, rows, told), encoding="utf-8")
    about = {name: list(map(str, table["columns"])) for name, table in tables.items()}
    with (folder / "codebook.csv").open("w", encoding="utf-8", newline="") as file:
        file.writelines(csv_lines(["file", "column", "meaning"], map(list, codebook_rows(about))))


def as_latex(name: str, columns: list[str], rows: list[list[Any]], told: Told) -> str:
    """A table as LaTeX, with the columns that a paper prints."""
    how = shown(name)
    table = Table(name, columns, rows)
    if name in TITLE_IS_OF_KEPT and how.keep:
        rows = [rows[row.place] for row in table if how.keep(row)]
        if not rows:
            return f"% No table: {name}.csv has no row of {how.kept}.\n"
    printed = how.printed or how.only
    left = [column for column in columns if column not in printed] if printed else how.aside
    return latex_table(
        name,
        how.title,
        columns,
        rows,
        words=Words(_says(how, told.conditions), partial(words, name), told.levels),
        apart=(*PARTS, *how.apart),
        aside=[*left, *_of_no_reference(table)],
    )


def _says(how: Shown, conditions: tuple[str, str] | None) -> str:
    """How to read a table that stands by itself: a and b are named, unless it has them."""
    if conditions is None or not how.a_and_b:
        return how.says
    return f"{how.says} Condition a is {conditions[0]}, b is {conditions[1]}."


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
    found = {recipe.name: recipe.confidence for recipe in recipes}
    is_sure = set(found.values()) <= {USUAL_LEVEL}
    return found | ({"": USUAL_LEVEL} if is_sure else {})


def _conditions(tables: dict[str, Any]) -> tuple[str, str] | None:
    """Conditions a and b of the study, if its wins are counted."""
    wins = tables.get("wins", {"columns": [], "rows": []})
    row = next(iter(Table("wins", wins["columns"], wins["rows"])), None)
    return (row["condition_a"], row["condition_b"]) if row else None


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
