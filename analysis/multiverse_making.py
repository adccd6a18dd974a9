"""Computing a multiverse, in a worker: from the data of its run, stored as results of the run."""

from functools import partial

from django.utils import timezone

from analysis.decisions import snapshot_at
from analysis.execution import content_of, in_words, plain
from analysis.exploratory import mark_all
from analysis.labels import labels_of
from analysis.locked_plans import locked_plan
from analysis.models import AnalysisRun, Multiverse, Result
from analysis.multiverses import NoMultiverse
from analysis.pipeline import Results, analyse_multiverse
from analysis.queries import IN_WORDS, results_of
from analysis.recipe_sets import recipes_of
from analysis.rule_sets import rules_of
from jobs.runner import Store, Taken
from survey.models import Study
from survey.refusals import RefusalKind, RequestRefused
from survey.tidy import not_counted_among, reading


class DataChanged(RequestRefused):
    """The data are no longer those of the run; the message says what to do."""

    kind = RefusalKind.CONFLICT


def compute(taken: Taken[Multiverse]) -> Store:
    """Compute every specification of a multiverse."""
    return partial(_store, taken, _computed(taken))


def _computed(taken: Taken[Multiverse]) -> Results:
    """Its tables and figure. Raises Lost, DataChanged and NoMultiverse."""
    run = taken.job.run
    with reading():
        snapshot = snapshot_at(run.study, run.sources, run.rule_set, at=timezone.now())
        labels = labels_of(run.study)
    if snapshot.hash != run.snapshot_hash:
        raise DataChanged("the data changed after this analysis: recompute it, then ask again")
    rules, recipes = rules_of(run.rule_set), recipes_of(run.recipe_set)
    results = analyse_multiverse(snapshot.data, rules, recipes, labels, taken.step)
    if not results.tables:
        raise NoMultiverse(f"no multiverse: {results.not_available['multiverse']}")
    if not_counted_among(run.sources):
        for table in results.tables.values():
            table["sources"] = ", ".join(run.sources)
    elif locked_plan(run.study) is not None:
        for name, table in results.tables.items():
            results.tables[name] = mark_all(table, "a multiverse is no part of a locked plan")
    return results


def _store(taken: Taken[Multiverse], results: Results) -> None:
    """Store the results and what they say in words. Raises Lost."""
    multiverse = taken.job
    # No withdrawal in between: it would have deleted the run.
    Study.objects.select_for_update(no_key=True).get(pk=multiverse.run.study_id)
    run = AnalysisRun.objects.select_related("study", "recipe_set").get(pk=multiverse.run_id)
    taken.finish(percent=100)
    contents = {name: content_of(table) for name, table in results.tables.items()}
    kinds = Result.Kind
    Result.objects.bulk_create(
        [
            *(Result(run=run, kind=kinds.TABLE, name=n, content=c) for n, c in contents.items()),
            *(
                Result(run=run, kind=kinds.FIGURE, name=name, content=plain(figure))
                for name, figure in results.figures.items()
            ),
        ]
    )
    words = in_words(run, results_of(run, kinds.TABLE))
    Result.objects.filter(run=run, kind=kinds.PAGE, name=IN_WORDS).update(content=words)
