"""Requests to a judge's endpoint that are no calls of a judge: each is repeated until it is
answered, as calls are. Nothing of them is stored, apart from what the endpoint does not accept.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from django.conf import settings

from judge.asking import LONGEST_WAIT_SECONDS, backoff_seconds
from judge.endpoint_traits import note_trait, traits_at
from judge.endpoints import EndpointHere
from judge.exchange import ExchangeFailed, JudgeRequest, Reply, Scope
from judge.models import Endpoint
from judge.providers import Provider

Answer = TypeVar("Answer")


class PatientClient:
    """One endpoint, asked for one thing at a time. `model_source` says where the model was chosen.

    A rate limit and other temporary failures are waited out, up to JUDGE_MAX_ATTEMPTS requests;
    `before_request` is called before each request, repeated ones included, and `after_failure`
    after each that has no answer; both may raise.
    """

    def __init__(
        self,
        endpoint: EndpointHere,
        *,
        model_source: str,
        before_request: Callable[[], None] = lambda: None,
        after_failure: Callable[[ExchangeFailed], None] = lambda failure: None,
    ) -> None:
        self.identity = endpoint.identity
        self._here = endpoint
        #: The body of the last chat request.
        self.sent: dict[str, Any] = {}
        self._before_request = before_request
        self._after_failure = after_failure
        self._provider = Provider.at(endpoint, model_source=model_source)

    def close(self) -> None:
        """Close the connections."""
        self._provider.close()

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """What the endpoint answers to `body`, which has a `model`. Raises ExchangeFailed."""
        return self._patiently(lambda: self._provider.post(path, body))

    def ask(self, request: JudgeRequest) -> Reply:
        """The completion of a chat. Raises ExchangeFailed."""
        endpoint, _ = Endpoint.objects.get_or_create(base_url=self.identity)

        def adapted() -> JudgeRequest:
            return replace(request, traits=traits_at(endpoint, request.model, self._here))

        def adapts(failure: ExchangeFailed) -> bool:
            return note_trait(endpoint, request.model, self._here, failure, self.sent)

        def send() -> "Future[Reply]":
            asked = adapted()
            self.sent = asked.body()
            return self._provider.ask(asked)

        return self._patiently(send, adapts)

    def _patiently(
        self,
        send: "Callable[[], Future[Answer]]",
        adapts: Callable[[ExchangeFailed], bool] = lambda failure: False,
    ) -> Answer:
        """What is answered in the end. A request that `adapts` to a failure is sent again."""
        tries = 0
        while True:
            self._before_request()
            try:
                return send().result()
            except ExchangeFailed as failure:
                self._after_failure(failure)
                if adapts(failure):
                    continue
                tries += 1
                if failure.scope is not Scope.TEMPORARY or tries >= settings.JUDGE_MAX_ATTEMPTS:
                    raise
                wait = max(backoff_seconds(tries), failure.retry_after or 0)
                time.sleep(min(wait, LONGEST_WAIT_SECONDS))
