"""Judges and gold scores in the database, as they stand there after scoring."""

from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import QuerySet

from judge.configure import configure_judging
from judge.definition import JudgingDefinition
from judge.gold import add_gold_set, choose_gold
from judge.models import Attempt, Call, GoldSet, Judge, Score
from judge.plans import plan_calls
from judge.queries import Gold, current_judges
from judge.questions import responses_of
from survey.models import Response, Study

Value = Callable[[Response, Call], int]


def describe(study: Study, *judges: dict[str, Any], **section: Any) -> list[Judge]:
    """The judges that a study's file would describe so, in the order of their names."""
    definition = {"judges": [{"name": "judge"} | judge for judge in judges or ({},)]} | section
    configure_judging(study, JudgingDefinition.model_validate(definition))
    return list(current_judges(study).order_by("name"))


def planned(study: Study, **definition: Any) -> Judge:
    """The only judge of a study, with all its calls waiting."""
    (judge,) = describe(study, definition)
    plan_calls(judge)
    return judge


def answer_calls(calls: QuerySet[Call] | Iterable[Call], value: Value = lambda *_: 3) -> None:
    """Have calls answered, each with an attempt that cost half a cent."""
    for call in calls:
        Call.objects.filter(pk=call.pk).update(state="answered")
        for response in responses_of(call):
            score = value(response, call)
            Score.objects.create(call=call, response=response, value=score, reason=f"It is {score}")
        add_attempt(call, "answered", raw_text='{"score": 3}', cost="0.005")


def add_attempt(call: Call, outcome: str, **columns: Any) -> Attempt:
    """One more attempt at a call."""
    number = call.attempts.count() + 1
    return Attempt.objects.create(
        call=call,
        number=number,
        request_id=f"{call.pk}-{number}",
        outcome=outcome,
        request={
            "model": "m",
            "messages": [{"role": "user", "content": "How warm is it?"}],
            "temperature": 1.0,
        },
        **columns,
    )


def fail_call(call: Call, error: str, raw_text: str = "") -> None:
    """Have a call fail, with what came back last."""
    Call.objects.filter(pk=call.pk).update(state="failed", error=error)
    add_attempt(call, "unusable", raw_text=raw_text, error=error, cost="0.005")


def gold_set(
    study: Study, value: float = 3.5, *, name: str = "imported", calls: tuple[float, ...] = (3, 4)
) -> GoldSet:
    """The same gold score for every response and dimension, from a file, chosen as gold."""
    dimensions = [d["name"] for d in study.definition["tasks"][0]["dimensions"]]
    scores = [
        Gold(response, dimension, value, list(calls))
        for response in Response.objects.filter(scenario__study=study).values_list("id", flat=True)
        for dimension in dimensions
    ]
    added = add_gold_set(study, name=name, made_by="", scores=scores)
    choose_gold(study, gold_set=added, why="for a test")
    return added
