"""Analysis runs as a queue in the database: asked for, taken by a worker, done or failed.

Nothing here computes or loads what computing needs, so web processes may ask for runs too.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import Count, Max, Sum
from django.utils import timezone

from analysis.locked_plans import locked_plan
from analysis.manual_decisions import in_force
from analysis.models import AnalysisRun, RecipeSet, RuleSet
from analysis.perturbation_requests import finished_perturbations as finished
from analysis.recipe_sets import current_recipe_set
from analysis.rule_sets import current_rule_set, rules_of
from analysis.scorer_requests import current_scorer
from analysis.size import AnalysisSize
from analysis.theme_coding import themes_digest
from analysis.versions import software
from judge.digest import scores_digest
from survey.definition.settings import Settings
from survey.models import Participant, Study, StudyEvent, not_ended
from survey.models.sql import Milliseconds
from survey.tidy import counted_sources, rating_count

State = AnalysisRun.State
logger = logging.getLogger(__name__)

#: Automatic runs of a study take at most one part in this many of a worker's time.
REST = 4


def fingerprint(
    study: Study,
    sources: Sequence[str],
    rule_set: RuleSet,
    recipe_set: RecipeSet,
    *,
    at: datetime,
) -> str:
    """Cheap digest of all that results depend on: people, answers (imported demographics,
    too), decisions about raters, gold scores, automatic metrics, the trained scorer,
    perturbations, themes, rules, recipes, the locked plan, composites, repeats, sizes of models,
    labels (figures are stored with them), software. Pages list them (dashboard/_run.html).

    It costs about the same however many people there are.
    """
    silent_since = at - timedelta(minutes=rules_of(rule_set).early_exit.inactive_minutes)
    plan = locked_plan(study)
    settings = Settings.model_validate(study.settings)
    rest = [
        [study.content_hash, list(sources), rule_set.pk, recipe_set.pk, software()],
        [plan.sha256, settings.places.model_dump()] if plan else [],
        scores_digest(study),
        [[metric.pk, str(metric.computed_at)] for metric in study.computed_metrics.all()],
        [str(study.languages_at)] if study.languages_at else [],
        [scorer.pk] if (scorer := current_scorer(study)) else [],
        [perturbed.pk, str(perturbed.finished_at)] if (perturbed := finished(study)) else [],
        themes_digest(study),
        _decisions(study, sources),
        _imported_answers(study),
        _people(study, sources, silent_since),
        settings.labels.model_dump(),
        settings.composites,
        settings.repeats,
        {name: about.model_dump() for name, about in settings.models.items()},
    ]
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _people(study: Study, sources: Sequence[str], silent_since: datetime) -> list[Any]:
    """Numbers that change with every person who comes, goes on or is deleted, and with each answer,
    which moves its participant's `last_seen_at`. New ids are larger than all before, pages and
    times only grow, and nobody leaves a final status, so that no earlier state comes back. The
    number of active people is part of it, because a participant who becomes inactive changes
    results, too.
    """
    people = Participant.objects.filter(study=study, source__in=sources).order_by()
    sums = (
        not_ended(people)
        .order_by("source", "status")
        .values_list("source", "status")
        .annotate(
            Count("id"), Sum("id"), Sum("pages_done"), times=Sum(Milliseconds("last_seen_at"))
        )
    )
    active = people.filter(status=Participant.Status.IN_PROGRESS, last_seen_at__gte=silent_since)
    there = active.exclude(source=Participant.Source.IMPORT).count()
    everybody = [people.count(), people.aggregate(newest=Max("id"))["newest"]]
    return [everybody, [[str(value) for value in row] for row in sums], there]


def _imported_answers(study: Study) -> list[int]:
    """The imports of demographic answers from Prolific, which move no `last_seen_at`."""
    imports = study.events.filter(action=StudyEvent.DEMOGRAPHICS_IMPORTED).order_by("id")
    return list(imports.values_list("id", flat=True))


def _decisions(study: Study, sources: Sequence[str]) -> list[str]:
    """Of the decisions that exclude people of these sources. They are never edited, and one that
    was taken back does not come into force again, so that no earlier sum comes back.
    """
    decided = in_force(study, source__in=sources).order_by()
    # As text: sums of PostgreSQL are decimals, which JSON does not have.
    return [str(value) for value in decided.aggregate(Count("id"), Sum("id")).values()]


@transaction.atomic
def request_run(
    *,
    study: Study,
    sources: Sequence[str],
    automatic: bool = False,
    everything: bool = False,
) -> AnalysisRun:
    """The run for the data as they are now: done or under way already, else a waiting one. Without
    `everything`, a large study leaves some tables for later.

    The caller wakes a worker, or executes it. What a large one takes is noted for pages.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one asks at a time
    rule_set, recipe_set = current_rule_set(study), current_recipe_set(study)
    digest = fingerprint(study, sources, rule_set, recipe_set, at=timezone.now())
    runs = study.analysis_runs.filter(sources=list(sources)).order_by("-id")
    run = runs.exclude(state__in=AnalysisRun.WITHOUT_RESULT).first()
    # An older run of the same data (a gold source chosen, then another, then the first again)
    # would stand behind the newest one, which pages show.
    if run is None or run.fingerprint != digest or (everything and _leaves_some(run)):
        size = size_of(study, sources, everything=everything)
        return AnalysisRun.objects.create(
            study=study,
            rule_set=rule_set,
            recipe_set=recipe_set,
            sources=list(sources),
            fingerprint=digest,
            is_automatic=automatic,
            everything=everything,
            manifest={"takes": str(size)} if size.is_large else {},
        )
    if run.is_automatic and not automatic:
        run.is_automatic = False  # a person asked for it: it is kept
        run.save(update_fields=["is_automatic"])
    return run


def size_of(study: Study, sources: Sequence[str], *, everything: bool) -> AnalysisSize:
    """The size of an analysis of the data as they are now."""
    return AnalysisSize(rating_count(study, sources), everything)


def _leaves_some(run: AnalysisRun) -> bool:
    """Whether an earlier run left tables for later."""
    return size_of(run.study, run.sources, everything=run.everything).leaves_some


def request_overdue_runs() -> list[int]:
    """Ask for a run wherever data, gold scores or rules changed since the last one.

    For every study that has participants: the sources that count, and those that were asked for
    before. Not while one is under way, and not so often that a worker does little else.
    """
    asked = []
    for study in Study.objects.order_by("id").iterator():
        try:
            asked += _overdue_runs(study)
        except OperationalError:
            raise
        except Exception:  # what is wrong with one study must not stop the others
            logger.exception("%s: no analysis was asked for", study)
    return asked


def _overdue_runs(study: Study) -> list[int]:
    asked = []
    for sources in _wanted_sources(study):
        if _is_overdue(study, sources):
            run = request_run(study=study, sources=sources, automatic=True)
            if run.state == State.WAITING:
                asked.append(run.pk)
    return asked


def _wanted_sources(study: Study) -> Iterator[list[str]]:
    before = study.analysis_runs.order_by().values_list("sources", flat=True).distinct()
    wanted = [counted_sources(), *before]
    for number, sources in enumerate(wanted):
        if sources not in wanted[:number]:
            yield sources


def _is_overdue(study: Study, sources: Sequence[str]) -> bool:
    last = study.analysis_runs.filter(sources=sources).first()
    if last is None:
        people = study.participants.filter(source__in=sources)
        return people.exclude(status=Participant.Status.ARRIVED).exists()
    if last.is_under_way:
        return False
    now = timezone.now()
    if last.finished_at and last.started_at:
        took = last.finished_at - last.started_at
        if now < last.finished_at + REST * took:
            return False
    rule_set, recipe_set = current_rule_set(study), current_recipe_set(study)
    return last.fingerprint != fingerprint(study, sources, rule_set, recipe_set, at=now)
