"""Whether an endpoint enforces a JSON schema: its probe, and what it showed."""

from datetime import datetime

from django.utils import timezone

from judge.asking import live
from judge.leases import probes
from judge.models import Call, Judge, Score, StructuredOutput
from survey.storable import storable

Support = StructuredOutput.Support


def structured_output(judge: Judge) -> str | None:
    """Whether the endpoint enforces a JSON schema for the judge's model; None if unknown. A judge
    that answers in another form needs none.
    """
    if judge.read_configuration().answer != "json":
        return Support.IGNORED
    known = StructuredOutput.objects.filter(endpoint=judge.endpoint, model=judge.model).first()
    return known.support if known else None


def next_probe(judge: Judge, now: datetime) -> Call | None:
    """The probe to send now, unless one for this model is in flight."""
    of_model = Call.objects.filter(judge__endpoint=judge.endpoint, judge__model=judge.model)
    if live(probes(of_model), now).exclude(judge=judge).exists():
        return None
    probe, _ = judge.calls.get_or_create(response=None, block=None, defaults={"replicate": 0})
    if probe.state in (Call.State.ANSWERED, Call.State.FAILED):
        # The result of that probe has been deleted since.
        probe.state, probe.forgiven = Call.State.WAITING, probe.attempts.count()
    is_due = probe.not_before is None or probe.not_before <= now
    return probe if probe.state == Call.State.WAITING and is_due else None


def note_support(judge: Judge, support: str, detail: str) -> None:
    """Remember what was found out."""
    StructuredOutput.objects.update_or_create(
        endpoint=judge.endpoint,
        model=judge.model,
        defaults={
            "support": support,
            "detail": storable(detail)[:1000],
            "found_at": timezone.now(),
        },
    )


def forget_support(judge: Judge) -> None:
    """Forget what a judge's endpoint refused, unless its model there has ever given a score: a
    model that is not served yet may refuse a schema for that reason alone.
    """
    answers = Score.objects.filter(
        call__judge__endpoint=judge.endpoint, call__judge__model=judge.model
    )
    if not answers.exists():
        StructuredOutput.objects.filter(endpoint=judge.endpoint, model=judge.model).exclude(
            support=Support.ENFORCED
        ).delete()
