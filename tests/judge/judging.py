"""Judges for tests, and what became of their calls."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.utils import timezone

from judge.attempts import Claimed
from judge.calls import claim
from judge.completions import read_text
from judge.configure import configure_judging
from judge.definition import JudgingDefinition
from judge.exchange import ExchangeFailed, Reply, Scope
from judge.models import Attempt, Call, Judge, StructuredOutput
from judge.plans import queue_missing
from judge.queries import Progress, current_judges, progress
from survey.models import Study
from tests.servers.faulty_judge import Entry, FaultyJudge

ROOT = Path(__file__).resolve().parents[2]


def describe_judging(study: Study, **section: Any) -> list[Judge]:
    """The judges that a study's file would describe so, in the order of their names."""
    configure_judging(study, JudgingDefinition.model_validate(section))
    return list(current_judges(study).order_by("name"))


def describe(study: Study, **definition: Any) -> Judge:
    """The judge that a study's file would describe so, as its only one."""
    (judge,) = describe_judging(study, judges=[definition])
    return judge


def note_support(judge: Judge, support: str = "ignored") -> None:
    """Make known what a judge's endpoint makes of a JSON schema, so that it is not asked."""
    StructuredOutput.objects.update_or_create(
        endpoint=judge.endpoint, model=judge.model, defaults={"support": support}
    )


def queue(judge: Judge) -> Judge:
    """Queue a judge's calls, with nothing left to find out about its endpoint."""
    note_support(judge)
    queue_missing(judge)
    judge.refresh_from_db()
    return judge


def reply_of(text: str, model: str = "m", **more: Any) -> Reply:
    """A completion with this text."""
    return Reply(text, read_text(text), model, **more)


#: What a judge answers where the answer does not matter.
TWO = reply_of('{"score": 2}')


def claim_one(judge: Judge) -> Claimed:
    """The next call that is due, under a lease."""
    claimed = claim(judge.pk)
    assert claimed is not None
    return claimed


def claim_all(judge: Judge) -> list[Claimed]:
    """As many as the limits allow."""
    return list(iter(lambda: claim(judge.pk), None))


def expire_leases(judge: Judge) -> None:
    """As if the worker had been lost long ago."""
    judge.calls.filter(state=Call.State.RUNNING).update(lease_until=timezone.now())


def failure(
    scope: Scope = Scope.TEMPORARY,
    *,
    status: int = 500,
    retry_after: float | None = None,
    outcome: str = "http_error",
) -> ExchangeFailed:
    """A request's."""
    return ExchangeFailed(
        "it failed", outcome=outcome, scope=scope, status=status, retry_after=retry_after
    )


def counts(judge: Judge) -> dict[str, int]:
    """A judge's calls by state, without the states that no call is in."""
    now: Progress = progress(judge)
    states = ("answered", "failed", "waiting", "running")
    return {state: getattr(now, state) for state in states if getattr(now, state)}


def outcomes(judge: Judge) -> dict[str, int]:
    """How many attempts ended how."""
    found = Attempt.objects.filter(call__judge=judge).values_list("outcome", flat=True)
    return dict(Counter(found))


def asked(server: FaultyJudge) -> list[Entry]:
    """What a server was asked about responses."""
    return [entry for entry in server.log if not entry.is_probe]


def scores_by_request(judge: Judge) -> dict[str, int]:
    """The scores of single responses by the request that was answered with them."""
    answered = Attempt.objects.filter(call__judge=judge, outcome="answered")
    return {a.request_id: a.call.scores.get().value for a in answered}
