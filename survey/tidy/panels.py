"""Ratings by panels of experts, the basis of gold scores."""

from survey.models import Invitation, Participant, Rating, Study
from survey.tidy.answers import RATING_TASKS
from survey.tidy.study import Row


def panels_of(study: Study) -> list[str]:
    """The names of panels invited to any version of the study, or with members in this one, in
    alphabetical order.
    """
    invited = Invitation.objects.filter(study__slug=study.slug).exclude(panel="")
    came = study.participants.filter(source=Participant.Source.PANEL)
    names = [people.order_by().values_list("panel", flat=True) for people in (invited, came)]
    return sorted(set().union(*names))


def panel_ratings(study: Study, panel: str) -> list[Row]:
    """(response id, dimension, participant id, value) of every rating by an expert of `panel` who
    has completed this version, in that order. A response shown in several blocks has several.
    """
    ratings = Rating.objects.filter(
        presentation__participant__study=study,
        presentation__participant__source=Participant.Source.PANEL,
        presentation__participant__panel=panel,
        presentation__participant__status=Participant.Status.COMPLETED,
        task__in=RATING_TASKS,
    )
    columns = ("response_id", "dimension", "presentation__participant_id", "value")
    return sorted(ratings.values_list(*columns))  # databases sort texts differently
