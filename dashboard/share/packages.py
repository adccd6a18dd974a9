"""Packages for sharing: requested, found again, removed. `package_making` makes them, in a worker.

Nothing here loads what making them needs, so web processes may ask for them.
"""

import logging
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete
from django.dispatch import receiver
from django.utils import timezone
from pydantic import Field

from analysis.models import AnalysisRun, Multiverse
from analysis.recipe import BOTH, SHIPPED, Recipe
from analysis.recipe_sets import recipes_of
from analysis.runs import request_run
from dashboard.share.models import Package
from dashboard.shared.log import record
from dashboard.shared.newest_analysis import REMOVED, newest_analysis
from jobs import leases
from survey.definition.parts import Part
from survey.files.suggestions import did_you_mean
from survey.models import Study
from survey.refusals import Conflict, RequestRefused

logger = logging.getLogger(__name__)
State = Package.State


class PackageOptions(Part):
    """What a zip is to have."""

    recipe: str = Field(default=BOTH, description=f"`{BOTH}`, or a recipe of the analysis")
    images: bool = Field(
        default=True,
        title="Also figures as SVG and PNG",
        description="figures as SVG and PNG, too",
    )


def chosen_recipes(recipes: Sequence[Recipe], chosen: str) -> list[str]:
    """The names of those of `recipes` for `both` or a single name. Raises RequestRefused."""
    known = [recipe.name for recipe in recipes]
    names = [name for name in SHIPPED if name in known] if chosen == BOTH else [chosen]
    if not set(names) <= set(known):
        near = did_you_mean(chosen, [*known, BOTH])
        raise RequestRefused(
            f"The study has no recipe {chosen[:80]!r}; it has {', '.join([*known, BOTH])}{near}",
            about="recipe",
        )
    return names


def recipe_choices(run: AnalysisRun) -> list[tuple[str, str]]:
    """What a package may be of: both shipped recipes, or any one of the run's; with labels."""
    both = (BOTH, f"Both: {' and '.join(SHIPPED)}")
    recipes = recipes_of(run.recipe_set)
    return [both, *((recipe.name, f"{recipe.title} ({recipe.name})") for recipe in recipes)]


def packages_of(study: Study) -> QuerySet[Package]:
    """Those of any analysis of a study, the newest first."""
    return Package.objects.filter(run__study=study).select_related("run__study", "run__recipe_set")


def has_file(package: Package) -> bool:
    """Whether a finished package can be downloaded."""
    return package.is_done and package.path.is_file()


def kept_until(package: Package) -> Any:
    """When the file of a finished package is removed."""
    assert package.finished_at is not None
    return package.finished_at + timedelta(days=settings.PACKAGE_DAYS)


@transaction.atomic
def request_package(*, run: AnalysisRun, recipe: str, images: bool) -> Package:
    """A package like a finished run, of the data as they are now: done or under way already, else
    a waiting one. If data, rules or labels changed since the run, it is of a new run.

    It is made again where its file is gone, the study's settings may have changed since, or a
    multiverse came. The caller wakes a worker. Raises AnalysisRun.DoesNotExist where the run is
    gone.
    """
    # One request at a time, and none while a participant of the run withdraws.
    study = Study.objects.select_for_update(no_key=True).get(pk=run.study_id)
    run = AnalysisRun.objects.get(pk=run.pk, state=AnalysisRun.State.DONE)
    same = packages_of(study).filter(run__sources=run.sources, recipe=recipe, images=images)
    if under_way := same.filter(state__in=(State.WAITING, State.RUNNING)).first():
        return under_way
    run = request_run(study=study, sources=run.sources)
    package, is_new = Package.objects.get_or_create(run=run, recipe=recipe, images=images)
    changes = run.study.events.filter(action__in=["settings", "languages"])
    is_old = changes.filter(at__gt=package.created_at).exists()
    is_old |= Multiverse.objects.filter(run=run, finished_at__gt=package.created_at).exists()
    is_unfit = package.is_done and (is_old or not package.path.is_file())
    if not is_new and (is_unfit or package.state in Package.WITHOUT_RESULT):
        package.delete()  # with it goes all that is left of an earlier attempt
        package = Package.objects.create(run=run, recipe=recipe, images=images)
    return package


@transaction.atomic
def take_new_run(package: Package) -> None:
    """Make a package one of the data as they are now: of the run that was asked for them, or else
    of a new one. Raises Lost.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=package.run.study_id)
    old = package.run
    run = request_run(study=study, sources=old.sources)
    if run.pk == old.pk or run.packages.filter(recipe=package.recipe, images=package.images):
        run = AnalysisRun.objects.create(
            study=study,
            rule_set=run.rule_set,
            recipe_set=run.recipe_set,
            sources=run.sources,
            fingerprint=run.fingerprint,
        )
    if not leases.is_kept(package, run=run):
        raise leases.Lost
    package.run = run


def ask_for_package(
    study: Study, options: PackageOptions, author: User, *, include: list[str] | None
) -> Package:
    """A package of the newest analysis, with a line in the log where a worker has to make it; the
    caller wakes it. Raises Conflict without an analysis, RequestRefused for an unknown recipe.
    """
    run = newest_analysis(study, include).finished_run
    chosen_recipes(recipes_of(run.recipe_set), options.recipe)
    try:
        package = request_package(run=run, recipe=options.recipe, images=options.images)
    except AnalysisRun.DoesNotExist:
        raise Conflict(REMOVED) from None
    if not package.is_done:
        record(study, author, "zip requested", name=package.recipe, run=run.pk)
    return package


@receiver(post_delete, sender=Package)
def _remove_file(instance: Package, **_: Any) -> None:
    """A package is deleted with its run, at a withdrawal for instance; its file must go as well."""
    path = instance.path
    transaction.on_commit(lambda: _remove(path))


def remove_old_packages() -> None:
    """Remove packages that were kept long enough, and files that no package knows of: a process
    that is killed may leave some.
    """
    oldest = timezone.now() - timedelta(days=settings.PACKAGE_DAYS)
    Package.objects.filter(state=State.DONE, finished_at__lt=oldest).delete()
    if not settings.PACKAGES_DIR.is_dir():
        return
    files = list(settings.PACKAGES_DIR.iterdir())  # before the rows: what is newer is left alone
    rows = Package.objects.values_list("id", "attempts", "state")
    known = {f"{pk}.zip" for pk, _, _ in rows}
    known |= {scratch_name(pk, attempts) for pk, attempts, state in rows if state == State.RUNNING}
    for path in files:
        if path.name not in known:
            _remove(path)


def scratch_name(package_id: int, attempts: int) -> str:
    """The folder in which one attempt writes, next to the finished files."""
    return f"{package_id}-{attempts}"


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    try:
        with suppress(FileNotFoundError):
            path.unlink()
    except OSError as error:  # the next sweep tries again
        logger.warning("%s could not be removed: %s", path, error.strerror)
