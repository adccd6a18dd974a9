"""A finished analysis as files: every table as CSV, every figure as JSON, and one HTML report."""

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from analysis.models import AnalysisRun
from analysis.queries import results_of
from analysis.recipe import SHIPPED
from dashboard.agreement import FIGURES
from dashboard.tables import beside_ratings
from survey.csv_text import csv_lines, to_text
from survey.tidy import definition_of

TITLES = {
    "funnel": "Who was filtered out",
    "demographics": "Who the included raters are",
    "wins_summary": "Wins and reference points by scenario",
    "wins": "Wins by model and scenario",
    "items": "Mean rating of every response",
    "raters": "Every rater",
    "protocol": "How the protocol worked out",
    "guard_warnings": "What a reader of the results has to know about the gold scores",
    "judge_consistency": "Do judges agree with themselves?",
    "judge_scores_shares": "How often each score is given",
    "judge_models": "Which models answered",
    "judge_item_spread": "Every response's scores by every judge",
    "judge_agreement": "Do people agree with judges?",
    "judge_bias": "Judge minus people",
    "alt_test": "The alternative annotator test",
    "alt_test_raters": "The alternative annotator test, rater by rater",
    "guard_funnel": "The filter three ways",
    "guard_wins": "Wins three ways",
    "guard_systems": "Means of the systems three ways",
    "guard_raters": "Whom the distance to the gold scores leaves out",
    "ratings_kde": "How ratings are spread",
    **FIGURES,
}


class NoSuchRecipe(Exception):
    """The study has no recipe of that name; the message names those that it has."""


def chosen_recipes(run: AnalysisRun, chosen: str) -> list[str]:
    """The names of the recipes that `both` or a single name stands for. Raises NoSuchRecipe."""
    known = [recipe["name"] for recipe in run.recipe_set.recipes]
    names = [name for name in SHIPPED if name in known] if chosen == "both" else [chosen]
    if not set(names) <= set(known):
        raise NoSuchRecipe(
            f"there is no recipe {chosen}; the study has {', '.join(known)}, and both"
        )
    return names


def write_analysis(run: AnalysisRun, folder: Path, *, recipe: str) -> dict[str, Any]:
    """Write a done run's files into `folder`; the manifest that belongs to them.

    Tables with a column `recipe` have the rows of the chosen ones. The bytes of the tables depend
    on nothing but the run's results and that choice. Raises NoSuchRecipe.
    """
    recipes = chosen_recipes(run, recipe)
    tables = {name: only(table, recipes) for name, table in results_of(run, "table").items()}
    figures = results_of(run, "figure")
    for name, table in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            file.writelines(csv_lines(table["columns"], table["rows"]))
    for name, figure in figures.items():
        text = json.dumps(figure, ensure_ascii=False, sort_keys=True)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    manifest: dict[str, Any] = run.manifest | {
        "run": run.pk,
        "recipes": {name: run.manifest["recipes"][name] for name in recipes},
    }
    report = _report(run, tables, figures, manifest)
    (folder / "report.html").write_text(report, encoding="utf-8")
    return manifest


def only(table: dict[str, Any], recipes: Sequence[str]) -> dict[str, Any]:
    """The rows of these recipes, where a table tells them apart."""
    if "recipe" not in table["columns"]:
        return table
    place = table["columns"].index("recipe")
    return {**table, "rows": [row for row in table["rows"] if row[place] in recipes]}


def _report(
    run: AnalysisRun,
    tables: dict[str, Any],
    figures: dict[str, Any],
    manifest: dict[str, Any],
) -> str:
    in_order = [*(name for name in TITLES if name in tables)]
    in_order += [name for name in tables if name not in TITLES]
    definition = definition_of(run.study)
    context = {
        "manifest": manifest,
        "absent": _by_reason(manifest["absent"]),
        "answers": [] if definition.rating else beside_ratings(definition),
        "rules": _rules_in_words(run),
        "plotly": SafeString(_plotly_script()) if figures else "",
        "tables": [
            {
                "name": name,
                "title": TITLES.get(name, name),
                "columns": tables[name]["columns"],
                "rows": [[_shown(value) for value in row] for row in tables[name]["rows"]],
            }
            for name in in_order
        ],
        "figures": [
            {
                "title": TITLES.get(name, name),
                "id": f"figure-{name}",
                "data_id": f"data-{name}",
                "figure": figure,
            }
            for name, figure in figures.items()
        ],
    }
    return render_to_string("dashboard/report.html", context)


def _by_reason(absent: dict[str, str]) -> list[tuple[str, str]]:
    """What is not there, each reason once: ("items, wins", "no rater is included")."""
    names: dict[str, list[str]] = {}
    for name, reason in absent.items():
        names.setdefault(reason, []).append(name)
    return [(", ".join(together), reason) for reason, together in names.items()]


def _rules_in_words(run: AnalysisRun) -> list[tuple[str, str]]:
    """Each rule and its thresholds: ("duration_minutes", "minimum 10, maximum 75")."""
    return [
        (name, ", ".join(f"{key} {_threshold(value)}" for key, value in rule.items()))
        for name, rule in run.rule_set.rules.items()
        if isinstance(rule, dict)
    ]


def _threshold(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _shown(value: object) -> dict[str, object]:
    """A cell for people: decimals rounded, the exact value being in the CSV."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    text = f"{value:.3f}" if isinstance(value, float) else to_text(value)
    return {"text": text, "is_number": is_number}


def _plotly_script() -> str:
    """Plotly's own script, so that the report needs nothing from elsewhere."""
    found = importlib.util.find_spec("plotly")  # its folder, without importing it
    assert found and found.submodule_search_locations
    script = Path(found.submodule_search_locations[0]) / "package_data" / "plotly.min.js"
    return script.read_text(encoding="utf-8")
