"""What a report says of the locked plan, and of what was done otherwise. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.text.cells import Sentence
from analysis.text.sentences import Sentences

say = Sentences("plan.j2")


def plan_sentences(
    plan: Mapping[str, Any] | None, *, not_counted: Sequence[str], code: str
) -> Iterator[Sentence]:
    """Of a manifest's `plan`. `not_counted` names those who are included though they never count,
    `code` is the digest of the analysis code.
    """
    if plan is None:
        yield say("not_locked")
        return
    yield say("locked", plan=plan)
    if not_counted:
        yield say("not_compared", names=not_counted)
    elif plan["deviations"]:
        yield say("deviations", deviations=plan["deviations"])
    else:
        yield say("as_planned")
    if plan["code"] != code:
        yield say("other_code")
