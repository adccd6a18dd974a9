"""What is read of the answers of Prolific's API. Pure.

Fields that we need are checked, others are ignored: an `ip` of a submission is dropped here.
Amounts of money are in hundredths of the currency (cents, pence). Prolific's lists of values may
grow, so a status is a text.
"""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

UNPUBLISHED, SCHEDULED, PUBLISHING, ACTIVE, PAUSED, AWAITING_REVIEW, COMPLETED = (
    *("UNPUBLISHED", "SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW", "COMPLETED"),
)


def _with_spaces(status: object) -> object:
    """Statuses have spaces in answers, and underscores in filters and events."""
    if not isinstance(status, str):
        return status
    spaced = status.upper().replace("_", " ")
    return "TIMED-OUT" if spaced == "TIMED OUT" else spaced


Status = Annotated[str, BeforeValidator(_with_spaces)]


#: What things are asked for by; never empty.
Id = Annotated[str, Field(min_length=1)]


class FromProlific(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ListMeta(FromProlific):
    """How many rows a list has in all."""

    count: int | None = None


class ResultPage(FromProlific):
    """A page of a list."""

    results: list[Any]
    meta: ListMeta = ListMeta()


class ProlificUser(FromProlific):
    """The person whose token it is."""

    id: Id
    email: str = ""


class Workspace(FromProlific):
    """Where studies and money are."""

    id: Id
    title: str = ""


class WorkspaceBalance(FromProlific):
    """The money of a workspace; `available` is not assigned to studies yet."""

    currency: str = Field(default="", validation_alias=AliasChoices("currency_code", "currency"))
    available: int = Field(validation_alias=AliasChoices("available_balance", "available"))


class Project(FromProlific):
    """A project, and the workspace that it is in."""

    id: Id
    title: str = ""
    workspace: str = ""


class ListedStudy(FromProlific):
    """A study as lists have it."""

    id: Id
    name: str = ""
    internal_name: str | None = None
    status: Status = ""


class ProlificStudy(ListedStudy):
    """One study, with what participants are told and paid."""

    description: str = ""
    external_study_url: str | None = None
    is_external_study_url_secure: bool | None = None
    total_available_places: int = 0
    places_taken: int = 0
    reward: int = 0
    estimated_completion_time: float = 0
    project: str | None = None
    device_compatibility: list[str] | None = None
    content_warnings: list[str] | None = None
    content_warning_details: str | None = None
    completion_codes: list[dict[str, Any]] | None = None
    filters: list[dict[str, Any]] | None = None


class ProlificSubmission(FromProlific):
    """A participant's submission. Lists and single answers name some fields differently."""

    id: Id
    participant: str = Field(
        default="", validation_alias=AliasChoices("participant_id", "participant")
    )
    status: Status
    code: str | None = Field(
        default=None, validation_alias=AliasChoices("study_code", "entered_code", "code")
    )
    study: str | None = Field(default=None, validation_alias=AliasChoices("study_id", "study"))
    started_at: datetime | None = None
    completed_at: datetime | None = None
    return_requested: datetime | None = None
    #: In cents, one for each payment. Single answers have them, lists need not.
    bonus_payments: list[float] | None = None


class BulkBonus(FromProlific):
    """Bonuses that are set up and not paid yet, with what they cost. `amount` is what participants
    get.
    """

    id: Id
    amount: float | None = None
    fees: float = 0
    vat: float = 0
    total_amount: float


class ParticipantGroup(FromProlific):
    """People who may be let in or kept out of a study."""

    id: Id
    name: str = ""
    participant_count: int = 0


class GroupMember(FromProlific):
    """A person in a participant group."""

    id: Id = Field(validation_alias=AliasChoices("participant_id", "id"))


class StudyCost(FromProlific):
    """What a study costs with fees and taxes."""

    total_cost: float


class HookSecret(FromProlific):
    """The key with which Prolific signs the events of a workspace."""

    id: Id
    value: str


class HookSubscription(FromProlific):
    """A type of events that is sent to an address. `secret` confirms it, and is told only once."""

    #: The header of the answer that has the secret.
    HEADER: ClassVar[str] = "X-Hook-Secret"

    id: Id
    event_type: str = ""
    target_url: str = ""
    secret: str = Field(default="", validation_alias=AliasChoices(HEADER))
