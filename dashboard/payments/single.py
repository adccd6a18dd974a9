"""One submission: a decision by hand about it, and whose it is."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from dashboard.accounts.prolific import account_of
from dashboard.payments.case import Case
from dashboard.payments.case_index import index_of
from dashboard.payments.models import PaymentOrder
from dashboard.payments.orders import Chosen, OrderRefused, confirm
from dashboard.payments.proposals import BONUS, MESSAGE, REJECT, RETURN, REWARD
from dashboard.payments.rejections import BY_TIMES, check_rejection
from dashboard.payments.times import times_of
from dashboard.prolific.terms import cents_of
from dashboard.raters.models import SubmissionOnProlific
from survey.models import Study, StudyEvent
from survey.tidy import definition_of


def decide_by_hand(
    *, study: Study, case: Case, values: dict[str, Any], author: User, at: datetime
) -> PaymentOrder:
    """Confirm a decision from the checked values of `DecideForm`. The same once more is refused.

    Raises OrderRefused, AmountRefused, RejectionRefused; all change nothing.
    """
    return confirm(
        study=study,
        decisions=[chosen_by_hand(study, case, values)],
        author=author,
        by_hand=values["by_hand"] or account_of(author) is None,
        at=at,
        is_sure=values["sure"],
    )


def chosen_by_hand(study: Study, case: Case, values: dict[str, Any]) -> Chosen:
    """A decision from the checked values of `DecideForm`.

    Raises OrderRefused for what the submission's status does not allow, and RejectionRefused.
    """
    assert case.submission is not None
    kind, reason, text = values["kind"], values["reason"].strip(), values["text"].strip()
    category = values["category"]
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
        cents=cents_of(values["amount"]) if kind == BONUS else None,
    )


#: The statuses in which Prolific takes an approval or a request for a return.
OPEN = {
    "approve": ("AWAITING REVIEW", "TIMED-OUT"),
    "return": ("AWAITING REVIEW", "TIMED-OUT", "ACTIVE"),
}


@transaction.atomic
def look_up(
    *, study: Study, row: SubmissionOnProlific, pseudonym: str, author: User, at: datetime
) -> SubmissionOnProlific:
    """The submission with its IDs; the study's changes record that `author` looked."""
    who = {"rater": pseudonym} if pseudonym else {"name": f"submission {row.pk}"}
    StudyEvent.objects.create(
        study=study, author=author, at=at, action=StudyEvent.IDENTITY_SHOWN, detail=who
    )
    return row
