"""The survey's tables: studies, the people who take them, and their answers."""

from survey.models.answers import (
    AttentionCheck,
    ComprehensionAttempt,
    DemographicAnswer,
    FreeAnswer,
    PageTime,
    Presentation,
    Rating,
    TrainingAttempt,
)
from survey.models.arrivals import AddressArrivals, Refusal, RefusedArrivals
from survey.models.participant import (
    PEOPLE_IN_CHUNK,
    Browser,
    Identity,
    Invitation,
    Participant,
    Slot,
    Submission,
    Withdrawal,
    not_ended,
)
from survey.models.signing_keys import SigningKeys
from survey.models.study import Block, BlockResponse, Response, Scenario, Study, StudyEvent, System

__all__ = [
    "PEOPLE_IN_CHUNK",
    "AddressArrivals",
    "AttentionCheck",
    "Block",
    "BlockResponse",
    "Browser",
    "ComprehensionAttempt",
    "DemographicAnswer",
    "FreeAnswer",
    "Identity",
    "Invitation",
    "PageTime",
    "Participant",
    "Presentation",
    "Rating",
    "Refusal",
    "RefusedArrivals",
    "Response",
    "Scenario",
    "SigningKeys",
    "Slot",
    "Study",
    "StudyEvent",
    "Submission",
    "System",
    "TrainingAttempt",
    "Withdrawal",
    "not_ended",
]
