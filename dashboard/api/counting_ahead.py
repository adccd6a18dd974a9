"""What a worker counts of a large study, so that pages and API only add up."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from dashboard.api.ratings import Ratings
from dashboard.design.certificate import PEOPLE
from dashboard.design.shown_pages import ShownPages
from dashboard.overview.visits import count_completed
from dashboard.results.open_answers import OpenAnswers
from dashboard.shared.models import ChunkCounts
from survey.models import PEOPLE_IN_CHUNK, Participant, Slot, Study
from survey.tidy import reading

#: When a study was last counted ahead is kept as a row of this subject.
COUNTED_AHEAD = "counted ahead"
#: What people did is in the database within this time.
WITHIN = timedelta(minutes=1)


def large_studies() -> list[int]:
    """The ids of studies with more than one chunk of people that people take now, or that were not
    counted ahead yet, whatever pages have stored of them.
    """
    running = Q(state__in=(Study.State.OPEN, Study.State.PAUSED))
    of_study = {"study": OuterRef("pk")}
    counted = Exists(ChunkCounts.objects.filter(**of_study, subject=COUNTED_AHEAD))
    beyond_a_chunk = Participant.objects.filter(**of_study).order_by("id")[PEOPLE_IN_CHUNK:]
    large = Study.objects.filter(running | ~counted).filter(Exists(beyond_a_chunk))
    return list(large.order_by("id").values_list("id", flat=True))


def count_ahead(study_id: int) -> None:
    """Store every chunk whose people have changed; nothing where the study is gone, or nobody was
    there since it was last done.
    """
    study = Study.objects.filter(pk=study_id).first()
    if study is None or _is_counted(study):
        return
    start = timezone.now()
    for pool in Slot.Pool.values:
        for people in PEOPLE:
            with reading():
                ShownPages(study, pool, people).counted(store_from=1)
    for source in Participant.Source.values:
        with reading():
            count_completed(study, source, store_from=1)
    with reading():
        OpenAnswers.of(study, store_from=1)
    with reading():
        Ratings(study, Participant.Source.values).count(store_from=1)
    ChunkCounts.objects.update_or_create(
        study=study,
        subject=COUNTED_AHEAD,
        chunk=0,
        defaults={"counts": {"at": start.isoformat()}, "people_hash": ""},
    )


def _is_counted(study: Study) -> bool:
    """Whether nobody came, answered or withdrew since the study was counted ahead. Whatever else
    changes counts is rare, and pages notice it themselves.
    """
    rows = ChunkCounts.objects.filter(study=study, subject=COUNTED_AHEAD)
    stored = rows.values_list("counts", flat=True).first()
    if stored is None:
        return False
    at = datetime.fromisoformat(stored["at"])
    since = at - WITHIN
    # Named are all sources and statuses, so that databases look people up by when they were seen.
    seen = study.participants.filter(
        source__in=Participant.Source.values,
        status__in=Participant.Status.values,
        last_seen_at__gte=since,
    )
    withdrew = study.withdrawals.filter(withdrawn_at__gte=since)
    return study.loaded_at <= at and not seen.exists() and not withdrew.exists()
