"""One judge: how far it has come, what came of its requests, and what they look like."""

from dataclasses import dataclass
from functools import cached_property

from dashboard.judges.gold_choice import why_not_gold
from dashboard.judges.scores import Example, example
from dashboard.judges.sources import JudgeState, judge_state, key, models_that_answered
from judge.configuration import JudgeConfiguration
from judge.endpoint_traits import NotAccepted, not_accepted
from judge.endpoints import endpoint_if_set_up, endpoint_of
from judge.models import Attempt, Judge, StructuredOutput
from judge.queries import Progress, failure_reasons, progress
from survey.tidy import definition_of


@dataclass(frozen=True)
class JudgeRecord:
    """A version of a judge. Counts are by what is counted, the most frequent first."""

    judge: Judge
    state: JudgeState
    progress: Progress
    answered_by: list[tuple[str, int]]
    outcomes: list[tuple[str, int]]

    @property
    def key(self) -> str:
        return key(self.judge)

    @property
    def configuration(self) -> JudgeConfiguration:
        return self.state.configuration

    @property
    def failures(self) -> list[tuple[str, int]]:
        """Why calls failed."""
        return failure_reasons(self.judge)

    @property
    def why_not_gold(self) -> str:
        return why_not_gold(self.judge.study, self.state.source)

    @property
    def structured(self) -> StructuredOutput | None:
        """Whether its endpoint enforces a JSON schema, where that is known."""
        known = StructuredOutput.objects.filter(
            endpoint=self.judge.endpoint, model=self.judge.model
        )
        return known.first()

    @cached_property
    def traits(self) -> list[NotAccepted]:
        """What its endpoint does not accept of requests."""
        here = endpoint_if_set_up(lambda: endpoint_of(self.configuration))
        return not_accepted(self.judge.endpoint, self.judge.model, here)

    @property
    def example(self) -> Example | None:
        """Its first request, as it would be sent."""
        known = self.structured
        support = known.support if known else ""
        return example(
            self.judge, self.configuration, support, frozenset(each.trait for each in self.traits)
        )


def judge_record(judge: Judge) -> JudgeRecord:
    """What there is to know of a judge at this moment."""
    progressed, labels = progress(judge), dict(Attempt.Outcome.choices)
    outcomes = ((labels[each], n) for each, n in progressed.attempts_by_outcome.items())
    return JudgeRecord(
        judge,
        judge_state(judge, definition_of(judge.study)),
        progressed,
        models_that_answered(judge),
        sorted(outcomes, key=lambda pair: -pair[1]),
    )
