"""The ratings that the API gives."""

from django.db.models import QuerySet

from survey.models import Rating, Study
from survey.tidy import RATING_TASKS


def ratings(study: Study, sources: list[str]) -> QuerySet[Rating]:
    """Ratings of everybody from `sources`, with all that a row of ratings.csv says."""
    return (
        Rating.objects.filter(
            presentation__participant__study=study,
            presentation__participant__source__in=sources,
            task__in=RATING_TASKS,
        )
        .select_related(
            "presentation__participant",
            "presentation__block",
            "response__scenario",
            "response__system",
        )
        .order_by("presentation__participant_id", "presentation_id", "id")
    )
