"""What exactly is asked for a call: its row, its study and its judge's rubric put together."""

from judge import prompts
from judge.definition import JudgeConfiguration
from judge.models import Call, Judge
from survey.definition import StudyDefinition
from survey.tidy import definition_of


def messages_for(
    call: Call, *, study: StudyDefinition, configuration: JudgeConfiguration
) -> list[prompts.Message]:
    """The messages of a call."""
    scenario = call.response.scenario
    question = next(d.question for d in study.likert.dimensions if d.name == call.dimension)
    return prompts.messages(
        rubric=configuration.rubric,
        scale=study.likert.scale,
        question=question,
        prompt=scenario.prompt,
        context=scenario.context,
        response=call.response.text,
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
