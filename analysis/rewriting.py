"""Texts rewritten by a language model, for perturbations."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.conf import settings

from analysis.not_computed import NotComputed
from analysis.perturbation_requests import installed_rewriter
from analysis.perturbations import Perturbation
from analysis.perturbations.rewritten import rewritten_text
from judge.again import count_in_budget, settle_failure_in_budget, settle_in_budget
from judge.completions import Ended
from judge.endpoints import ready_endpoint
from judge.exchange import ExchangeFailed, JudgeRequest, Tokens
from judge.models import Attempt
from judge.money import Price
from judge.patient import PatientClient
from judge.prompts import tokens_in
from judge.seeds import own_seed
from judge.spending import OF_STUDY, cost_of, priced, rounded, why_no_other
from survey.models import Study
from survey.storable import storable

#: Rewriting is paid from the budget of the study's judges.
OF_INSTALLED = replace(
    OF_STUDY,
    give_price="set REWRITER_PRICE_INPUT and REWRITER_PRICE_OUTPUT (0 for a server of your own)",
)
OF_NAMED = replace(
    OF_STUDY, give_price="give the rewriter a price (0 for a server of your own): --rewriter-price"
)


@dataclass
class Rewriter:
    """A language model that rewrites one text at a time, within the budget of a study's judges."""

    client: PatientClient
    model: str
    seed: int
    study: Study
    price: Price | None
    is_installed: bool
    #: What its answers cost, in US dollars; None for each that is unknown.
    costs: list[Decimal | None] = field(default_factory=list)
    #: Expected US dollars of the request in flight; None if unknown.
    expected: Decimal | None = None

    def of(self, perturbation: Perturbation, text: str, about: str) -> tuple[str, dict[str, Any]]:
        """The rewritten text, empty if there is none, and how it was made or why there is none.
        Raises BudgetUsedUp before anything is sent, and ExchangeFailed.
        """
        prompt = perturbation.prompt(text)
        self.expected = self._expected(prompt, text)
        seed = own_seed(self.seed, about=[about], dimension=perturbation.name, replicate=0)
        request = JudgeRequest(
            id=str(uuid4()),
            model=self.model,
            messages=[{"role": "user", "content": prompt}],
            temperature=settings.REWRITER_TEMPERATURE,
            max_tokens=None,
            seed=seed,
        )
        made: dict[str, Any] = {
            "by": self.model,
            "endpoint": self.client.identity,
            "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest(),
        }
        try:
            reply = self.client.ask(request)
        except ExchangeFailed as failure:
            if failure.outcome != Attempt.Outcome.FILTERED:
                raise
            return "", made | {"ended": str(Ended.FILTERED), "why_none": str(failure)}
        cost, is_estimate = cost_of(reply, self.price)
        self.costs.append(cost)
        settle_in_budget(self.study, self.expected, cost, is_estimate=is_estimate)
        sent, said = self.client.sent, reply.said
        made |= {
            "answered_by": reply.model,
            "temperature": sent.get("temperature"),
            "seed": sent.get("seed"),
            "response_id": reply.provenance.get("response_id"),
            "ended": str(said.ended),
        }
        rewritten, taken_off = rewritten_text(said.answer, text) if said.is_whole else ("", [])
        about_it = {
            "notices": [*map(str, said.notices), *taken_off],
            "thinking": storable(said.thinking),
            "why_none": said.why_not_whole,
        }
        return rewritten, made | {name: value for name, value in about_it.items() if value}

    def count(self) -> None:
        """Count a request, and what it may cost, before it is sent. Raises BudgetUsedUp."""
        count_in_budget(
            self.study,
            self.expected,
            lambda budget: why_no_other(
                self.study,
                budget,
                OF_INSTALLED if self.is_installed else OF_NAMED,
                expected=self.expected,
                is_unknown=lambda: None in self.costs,
            ),
        )

    def settle_failure(self, failure: ExchangeFailed) -> None:
        """Take back what a request might have cost, if it can't have been paid."""
        settle_failure_in_budget(self.study, self.expected, failure)

    def _expected(self, prompt: str, text: str) -> Decimal | None:
        """The mean cost so far, else that of texts as long as these."""
        known = [cost for cost in self.costs if cost is not None]
        if known:
            return rounded(sum(known, Decimal(0)) / len(known))
        if self.price is None:
            return None
        return priced(self.price, Tokens(tokens_in(prompt), tokens_in(text)))


@contextmanager
def rewriter(
    study: Study,
    endpoint: str,
    model: str,
    *,
    seed: int,
    price: Price | None = None,
    before_request: Callable[[], None],
) -> Iterator[Rewriter]:
    """The model at an endpoint of judges, by name; without a `price` that of the installation holds
    if it is its rewriter. `before_request` is called once a request is counted in the study's
    budget. Raises JudgeNotReady and NotComputed.
    """
    if not endpoint or not model:
        missing = "model" if endpoint else "endpoint"
        raise NotComputed(f"rewriting needs an endpoint and a model: name the {missing}, too")
    asked: list[Rewriter] = []

    def count() -> None:
        asked[0].count()
        before_request()

    def settle_failure(failure: ExchangeFailed) -> None:
        asked[0].settle_failure(failure)

    client = PatientClient(
        ready_endpoint(endpoint),
        model_source="the model that rewrites",
        before_request=count,
        after_failure=settle_failure,
    )
    with closing(client):
        here = installed_rewriter()
        is_installed = (endpoint, model) == (here.endpoint, here.model)
        if price is None and is_installed:
            price = price_here()
        asked.append(Rewriter(client, model, seed, study, price, is_installed))
        yield asked[0]


def price_here() -> Price | None:
    """The price of the installation's rewriter, if both of its prices are set."""
    asked, answered = settings.REWRITER_PRICE_INPUT, settings.REWRITER_PRICE_OUTPUT
    if asked is None or answered is None:
        return None
    return Price(input=asked, output=answered)
