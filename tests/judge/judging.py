"""Judges for tests, and what became of their calls."""

from collections import Counter
from pathlib import Path
from typing import Any

from judge.configure import configure_judge
from judge.definition import JudgeDefinition
from judge.models import Attempt, Judge
from judge.queries import Progress, progress
from survey.models import Study

ROOT = Path(__file__).resolve().parents[2]
TIDE_RESPONSES = ROOT.parent / "shared" / "tide" / "responses.csv"


def describe(study: Study, **definition: Any) -> Judge:
    """The judge that a study's file would describe so."""
    return configure_judge(study, JudgeDefinition(**definition))


def counts(judge: Judge) -> dict[str, int]:
    """A judge's calls by state, without the states that no call is in."""
    now: Progress = progress(judge)
    states = ("answered", "failed", "waiting", "running")
    return {state: getattr(now, state) for state in states if getattr(now, state)}


def outcomes(judge: Judge) -> dict[str, int]:
    """How many attempts ended how."""
    found = Attempt.objects.filter(call__judge=judge).values_list("outcome", flat=True)
    return dict(Counter(found))
