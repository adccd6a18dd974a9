"""What Prolific should do when participants enter the code of an ending. Pure."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from survey.definition.settings import Prolific

APPROVE, REVIEW, REQUEST_RETURN = "AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "REQUEST_RETURN"


class Recommendation(NamedTuple):
    """Prolific's type of a code, the action that we recommend, and why."""

    code_type: str
    action: str
    why: str
    #: What participants read whom Prolific asks to return their submission.
    return_reason: str = ""


#: By ending.
RECOMMENDED = {
    "completed": Recommendation(
        "COMPLETED", APPROVE, "or MANUALLY_REVIEW, if you look at every submission before you pay"
    ),
    "failed_attention": Recommendation(
        "FAILED_ATTENTION_CHECK",
        REVIEW,
        "look at both answers and ask for a return before you reject; Fivefold never rejects",
    ),
    "failed_comprehension": Recommendation(
        "OTHER",
        REQUEST_RETURN,
        "never reject for it; or pay the fixed screen-out reward, if your workspace offers it",
        "Your answers to the questions about the instructions were not all right.",
    ),
    "screened_out": Recommendation(
        "SCREENED_OUT",
        REQUEST_RETURN,
        "or FIXED_SCREEN_OUT_PAYMENT with a code of type FIXED_SCREENOUT, if your workspace "
        "offers it",
        "By your first answers, this study is not for you.",
    ),
    "declined": Recommendation(
        "NO_CONSENT",
        REQUEST_RETURN,
        "they gave no data and are paid nothing",
        "You did not consent to take part.",
    ),
    "full": Recommendation(
        "OTHER",
        REQUEST_RETURN,
        "they came in good faith: consider a small bonus",
        "The study was full when you arrived.",
    ),
    "withdrawn": Recommendation(
        "OTHER",
        REVIEW,
        "withdrawing must not cost them their pay; the payment key is kept until its date",
    ),
}


def completion_codes(
    prolific: Prolific, endings: Iterable[str], *, review_all: bool = False
) -> list[dict[str, Any]]:
    """The codes of these endings as the API takes them, with the actions that we recommend.

    With `review_all`, completed submissions wait for a review before they are paid.
    """
    codes = []
    for ending in endings:
        code, recommended = prolific.code(ending), RECOMMENDED[ending]
        if code is None:
            continue
        action = {"action": recommended.action}
        if review_all and recommended.action == APPROVE:
            action = {"action": REVIEW}
        if recommended.action == REQUEST_RETURN:
            action["return_reason"] = recommended.return_reason
        codes.append(
            {
                "code": code,
                "code_type": recommended.code_type,
                "actor": "participant",
                "actions": [action],
            }
        )
    return codes
