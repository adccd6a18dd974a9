"""The comprehension check: questions about the instructions, in at most two attempts."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from survey import access, attempts
from survey.content import StudyContent
from survey.definition import StudyDefinition
from survey.forms.attempts import ATTEMPT, read_attempt
from survey.forms.questions import question_items, read_choices
from survey.models import Participant
from survey.views.participant import last_page, show_page, to_current_page, to_next_page


def show_comprehension(
    request: HttpRequest, participant: Participant, content: StudyContent, number: int, /
) -> HttpResponse:
    """The questions, or the record of an attempt. After a failed one, the instructions come again
    with the questions below; after the last one the survey has ended.
    """
    if participant.pages_done >= number:
        return to_current_page(participant)
    check = content.definition.comprehension
    shown = content.in_language(participant.language)
    assert check is not None
    assert shown.comprehension is not None
    earlier = [made.answers for made in participant.comprehension_attempts.order_by("number")]
    attempt = len(earlier) + 1
    sent: dict[str, object] | None = None
    errors: dict[str, str] = {}
    if request.method == "POST":
        if read_attempt(request.POST) != attempt:  # it was made before: sent twice, or by Back
            return to_current_page(participant)
        checked = read_choices(request.POST, check.questions, shown.comprehension.questions)
        sent, errors = checked.sent, checked.errors
        if not errors:
            wrong = check.wrong(checked.values)
            attempts.record_comprehension(
                participant=participant,
                attempt=attempt,
                answers=checked.values,
                passed=not wrong,
                attempts=check.attempts,
                page=number,
                last=last_page(participant.study, content),
                at=access.time_of(request, participant),
            )
            if not wrong:
                return to_next_page(participant, content, number)
            participant.refresh_from_db(fields=["status"])
            return to_current_page(participant)
    values = comprehension_context(
        content.definition,
        shown,
        attempt=attempt,
        before=earlier[-1] if earlier and access.is_own(request, participant) else None,
        sent=sent,
        errors=errors,
    )
    return show_page(request, "survey/comprehension.html", participant, content, number, values)


def comprehension_context(
    definition: StudyDefinition,
    shown: StudyDefinition,
    *,
    attempt: int,
    before: Mapping[str, str] | None = None,
    sent: Mapping[str, object] | None = None,
    errors: Mapping[str, str] = {},
) -> dict[str, Any]:
    """What survey/comprehension.html shows at an attempt. `before` are the answers of the one
    before, unless this browser must not show them: right ones are chosen again, wrong ones marked.
    """
    check, translated = definition.comprehension, shown.comprehension
    assert check is not None
    assert translated is not None
    wrong: Sequence[str] = check.wrong(dict(before)) if before is not None else ()
    if sent is None:
        sent = {name: answer for name, answer in (before or {}).items() if name not in wrong}
    items = question_items(check.questions, translated.questions, sent, errors)
    for item in items:
        item["was_wrong"] = item["question"].name in wrong
    return {
        "items": items,
        "errors": errors,
        "attempt_name": ATTEMPT,
        "attempt": attempt,
        "is_last": attempt >= check.attempts,
        "wrong": [item["question"] for item in items if item["was_wrong"]],
    }
