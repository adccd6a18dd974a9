"""Computing a run: read a snapshot, analyse it, store everything in one transaction."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import numpy as np
from django.utils import timezone
from pandas import DataFrame, Series, isna
from scipy.stats import t

from analysis.by_recipe import add_replication
from analysis.decisions import about, snapshot_at
from analysis.declarations import ANALYSES
from analysis.exploratory import mark
from analysis.figures.labelled import labelled
from analysis.figures.perturbations import changes_figure
from analysis.figures.scorers import calibration_figure
from analysis.frames import Snapshot, read_protocol, read_rehearsal
from analysis.free_memory import free_memory
from analysis.judges.automatic_metrics import analyse_metrics
from analysis.judges.judging import analyse_judges
from analysis.judges.perturbed import CHANGES, PerturbedData, perturbation_tables
from analysis.judges.trained_scorer import CALIBRATION, ScorerData, scorer_tables
from analysis.labels import labels_of
from analysis.locked_plans import compared_with_plan, primary_recipe
from analysis.models import AnalysisRun, Exclusion, RaterQuality, Result
from analysis.not_available import NotAvailable
from analysis.perturbation_frames import read_perturbed
from analysis.pipeline import THRESHOLDS_SEED, Results, analyse
from analysis.queries import IN_WORDS, T_QUANTILES
from analysis.recipe import USUAL_CONFIDENCE, Recipe
from analysis.recipe_sets import recipes_of
from analysis.rehearsal import Rehearsal
from analysis.rule_sets import rules_of
from analysis.runs import State, fingerprint, request_run, size_of
from analysis.scorer_frames import read_scorer_data
from analysis.size import AnalysisSize
from analysis.source_frames import JUDGES_SEED, read_judges, read_metrics
from analysis.study_data import StudyData
from analysis.table_parts import cut
from analysis.tables.design_health import design_health
from analysis.tables.planted import planted
from analysis.tables.protocol import protocol
from analysis.tables.themes import theme_tables
from analysis.text.bibliography import uncited
from analysis.text.cells import read_tables
from analysis.text.findings import findings
from analysis.text.methods_of_recipes import of_tables
from analysis.theme_frames import read_themes
from jobs.runner import GiveBack, Store, Taken, TakenElsewhere, run_at_once
from survey.definition.labels import Labels
from survey.files.csv_text import time_text
from survey.models import Participant, Study
from survey.tidy import comprehension_outcomes, not_counted_among, reading

#: Called with a run and the time of its snapshot, in the transaction that reads the snapshot.
WhileReading = Callable[[AnalysisRun, datetime], None]


def finished_run(*, study: Study, sources: Sequence[str], everything: bool = False) -> AnalysisRun:
    """A finished run of the data as they are now: an earlier one, else computed here. Without
    `everything`, a large study leaves some tables for later.

    Raises NotDone.
    """
    run = request_run(study=study, sources=sources, everything=everything)
    if run.state == State.DONE:
        return run
    try:
        return run_at_once(run)
    except TakenElsewhere:  # rather than wait for the worker, compute the same here
        again = AnalysisRun.objects.create(
            study=study,
            rule_set=run.rule_set,
            recipe_set=run.recipe_set,
            sources=list(sources),
            fingerprint=run.fingerprint,
            everything=everything,
        )
        return run_at_once(again)


def compute_run(taken: Taken[AnalysisRun], while_reading: WhileReading | None = None) -> Store:
    """Compute everything of a run from its data. `while_reading` sees exactly these data."""
    results, withdrawals = _computed(taken.job, while_reading)
    return partial(_store, taken, results, withdrawals=withdrawals)


def _computed(run: AnalysisRun, while_reading: WhileReading | None) -> tuple[Results, int]:
    """All results of a run, whose manifest is noted on it, and how many people had withdrawn."""
    now = timezone.now()
    rules = rules_of(run.rule_set)
    size = size_of(run.study, run.sources, everything=run.everything)
    size.refuse_without_memory(free_memory())
    with reading():
        digest = fingerprint(run.study, run.sources, run.rule_set, run.recipe_set, at=now)
        snapshot = snapshot_at(run.study, run.sources, run.rule_set, at=now)
        worked_out = read_protocol(run.study, run.sources, snapshot.data)
        judges, judges_hash = read_judges(run.study, snapshot.data)
        metrics = read_metrics(run.study)
        scorer = read_scorer_data(run.study)
        perturbed = read_perturbed(run.study)
        themes = read_themes(run.study, run.sources)
        withdrawals = run.study.withdrawals.count()
        labels = labels_of(run.study)
        rehearsal = read_rehearsal(run.study, run.sources)
        understood = comprehension_outcomes(run.study, run.sources)
        planned = compared_with_plan(run.study, run.rule_set, run.recipe_set, labels)
        if while_reading is not None:
            while_reading(run, now)
    run.fingerprint, run.snapshot_hash = digest, snapshot.hash
    recipes = recipes_of(run.recipe_set)
    results = analyse(snapshot.data, rules, recipes, labels, size=size)
    results.tables["protocol"] = protocol(worked_out)
    if rehearsal is not None:
        main = primary_recipe(run.study, recipes)
        results.table("planted", lambda: _planted(rehearsal, results, snapshot.data, main))
    excluded = set(results.exclusions["participant"])
    results.tables["design_health"] = design_health(worked_out, excluded)
    tables, figures, absent = analyse_judges(snapshot.data, judges, rules, labels)
    results.add(tables, absent)
    results.figures.update(figures)
    results.add(*analyse_metrics(snapshot.data, judges, metrics, rules))
    results.add(*theme_tables(themes, _included(results)))
    _about_scorer(results, scorer, labels)
    _about_perturbations(results, perturbed, labels)
    if "replication" in results.tables:
        add_replication(results, recipes)
    _name_what_does_not_count(run, snapshot, results)
    if planned is not None and not not_counted_among(run.sources):
        mark(results.tables, planned.deviations, planned.now.by_raters)
    run.manifest = _manifest(run, snapshot, results, size, judges_hash=judges_hash, at=now) | {
        "plan": planned.as_json if planned else None
    }
    if understood is not None:
        run.manifest["comprehension"] = understood.as_json
    return results, withdrawals


def _included(results: Results) -> "Series[str]":
    raters = results.tables["raters"]
    return raters["participant"][raters["included"].astype(bool)]


def _about_scorer(results: Results, scorer: ScorerData, labels: Labels) -> None:
    """What held-out ratings say of the study's trained scorer."""
    tables, absent = scorer_tables(scorer)
    results.add(tables, absent)
    if tables:
        drawn = (labelled(each, labels) for each in (scorer.calibration, scorer.held_out))
        results.figure(CALIBRATION.name, lambda: calibration_figure(*drawn, scale=scorer.scale))


def _about_perturbations(results: Results, perturbed: PerturbedData, labels: Labels) -> None:
    """What small changes of texts do to scores."""
    tables, absent = perturbation_tables(perturbed, seed=JUDGES_SEED)
    results.add(tables, absent)
    if tables:
        drawn = labelled(tables["perturbation_changes"], labels)
        results.figure(CHANGES.name, lambda: changes_figure(drawn))


def _planted(
    rehearsal: Rehearsal, results: Results, data: StudyData, main: Recipe | None
) -> DataFrame:
    """What was planted in simulated raters, and what the main analysis found."""
    if main is None:
        raise NotAvailable("the study has no recipe")
    contrast = data.contrast.condition_a, data.contrast.condition_b
    return planted(rehearsal, results.tables, data.participants, contrast, main)


def _name_what_does_not_count(run: AnalysisRun, snapshot: Snapshot, results: Results) -> None:
    """Tables with experts, test people or the scores of a stand-in say so in a last column."""
    if not_counted_among(run.sources):
        for table in results.tables.values():
            table["sources"] = ", ".join(run.sources)
    if snapshot.gold.is_stand_in:
        for name in ("raters", "items", "guard_raters"):
            if name in results.tables:
                results.tables[name]["gold_by"] = snapshot.gold.source


def _manifest(
    run: AnalysisRun,
    snapshot: Snapshot,
    results: Results,
    size: AnalysisSize,
    *,
    judges_hash: str,
    at: datetime,
) -> dict[str, Any]:
    return about(run.study, run.sources, run.rule_set, snapshot) | {
        "read_at": time_text(at.replace(microsecond=0)),
        "tables_hashed": snapshot.hashes,
        "judges_hash": judges_hash,
        "gold_imported": snapshot.gold.is_imported,
        "recipe_set": {
            "version": run.recipe_set.version,
            "created_at": time_text(run.recipe_set.created_at),
            "author": str(run.recipe_set.author) if run.recipe_set.author else None,
        },
        "recipes": {r.name: r.model_dump(mode="json") for r in recipes_of(run.recipe_set)},
        "n_participants": len(snapshot.data.participants),
        "n_ratings": len(snapshot.data.ratings),
        "composites": {name: list(of) for name, of in snapshot.data.composites.items()},
        **(snapshot.data.repeats.as_content if snapshot.data.repeats else {}),
        "seeds": {"judges": JUDGES_SEED, "thresholds": THRESHOLDS_SEED} | _seeds(run),
        "left_for_later": _left_for_later(size),
        "absent": results.not_available,
    }


def _left_for_later(size: AnalysisSize) -> list[str]:
    """The tables that a large study leaves for later."""
    if not size.leaves_some:
        return []
    return [name for analysis in ANALYSES if analysis.for_later for name in analysis.names]


def _seeds(run: AnalysisRun) -> dict[str, int]:
    """The seed of each recipe's bootstrap."""
    return {r.name: r.bootstrap.seed for r in recipes_of(run.recipe_set) if r.bootstrap}


def _store(taken: Taken[AnalysisRun], results: Results, *, withdrawals: int) -> None:
    """Raises GiveBack if a participant who is counted here withdrew meanwhile, and Lost."""
    run = taken.job
    study = Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
    if study.withdrawals.count() != withdrawals:
        raise GiveBack
    taken.finish(
        fingerprint=run.fingerprint,
        snapshot_hash=run.snapshot_hash,
        manifest=run.manifest,
    )
    _store_raters(run, results)
    _store_results(run, results)
    if AnalysisRun.objects.filter(pk=run.pk, is_automatic=True).exists():
        AnalysisRun.objects.filter(
            study_id=run.study_id, sources=run.sources, is_automatic=True, pk__lt=run.pk
        ).exclude(state=State.RUNNING).delete()


def _store_raters(run: AnalysisRun, results: Results) -> None:
    """Each rater's indices, and who is excluded."""
    people = dict(Participant.objects.filter(study_id=run.study_id).values_list("pseudonym", "id"))
    RaterQuality.objects.bulk_create(
        RaterQuality(
            run=run,
            participant_id=people[row.pop("participant")],
            included=row.pop("included"),
            indices=row,
        )
        for row in _records(results.tables["raters"])
    )
    Exclusion.objects.bulk_create(
        Exclusion(
            run=run,
            participant_id=people[row["participant"]],
            rule=row["rule"],
            value=row["value"],
            threshold=row["threshold"],
        )
        for row in _records(results.exclusions)
    )


def _store_results(run: AnalysisRun, results: Results) -> None:
    """Tables, whole and in parts, figures, and what pages say of them."""
    tables = {name: content_of(table) for name, table in results.tables.items()}
    for_pages = {IN_WORDS: in_words(run, tables)} | _for_pages(run, results)
    Result.objects.bulk_create(
        [
            *(
                Result(run=run, kind=Result.Kind.TABLE, name=name, content=content)
                for name, content in tables.items()
            ),
            *(
                Result(run=run, kind=Result.Kind.FIGURE, name=name, content=plain(figure))
                for name, figure in results.figures.items()
            ),
            *(
                Result(run=run, kind=Result.Kind.PAGE, name=name, content=plain(content))
                for name, content in for_pages.items()
            ),
            *(
                Result(run=run, kind=Result.Kind.PAGE, name=name, content=part)
                for table, content in tables.items()
                for name, part in cut(table, content).items()
            ),
        ]
    )


def in_words(run: AnalysisRun, contents: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """What the tables say, and how each was made, as the report has it; for pages, where nothing
    makes sentences.
    """
    recipes = recipes_of(run.recipe_set)
    given = read_tables(contents, labels_of(run.study))
    tables = {name: table for name, table in given.items() if table.rows}
    declared = [analysis.finding for analysis in ANALYSES if analysis.finding]
    methods: dict[str, dict[str, str]] = {}
    for recipe in recipes:
        for name, sentence in of_tables(tables, recipe):
            methods.setdefault(name, {})[recipe.name] = str(uncited(sentence))
    return {
        "findings": [
            {
                "title": finding.title,
                "table": finding.table,
                "dimension": finding.dimension,
                "exploratory": finding.exploratory,
                "sound": [str(sentence) for sentence in finding.sound],
                "paper": [str(sentence) for sentence in finding.paper],
            }
            for finding in findings(tables, recipes, declared)
        ],
        "methods": methods,
    }


def _for_pages(run: AnalysisRun, results: Results) -> dict[str, dict[str, Any]]:
    """What pages need to compute with, for web processes have no scipy.

    Student's t for intervals over any number of raters, with the confidence of the first recipe
    whose units are raters.
    """
    differences = results.tables.get("rater_differences")
    if differences is None:
        return {}
    of_raters = (r.confidence for r in recipes_of(run.recipe_set) if r.unit == "participant")
    confidence = next(of_raters, USUAL_CONFIDENCE)
    df = np.arange(1, max(differences["dimension"].value_counts(), default=0))
    quantiles = {"confidence": confidence, "quantiles": t.ppf((1 + confidence) / 2, df)}
    return {T_QUANTILES: quantiles}


def content_of(table: DataFrame) -> dict[str, Any]:
    """A table as data: {columns, rows}."""
    columns = [str(name) for name in table.columns]
    by_column = [[plain(value) for value in table[name].tolist()] for name in table.columns]
    return {"columns": columns, "rows": [list(row) for row in zip(*by_column, strict=True)]}


def _records(table: DataFrame) -> list[dict[str, Any]]:
    content = content_of(table)
    return [dict(zip(content["columns"], row, strict=True)) for row in content["rows"]]


def plain(value: Any) -> Any:
    """A value as JSON knows it: no NaN, no infinity, no negative zero, nothing of numpy."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None
    if hasattr(value, "tolist"):  # an array, or a number of numpy's own
        return plain(value.tolist())
    if isna(value):
        return None
    raise TypeError(f"{value!r} is nothing that a table holds")
