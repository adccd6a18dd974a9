"""Asking a judge about texts that are no responses, such as changed ones. What it says is not
stored here; what it costs counts in the study's budget.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from uuid import uuid4

from django.db import transaction

from judge import prompts
from judge.configuration import JudgeConfiguration
from judge.doubts import Unusable
from judge.endpoints import JudgeNotReady, check_endpoint
from judge.exchange import ExchangeFailed, JudgeRequest, Reply
from judge.models import Attempt, Judge, Judging, StructuredOutput
from judge.money import Budget
from judge.patient import PatientClient
from judge.probing import structured_output
from judge.questions import options_for
from judge.reading import scores_of
from judge.seeds import own_seed
from judge.spending import cost_of, expected_cost, why_no_more
from survey.models import Study
from survey.refusals import Conflict


@dataclass
class AskedAgain:
    """A judge of single responses, asked for one score at a time. See `asked_again`."""

    judge: Judge
    configuration: JudgeConfiguration
    structured: bool
    client: PatientClient
    #: Expected US dollars of the request in flight; None if unknown.
    expected: Decimal | None = None

    @property
    def dimensions_of_calls(self) -> list[str]:
        """The dimension of each request about a text; empty where it is about all."""
        return self.configuration.dimensions_of_calls

    def scores(
        self, text: str, *, prompt: str, context: str, scenario: str, about: Sequence[str],
        dimension: str,
    ) -> dict[str, float]:  # fmt: skip
        """What the judge says of `text`, by dimension; nothing where its answer has no usable
        score. `about` names the text: its request has a seed of its own.

        Raises Conflict where the budget is used up, before anything is sent, and ExchangeFailed.
        """
        asked = self.configuration.asked_in(dimension)
        messages = prompts.messages(
            self.configuration,
            dimensions=asked,
            prompt=prompt,
            context=context,
            responses=[text],
            scenario=scenario,
        )
        seed = self.configuration.seed
        tokens = prompts.approximate_tokens(messages, self.configuration, len(asked))
        self.expected = expected_cost(self.judge, self.configuration, tokens)
        request = JudgeRequest(
            id=str(uuid4()),
            model=self.configuration.model,
            messages=messages,
            temperature=self.configuration.temperature,
            max_tokens=self.configuration.max_tokens,
            seed=None
            if seed is None
            else own_seed(seed, about=about, dimension=dimension, replicate=0),
            schema=prompts.answer_schema(self.configuration, 1, asked) if self.structured else None,
            options=options_for(self.configuration, asked, prompt=prompt, responses=[text]),
        )
        try:
            reply = self.client.ask(request)
        except ExchangeFailed as failure:
            if failure.outcome != Attempt.Outcome.FILTERED:
                raise
            return {}
        self._settle(reply)
        try:
            scored = scores_of(reply.said, self.configuration, responses=1, dimensions=asked)
        except Unusable:
            return {}
        return {name: float(each.score) for name, each in zip(asked, scored, strict=True)}

    def count(self) -> None:
        """Count a request, and what it may cost, before it is sent. Raises Conflict."""
        count_in_budget(
            self.judge.study,
            self.expected,
            lambda budget: why_no_more(self.judge, budget, expected=self.expected),
        )

    def settle_failure(self, failure: ExchangeFailed) -> None:
        """Take back what a request might have cost, if it can't have been paid."""
        settle_failure_in_budget(self.judge.study, self.expected, failure)

    def _settle(self, reply: Reply) -> None:
        """Put what an answer cost in the place of what it might have cost."""
        cost, is_estimate = cost_of(reply, self.configuration.price)
        settle_in_budget(self.judge.study, self.expected, cost, is_estimate=is_estimate)


@contextmanager
def asked_again(
    judge: Judge,
    *,
    before_request: Callable[[], None] = lambda: None,
) -> Iterator[AskedAgain]:
    """The judge, as long as it is asked. Raises JudgeNotReady if it cannot be asked here, or sees
    several responses at once. `before_request` is called once a request is counted.
    """
    configuration = judge.read_configuration()
    if configuration.presentation != "single":
        raise JudgeNotReady(
            f"{judge} sees several responses at once: only judges of single ones can be asked "
            "about changed texts"
        )
    here = check_endpoint(configuration)
    asked: list[AskedAgain] = []

    def count() -> None:
        asked[0].count()
        before_request()

    def settle_failure(failure: ExchangeFailed) -> None:
        asked[0].settle_failure(failure)

    client = PatientClient(
        here,
        model_source=f"the model of {judge}",
        before_request=count,
        after_failure=settle_failure,
    )
    with closing(client):
        support = structured_output(judge)
        enforced = support == StructuredOutput.Support.ENFORCED
        asked.append(AskedAgain(judge, configuration, enforced, client))
        yield asked[0]


def count_in_budget(
    study: Study, expected: Decimal | None, why_not: Callable[[Budget], str]
) -> None:
    """Count a request in the budget of a study's judges, with its `expected` cost in US dollars,
    before it is sent. Raises Conflict if `why_not` says something of that budget.
    """
    with transaction.atomic():
        judging = Judging.objects.select_for_update().filter(study=study).first()
        if judging is None:
            return  # a study without judges has no budget
        if why := why_not(judging.read_definition().budget):
            raise Conflict(why)
        judging.past_requests += 1
        if expected is None:
            judging.past_unpriced += 1
        else:
            judging.past_money += expected
            judging.past_estimated += expected
        judging.save()


def settle_failure_in_budget(
    study: Study, expected: Decimal | None, failure: ExchangeFailed
) -> None:
    """Put nothing in the place of what a counted request might have cost, unless it failed in a way
    that may be paid.
    """
    if failure.outcome not in Attempt.POSSIBLY_PAID:
        settle_in_budget(study, expected, Decimal(0), is_estimate=False)


def settle_in_budget(
    study: Study, expected: Decimal | None, cost: Decimal | None, *, is_estimate: bool
) -> None:
    """Put what a counted request cost, if that is known, in the place of what it might have."""
    if cost is None:
        return
    with transaction.atomic():
        judging = Judging.objects.select_for_update().filter(study=study).first()
        if judging is None:
            return
        if expected is None:
            judging.past_unpriced -= 1
        else:
            judging.past_money -= expected
            judging.past_estimated -= expected
        judging.past_money += cost
        judging.past_estimated += cost if is_estimate else 0
        judging.save()
