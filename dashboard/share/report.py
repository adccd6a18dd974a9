"""The report of an analysis: one self-contained HTML file.

It says in sentences what was done and found, shows the tables that bear it, and links every number
to its cell in the CSV files beside it (RFC 7111).
"""

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from analysis.catalogue.number_text import count, noun
from analysis.catalogue.spec import FigureSpec
from analysis.catalogue.subjects import APPENDIX, ELSEWHERE, SECTIONS
from analysis.declarations import ANALYSES, FIGURES, TABLES
from analysis.models import AnalysisRun
from analysis.quality_rules import USUAL_LABELS, QualityRules
from analysis.recipe import Recipe
from analysis.text.cells import Tables, read_tables, rows_of
from analysis.text.findings import findings
from analysis.text.limits import limits
from analysis.text.methods_text import AnalysisSettings, methods
from analysis.text.sentences import listed, together
from dashboard.results.wins import beside_ratings
from dashboard.share.report_tables import ALL, ShownTable, declared, shown_table
from survey.definition import StudyDefinition
from survey.definition.labels import Labels, words
from survey.tidy import definition_of

#: Further text about some tables.
DECLARED = [maker.finding for maker in ANALYSES if maker.finding]


@dataclass(frozen=True)
class Figure:
    name: str
    title: str
    figure: Mapping[str, Any]

    @property
    def data_id(self) -> str:
        return f"data-{self.name}"


@dataclass(frozen=True)
class ReportSection:
    title: str
    tables: list[ShownTable]
    figures: list[Figure]

    @property
    def is_appendix(self) -> bool:
        return self.title == APPENDIX

    @property
    def anchor(self) -> str:
        return self.title.lower().replace(" ", "-")


def report_html(
    run: AnalysisRun,
    tables: Mapping[str, Any],
    figures: Mapping[str, Any],
    manifest: Mapping[str, Any],
    labels: Labels,
) -> str:
    """The report of these tables and figures, which are those of the manifest's recipes."""
    definition = definition_of(run.study)
    rehearsal = run.study.is_rehearsing
    return render(definition, tables, figures, manifest, labels=labels, rehearsal=rehearsal)


def render(
    definition: StudyDefinition,
    contents: Mapping[str, Any],
    figures: Mapping[str, Any],
    manifest: Mapping[str, Any],
    *,
    labels: Labels | None = None,
    rehearsal: bool = False,
) -> str:
    """The report as HTML. `contents` are tables as they are stored: {columns, rows} by name."""
    given = read_tables(contents, labels)
    tables = {name: table for name, table in given.items() if table.rows}
    recipes = [Recipe.model_validate(recipe) for recipe in manifest["recipes"].values()]
    of = f" of {noun(len(recipes), 'recipe')} {listed([recipe.name for recipe in recipes])}"
    empty = {
        name: f"it has no rows{of if 'recipe' in table.columns else ''}"
        for name, table in given.items()
        if name not in tables
    }
    rules = QualityRules.model_validate(manifest["rule_set"]["rules"])
    gold = "" if manifest["gold"] == "none" else manifest["gold"]
    settings = AnalysisSettings(
        rules=rules,
        recipes=recipes,
        sources=manifest["sources"],
        gold=f"{gold}, imported" if manifest["gold_imported"] and gold != "imported" else gold,
        scale=scale_text(definition),
        software=manifest["software"],
        snapshot=manifest["snapshot_hash"],
        plan=manifest.get("plan"),
        not_counted=manifest["included_by_name"],
    )
    sentences = findings(tables, recipes, DECLARED)
    context = {
        "manifest": manifest,
        "labels": labels or USUAL_LABELS,
        "rehearsal": rehearsal,
        "answered": _answered(tables, manifest),
        "recipes": {
            name: json.dumps(recipe, indent=2, ensure_ascii=False)
            for name, recipe in manifest["recipes"].items()
        },
        "sound": next((r.name for r in recipes if r.unit == "participant"), ""),
        "paper": next((r.name for r in recipes if r.unit == "rating"), ""),
        "methods": [
            (paragraph.title, together(paragraph.sentences))
            for paragraph in methods(tables, settings)
        ],
        "findings": sentences,
        "stand_beside": any(finding.sound and finding.paper for finding in sentences),
        "limits": limits(tables, recipes, rules, gold=gold, scale=_points(definition)),
        "sections": sections(tables, figures),
        "files": [(table.file, len(table.rows)) for table in given.values()],
        "absent": _by_reason(manifest["absent"] | empty),
        "answers": [] if definition.rating else beside_ratings(definition),
        "counted": [f"{name}.csv" for name in ("choices", "rankings") if name in tables],
        "plotly": SafeString(_plotly_script()) if figures else "",
        "drawing": SafeString(_drawing_script()) if figures else "",
    }
    return render_to_string("dashboard/share/report.html", context)


def sections(tables: Tables, figures: Mapping[str, Any]) -> list[ReportSection]:
    """Tables and figures by subject, in the order in which they are read."""
    by_title = {title: ReportSection(title, [], []) for title in SECTIONS}
    order = [*(name for name in TABLES if name in tables), *tables]
    for name in dict.fromkeys(order):
        table = declared(tables[name])
        section = by_title[APPENDIX if table.appendix else table.section]
        section.tables.append(shown_table(tables[name]))
    for name in dict.fromkeys([*(name for name in FIGURES if name in figures), *figures]):
        how = FIGURES.get(name) or FigureSpec(name, words(name), ELSEWHERE)
        section = by_title[APPENDIX if how.appendix else how.section]
        section.figures.append(Figure(name, how.title, figures[name]))
    return [section for section in by_title.values() if section.tables or section.figures]


def scale_text(definition: StudyDefinition) -> str:
    """The scale's ends: "on a scale from 1 (not at all) to 5 (extremely)"; empty without one."""
    if definition.rating is None:
        return ""
    points = definition.rating.scale
    low, high = points[0], points[-1]
    return f"on a scale from {low.value} ({low.label}) to {high.value} ({high.label})"


def _points(definition: StudyDefinition) -> int:
    """How many points the scale has; 0 where there is none, or ratings lie between its ends."""
    if definition.rating is None or definition.rating.kind == "slider":
        return 0
    return len(definition.rating.scale)


def _answered(tables: Tables, manifest: Mapping[str, Any]) -> str:
    """How many came, and how much they answered: "151 participants, 17,020 ratings"."""
    chosen = rows_of(tables, "choices", scenario=ALL, raters=ALL)
    of_one_recipe = [row for row in chosen if row["recipe"] == chosen[0]["recipe"]]
    answers = {
        "ratings": manifest["n_ratings"],
        "choices": sum(row["best"] + row["worst"] for row in of_one_recipe),
    }
    people = manifest["n_participants"]
    said = [f"{count(people)} {'person' if people == 1 else 'people'}"]
    return ", ".join(said + [f"{count(n)} {what}" for what, n in answers.items() if n])


def _by_reason(absent: Mapping[str, str]) -> list[tuple[str, str]]:
    """The tables not available, each reason once: ("items, wins", "no rater is included")."""
    names: dict[str, list[str]] = {}
    for name, reason in absent.items():
        names.setdefault(reason, []).append(name)
    return [(", ".join(together), reason) for reason, together in names.items()]


def _plotly_script() -> str:
    """Plotly's own script, which makes the report self-contained."""
    package = importlib.util.find_spec("plotly")  # its folder, without importing it
    assert package and package.submodule_search_locations
    script = Path(package.submodule_search_locations[0]) / "package_data" / "plotly.min.js"
    return script.read_text(encoding="utf-8")


def _drawing_script() -> str:
    """The script that draws the figures, the same as on pages."""
    path = finders.find("dashboard/figures.js")
    assert isinstance(path, str)  # it is among our own files
    return Path(path).read_text(encoding="utf-8")
