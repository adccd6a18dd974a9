"""Queueing what judges lack, for pages, the API and commands. The log has who asked."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction
from pydantic import Field

from judge.asking import ended_incomplete
from judge.configure import move_judges_here
from judge.endpoints import JudgeNotReady, check_endpoint
from judge.models import Call, Judge
from judge.plans import queue_call, queue_missing
from judge.queries import current_judges, wanted_calls
from survey.definition.parts import Part
from survey.files.suggestions import did_you_mean
from survey.models import Study, StudyEvent


class RetryOptions(Part):
    """What to ask a judge again."""

    call: int | None = Field(
        default=None, ge=1, le=2**63 - 1, description="without it, all that it lacks"
    )


@dataclass
class QueuedCalls:
    """What was queued: the judges that can be asked, how many of their calls, how many ended
    incomplete and are not asked again, by outcome, and in words what keeps others from being asked.
    """

    ready: list[Judge] = field(default_factory=list)
    calls: int = 0
    incomplete: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def check_names(study: Study, names: Collection[str]) -> None:
    """Raise JudgeNotReady if the study has judges, but none of one of these names."""
    known = [judge.name for judge in current_judges(study)]
    if known and (unknown := sorted(set(names) - set(known))):
        near = did_you_mean(unknown[0], known)
        there = f"there are {', '.join(known)}{near}"
        raise JudgeNotReady(f"{study} has no judge {unknown[0]!r}; {there}")


def queue_missing_calls(
    study: Study, names: Collection[str] = (), *, author: User | None
) -> QueuedCalls:
    """Queue the missing calls of all judges of a study, or of those of these names, and lift their
    stops. One that can't be asked is among the problems, and others are queued all the same.
    Workers must be woken for `ready`.
    """
    queued = QueuedCalls()
    try:
        check_names(study, names)
    except JudgeNotReady as problem:
        queued.problems.append(f"{problem}.")
        return queued
    for name in names or [judge.name for judge in current_judges(study)] or [""]:
        try:
            _queue(study, [name] if name else [], queued, author)
        except JudgeNotReady as problem:
            queued.problems.append(f"{name or study}: nothing was queued, because {problem}.")
    return queued


def queue_all_or_none(
    study: Study,
    names: Collection[str] = (),
    *,
    retry: bool = False,
    to_stand_in: bool = False,
    author: User | None,
) -> Iterator[QueuedCalls]:
    """The same, judge by judge, so that each can be woken for while others are queued; nothing is
    queued if one of them can't be asked. With `retry`, also calls whose answer was refused,
    filtered or cut off. Raises JudgeNotReady before the first.
    """
    check_names(study, names)
    with transaction.atomic():
        judges = move_judges_here(study, names, to_stand_in=to_stand_in)
        for judge in judges:
            check_endpoint(judge.read_configuration())
    for judge in judges:
        with transaction.atomic():  # of its own: see `_queue`
            calls = queue_missing(judge, retry=retry)
        incomplete = Counter(ended_incomplete(wanted_calls(judge)))
        queued = QueuedCalls([judge], calls, incomplete)
        _record(study, queued, author)
        yield queued


def ask_again(judge: Judge, call: Call | None, *, author: User | None) -> int:
    """Queue one failed call of a judge again, or all that it lacks, refused ones too; how many.
    Workers must be woken for it. Raises JudgeNotReady, having queued nothing.
    """
    try:
        calls = _queue_again(judge, call)
    except JudgeNotReady as problem:
        raise JudgeNotReady(f"{judge}: nothing was queued, because {problem}.") from None
    _record(judge.study, QueuedCalls([judge], calls), author)
    return calls


# Queueing locks a judge's endpoint: two processes with several locks could deadlock.
@transaction.atomic
def _queue(study: Study, names: Collection[str], queued: QueuedCalls, author: User | None) -> None:
    judges = move_judges_here(study, names)
    calls = sum(_queue_judge(judge, retry=False) for judge in judges)
    for judge in judges:
        queued.incomplete.update(ended_incomplete(wanted_calls(judge)))
    queued.calls += calls
    queued.ready += judges
    _record(study, QueuedCalls(judges, calls), author)


def _queue_again(judge: Judge, call: Call | None) -> int:
    if not judge.is_current:
        raise JudgeNotReady("it is an earlier version, or no longer in the study's file")
    if call is None:
        return _queue_judge(judge, retry=True)
    check_endpoint(judge.read_configuration())
    if not queue_call(call):
        raise JudgeNotReady(f"call {call.pk} is {call.state}, and only failed ones are asked again")
    return 1


def _queue_judge(judge: Judge, *, retry: bool) -> int:
    check_endpoint(judge.read_configuration())
    return queue_missing(judge, retry=retry)


def _record(study: Study, queued: QueuedCalls, author: User | None) -> None:
    if queued.ready:
        names = ", ".join(judge.name for judge in queued.ready)
        detail = {"name": names, "calls": queued.calls}
        StudyEvent.objects.create(study=study, author=author, action="judges asked", detail=detail)
