"""The links that lead participants into a study."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from survey.access import names_of_parameters
from survey.models import Participant, Study
from survey.participants import admits


@dataclass(frozen=True)
class Link:
    """An address that leads participants into a study."""

    way: str
    url: str
    note: str


#: What Prolific fills in, by what it is.
PLACEHOLDERS = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}


def _places(study: Study) -> str:
    """The query by which Prolific says who comes, under the study's own names. What stands
    between its double braces must arrive unescaped.
    """
    names = names_of_parameters(study)
    return "&".join(f"{names[part]}={{{{%{name}%}}}}" for part, name in PLACEHOLDERS.items())


def participant_links(study: Study) -> list[Link]:
    """The links to give out, one for each way in, and the preview of this very version."""
    address = settings.SITE_URL + reverse("survey:arrive", args=[study.slug])
    notes = {
        "prolific": "Paste it into Prolific.",
        "link": "Anybody who has it may take part.",
    }
    if study.is_rehearsing:
        notes = {
            "prolific": "Not yet: a rehearsal admits nobody from Prolific.",
            "link": "Anybody who has it may take part in the rehearsal, as a test person.",
        }
    links = {
        "prolific": Link("Prolific", f"{address}?{_places(study)}", notes["prolific"]),
        "link": Link("Open link", address, notes["link"]),
    }
    ways_in = study.settings.get("ways_in", [])
    chosen = [links[way] for way in links if way in ways_in]
    note = "For you, when logged in. A preview never counts."
    if not admits(study, Participant.Source.PREVIEW):
        note += f" While the study is {study.state}, none can begin."
    return [*chosen, Link("Preview", f"{address}?preview&version={study.version}", note)]
