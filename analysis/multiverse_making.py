"""Computing a multiverse, in a worker: from the data of its run, stored as results of the run."""

import logging
from collections.abc import Callable

from django.db import OperationalError, transaction
from django.utils import timezone

from analysis.decisions import snapshot_at
from analysis.execution import content_of, in_words, plain
from analysis.exploratory import mark_all
from analysis.labels import labels_of
from analysis.locked_plans import locked_plan
from analysis.models import AnalysisRun, Multiverse, Result
from analysis.pipeline import Results, analyse_multiverse
from analysis.queries import IN_WORDS, results_of
from analysis.recipe_sets import recipes_of
from analysis.rule_sets import rules_of
from jobs import leases
from jobs.heartbeat import kept
from jobs.leases import Lost
from survey.models import Study
from survey.tidy import not_counted_among, reading

logger = logging.getLogger(__name__)

#: Told how many per cent are done.
Told = Callable[[int], None]


class DataChanged(Exception):
    """The data are no longer those of the run; the message says what to do."""


class NoMultiverse(Exception):
    """There is none; the message says why."""


def execute_multiverse(multiverse_id: int, told: Told = lambda percent: None) -> bool:
    """Compute a multiverse, or store why it failed. False if there was none to take."""
    rows = Multiverse.objects.select_related("run__study", "run__rule_set", "run__recipe_set")
    multiverse = leases.claim(rows, multiverse_id)
    if multiverse is None:
        return False
    try:
        with kept(multiverse):
            results = _computed(multiverse, told)
        _store(multiverse, results)
    except OperationalError:
        raise  # the database went away or stayed locked: once the lease is over it is tried again
    except Lost:
        logger.info("%s is no longer this worker's", multiverse)
    except (DataChanged, NoMultiverse) as error:
        leases.refuse(multiverse, str(error))
    except Exception as error:  # whatever it was: the row has to say that it failed
        logger.exception("%s failed", multiverse)
        leases.fail(multiverse, error)
    return True


def _computed(multiverse: Multiverse, told: Told) -> Results:
    """Its tables and figure. Raises Lost, DataChanged and NoMultiverse."""
    run = multiverse.run
    with reading():
        snapshot = snapshot_at(run.study, run.sources, run.rule_set, at=timezone.now())
        labels = labels_of(run.study)
    if snapshot.hash != run.snapshot_hash:
        raise DataChanged("the data changed after this analysis: recompute it, then ask again")

    def tell(done: int, of: int) -> None:
        percent = 100 * done // of
        if not leases.is_kept(multiverse, percent=percent):
            raise Lost
        told(percent)

    rules, recipes = rules_of(run.rule_set), recipes_of(run.recipe_set)
    results = analyse_multiverse(snapshot.data, rules, recipes, labels, tell)
    if not results.tables:
        raise NoMultiverse(f"no multiverse: {results.not_available['multiverse']}")
    if not_counted_among(run.sources):
        for table in results.tables.values():
            table["sources"] = ", ".join(run.sources)
    elif locked_plan(run.study) is not None:
        for name, table in results.tables.items():
            results.tables[name] = mark_all(table, "a multiverse is no part of a locked plan")
    return results


@transaction.atomic
def _store(multiverse: Multiverse, results: Results) -> None:
    """Store the results and what they say in words. Raises Lost."""
    # No withdrawal in between: it would have deleted the run.
    Study.objects.select_for_update(no_key=True).get(pk=multiverse.run.study_id)
    run = AnalysisRun.objects.select_related("study", "recipe_set").get(pk=multiverse.run_id)
    leases.finish(multiverse, percent=100)
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
