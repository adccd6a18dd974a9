"""What exactly is asked for a call: its row, its study and its judge's rubric put together."""

from judge import prompts
from judge.definition import JudgeConfiguration
from judge.exchange import Request
from judge.models import Call, Judge
from survey.definition import StudyDefinition
from survey.tidy import definition_of


def messages_for(
    call: Call, *, study: StudyDefinition, configuration: JudgeConfiguration
) -> list[prompts.Message]:
    """The messages of a call."""
    scenario = call.response.scenario
    questions = {dimension.name: dimension.question for dimension in study.rated.dimensions}
    return prompts.messages(
        rubric=configuration.rubric,
        scale=study.rated.scale,
        between=study.rated.kind == "slider",
        question=questions[call.dimension],
        prompt=scenario.prompt,
        context=scenario.context,
        response=call.response.text,
    )


def request_for(
    call: Call, *, request_id: str, study: StudyDefinition, configuration: JudgeConfiguration
) -> Request:
    """What is sent to the endpoint for a call."""
    seed = configuration.seed
    return Request(
        id=request_id,
        model=configuration.model,
        messages=messages_for(call, study=study, configuration=configuration),
        temperature=configuration.temperature,
        max_tokens=configuration.max_tokens,
        seed=None if seed is None else seed + call.replicate,
    )


def missing_tokens(judge: Judge) -> int:
    """About how many tokens the calls that are not answered yet will take."""
    study = definition_of(judge.study)
    configuration = judge.read_configuration()
    missing = judge.calls.exclude(state=Call.State.ANSWERED).select_related("response__scenario")
    return sum(
        prompts.approximate_tokens(messages_for(call, study=study, configuration=configuration))
        for call in missing
    )
