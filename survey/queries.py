"""Finding studies and people."""

from django.db.models import Count

from survey.models import Participant, Study


class StudyNotFound(LookupError):
    """No study answers to the given text; the message says what there is."""


def find_study(text: str) -> Study:
    """The study called `slug` (its newest version) or `slug@version`.

    Raises StudyNotFound.
    """
    slug, _, version = text.partition("@")
    versions = Study.objects.filter(slug=slug).order_by("-version")
    if version:
        versions = versions.filter(version=version) if version.isdecimal() else versions.none()
    study = versions.first()
    if study is None:
        known = ", ".join(sorted({str(study) for study in Study.objects.all()})) or "none"
        raise StudyNotFound(f"there is no study {text!r}; studies here: {known}")
    return study


def study_for_arrivals(slug: str) -> Study | None:
    """The version that new people get: the newest that has left draft, else the newest."""
    versions = Study.objects.filter(slug=slug).order_by("-version")
    return versions.exclude(state=Study.State.DRAFT).first() or versions.first()


def status_counts(study: Study) -> dict[tuple[str, str], int]:
    """How many participants there are by (source, status)."""
    rows = (
        Participant.objects.filter(study=study)
        .order_by()
        .values_list("source", "status")
        .annotate(n=Count("id"))
    )
    return {(source, status): n for source, status, n in rows}
