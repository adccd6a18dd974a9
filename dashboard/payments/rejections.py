"""Prolific's rules for rejecting a submission. Pure; sources: copies of its help pages, 2022-2026.

A rejection is made by hand alone, and never proposed. Whether a reason is fair is for the
researcher to judge: only what the rules forbid in any case is refused here.
"""

import re
from dataclasses import dataclass

from dashboard.payments.case import AWAITING, Case
from survey.definition.policy import LONG_STUDY_MINUTES
from survey.refusals import RequestRefused

#: Prolific's categories, and what they mean.
CATEGORIES = {
    "FAILED_CHECK": "Failed attention checks",
    "FAILED_INSTRUCTIONS": "Did not follow the instructions",
    "LOW_EFFORT": "Low effort, by an objective measure",
    "TOO_QUICKLY": "Far too quick over the whole survey",
    "TOO_SLOWLY": "Too slow",
    "INCOMP_LONGITUDINAL": "Did not complete all parts",
    "MALINGERING": "Dishonest answers",
    "NO_CODE": "No completion code",
    "BAD_CODE": "Wrong completion code",
    "NO_DATA": "No answers",
    "UNSUPP_DEVICE": "Device that was excluded",
    "OTHER": "Other",
}
SHORTEST_REASON, LONGEST_REASON = 100, 2000
#: Too quick means so many standard deviations below the mean.
TOO_QUICK_SD = 3
#: What is never a reason, by the words that tell of it.
NEVER = {
    r"comprehension": "Comprehension checks are never a reason to reject.",
    r"\bMAE\b|\bsigma\b|σ|gold scores?": "Distance from other ratings or from gold scores is a "
    "reason to exclude from the analysis, never to reject.",
    r"(?=.*\bpages?\b)(?=.*\b(?:too (?:fast|quick)\w*|seconds|speed)\b)": "Speed on one page is "
    "never a reason to reject.",
}


class RejectionRefused(RequestRefused):
    """A rejection that Prolific's rules do not allow; the text says why."""


#: The category that goes by the times of all who completed.
BY_TIMES = "TOO_QUICKLY"


@dataclass(frozen=True)
class UsualTime:
    """Of all who completed here: from start to end, in minutes."""

    mean: float
    sd: float


def check_rejection(
    case: Case,
    *,
    category: str,
    reason: str,
    study_minutes: float,
    usual: UsualTime | None = None,
) -> None:
    """Raises RejectionRefused. `study_minutes` is what the study announces; `usual` is needed for
    the category BY_TIMES, and None where fewer than three people have times.
    """
    if not category:
        raise RejectionRefused("Choose a category.")
    if category not in CATEGORIES:
        raise RejectionRefused(f"There is no category {category!r}.")
    length = len(reason.strip())
    if not SHORTEST_REASON <= length <= LONGEST_REASON:
        raise RejectionRefused(
            f"The reason has {length} characters; Prolific wants {SHORTEST_REASON} to "
            f"{LONGEST_REASON}."
        )
    if case.status != AWAITING:
        raise RejectionRefused(
            f"Only a submission that awaits review can be rejected; this one is "
            f"{case.status.lower()}."
        )
    for words, why in NEVER.items():
        if re.search(words, reason, re.IGNORECASE | re.DOTALL):
            raise RejectionRefused(why)
    if why := _against(category, case, study_minutes, usual):
        raise RejectionRefused(why)


def _against(category: str, case: Case, study_minutes: float, usual: UsualTime | None) -> str:
    """Why a category can't be true of a case; empty if it may."""
    if category == "FAILED_CHECK":
        needed = 1 if study_minutes < LONG_STUDY_MINUTES else 2
        if case.checks_failed < needed:
            return (
                f"{case.checks_failed} checks failed; a survey of {study_minutes:g} minutes needs "
                f"{needed} before a participant may be rejected."
            )
    if category == BY_TIMES and not _is_too_quick(case, usual):
        return (
            f"Too quick means {TOO_QUICK_SD} standard deviations below the mean time of the whole "
            "survey, and this person is not."
        )
    if category in ("NO_CODE", "BAD_CODE", "NO_DATA") and case.completed_here:
        return "They completed the survey here: a code is no reason to reject them."
    return ""


def _is_too_quick(case: Case, usual: UsualTime | None) -> bool:
    if case.minutes is None or usual is None:
        return False
    return case.minutes < usual.mean - TOO_QUICK_SD * usual.sd
