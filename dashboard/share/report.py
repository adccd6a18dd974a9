"""The report of an analysis: one self-contained HTML file.

It says in sentences what was done and found, shows the tables that bear it, and links every number
to its cell in the CSV files beside it (RFC 7111).
"""

import importlib.util
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from analysis.catalogue.number_text import count, noun
from analysis.catalogue.spec import OF_ALL, FigureSpec
from analysis.catalogue.subjects import APPENDIX, ELSEWHERE, SECTIONS
from analysis.declarations import ANALYSES, FIGURES, TABLES
from analysis.models import AnalysisRun
from analysis.quality_rules import QualityRules
from analysis.recipe import Recipe, Scale
from analysis.text.bibliography import as_markdown as in_markdown
from analysis.text.bibliography import bibliography, cited_keys, cited_once
from analysis.text.cells import Row, Sentence, Table, Tables, plain, read_tables, rows_of
from analysis.text.findings import Finding, findings
from analysis.text.limits import limits
from analysis.text.methods_text import AnalysisSettings, methods
from analysis.text.sentences import listed, together
from dashboard.results.wins import beside_ratings
from dashboard.share.report_tables import ALL, ShownTable, declared, shown_table
from survey.definition import StudyDefinition
from survey.definition.labels import Labels, words
from survey.files.markdown_text import literal_line
from survey.tidy import definition_of

#: The figure of the answer: the first of these that there is.
OF_ANSWER = ("contrasts_forest", "systems_order", "systems_forest", "best_worst_shares")
WHO_COUNTS = "funnel"
#: How notes begin of which the rest is the reason.
PREFIX = "not estimable, because "
#: The files.
REPORT, METHODS, REFERENCES = "report.html", "methods.md", "references.bib"
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
    def anchor(self) -> str:
        return f"section-{self.title.lower().replace(' ', '-')}"


def report_files(
    run: AnalysisRun,
    tables: Mapping[str, Any],
    figures: Mapping[str, Any],
    manifest: Mapping[str, Any],
    labels: Labels,
) -> dict[str, str]:
    """The report of these tables and figures, which are those of the manifest's recipes, the
    methods as Markdown, and the works that these cite as BibTeX; by the names of their files.
    """
    definition = definition_of(run.study)
    given = read_tables(tables, labels)
    recipes = [Recipe.model_validate(recipe) for recipe in manifest["recipes"].values()]
    settings = _settings(definition, recipes, manifest)
    paragraphs = methods_in_paragraphs(_with_rows(given), settings)
    html = render(
        definition,
        given,
        figures,
        manifest,
        settings,
        paragraphs,
        labels=labels,
        rehearsal=run.study.is_rehearsing,
    )
    keys = cited_keys(text for _, text in paragraphs)
    return {REPORT: html, METHODS: as_markdown(paragraphs), REFERENCES: bibliography(keys)}


def _with_rows(tables: Tables) -> dict[str, Table]:
    return {name: table for name, table in tables.items() if table.rows}


def _settings(
    definition: StudyDefinition, recipes: Sequence[Recipe], manifest: Mapping[str, Any]
) -> AnalysisSettings:
    gold = "" if manifest["gold"] == "none" else manifest["gold"]
    return AnalysisSettings(
        rules=QualityRules.model_validate(manifest["rule_set"]["rules"]),
        recipes=recipes,
        sources=manifest["sources"],
        gold=f"{gold}, imported" if manifest["gold_imported"] and gold != "imported" else gold,
        scale=scale_text(definition),
        software=manifest["software"],
        snapshot=manifest["snapshot_hash"],
        plan=manifest.get("plan"),
        not_counted=manifest["included_by_name"],
        composites=manifest.get("composites", {}),
        comprehension=manifest.get("comprehension"),
        training_items=len(definition.training_items),
        repeats=manifest.get("repeats"),
        ai_policy=definition.texts.ai_policy is not None,
    )


def render(
    definition: StudyDefinition,
    given: Tables,
    figures: Mapping[str, Any],
    manifest: Mapping[str, Any],
    settings: AnalysisSettings,
    paragraphs: Sequence[tuple[str, Sentence]],
    *,
    labels: Labels,
    rehearsal: bool = False,
) -> str:
    """The report as HTML. Its main part has the answers of tables that lead, with their figure and
    these tables, limits and methods; an appendix has the rest, folded.
    """
    tables, recipes = _with_rows(given), settings.recipes
    of = f" of {noun(len(recipes), 'recipe')} {listed([recipe.name for recipe in recipes])}"
    empty = {
        name: declared(table).empty or f"it has no rows{of if 'recipe' in table.columns else ''}"
        for name, table in given.items()
        if name not in tables
    }
    gold = "" if manifest["gold"] == "none" else manifest["gold"]
    sentences = findings(tables, recipes, DECLARED)
    first = _leading_tables(tables)
    leading = _leading(sentences, first)
    silent = _silent(tables)
    same_raters = _nobody_excluded(tables)
    shown = {
        name: table
        for name, table in tables.items()
        if name not in silent and not (same_raters and _is_of_all(name, tables))
    }
    of_answer = next((name for name in OF_ANSWER if name in figures), "")
    context = {
        "manifest": manifest,
        "labels": labels,
        "rehearsal": rehearsal,
        "answered": _answered(tables, manifest),
        "recipes": {
            name: json.dumps(recipe, indent=2, ensure_ascii=False)
            for name, recipe in manifest["recipes"].items()
        },
        "sound": next((r.name for r in recipes if r.unit == "participant"), ""),
        "paper": next((r.name for r in recipes if r.unit == "rating"), ""),
        "methods": paragraphs,
        "files_of_methods": (METHODS, REFERENCES),
        "findings": leading,
        "further": [finding for finding in sentences if finding not in leading],
        "of_answer": _figure(of_answer, figures, labels) if of_answer else None,
        "stand_beside": any(finding.sound and finding.paper for finding in sentences),
        "limits": limits(tables, recipes, settings.rules, gold=gold, scale=_points(definition)),
        "same_raters": same_raters,
        "leading": shown_tables(
            sorted((shown[name] for name in first if name in shown), key=_who_counts_last),
            same_raters=same_raters,
        ),
        "sections": sections(
            {name: table for name, table in shown.items() if name not in first},
            {name: figure for name, figure in figures.items() if name != of_answer},
            labels,
            same_raters=same_raters,
        ),
        "files": [(table.file, len(table.rows)) for table in given.values()],
        "absent": _by_reason(manifest["absent"] | empty | silent),
        "answers": [] if definition.rating else beside_ratings(definition),
        "counted": [f"{name}.csv" for name in ("choices", "rankings") if name in tables],
        "plotly": SafeString(_plotly_script()) if figures else "",
        "drawing": SafeString(_drawing_script()) if figures else "",
    }
    return render_to_string("dashboard/share/report.html", context)


def methods_in_paragraphs(tables: Tables, settings: AnalysisSettings) -> list[tuple[str, Sentence]]:
    """The methods, each paragraph with its title; works are cited where they come first."""
    return [
        (paragraph.title, cited_once(together(paragraph.sentences)))
        for paragraph in methods(tables, settings)
    ]


def as_markdown(paragraphs: Sequence[tuple[str, Sentence]]) -> str:
    """The methods for a paper: a line a paragraph, with Pandoc's citations and without links."""
    lines = [f"**{literal_line(title)}.** {in_markdown(plain(text))}" for title, text in paragraphs]
    return "\n\n".join(lines) + "\n"


def _leading_tables(tables: Tables) -> dict[str, Table]:
    """Tables of the main part: those that lead, unless another says more."""
    return {
        name: tables[name]
        for name, table in TABLES.items()
        if name in tables and table.leads and not tables.keys() & set(table.leads_without)
    }


def _silent(tables: Tables) -> dict[str, str]:
    """Tables in which each row says why it has no number, with the reasons."""
    reasons = {}
    for name, table in tables.items():
        how = declared(table)
        numbers = [c for c in table.columns if how.column(c).holds == "number"]
        rows = list(table)
        if all(row["note"] and not any(row.has(column) for column in numbers) for row in rows):
            notes = dict.fromkeys(str(row["note"]).removeprefix(PREFIX) for row in rows)
            reasons[name] = "; ".join(notes)
    return reasons


def _nobody_excluded(tables: Tables) -> bool:
    """Whether all raters are the included ones, so that tables of both say the same."""
    return all(row["included"] for row in rows_of(tables, "raters"))


def _is_of_all(name: str, tables: Tables) -> bool:
    """Whether a table is of all raters and has a twin of the included ones."""
    return name.endswith(OF_ALL) and name.removesuffix(OF_ALL) in tables


def _leading(sentences: Sequence[Finding], first: Tables) -> list[Finding]:
    """The answers of the main part, and then who counts."""
    leading = [each for each in sentences if each.table in first]
    return sorted(leading, key=lambda finding: finding.table == WHO_COUNTS)


def _who_counts_last(table: Table) -> bool:
    return table.name == WHO_COUNTS


def shown_tables(tables: Iterable[Table], *, same_raters: bool) -> list[ShownTable]:
    """Tables as the report shows them; without those of which it shows no row."""
    shown = (shown_table(table, same_raters=same_raters) for table in tables)
    return [table for table in shown if table.parts]


def sections(
    tables: Tables, figures: Mapping[str, Any], labels: Labels, *, same_raters: bool = False
) -> list[ReportSection]:
    """Tables and figures by subject, in the order in which they are read."""
    by_title = {title: ReportSection(title, [], []) for title in SECTIONS}
    order = [*(name for name in TABLES if name in tables), *tables]
    for name in dict.fromkeys(order):
        table = declared(tables[name])
        section = by_title[APPENDIX if table.appendix else table.section]
        section.tables.extend(shown_tables([tables[name]], same_raters=same_raters))
    for name in dict.fromkeys([*(name for name in FIGURES if name in figures), *figures]):
        how = _declared_figure(name)
        section = by_title[APPENDIX if how.appendix else how.section]
        section.figures.append(_figure(name, figures, labels))
    return [section for section in by_title.values() if section.tables or section.figures]


def _declared_figure(name: str) -> FigureSpec:
    return FIGURES.get(name) or FigureSpec(name, words(name), ELSEWHERE)


def _figure(name: str, figures: Mapping[str, Any], labels: Labels) -> Figure:
    return Figure(name, _declared_figure(name).labelled(labels).title, figures[name])


def scale_text(definition: StudyDefinition) -> str:
    """The scale's ends: "on a scale from 1 (not at all) to 5 (extremely)"; empty without one."""
    if definition.rating is None:
        return ""
    points = definition.rating.scale
    low, high = points[0], points[-1]
    return f"on a scale from {low.value} ({low.label}) to {high.value} ({high.label})"


def _points(definition: StudyDefinition) -> int:
    """How many points the scale has; 0 where there is none, or ratings lie between its ends."""
    scale = Scale.of(definition.rating)
    return 0 if scale.between else len(scale.points)


def _answered(tables: Tables, manifest: Mapping[str, Any]) -> str:
    """How many came, and how much they answered: "151 participants, 17,020 ratings"."""
    chosen = _of_first_recipe(rows_of(tables, "choices", scenario=ALL, raters=ALL))
    ranked = _of_first_recipe(rows_of(tables, "rankings", raters=ALL))
    answers = {
        "ratings": manifest["n_ratings"],
        "choices": sum(row["best"] + row["worst"] for row in chosen),
        "ranks": sum(row["n_ranks"] for row in ranked),
    }
    people = manifest["n_participants"]
    said = [f"{count(people)} {'person' if people == 1 else 'people'}"]
    return ", ".join(said + [f"{count(n)} {what}" for what, n in answers.items() if n])


def _of_first_recipe(rows: Sequence[Row]) -> list[Row]:
    """Counts are the same in every recipe."""
    return [row for row in rows if row["recipe"] == rows[0]["recipe"]]


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
