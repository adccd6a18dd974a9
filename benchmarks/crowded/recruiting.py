"""People from Prolific and their submissions in every state that pages distinguish, in bulk.

Django has to be set up.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard.raters.models import SubmissionOnProlific
from survey.batched import batched
from survey.models import (
    AttentionCheck,
    Browser,
    Identity,
    Participant,
    Study,
    Submission,
    Withdrawal,
)

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
STATUSES = (
    "AWAITING REVIEW", "APPROVED", "RETURNED", "TIMED-OUT",
    "REJECTED", "ACTIVE", "RESERVED", "PARTIALLY APPROVED",
)  # fmt: skip
#: How people's surveys ended; a withdrawn person and one who never came ("") are not stored.
HERE = (
    "completed", "failed_attention", "in_progress", "arrived", "declined",
    "screened_out", "failed_comprehension", "withdrawn", "",
)  # fmt: skip
AT_ONCE = 1000


@dataclass(frozen=True)
class Recruited:
    """A person and their submissions on Prolific."""

    number: int
    here: str = "completed"
    #: The status and the code of each submission there.
    there: tuple[tuple[str, str], ...] = (("AWAITING REVIEW", "DONE1"),)
    #: The submissions whose links they opened; 9 is one that was not read from Prolific.
    sessions: tuple[int, ...] = (0,)
    has_code: bool = True
    failed: int = 0
    goes_on: bool | None = None
    minutes_here: int | None = 12
    minutes_there: int | None = 14
    return_requested: bool = False

    @property
    def key(self) -> str:
        return f"{self.number:024x}"

    def session(self, number: int) -> str:
        return f"{(number + 1) * 10**9 + self.number:024x}"


def usual(number: int, codes: Sequence[str]) -> Recruited:
    """One of many who completed with the right code."""
    status = "APPROVED" if number % 2 else "AWAITING REVIEW"
    return Recruited(
        number,
        there=((status, codes[0]),),
        minutes_here=8 + number % 11,
        minutes_there=9 + number % 13,
    )


def odd(number: int, codes: Sequence[str], draw: random.Random) -> Recruited:
    """A random combination of what happens to few people."""
    entered = (*codes, "NEVER", "")
    there = tuple(
        (draw.choice(STATUSES), draw.choice(entered))
        for _ in range(draw.choice((0, 1, 1, 1, 1, 2, 3)))
    )
    return Recruited(
        number,
        here=draw.choice(HERE),
        there=there,
        sessions=draw.choice(((), (0,), (0,), (1,), (9,), (0, 1), (0, 9))),
        has_code=draw.random() > 0.1,
        failed=draw.choice((0, 0, 0, 1, 2)),
        goes_on=draw.choice((None, None, None, False, True)),
        minutes_here=draw.choice((None, 3, 12, 40)),
        minutes_there=draw.choice((None, 3, 12, 40)),
        return_requested=draw.random() > 0.9,
    )


def recruit(study: Study, people: int, *, codes: Sequence[str], odd_in: int = 10) -> None:
    """Add so many people; of `odd_in` people, one is anything that may be."""
    draw = random.Random(people)
    crowd = (
        odd(number, codes, draw) if number % odd_in == 0 else usual(number, codes)
        for number in range(people)
    )
    for batch in batched(crowd, AT_ONCE):
        _add_people(study, [one for one in batch if one.here not in ("", "withdrawn")])
        _add_withdrawals(study, [one for one in batch if one.here == "withdrawn"])
        _add_submissions(study, batch)


def recruit_those_here(study: Study, *, codes: Sequence[str]) -> None:
    """Have everyone who is here come from Prolific; something is odd about one of ten."""
    people = enumerate(study.participants.order_by("id"))
    for some in batched(people, AT_ONCE):
        both = [(person, _of_one_here(number, person, codes)) for number, person in some]
        _add_arrivals(study, both)
        _add_submissions(study, [one for _, one in both])


def _of_one_here(number: int, person: Participant, codes: Sequence[str]) -> Recruited:
    one = usual(number, codes)
    if person.finished_at is None:
        one = replace(one, there=(("ACTIVE", ""),), minutes_there=None)
    if number % 10 == 0:
        oddities = _oddities(codes)
        one = replace(one, **oddities[number // 10 % len(oddities)])
    return replace(one, here=person.ending or person.status)


def _oddities(codes: Sequence[str]) -> list[dict[str, Any]]:
    """What happens to some people of each study: one of these to each."""
    right, other = codes[0], codes[1]
    return [
        {"there": ()},
        {"there": (("RETURNED", ""),)},
        {"there": (("TIMED-OUT", ""),), "minutes_there": None},
        {"there": (("AWAITING REVIEW", ""),)},
        {"there": (("AWAITING REVIEW", "NEVER"),)},
        {"there": (("AWAITING REVIEW", other),)},
        {"there": (("REJECTED", right),)},
        {"there": (("RETURNED", ""), ("AWAITING REVIEW", right)), "sessions": (0, 1)},
        {"sessions": (9,)},
        {"goes_on": True},
        {"return_requested": True},
    ]


def _add_people(study: Study, recruited: Sequence[Recruited]) -> None:
    people = Participant.objects.bulk_create(_participant(study, one) for one in recruited)
    both = list(zip(people, recruited, strict=True))
    _add_arrivals(study, both)
    AttentionCheck.objects.bulk_create(
        AttentionCheck(
            participant=person,
            name=f"check_{number}",
            page=number,
            after_block=number,
            answer=1,
            passed=number >= one.failed,
        )
        for person, one in both
        for number in range(2)
    )


def _add_arrivals(study: Study, both: Sequence[tuple[Participant, Recruited]]) -> None:
    prolific = Identity.Kind.PROLIFIC
    Identity.objects.bulk_create(
        Identity(participant=person, slug=study.slug, kind=prolific, key=one.key)
        for person, one in both
    )
    Submission.objects.bulk_create(
        Submission(participant=person, session_id=one.session(number))
        for person, one in both
        for number in one.sessions
    )
    Browser.objects.bulk_create(
        Browser(participant=person, goes_on=one.goes_on)
        for person, one in both
        if one.goes_on is not None
    )


def _participant(study: Study, one: Recruited) -> Participant:
    is_ending = one.here not in ("in_progress", "arrived")
    ended = None if one.minutes_here is None else START + timedelta(minutes=one.minutes_here)
    is_done = one.here in ("completed", "failed_attention")
    return Participant(
        study=study,
        source="prolific",
        way_in="prolific",
        status="completed" if is_done else one.here,
        ending=one.here if is_ending else "",
        arrived_at=START + timedelta(seconds=one.number % 7),
        started_at=None if ended is None else START,
        finished_at=ended or (START if is_done else None),
    )


def _add_withdrawals(study: Study, recruited: Sequence[Recruited]) -> None:
    Withdrawal.objects.bulk_create(
        Withdrawal(
            study=study,
            source="prolific",
            slug=study.slug,
            kind=Identity.Kind.PROLIFIC,
            key=one.key,
            key_kept_until=START,
        )
        for one in recruited
    )


def _add_submissions(study: Study, recruited: Sequence[Recruited]) -> None:
    SubmissionOnProlific.objects.bulk_create(
        row for one in recruited for row in _submissions(study, one)
    )


def _submissions(study: Study, one: Recruited) -> Iterator[SubmissionOnProlific]:
    ended = None if one.minutes_there is None else START + timedelta(minutes=one.minutes_there)
    for number, (status, code) in enumerate(one.there):
        yield SubmissionOnProlific(
            study=study,
            slug=study.slug,
            submission_id=one.session(number),
            prolific_id=one.key,
            status=status,
            code=code if one.has_code else "",
            has_code=one.has_code,
            started_at=START,
            completed_at=ended,
            return_requested_at=START if one.return_requested else None,
        )
