"""Whether any source's scores have changed."""

from django.db.models import Count, Max, Q

from judge.models import Call, GoldSet, Judge, Judging
from judge.queries import gold_source
from survey.models import Participant, Study


def scores_digest(study: Study) -> list[object]:
    """A value that changes with every score of any source, or description of a source."""
    judges = (
        Judge.objects.filter(study=study)
        .order_by("id")
        .annotate(
            n=Count("calls__scores", distinct=True),
            last=Max("calls__scores__id"),
            failed=Count("calls", filter=Q(calls__state=Call.State.FAILED), distinct=True),
        )
    )
    described = Judging.objects.filter(study=study).values_list("definition", flat=True).first()
    chosen = gold_source(study)
    # Only columns of the index `participant_counts`, which finds experts among many raters.
    experts = Participant.objects.filter(study=study, source=Participant.Source.PANEL).order_by()
    seen = experts.values_list("id", "status", "last_seen_at")
    return [
        chosen.name if chosen else None,
        described,
        [[j.pk, j.is_current, j.configuration, j.n, j.last, j.failed] for j in judges],
        list(GoldSet.objects.filter(study=study).order_by("id").values_list("id", flat=True)),
        sorted([pk, status, str(at)] for pk, status, at in seen),
    ]
