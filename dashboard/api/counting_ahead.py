"""What a worker counts of a large study, so that pages and API only add up."""

from dashboard.api.ratings import Ratings
from dashboard.design.certificate import PEOPLE
from dashboard.design.shown_pages import ShownPages
from survey.models import Participant, Slot, Study
from survey.tidy import reading


def count_ahead(study_id: int) -> None:
    """Store every chunk whose people have changed; nothing where the study is gone."""
    study = Study.objects.filter(pk=study_id).first()
    if study is None:
        return
    for pool in Slot.Pool.values:
        for people in PEOPLE:
            with reading():
                ShownPages(study, pool, people).counted(store_from=1)
    with reading():
        Ratings(study, Participant.Source.values).count(store_from=1)
