"""The links that lead participants into a study."""

from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from survey.models import Participant, Study
from survey.participants import admits
from survey.prolific.links import study_link
from survey.prolific_arrivals import names_of_parameters


@dataclass(frozen=True)
class Link:
    """An address that leads participants into a study."""

    way: str
    url: str
    note: str


def prolific_link(study: Study) -> str:
    """The link for Prolific, with its placeholders."""
    return study_link(_address(study), names_of_parameters(study))


def _address(study: Study) -> str:
    # Loading all pages of the dashboard to make one link takes most of a second.
    path = reverse("survey:arrive", args=[study.slug], urlconf="config.participant_urls")
    return str(settings.SITE_URL + path)


def participant_links(study: Study, *, preview: bool = True) -> list[Link]:
    """The links to give out, one for each way in, and the preview of this very version if the
    reader may take it.
    """
    address = _address(study)
    notes = {
        "prolific": "Paste it into Prolific.",
        "link": "Anyone with this link may take part.",
    }
    if study.is_rehearsing:
        notes = {
            "prolific": "Not yet: a rehearsal does not admit Prolific participants.",
            "link": "Anyone with this link may take part in the rehearsal, as a test person.",
        }
    links = {
        "prolific": Link("Prolific", prolific_link(study), notes["prolific"]),
        "link": Link("Open link", address, notes["link"]),
    }
    ways_in = study.settings.get("ways_in", [])
    chosen = [links[way] for way in links if way in ways_in]
    if not preview:
        return chosen
    note = "For logged-in researchers. A preview never counts."
    if not admits(study, Participant.Source.PREVIEW):
        note += f" No preview can begin while the study is {study.state}."
    return [*chosen, Link("Preview", f"{address}?preview&version={study.version}", note)]
