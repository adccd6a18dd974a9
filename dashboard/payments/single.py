"""One submission: a decision by hand about it, and whose it is."""

from datetime import datetime
from typing import Annotated, Literal, Self

from django.contrib.auth.models import User
from pydantic import Field, model_validator

from dashboard.accounts.prolific import account_of
from dashboard.payments.case import Case
from dashboard.payments.case_index import index_of
from dashboard.payments.cases import case_or_404, row_or_404
from dashboard.payments.models import PaymentOrder
from dashboard.payments.orders import (
    BY_HAND,
    LONGEST_TEXT,
    SURE,
    Chosen,
    OrderRefused,
    confirm,
)
from dashboard.payments.proposals import BONUS, MESSAGE, REJECT, RETURN, REWARD
from dashboard.payments.rejections import BY_TIMES, CATEGORIES, check_rejection
from dashboard.payments.times import times_of
from dashboard.prolific.terms import MOST_CENTS
from dashboard.raters.models import SubmissionOnProlific
from dashboard.shared.log import record
from survey.definition.options import InCents, ValueLabels, WhenMissing
from survey.definition.parts import Part, wrong
from survey.models import Study, StudyEvent
from survey.tidy import definition_of

NO_KIND = "Choose what to do."


class DecideOptions(Part):
    """A decision by hand about one submission."""

    kind: Annotated[
        Literal["approve", "bonus", "return", "message", "reject"], WhenMissing(NO_KIND)
    ]
    reason: Annotated[str, WhenMissing("Give a reason: it is stored.")] = Field(
        min_length=1, max_length=200, description="for researchers; it is stored"
    )
    text: str = Field(
        default="",
        max_length=LONGEST_TEXT,
        description="what the participant is told; of a rejection at least 100 characters",
    )
    category: Annotated[str, ValueLabels({"": "", **CATEGORIES})] = Field(
        default="", description="of a rejection"
    )
    amount: Annotated[int | None, InCents()] = Field(
        default=None, le=MOST_CENTS, description="of a bonus"
    )
    sure: bool = SURE
    by_hand: bool = BY_HAND

    @model_validator(mode="after")
    def _says_enough(self) -> Self:
        if self.kind == BONUS and self.amount is None:
            raise wrong(("amount",), "Enter the amount of the bonus.")
        if self.kind in (RETURN, MESSAGE) and not self.text.strip():
            raise wrong(("text",), "Write what the participant is told.")
        return self


def decide_by_hand(
    *, study: Study, case: Case, options: DecideOptions, author: User, at: datetime
) -> PaymentOrder:
    """Confirm a decision. The same once more is refused.

    Raises OrderRefused, AmountRefused, RejectionRefused; all change nothing.
    """
    return confirm(
        study=study,
        decisions=[chosen_by_hand(study, case, options)],
        author=author,
        by_hand=options.by_hand or account_of(author) is None,
        at=at,
        is_sure=options.sure,
    )


def chosen_by_hand(study: Study, case: Case, options: DecideOptions) -> Chosen:
    """A decision as an order has it.

    Raises OrderRefused for what the submission's status does not allow, and RejectionRefused.
    """
    assert case.submission is not None
    kind, reason, text = options.kind, options.reason.strip(), options.text.strip()
    category = options.category
    if kind == REJECT:
        check_rejection(
            case,
            category=category,
            reason=text,
            study_minutes=definition_of(study).estimated_minutes,
            usual=times_of(study, index_of(study)).usual if category == BY_TIMES else None,
        )
    elif kind not in (BONUS, MESSAGE) and case.status not in OPEN[kind]:
        raise OrderRefused(f"A submission that is {case.status.lower()} does not take this.")
    # A bonus and a message are for what the reason says: the same once more is a second click.
    purpose = {BONUS: reason, MESSAGE: f"message: {text}"[:200], RETURN: RETURN}.get(kind, REWARD)
    return Chosen(
        case.submission,
        kind,
        purpose,
        reason,
        text if kind != BONUS else "",
        category=category if kind == REJECT else "",
        cents=options.amount if kind == BONUS else None,
    )


#: The statuses in which Prolific takes an approval or a request for a return.
OPEN = {
    "approve": ("AWAITING REVIEW", "TIMED-OUT"),
    "return": ("AWAITING REVIEW", "TIMED-OUT", "ACTIVE"),
}


def look_up(study: Study, submission: int, author: User) -> SubmissionOnProlific:
    """The submission with its IDs; the study's log records that `author` looked. Raises Http404."""
    case, row = case_or_404(study, submission), row_or_404(study, submission)
    who = {"rater": case.pseudonym} if case.pseudonym else {"name": f"submission {row.pk}"}
    record(study, author, StudyEvent.IDENTITY_SHOWN, **who)
    return row
