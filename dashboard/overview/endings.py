"""What researchers need to know while a study runs: its slots, and how people's surveys end."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from dashboard.overview.visits import count_completed, unfinished_people
from survey.definition.codes import possible_endings
from survey.definition.settings import ENDINGS, Prolific, Settings
from survey.models import Slot, Study
from survey.prolific.codes import RECOMMENDED
from survey.slots import SlotCounts, pools_used, slot_counts
from survey.tidy import counted_sources, definition_of, reading

#: What pages call the endings.
ENDING_LABELS = {
    "completed": "Completed",
    "failed_attention": "Failed attention checks",
    "failed_comprehension": "Failed comprehension check",
    "screened_out": "Screened out",
    "declined": "Declined",
    "full": "Study was full",
    "withdrawn": "Withdrawn",
}


def pools(study: Study, *, at: datetime) -> list[SlotCounts]:
    """Counts of the raters' slots, and of those of experts and test people if there are any."""
    shown = pools_used(study) | {Slot.Pool.REAL}
    return [slot_counts(study, pool=pool, at=at) for pool in Slot.Pool.values if pool in shown]


def slots_in_words(slots: SlotCounts) -> str:
    """`43 of 116 completed, 5 active, 2 inactive, 66 free`, and other counts that are not 0."""
    completed = f"{slots.completed} completed"
    if slots.maximum is not None:
        completed = f"{slots.completed} of {slots.maximum} completed"
    parts = [completed, f"{slots.active} active", f"{slots.inactive} inactive"]
    parts.append("no limit" if slots.free is None else f"{slots.free} free")
    more = {
        "to refill": slots.to_refill,
        "over quota": slots.over_quota_completed + slots.over_quota_in_progress,
        "withdrawn": slots.withdrawn,
    }
    return ", ".join([*parts, *(f"{n} {name}" for name, n in more.items() if n)])


@dataclass(frozen=True)
class Ending:
    """One way a survey ends: how many raters it met, its code and what we recommend."""

    name: str
    label: str
    people: int | None
    code: str | None
    code_type: str
    action: str
    why: str


def endings(
    study: Study,
    *,
    with_codes: bool,
    completed: Mapping[str, Counter[str]] | None = None,
) -> list[Ending]:
    """The study's possible endings in order, and others that people met under earlier settings;
    with their codes for roles that may see them. Raters who completed are counted, unless
    `completed` has the counts of each source.

    People who met a full study are not stored, nor who withdrew.
    """
    counts: Counter[str] = Counter()
    raters = counted_sources()
    with reading():
        for source in raters:
            found = count_completed(study, source) if completed is None else completed[source]
            counts.update({name: n for name, n in found.items() if name.startswith("ended ")})
        rest = unfinished_people(study, raters)
        for ending, status, n in rest.values_list("ending", "status").annotate(n=Count("*")):
            counts[f"ended {ending or status}"] += n
    withdrawals = study.withdrawals.filter(source__in=raters)
    people: dict[str, int | None] = {name: counts[f"ended {name}"] for name in ENDINGS}
    people |= {"full": None, "withdrawn": withdrawals.count()}
    settings = Settings.model_validate(study.settings)
    codes: Prolific | None = settings.prolific
    possible = possible_endings(definition_of(study), settings)
    return [
        Ending(
            name,
            ENDING_LABELS[name],
            people[name],
            codes.code(name) if codes and with_codes else None,
            RECOMMENDED[name].code_type,
            RECOMMENDED[name].action,
            RECOMMENDED[name].why,
        )
        for name in ENDINGS
        if name in possible or people[name]
    ]
