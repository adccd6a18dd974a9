"""What a study has of fieldwork: imported ones have no slots and endings, others no Prolific."""

from django.db.models import Q

from survey.models import Identity, Participant, Study

#: What pages call the state of a study whose raters were imported.
IMPORTED = "imported"
State = Study.State
STATE_MEANINGS = {
    State.DRAFT: "Only previews and simulated raters are admitted.",
    State.OPEN: "Everyone with a link may begin.",
    State.PAUSED: "New participants are not admitted. Participants who began can finish and get "
    "their code.",
    State.CLOSED: "Data collection is over: new participants are not admitted. Participants who "
    "began can still finish.",
}
REHEARSAL = (
    "A rehearsal: everyone with an open link or an invitation may begin, as a test person who "
    "never counts. Prolific participants are not admitted."
)


def is_imported(study: Study) -> bool:
    """Whether its raters were imported, and it was never opened for others."""
    return study.state == Study.State.DRAFT and _has_imports(study)


def _has_imports(study: Study) -> bool:
    if hasattr(study, "imports"):  # counted with the list of studies
        return bool(study.imports)
    return study.participants.filter(source=Participant.Source.IMPORT).exists()


def state_in_words(study: Study) -> str:
    """The state that pages show: what it is doing, or `imported`."""
    return IMPORTED if is_imported(study) else study.doing


def state_meaning(study: Study) -> str:
    """Who may take part in a study as it is now."""
    return REHEARSAL if study.is_rehearsing else STATE_MEANINGS[State(study.state)]


def uses_prolific(study: Study) -> bool:
    """Whether it recruits on Prolific, or has people who came from there."""
    if "prolific" in study.settings.get("ways_in", []) and not is_imported(study):
        return True
    came = Q(source=Participant.Source.PROLIFIC) | Q(identity__kind=Identity.Kind.PROLIFIC)
    return study.participants.filter(came).exists()
