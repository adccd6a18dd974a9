"""Decisions about raters: recorded, and an analysis asked for that follows them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils import timezone

from analysis.manual_decisions import DecisionOptions, decide_on
from analysis.models import AnalysisRun
from analysis.runs import request_run
from survey.models import Participant, Study
from survey.tidy import counted_sources


@dataclass(frozen=True)
class DecidedRaters:
    """Whom a decision changed, and the analysis that follows it."""

    changed: list[Participant]
    run: AnalysisRun


def decide(
    study: Study,
    people: Collection[Participant],
    options: DecisionOptions,
    author: User | None,
    *,
    include: Sequence[str] = (),
) -> DecidedRaters:
    """Exclude people from analyses, or let them count again; the analysis also has the experts or
    test people to `include`. The caller wakes a worker. Raises RequestRefused, having changed
    nothing.
    """
    changed = decide_on(
        study=study,
        participants=people,
        excluded=options.excluded,
        reason=options.reason,
        at=timezone.now(),
        author=author,
    )
    return DecidedRaters(changed, request_run(study=study, sources=counted_sources(include)))
