"""A submission on Prolific beside its person here, and how the two do not match. Pure."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

AWAITING, APPROVED, RETURNED, TIMED_OUT, REJECTED = (
    *("AWAITING REVIEW", "APPROVED", "RETURNED", "TIMED-OUT", "REJECTED"),
)
GONE = (RETURNED, TIMED_OUT)
UNDER_WAY = ("RESERVED", "ACTIVE")
#: Endings at which the whole survey was answered.
COMPLETED = ("completed", "failed_attention")
#: People with these endings are not stored: their code alone tells of them.
NOT_STORED = ("full", "withdrawn")

#: Every mismatch, in the order of the filters: what it is called, and what to know about it.
MISMATCHES = {
    "not_listed": (
        "Here, not on Prolific",
        "Submissions that were not read yet, or an ID that Prolific never sent.",
    ),
    "never_came": (
        "On Prolific, not here",
        "A submission that ended there, and nobody with its ID came here.",
    ),
    "other_submission": (
        "Came with another submission",
        "The person is known, but none of the submissions read is one that they came with.",
    ),
    "wrong_code": ("Code of another ending", "Compared with all codes that the study has or had."),
    "unknown_code": ("Code that the study never had", "Compared as above."),
    "no_code": ("Completed here, entered no code", "They may have lost the code."),
    "gone": (
        "Completed here, returned or timed out there",
        "Timed-out submissions can still be approved.",
    ),
    "not_entered": ("Completed here, still active there", "They may enter the code yet."),
    "not_completed": (
        "Ended there, not completed here",
        "The submission waits for review or is paid, and the survey here is not finished.",
    ),
    "rejected": ("Completed here, rejected there", "Was it rejected by mistake?"),
    "withdrew": ("Withdrew here", "Withdrawing must not cost them their pay."),
    "several_sessions": (
        "Came here several times",
        "The person came with several submissions; they answered once.",
    ),
    "other_browser": (
        "Went on in another browser",
        "A browser that knew their ID, but brought none of their submissions, sent later pages: "
        "the same person with a new submission, or another person.",
    ),
    "several_submissions": ("Several submissions there", "One person, several submissions."),
}


@dataclass(frozen=True)
class Made:
    """A decision about a submission that is in force."""

    kind: str
    purpose: str
    state: str
    cents: int | None = None


@dataclass(frozen=True)
class Case:
    """A submission and its person; one of both may be missing. Minutes are from start to end."""

    submission: int | None = None
    status: str = ""
    code: str = ""
    has_code: bool = True
    #: The ending whose code it is; empty if the study never had it.
    code_of: str = ""
    #: Whether the code is one of those that this person may have seen.
    code_is_right: bool = False
    started_at: datetime | None = None
    completed_at: datetime | None = None
    return_requested: bool = False
    #: How many submissions on Prolific are by the same person.
    submissions: int = 1
    person: int | None = None
    pseudonym: str = ""
    #: The ending here, or the status of people without one; empty for nobody.
    here: str = ""
    arrived_at: datetime | None = None
    finished_at: datetime | None = None
    minutes_here: float | None = None
    checks_failed: int = 0
    #: Why the analysis excludes the person; empty if it does not.
    excluded: str = ""
    sessions: int = 0
    #: Whether a browser that did not bring a submission of theirs went on with the survey.
    other_browser: bool = False
    #: Whether the person came with this submission, as far as is known; with any of theirs.
    came_with_it: bool = True
    came_with_any: bool = True
    made: tuple[Made, ...] = ()

    @cached_property
    def mismatches(self) -> tuple[str, ...]:
        """The names in MISMATCHES that are true of it, in that order."""
        return _mismatches_of(self)

    @property
    def completed_here(self) -> bool:
        return self.here in COMPLETED

    @property
    def minutes_there(self) -> float | None:
        """From Prolific's times."""
        if self.started_at is None or self.completed_at is None:
            return None
        return (self.completed_at - self.started_at).total_seconds() / 60

    @property
    def minutes(self) -> float | None:
        """Prolific's, which it computes the hourly pay from; else ours."""
        return self.minutes_here if self.minutes_there is None else self.minutes_there


def _mismatches_of(case: Case) -> tuple[str, ...]:
    is_true = {
        "not_listed": case.submission is None,
        "withdrew": case.here == "withdrawn",
        "several_submissions": case.submissions > 1,
        "several_sessions": case.sessions > 1,
        "other_browser": case.other_browser,
    }
    if case.submission is not None:
        if not case.here:
            is_true["never_came"] = bool(case.code) or case.status not in (*GONE, *UNDER_WAY)
        elif case.person is not None and not case.came_with_any:
            is_true["other_submission"] = True
        elif case.person is not None and case.came_with_it:
            is_true |= _of_listed(case)
    return tuple(name for name in MISMATCHES if is_true.get(name))


def _of_listed(case: Case) -> dict[str, bool]:
    """What may be wrong about a person who came with a submission."""
    ended = case.status not in (*GONE, *UNDER_WAY)
    return {
        "wrong_code": bool(case.code) and not case.code_is_right and bool(case.code_of),
        "unknown_code": bool(case.code) and not case.code_is_right and not case.code_of,
        "no_code": case.completed_here and case.has_code and not case.code and ended,
        "gone": case.completed_here and case.status in GONE,
        "not_entered": case.completed_here and case.status in UNDER_WAY,
        "not_completed": case.here in ("arrived", "in_progress") and ended,
        "rejected": case.completed_here and case.status == REJECTED,
    }


def is_chosen(case: Case, mismatch: str, status: str) -> bool:
    """Whether a filter shows a case."""
    by_mismatch = {"": True, "any": bool(case.mismatches), "none": not case.mismatches}
    is_of_mismatch = by_mismatch.get(mismatch, mismatch in case.mismatches)
    return is_of_mismatch and status in ("", case.status)
