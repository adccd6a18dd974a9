"""Choosing another source as gold, and requesting an analysis with its scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from analysis.models import AnalysisRun
from analysis.queries import latest_run
from analysis.runs import request_run
from dashboard.shared.log import record
from judge.definition import on_scale_of_study
from judge.gold import choose_gold
from judge.models import Call
from judge.queries import GoldSource, gold_source, gold_sources, n_verdicts, scoring_calls
from survey.files.suggestions import did_you_mean
from survey.models import Study
from survey.origin import API, COMMAND, WEB, current_origin
from survey.refusals import RequestRefused
from survey.tidy import counted_sources, definition_of, panel_ratings


@dataclass(frozen=True)
class GoldChoice:
    """The analysis from before a choice, if there was one, and the one that the choice asks for."""

    source: GoldSource
    before: AnalysisRun | None
    after: AnalysisRun


#: What the history says of a choice, by where it came from.
WHY = {
    WEB: "chosen on the page of judges",
    API: "chosen by the API",
    COMMAND: "chosen by a command",
}


def find_source(study: Study, name: str) -> GoldSource:
    """The source called `name`, such as `llama@2` or `file experts`. Raises RequestRefused.

    The kind and the version may be left out where that is clear: `llama` is its current version.
    """
    sources = gold_sources(study)
    for source in sources:
        if source.key == name:
            return source
    short = [source for source in sources if name in _short_names(source)]
    if len(short) == 1:
        return short[0]
    known = ", ".join(source.key for source in sources) or "none"
    why = "may be several" if short else "is no source of gold scores"
    names = [name for source in sources for name in (source.key, *_short_names(source))]
    near = "" if short else did_you_mean(name, names)
    raise RequestRefused(f"{name!r} {why} of {study}; there are: {known}{near}")


def _short_names(source: GoldSource) -> set[str]:
    if asked := source.judge or source.jury:
        return {asked.name} if asked.is_current else set()
    return {source.gold_set.name if source.gold_set else source.panel}


def why_not_gold(study: Study, source: GoldSource) -> str:
    """Why a source's scores can't be the gold ones; empty where they can."""
    definition = definition_of(study)
    if definition.rating is None:
        return f"{study} has no ratings, so it needs no gold scores"
    if source.judge:
        configuration = source.judge.read_configuration()
        if configuration.presentation == "pair":
            return f"{source.key} says which of two responses is better, and gives no scores"
        scale = configuration.scale
        if not on_scale_of_study(configuration, definition):
            own = f"{scale[0].value} to {scale[-1].value}"
            values = definition.rated.values
            return (
                f"{source.key} scores from {own} and raters from {values[0]} to {values[-1]}, so "
                "distances between them have no meaning"
            )
    if _has_scores(study, source):
        return ""
    return f"{source.key} has no {NO_SCORES[source.kind]}"


#: Of what a source without scores has none, and why.
NO_SCORES = {
    "judge": "scores yet: press “Score”",
    "file": "scores",
    "panel": "ratings yet: no expert has completed the study",
    "jury": "scores yet: not all of its judges have",
}


def _has_scores(study: Study, source: GoldSource) -> bool:
    if source.judge:
        return scoring_calls(source.judge).filter(state=Call.State.ANSWERED).exists()
    if source.gold_set:
        return source.gold_set.scores.exists()
    if source.jury:
        return n_verdicts(source.jury) > 0
    return bool(panel_ratings(study, source.panel))


@transaction.atomic
def make_gold(
    study: Study, name: str, author: User | None, *, include: Sequence[str] = ()
) -> GoldChoice:
    """Make the source of that name the gold one and ask for an analysis by it, of those who count
    and those to `include`.

    The analysis from before is kept, so that both can be compared. Raises RequestRefused, having
    changed nothing. The caller wakes a worker.
    """
    source, sources = find_source(study, name), counted_sources(include)
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one chooses at a time
    present = gold_source(study)
    if present is not None and present.key == source.key:
        raise RequestRefused(f"{source.key} is already gold")
    if reason := why_not_gold(study, source):
        raise RequestRefused(reason)
    before = latest_run(study, sources)
    if before is not None and before.is_automatic:
        before.is_automatic = False
        before.save(update_fields=["is_automatic"])
    choose_gold(
        study,
        judge=source.judge,
        gold_set=source.gold_set,
        jury=source.jury,
        panel=source.panel,
        author=author,
        why=WHY[current_origin()],
    )
    record(study, author, "gold", name=source.key)
    return GoldChoice(source, before, request_run(study=study, sources=sources))
