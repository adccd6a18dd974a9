"""What researchers and commands did with a study or an account, in words: the audit log."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from analysis.catalogue.number_text import noun
from analysis.theme_coding import CODED
from dashboard.shared.log import DOWNLOADED
from jobs.runner import kinds
from survey.definition.policy import PAY_TERMS
from survey.models import Study, StudyEvent
from survey.simulated.record import ACTION as SIMULATED

Key = tuple[str, ...]
#: What pages call the actions and the counts that are stored with them.
ACTIONS = {
    **{f"{kind.NAME} stopped": f"{kind.WHAT} stopped".capitalize() for kind in kinds()},
    "loaded": "Texts, tasks and responses loaded",
    StudyEvent.IMPORTED: "Ratings imported",
    "submissions": "Prolific submissions read",
    StudyEvent.DEMOGRAPHICS_IMPORTED: "Prolific demographics imported",
    "prolific create": "Draft created on Prolific",
    "prolific change": "Draft changed on Prolific",
    "prolific publish": "Published on Prolific",
    "prolific pause": "Paused on Prolific",
    "prolific start": "Resumed on Prolific",
    "prolific places": "Places added on Prolific",
    "prolific forgotten": "Deleted study on Prolific forgotten",
    "events on": "Subscribed to events of Prolific",
    "events off": "Unsubscribed from events of Prolific",
    "payments confirmed": "Decisions about submissions confirmed",
    "payment list downloaded": "List for payment by hand downloaded",
    "payment settled by hand": "Said whether a decision about a submission was carried out",
    "prolific invite": "People invited on Prolific changed",
    StudyEvent.IDENTITY_SHOWN: "Identity of a rater shown",
    "state": "State changed",
    "settings": "Settings changed",
    "languages": "Languages of responses stated",
    "names": "Names written in one form (NFC)",
    "thresholds": "Thresholds changed",
    "gold": "Gold scores chosen",
    "judges asked": "Judges asked",
    "role given": "Role given",
    "access removed": "Access removed",
    "invited": "Invitation written",
    DOWNLOADED: "Downloaded",
    "exported": "Exported by a command",
    "analysis requested": "Analysis requested",
    "multiverse requested": "Multiverse requested",
    "metrics requested": "Automatic metrics requested",
    CODED: "Open answers coded",
    "theme added": "Code of the code book added",
    "theme changed": "Code of the code book changed",
    "responses drawn": "Responses drawn for labels",
    "scorer requested": "Training of a scorer requested",
    "perturbations requested": "Perturbations requested",
    "text scored": "Text scored",
    "text flagged": "Scored text flagged",
    "text not flagged": "Flag of a scored text removed",
    "submissions sent": "Long list of submissions sent",
    "plan requested": "Plan requested",
    "simulation requested": "Simulated raters requested",
    "loaded from sample": "Loaded with the generated responses of a sample",
    "corpus import": "Import of a corpus requested",
    "corpus filter": "Filtering of a corpus requested",
    "corpus chats": "Chats of a corpus requested",
    "corpus sample": "Sample of scenarios requested",
    "corpus responses": "Responses of a sample requested",
    "corpus study": "Study of a sample requested",
    "corpus role given": "Role in a corpus given",
    "corpus access removed": "Access to a corpus removed",
    "corpus deleted": "Corpus deleted",
    "sample deleted": "Sample deleted",
    "texts requested": "Texts of a sample requested",
    "texts stopped": "Generating texts of a sample stopped",
    "zip requested": "Zip requested",
    "e-mail chosen": "E-mail about the study chosen",
    "prolific account connected": "Account at Prolific connected",
    "prolific account disconnected": "Account at Prolific disconnected",
    "sessions ended": "Sessions ended",
    "token created": "API token created",
    "token revoked": "API token revoked",
}
#: Actions that store what there was and what there is.
CHANGES = {"settings": "Settings changed", "pay terms": "Pay terms changed (in cents)"}
#: Jobs that store some of what they do before they are stopped.
CHANGED_PARTLY = ("submissions", "simulation")
#: They change no result and nothing that raters see: the log has them, the newest changes do not.
NO_CHANGES = (
    *(f"{kind.NAME} stopped" for kind in kinds() if kind.NAME not in CHANGED_PARTLY),
    CODED,
    DOWNLOADED,
    "exported",
    "analysis requested",
    "multiverse requested",
    "metrics requested",
    "responses drawn",
    "scorer requested",
    "perturbations requested",
    "text scored",
    "text flagged",
    "text not flagged",
    "plan requested",
    "simulation requested",
    "zip requested",
    "e-mail chosen",
)
#: … of one, and of several; other names say it themselves.
COUNTS = {
    "participants": ("participant", "participants"),
    "ratings": ("rating", "ratings"),
    "ranks": ("rank", "ranks"),
    "gold": ("gold score", "gold scores"),
    "back": ("back in progress", "back in progress"),
    "places": ("place", "places"),
    "places freed": ("slot freed", "slots freed"),
    "places held again": ("slot given back", "slots given back"),
    "unknown": ("who never came here", "who never came here"),
    "approve": ("approval", "approvals"),
    "return": ("return asked for", "returns asked for"),
    "message": ("message", "messages"),
    "bonus": ("bonus", "bonuses"),
    "reject": ("rejection", "rejections"),
    "people": ("person", "people"),
    "sessions": ("session", "sessions"),
    "calls": ("call", "calls"),
    "links": ("link", "links"),
    "responses": ("response", "responses"),
    "raters": ("rater", "raters"),
}
#: Numbers that are no counts.
IDS = {"invitation": "no.", "run": "analysis", "seed": "seed"}


@dataclass(frozen=True)
class Event:
    """What was done with a version, when, and by whom."""

    event: StudyEvent
    what: str


def changes_of(versions: Iterable[Study]) -> QuerySet[StudyEvent]:
    """What was changed in these versions."""
    changes = StudyEvent.objects.filter(study__in=list(versions)).exclude(action__in=NO_CHANGES)
    return changes.select_related("study", "author")


def events(versions: Iterable[Study], *, most: int | None = None) -> list[Event]:
    """What was changed in these versions, the newest first; only the newest `most` if given."""
    rows = changes_of(versions).order_by("-id")[:most]
    return [Event(event, in_words(event)) for event in rows]


def in_words(event: StudyEvent) -> str:
    """An event in words."""
    detail = event.detail
    if event.action == "state":
        return f"{detail['from']} → {detail['to']}".capitalize()
    if event.action in CHANGES:
        before, after = (dict(flat(detail[side])) for side in ("from", "to"))
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        said = [
            f"{_name_of(key)}: {_values(key, before.get(key), after.get(key))}" for key in changed
        ]
        return f"{CHANGES[event.action]}: {'; '.join(said)}"
    if event.action == SIMULATED:
        people = noun(detail["participants"], "simulated rater")
        seed = f"profile {detail['name']}, seed {detail['seed']}"
        origin = " from the local Prolific" if detail.get("from_prolific") else ""
        return f"{detail['participants']} {people} sent{origin} ({seed})"
    counts = [
        f"{IDS[name]} {value}" if name in IDS else _counted(value, name)
        for name, value in detail.items()
        if isinstance(value, int) and value
    ]
    named = [detail[name] for name in ("rater", "person", "name") if name in detail]
    what = kind_in_words(event.action)
    return what + (f": {', '.join([*named, *counts])}" if named or counts else "")


def _values(key: Key, before: str | None, after: str | None) -> str:
    """A change of a value. Completion codes are not for viewers, so no line has them."""
    if key[0] == "prolific" and key[-1].endswith("_code"):
        return "added" if before is None else "removed" if after is None else "another code"
    return f"{before or 'none'} → {after or 'none'}"


def _name_of(key: Key) -> str:
    """A term of payment in words; a setting by its place in the file."""
    return PAY_TERMS[key[0]].lower() if key[0] in PAY_TERMS else ".".join(key)


def _counted(n: int, name: str) -> str:
    one, several = COUNTS.get(name, (name, name))
    return f"{n} {one if n == 1 else several}"


def kind_in_words(action: str) -> str:
    """What an action is called where its details are left out."""
    return ACTIONS.get(action, action.capitalize())


def flat(value: Any, path: Key = ()) -> Iterator[tuple[Key, str]]:
    """Each text and number with its path; a list item that has a name goes by its name."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from flat(item, (*path, str(key)))
    elif isinstance(value, list):
        for number, item in enumerate(value, start=1):
            named = item.get("name") if isinstance(item, Mapping) else None
            yield from flat(item, (*path, str(named or number)))
    elif value is not None:
        yield path, str(value)
