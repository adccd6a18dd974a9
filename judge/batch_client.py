"""Files and batches of an OpenAI-compatible endpoint. One request per call, never repeated here."""

import json
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from judge.error_words import words_of
from judge.exchange import ExchangeFailed, Reply, Scope
from judge.models import Attempt
from judge.providers import UNKNOWN_MODEL, Lenient, Provider, Send

Outcome = Attempt.Outcome
URL: Literal["/v1/chat/completions"] = "/v1/chat/completions"
#: How long an endpoint may take; no other window is accepted.
WINDOW: Literal["24h"] = "24h"
#: The name of our key among a batch's metadata.
KEY = "fivefold"
#: Statuses of an endpoint that has no files, no batches, or no list of them.
MISSING = {404, 405, 501}
#: The largest pages that endpoints give, and how many of them are searched for a batch.
PAGE, PAGES = 100, 20


T = TypeVar("T", bound=Lenient)


class _File(Lenient):
    id: str


class RemoteBatch(Lenient):
    """A batch as its endpoint describes it."""

    id: str
    status: str
    input_file_id: Any = None
    output_file_id: str | None = None
    error_file_id: str | None = None
    metadata: Any = None
    request_counts: Any = None
    errors: Any = None

    @property
    def is_over(self) -> bool:
        return self.status in {"completed", "failed", "expired", "cancelled"}

    @property
    def files(self) -> list[str]:
        """The files with its answers and its errors."""
        return [name for name in (self.output_file_id, self.error_file_id) if name]

    @property
    def said(self) -> str:
        """How far it is, in words."""
        counts = self.request_counts if isinstance(self.request_counts, dict) else {}
        total, *done = (counts.get(name) for name in ("total", "completed", "failed"))
        numbers = [n for n in done if type(n) is int]
        if type(total) is int and total and len(numbers) == len(done):
            return f"{self.status}, {sum(numbers)} of {total} done"
        return self.status

    @property
    def unanswered(self) -> ExchangeFailed:
        """The outcome of calls that are over with the batch and have no line in its files."""
        said = f"the batch ended ({self.status}) without an answer"
        if self.status == "completed":  # the line is missing, which says nothing of its cost
            return ExchangeFailed(said, outcome=Outcome.GARBLED)
        listed = self.errors.get("data") if isinstance(self.errors, dict) else None
        first = listed[0] if isinstance(listed, list) and listed else None
        message = str(words_of(first))[:300]
        return ExchangeFailed(
            f"{said}: {message}" if message else said,
            outcome=Outcome.NOT_PROCESSED,
            scope=Scope.JUDGE if UNKNOWN_MODEL.search(message) else Scope.TEMPORARY,
        )


class _PageOfBatches(Lenient):
    data: list[RemoteBatch]
    has_more: Any = False


class _Response(Lenient):
    status_code: int
    body: Any = None


class _Line(Lenient):
    custom_id: str
    response: _Response | None = None
    error: Any = None


@dataclass(frozen=True)
class BatchAnswer:
    """One line of a batch's files: what the endpoint made of one call."""

    custom_id: str
    #: What it means: a completion, or why there is none.
    outcome: Future[Reply] = field(default_factory=Future)


class BatchClient:
    """The batches of a judge with `model` at a provider."""

    def __init__(self, provider: Provider, *, model: str) -> None:
        self._provider = provider
        self._model = model

    def upload(self, lines: bytes, *, name: str) -> str:
        """Send a file; returns its id. Raises ExchangeFailed, as the other methods do."""
        text = self._exchange(
            lambda client: client.files.with_raw_response.create(
                file=(name, lines, "application/jsonl"), purpose="batch"
            )
        )
        return self._parsed(_File, text).id

    def create(self, input_file: str, *, key: str) -> RemoteBatch:
        """Have the requests of a file answered."""
        text = self._exchange(
            lambda client: client.batches.with_raw_response.create(
                input_file_id=input_file,
                endpoint=URL,
                completion_window=WINDOW,
                metadata={KEY: key},
            )
        )
        return self._parsed(RemoteBatch, text)

    def find(self, input_file: str, *, key: str) -> RemoteBatch | None:
        """The batch of this file or with this key; None if the endpoint has none."""
        after: dict[str, str] = {}
        for _ in range(PAGES):
            text = self._exchange(
                lambda client, after=after: client.batches.with_raw_response.list(  # type: ignore[misc]
                    limit=PAGE, **after
                )
            )
            page = self._parsed(_PageOfBatches, text)
            for batch in page.data:
                keys = batch.metadata if isinstance(batch.metadata, dict) else {}
                if batch.input_file_id == input_file or keys.get(KEY) == key:
                    return batch
            if page.has_more is not True or not page.data:
                return None
            after = {"after": page.data[-1].id}
        return None

    def retrieve(self, remote_id: str) -> RemoteBatch:
        """How far a batch is."""
        text = self._exchange(lambda client: client.batches.with_raw_response.retrieve(remote_id))
        return self._parsed(RemoteBatch, text)

    def answers(self, file: str) -> Iterator[BatchAnswer]:
        """The lines of a batch's file. What is no line is skipped."""
        text = self._exchange(lambda client: client.files.with_raw_response.content(file))
        for line in text.split("\n"):  # texts may have other line separators
            try:
                read = _Line.model_validate_json(line)
            except ValidationError:
                continue
            answer = BatchAnswer(read.custom_id)
            try:
                answer.outcome.set_result(self._read(read))
            except ExchangeFailed as failure:
                answer.outcome.set_exception(failure)
            yield answer

    def _read(self, line: _Line) -> Reply:
        if line.response is None:
            error = words_of(line.error)
            raise ExchangeFailed(
                f"the endpoint did not answer it: {error or 'no reason given'}"[:300],
                outcome=Outcome.FILTERED if error.is_filtered else Outcome.NOT_PROCESSED,
            )
        body = json.dumps(line.response.body, ensure_ascii=False)
        if line.response.status_code != 200:
            error = words_of(line.response.body)
            raise self._provider.refused(
                line.response.status_code, error, body=body, model=self._model
            )
        return self._provider.read(body, content_type="application/json", model=self._model)

    def _exchange(self, send: Send) -> str:
        raw = self._provider.exchange(send, model=self._model).result()
        return self._provider.hide(raw.text)

    def _parsed(self, kind: type[T], text: str) -> T:
        try:
            return kind.model_validate_json(text)
        except ValidationError:
            raise ExchangeFailed(
                "the endpoint answered with something that is no file or batch",
                outcome=Outcome.GARBLED,
                status=200,
                body=text,
            ) from None
