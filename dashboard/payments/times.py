"""How long people took: the median that the hourly pay goes by, and what too quick means.

Both are about everyone who completed, so what they come to is kept, as the index of cases is.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from statistics import mean, median, stdev
from typing import Any

from dashboard.payments.case import Case
from dashboard.payments.case_index import CaseIndex
from dashboard.payments.cases import minutes_here
from dashboard.payments.facts import submissions_of_study
from dashboard.payments.proposals import is_paid
from dashboard.payments.rejections import UsualTime
from dashboard.raters.submissions import from_prolific
from dashboard.shared.chunk_counts import kept_whole
from survey.models import Study
from survey.tidy import reading


@dataclass(frozen=True)
class StudyTimes:
    """Minutes from start to end, where they are known."""

    #: How many who are paid, or may be approved, have times.
    paid: int
    paid_median: float | None
    #: Of everyone who completed here.
    completed: int
    completed_mean: float | None
    completed_sd: float | None

    @property
    def usual(self) -> UsualTime | None:
        """None if too few have times."""
        if self.completed_mean is None or self.completed_sd is None:
            return None
        return UsualTime(self.completed_mean, self.completed_sd)


def times_of(study: Study, index: CaseIndex) -> StudyTimes:
    """The times of a study as they are now."""
    with reading():
        content = kept_whole(
            study,
            "times of cases",
            lambda: index.name,
            lambda: (asdict(_made(study, index)), len(index)),
        )
    return StudyTimes(**content)


def _made(study: Study, index: CaseIndex) -> StudyTimes:
    paid = set(index.submissions_with(is_paid))
    completed = set(index.submissions_with(_completed_here))
    minutes: dict[int, float] = {}
    untimed: dict[int, str] = {}
    rows = submissions_of_study(study).values_list(
        "pk", "prolific_id", "started_at", "completed_at"
    )
    for pk, key, started, ended in rows.iterator():
        if pk not in completed:
            continue
        if (there := Case(started_at=started, completed_at=ended).minutes_there) is not None:
            minutes[pk] = there
        else:
            untimed[pk] = key
    alone = index.people_with(_completed_here)
    by_key, by_person = _here(study, untimed.values(), alone)
    minutes |= {pk: by_key[key] for pk, key in untimed.items() if key in by_key}
    of_paid = [each for pk, each in minutes.items() if pk in paid and each]
    of_all = [*minutes.values(), *by_person]
    is_enough = len(of_all) >= 3
    return StudyTimes(
        len(of_paid),
        median(of_paid) if of_paid else None,
        len(of_all),
        mean(of_all) if is_enough else None,
        stdev(of_all) if is_enough else None,
    )


def _completed_here(case: Case) -> bool:
    return case.completed_here


def _here(
    study: Study, keys: Collection[str], people: Collection[int]
) -> tuple[dict[str, float], list[float]]:
    """Minutes by our clock: by Prolific ID, and of people without a submission."""
    if not keys and not people:
        return {}, []
    wanted, alone = set(keys), set(people)
    by_key: dict[str, float] = {}
    by_person: list[float] = []
    rows: Any = from_prolific(study).values_list(
        "pk", "identity__key", "started_at", "finished_at", "clock_stepped"
    )
    for pk, key, started, finished, clock_stepped in rows.iterator():
        minutes = minutes_here(started, finished, clock_stepped=clock_stepped)
        if minutes is None:
            continue
        if key in wanted:
            by_key[key] = minutes
        if pk in alone:
            by_person.append(minutes)
    return by_key, by_person
