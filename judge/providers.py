"""The client for any OpenAI-compatible endpoint; it makes one attempt per call.

This is the only module that imports `openai`, and only workers import it (`judge.batch_client`
uses it for files and batches). `judge.calls` repeats failed requests, and stores a row for every
attempt.

Requests run in an event loop in a separate thread: only there can a request be cancelled at its
deadline at any point. The client's own timeouts restart with every byte received.
"""

import asyncio
import email.utils
import platform
import re
import ssl
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.metadata import version
from typing import Any, cast

import httpx2
import openai
from django.conf import settings
from openai.types.chat import ChatCompletionMessageParam
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from judge.completions import broke_off, read_completion, texts_of_thinking
from judge.endpoints import EndpointHere
from judge.error_words import SHOWN, ErrorWords, error_in, first_line, words_of
from judge.exchange import ExchangeFailed, JudgeRequest, Reply, Scope, Tokens
from judge.models import Attempt
from judge.traits import trait_behind

Outcome = Attempt.Outcome
#: The header that identifies our attempts in a server's log.
REQUEST_ID_HEADER = "X-Client-Request-Id"
COST_HEADER = "x-litellm-response-cost"
CONNECT_SECONDS = 10.0
#: Versions of the software that handled each answer.
VERSIONS = {
    "python": platform.python_version(),
    **{name: version(name) for name in ("openai", "httpx2", "pydantic")},
}
#: Temporary statuses; every 5xx is temporary too.
TEMPORARY_STATUSES = {408, 409, 429}
#: Limits for one answer: larger amounts are wrong and could not be stored.
TOO_MANY_DOLLARS, TOO_MANY_TOKENS = 10_000, 10**7
#: How endpoints say so, with whatever status. "This model does not support …" says something else.
UNKNOWN_MODEL = re.compile(
    r"\bmodel\b.{0,120}?\b(?:not found|not exists?|doesn't exist|is unknown)\b"
    r"|\b(?:unknown|invalid|no such|not a valid) model\b",
    re.IGNORECASE | re.DOTALL,
)
#: What is kept of an answer's usage, and where its details stand.
DETAILS = {
    "prompt_tokens_details": "cached_tokens",
    "completion_tokens_details": "reasoning_tokens",
}
USAGE = ("prompt_tokens", "completion_tokens", "total_tokens", "cost", *DETAILS.values())
#: Bytes of the largest answer that is read; files with the answers of a batch may be larger.
LARGEST, LARGEST_FILE = 4_000_000, 400_000_000
#: Shorter keys are placeholders such as `stand-in`, which answers can contain too.
SHORTEST_SECRET = 12
#: Wrong key, no credit, wrong address or unknown model: every other request would fail too.
JUDGE_STATUSES = {401, 402, 404, 405, 410}


Send = Callable[[openai.AsyncOpenAI], Awaitable[Any]]


class Lenient(BaseModel):
    """A part of an endpoint's answer: fields that we need are checked, others are ignored."""

    model_config = ConfigDict(extra="ignore")


class _Message(Lenient):
    #: A text, or a list of parts.
    content: Any = None
    refusal: Any = None
    #: Where endpoints put the model's thinking.
    reasoning_content: Any = None
    reasoning: Any = None
    reasoning_details: Any = None
    thinking: Any = None


class _Choice(Lenient):
    message: _Message
    finish_reason: Any = None
    #: Why it broke off, of some routers.
    error: Any = None


class _Completion(Lenient):
    choices: list[_Choice]
    id: Any = None
    model: Any = None
    provider: Any = None
    system_fingerprint: Any = None
    usage: Any = None


_JSON_OBJECT = TypeAdapter(dict[str, Any])


class Provider:
    """One endpoint. Requests are cancelled after `timeout_seconds`.

    Messages name `address_setting` where the address seems wrong, and `model_source`, where the
    model was chosen, if the endpoint does not know the model.
    """

    @classmethod
    def at(cls, here: EndpointHere, *, model_source: str) -> "Provider":
        """The endpoint that is set up here."""
        return cls(
            base_url=here.base_url,
            api_key=here.api_key,
            timeout_seconds=settings.JUDGE_TIMEOUT_SECONDS,
            address_setting=here.variable("BASE_URL"),
            model_source=model_source,
        )

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        timeout_seconds: float,
        address_setting: str,
        model_source: str,
    ) -> None:
        self._base_url = base_url
        self._secret = api_key if len(api_key) >= SHORTEST_SECRET else ""
        self._address_setting = address_setting
        self._model_source = model_source
        self._timeout_seconds = timeout_seconds
        self._connect_seconds = min(CONNECT_SECONDS, timeout_seconds)
        self._client = openai.AsyncOpenAI(
            base_url=base_url,
            # A local server needs none, but the client insists on one.
            api_key=api_key or "none",
            max_retries=0,
            timeout=openai.Timeout(timeout_seconds, connect=self._connect_seconds),
            http_client=openai.DefaultAsyncHttpxClient(
                verify=_certificates(),
                event_hooks={"response": [_read_as_utf_8, _read_no_more]},
                headers={"Accept-Encoding": "identity"},  # so that bytes are what is read
            ),
        )
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="judge", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Cancel requests in flight, and close the connections."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._client.close())
        self._runner.close()

    def ask(self, request: JudgeRequest) -> Future[Reply]:
        """Send one request, once. The exception of its future is ExchangeFailed."""
        return asyncio.run_coroutine_threadsafe(self._ask(request), self._loop)

    def exchange(self, send: Send, *, model: str) -> Future[Any]:
        """Send another request, once. Its result is the raw response, its exception is
        ExchangeFailed.
        """
        return asyncio.run_coroutine_threadsafe(self._exchange(send, model=model), self._loop)

    async def _ask(self, request: JudgeRequest) -> Reply:
        started = time.monotonic()
        raw = await self._exchange(
            lambda client: client.chat.completions.with_raw_response.create(
                model=request.model,
                messages=cast("list[ChatCompletionMessageParam]", request.messages),
                # The rest of the body, exactly as recorded.
                extra_body=request.body(),
                extra_headers={REQUEST_ID_HEADER: request.id},
            ),
            model=request.model,
        )
        content_type = raw.headers.get("content-type", "")
        reply = self.read(raw.text, content_type=content_type, model=request.model)
        reply.provenance["latency_seconds"] = round(time.monotonic() - started, 3)
        if reply.cost is None:  # LiteLLM's proxy reports it in a header
            reply = replace(reply, cost=_dollars(_number(raw.headers.get(COST_HEADER, ""))))
        return reply

    def post(self, path: str, body: Mapping[str, Any]) -> Future[dict[str, Any]]:
        """Send a body with a `model` to another path, such as `/embeddings`, once: the object that
        is answered. The exception of its future is ExchangeFailed.
        """
        return asyncio.run_coroutine_threadsafe(self._post(path, body), self._loop)

    async def _post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        model = str(body["model"])
        raw = await self._exchange(
            lambda client: client.post(path, body=dict(body), cast_to=httpx2.Response),
            model=model,
        )
        text = self.hide(raw.text)
        try:
            answer = _JSON_OBJECT.validate_json(text)
        except ValidationError:
            answer = {}
        if not answer or answer.get("error"):
            content_type = raw.headers.get("content-type", "")
            asked = {"content_type": content_type, "model": model}
            raise self._no_completion(text, **asked, of="JSON object")
        return answer

    async def _exchange(self, send: Send, *, model: str) -> Any:
        try:
            async with asyncio.timeout(self._timeout_seconds):
                return await send(self._client)
        except (TimeoutError, openai.APITimeoutError) as error:
            not_sent = isinstance(error.__cause__, httpx2.ConnectTimeout)
            seconds = self._connect_seconds if not_sent else self._timeout_seconds
            raise ExchangeFailed(
                f"{self._base_url} did not answer within {seconds:g} s",
                outcome=Outcome.NOT_CONNECTED if not_sent else Outcome.TIMEOUT,
            ) from None
        except _TooLarge as error:
            said = f"{self._base_url} answered with {error}"
            raise ExchangeFailed(said, outcome=Outcome.GARBLED) from None
        except openai.APIConnectionError as error:
            not_sent = isinstance(error.__cause__, httpx2.ConnectError | httpx2.UnsupportedProtocol)
            raise ExchangeFailed(
                f"could not exchange data with {self._base_url}: {self.hide(_what_broke(error))}",
                outcome=Outcome.NOT_CONNECTED if not_sent else Outcome.BROKEN_OFF,
            ) from None
        except openai.APIStatusError as error:
            body = self.hide(error.response.text)
            raise self.refused(
                error.status_code,
                error_in(body) or ErrorWords(first_line(body) or error.response.reason_phrase),
                body=body,
                model=model,
                retry_after=retry_after_seconds(dict(error.response.headers)),
            ) from None

    def hide(self, text: str) -> str:
        """An endpoint's text without our key, if it repeats it: the text is stored and shown."""
        return text.replace(self._secret, "[key]") if self._secret else text

    def read(self, text: str, *, content_type: str, model: str) -> Reply:
        """The completion in a response of status 200. Raises ExchangeFailed."""
        text = self.hide(text)
        try:
            completion = _Completion.model_validate_json(text)
            choice = completion.choices[0]
        except (ValidationError, IndexError):
            raise self._no_completion(text, content_type=content_type, model=model) from None
        if broke_off(choice.finish_reason) or choice.error:
            words = str(words_of(choice.error))[:SHOWN]
            raise ExchangeFailed(
                "the endpoint broke off its answer" + (f": {words}" if words else ""),
                outcome=Outcome.GARBLED,
                body=text,
            )
        usage = _numbers(completion.usage)
        message = choice.message
        beside = texts_of_thinking(
            message.reasoning_content,
            message.reasoning,
            message.reasoning_details,
            message.thinking,
        )
        said = read_completion(
            message.content,
            beside=beside,
            refusal=message.refusal,
            finish_reason=choice.finish_reason,
        )
        return Reply(
            text=text_of(message.content) or said.answer,
            said=said,
            model=text_of(completion.model) or "",
            cost=_dollars(usage.get("cost")),
            tokens=_billed(usage),
            provenance={
                "response_id": text_of(completion.id),
                "finish_reason": text_of(choice.finish_reason),
                "provider": text_of(completion.provider),
                "system_fingerprint": text_of(completion.system_fingerprint),
                "usage": usage,
                "notices": [str(each) for each in said.notices],
                "versions": VERSIONS,
            },
        )

    def _no_completion(
        self, text: str, *, content_type: str, model: str, of: str = "completion"
    ) -> ExchangeFailed:
        """Why a response of status 200 is not a completion, or what else was asked for."""
        kind, start = content_type.lower(), text.lstrip()[:6]
        events = "event-stream" in kind or start in ("data: ", "event:") or start[:5] == "data:"
        error = error_in(text)
        if error:
            status = error.code or 200
            return self.refused(status, error, body=text, model=model)
        if events:
            message = (
                f"{self._base_url} answers as server-sent events though none were asked for; turn "
                "streaming off there"
            )
            return ExchangeFailed(
                message, outcome=Outcome.GARBLED, scope=Scope.JUDGE, status=200, body=text
            )
        if "html" in kind or start[:1] == "<":
            message = (
                f"{self._base_url} answered with a web page instead of a {of}; "
                f"is {self._address_setting} the address of an OpenAI-compatible API (often …/v1)?"
            )
        else:
            line = first_line(text)[:SHOWN]
            message = f"{self._base_url} answered with something that is not a whole {of}"
            message += f": {line}" if line else ""
        return ExchangeFailed(message, outcome=Outcome.GARBLED, status=200, body=text)

    def refused(
        self,
        status: int,
        error: ErrorWords | str,
        *,
        body: str,
        model: str,
        retry_after: float | None = None,
    ) -> ExchangeFailed:
        """What an error means, with the endpoint's own words."""
        message = str(error)
        error = error if isinstance(error, ErrorWords) else ErrorWords(message)
        trait = trait_behind(status, message, error.parameter)
        said = f"the endpoint answered HTTP {status}: {message[:SHOWN]}"
        if status == 200:
            said = f"the endpoint answered with an error: {message[:SHOWN]}"
        if error.is_filtered and status < 500:
            return ExchangeFailed(
                f"a filter of the endpoint kept it back: {message[:SHOWN]}",
                outcome=Outcome.FILTERED,
                scope=Scope.REQUEST,
                status=status,
                body=body,
            )
        if status in TEMPORARY_STATUSES or status >= 500:
            scope = Scope.TEMPORARY
        elif UNKNOWN_MODEL.search(message):
            scope = Scope.JUDGE
            said += f" (it does not know the model {model!r}: correct {self._model_source})"
        else:
            scope = Scope.JUDGE if status in JUDGE_STATUSES else Scope.REQUEST
            scope = Scope.TEMPORARY if status == 200 else scope
        return ExchangeFailed(
            said,
            outcome=Outcome.HTTP_ERROR,
            scope=scope,
            status=status,
            body=body,
            retry_after=retry_after,
            trait=trait,
        )


@cache
def _certificates() -> ssl.SSLContext:
    """Whom to trust: read once a process, for it takes longer than a request to a server nearby."""
    return httpx2.create_ssl_context()


async def _read_as_utf_8(response: Any) -> None:
    """JSON is UTF-8 (RFC 8259), whatever charset a server declares."""
    response.encoding = "utf-8"


class _TooLarge(Exception):
    """An answer has more bytes than any that is wanted."""


class _Limited(httpx2.AsyncByteStream):
    """A response's bytes, up to so many. Raises _TooLarge."""

    def __init__(self, stream: httpx2.AsyncByteStream, largest: int) -> None:
        self._stream = stream
        self._left = self._largest = largest

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            self._left -= len(part)
            if self._left < 0:
                raise _TooLarge(f"more than {self._largest // 1_000_000} MB")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _read_no_more(response: Any) -> None:
    """An endpoint that never ends must not fill the memory."""
    of_file = "/files/" in response.request.url.path
    response.stream = _Limited(response.stream, LARGEST_FILE if of_file else LARGEST)


def retry_after_seconds(headers: dict[str, str]) -> float | None:
    """The wait that an endpoint asks for, in seconds; None if missing or implausible."""
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(lower.get(name, "")) * unit
        except ValueError:
            continue
        return seconds if 0 <= seconds < float("inf") else None
    try:
        until = email.utils.parsedate_to_datetime(lower.get("retry-after", ""))
    except (ValueError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())


def _what_broke(error: openai.APIConnectionError) -> str:
    """The operating system's message, if there is one: outer exceptions say less."""
    chain: list[BaseException] = []
    inner: BaseException | None = error
    while inner is not None:
        if isinstance(inner, BaseExceptionGroup):
            inner = inner.exceptions[0]
        chain.append(inner)
        inner = inner.__cause__ or inner.__context__
    system = [str(each) for each in chain if isinstance(each, OSError) and each.errno is not None]
    wrapped = [str(each) for each in chain[1:] if str(each)]
    return next(iter(system + wrapped), str(error))


def text_of(value: object) -> str | None:
    """A text; None for a value of another kind."""
    return value if isinstance(value, str) else None


def _numbers(usage: object) -> dict[str, float]:
    """Tokens and cost of a call, if the endpoint reports them as numbers."""
    stated = dict(usage) if isinstance(usage, dict) else {}
    for part, name in DETAILS.items():
        details = stated.get(part)
        if isinstance(details, dict):
            stated[name] = details.get(name)
    return {
        name: stated[name]
        for name in USAGE
        if type(stated.get(name)) in (int, float) and abs(stated[name]) < float("inf")
    }


def _billed(usage: Mapping[str, float]) -> Tokens | None:
    """The tokens of a call. Some endpoints count reasoning in the total alone."""
    prompt, completion = (_tokens(usage.get(f"{part}_tokens")) for part in ("prompt", "completion"))
    if prompt is None or completion is None:
        return None
    total, reasoning, cached = (
        _tokens(usage.get(f"{part}_tokens")) or 0 for part in ("total", "reasoning", "cached")
    )
    if reasoning and total == prompt + completion + reasoning:
        completion += reasoning
    return Tokens(prompt, completion, min(cached, prompt))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def _dollars(cost: float | None) -> Decimal | None:
    return Decimal(str(cost)) if cost is not None and 0 <= cost < TOO_MANY_DOLLARS else None


def _tokens(count: float | None) -> int | None:
    return int(count) if count is not None and 0 <= count < TOO_MANY_TOKENS else None
