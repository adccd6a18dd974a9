"""Decisions about raters: recorded, and an analysis asked for that follows them."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import timezone

from analysis.manual_decisions import decide_on
from analysis.models import AnalysisRun
from analysis.runs import request_run
from survey.models import Participant, Study
from survey.tidy import counted_sources


@dataclass(frozen=True)
class DecidedRaters:
    """Whom a decision changed, and the analysis without them; a worker has to be woken for it."""

    changed: list[Participant]
    run: AnalysisRun


def decide(
    *,
    study: Study,
    people: Collection[Participant],
    excluded: bool,
    reason: str,
    author: User,
    include: list[str],
) -> DecidedRaters:
    """Exclude people from analyses, or let them count again; the analysis also has the experts or
    test people to `include`. Raises DecisionRefused, having changed nothing.
    """
    changed = decide_on(
        study=study,
        participants=people,
        excluded=excluded,
        reason=reason,
        at=timezone.now(),
        author=author,
    )
    return DecidedRaters(changed, request_run(study=study, sources=counted_sources(include)))
