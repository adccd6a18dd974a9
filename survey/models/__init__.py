"""The survey's tables: studies, the people who take them, and their answers."""

from survey.models.answers import (
    AttentionCheck,
    DemographicAnswer,
    FreeAnswer,
    PageTime,
    Presentation,
    Rating,
)
from survey.models.participant import (
    Browser,
    Identity,
    Invitation,
    Participant,
    Slot,
    Submission,
    Withdrawal,
)
from survey.models.signing_keys import SigningKeys
from survey.models.study import Block, BlockResponse, Response, Scenario, Study, StudyEvent, System

__all__ = [
    "AttentionCheck",
    "Block",
    "BlockResponse",
    "Browser",
    "DemographicAnswer",
    "FreeAnswer",
    "Identity",
    "Invitation",
    "PageTime",
    "Participant",
    "Presentation",
    "Rating",
    "Response",
    "Scenario",
    "SigningKeys",
    "Slot",
    "Study",
    "StudyEvent",
    "Submission",
    "System",
    "Withdrawal",
]
