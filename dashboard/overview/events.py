"""What researchers and commands did with a study, in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analysis.catalogue.number_text import noun
from survey.models import Study, StudyEvent
from survey.simulated.record import ACTION as SIMULATED

Key = tuple[str, ...]
#: What pages call the actions and the counts that are stored with them.
ACTIONS = {
    "loaded": "Texts, tasks and responses loaded",
    "imported": "Ratings imported",
    "submissions": "Prolific submissions read",
    "demographics": "Prolific demographics imported",
    "prolific create": "Draft created on Prolific",
    "prolific change": "Draft changed on Prolific",
    "prolific publish": "Published on Prolific",
    "prolific pause": "Paused on Prolific",
    "prolific start": "Resumed on Prolific",
    "prolific places": "Places added on Prolific",
    "prolific invite": "People invited on Prolific changed",
    StudyEvent.IDENTITY_SHOWN: "Identity of a rater shown",
}
COUNTS = {
    "gold": "gold scores",
    "back": "back in progress",
    "places freed": "slots freed",
    "places held again": "slots given back",
    "unknown": "who never came here",
}


@dataclass(frozen=True)
class Event:
    """What was done with a version, when, and by whom."""

    event: StudyEvent
    what: str


def events(versions: Sequence[Study], *, most: int | None = None) -> list[Event]:
    """What was done with these versions, the newest first; only the newest `most` if given."""
    rows = StudyEvent.objects.filter(study__in=versions).select_related("study", "author")
    return [Event(event, in_words(event)) for event in rows.order_by("-at", "-id")[:most]]


def in_words(event: StudyEvent) -> str:
    """An event in words."""
    detail = event.detail
    if event.action == "state":
        return f"{detail['from']} → {detail['to']}".capitalize()
    if event.action == "settings":
        before, after = (dict(flat(detail[side])) for side in ("from", "to"))
        changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
        said = [
            f"{'.'.join(key)}: {before.get(key, 'none')} → {after.get(key, 'none')}"
            for key in changed
        ]
        return f"Settings changed: {'; '.join(said)}"
    if event.action == SIMULATED:
        people = noun(detail["participants"], "simulated rater")
        seed = f"profile {detail['name']}, seed {detail['seed']}"
        return f"{detail['participants']} {people} sent ({seed})"
    counts = [
        f"{value} {COUNTS.get(name, name)}"
        for name, value in detail.items()
        if isinstance(value, int) and value
    ]
    named = [detail[name] for name in ("rater", "name") if name in detail]
    what = ACTIONS.get(event.action, event.action.capitalize())
    return what + (f": {', '.join([*named, *counts])}" if named or counts else "")


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
