"""Queueing what judges lack, for the page and the API."""

from collections import Counter
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction

from dashboard.shared.log import record
from judge.asking import ended_incomplete
from judge.configure import move_judges_here
from judge.endpoints import JudgeNotReady, check_endpoint
from judge.models import Call, Judge
from judge.plans import queue_call, queue_missing
from judge.queries import current_judges, wanted_calls
from survey.models import Study


@dataclass
class QueuedCalls:
    """What was queued: the judges that can be asked, how many of their calls, how many ended
    incomplete and are not asked again, by outcome, and in words what keeps others from being asked.
    """

    ready: list[Judge] = field(default_factory=list)
    calls: int = 0
    incomplete: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def queue_missing_calls(study: Study, judge: str = "", *, author: User) -> QueuedCalls:
    """Queue the missing calls of all judges of a study, or of the one of that name, and lift their
    stops, for `author`. Workers must be woken for `ready`.
    """
    current = [each.name for each in current_judges(study)]
    queued = QueuedCalls()
    if judge and judge not in current:
        queued.problems.append(f"{study} has no judge {judge!r}.")
        return queued
    for name in [judge] if judge else current or [""]:
        try:
            with transaction.atomic():
                chosen = move_judges_here(study, [name] if name else [])
                queued.calls += sum(queue_judge(each) for each in chosen)
            for each in chosen:
                queued.incomplete.update(ended_incomplete(wanted_calls(each)))
            queued.ready += chosen
        except JudgeNotReady as problem:
            queued.problems.append(f"{name or study}: nothing was queued, because {problem}.")
    if queued.ready:
        names = ", ".join(each.name for each in queued.ready)
        record(study, author, "judges asked", name=names, calls=queued.calls)
    return queued


def ask_again(judge: Judge, call: Call | None, *, author: User) -> int:
    """Queue one failed call of a judge again, or all that it lacks, refused ones too; how many.
    Workers must be woken for it. Raises JudgeNotReady, having queued nothing.
    """
    try:
        calls = _queue_again(judge, call)
    except JudgeNotReady as problem:
        raise JudgeNotReady(f"{judge}: nothing was queued, because {problem}.") from None
    record(judge.study, author, "judges asked", name=judge.name, calls=calls)
    return calls


def _queue_again(judge: Judge, call: Call | None) -> int:
    if not judge.is_current:
        raise JudgeNotReady("it is an earlier version, or no longer in the study's file")
    if call is None:
        return queue_judge(judge, retry=True)
    check_endpoint(judge.read_configuration())
    if not queue_call(call):
        raise JudgeNotReady(f"call {call.pk} is {call.state}, and only failed ones are asked again")
    return 1


def queue_judge(judge: Judge, *, retry: bool = False) -> int:
    """Queue what a judge lacks (see `judge.plans.queue_missing`); how much. Raises
    JudgeNotReady.
    """
    check_endpoint(judge.read_configuration())
    return queue_missing(judge, retry=retry)
