"""A judge that answers files of requests, over real HTTP: `faulty_judge` with `/files` and
`/batches`.

In a test: `with batch_judge(BatchPlan(...)) as server:`. What it thinks of a response, and the
faults of single lines, are those of `faulty_judge`: line by line in the order they are processed.
Single requests (the probe) are answered as there. It charges half for a line in a batch.
"""

import email.policy
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from itertools import count
from typing import Any

from tests.servers.faulty_judge import Entry, FaultyHandler, FaultyJudge, completion_of, text_for
from tests.servers.judge_faults import STATUSES, Plan, Question

#: What a line costs, as a share of a single request.
DISCOUNT = 0.5


@dataclass(frozen=True)
class BatchPlan:
    """What the server does with files and batches."""

    #: Faults of lines; a status is an error line.
    lines: Plan = field(default_factory=Plan)
    #: Statuses for the first requests of each kind, such as {"create": [429, 500]}: `upload`,
    #: `create`, `list`, `retrieve`, `download`. -1 does as asked and then breaks the connection.
    statuses: dict[str, list[int]] = field(default_factory=dict)
    #: How often a batch is asked about before it is over.
    polls: int = 1
    #: How the first batches end; the others are completed.
    ends: list[str] = field(default_factory=list)
    #: The share of lines that a batch with another end has answered.
    answered: float = 0.5
    #: Whether the lines of a file are shuffled and the first is there twice.
    is_messy: bool = True
    #: How many lines are lost, of the first batch.
    lost: int = 0
    #: Whether it returns what was sent as metadata.
    keeps_metadata: bool = True


@dataclass
class Kept:
    """A batch of the server."""

    number: int
    input_file: str
    metadata: dict[str, str] | None
    requests: list[dict[str, Any]]
    status: str = "validating"
    polls: int = 0
    files: dict[str, str] = field(default_factory=dict)
    errors: list[dict[str, str]] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"batch_{self.number}"

    def described(self) -> dict[str, Any]:
        done = len(self.requests) if self.status == "completed" else 0
        return {
            "id": self.id,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": self.input_file,
            "status": self.status,
            "metadata": self.metadata,
            "output_file_id": self.files.get("output"),
            "error_file_id": self.files.get("error"),
            "errors": {"object": "list", "data": self.errors} if self.errors else None,
            "request_counts": {"total": len(self.requests), "completed": done, "failed": 0},
        }


class BatchJudge(FaultyJudge):
    """The server, its files and its batches."""

    def __init__(self, plan: BatchPlan, port: int = 0) -> None:
        super().__init__(plan.lines, port)
        self.RequestHandlerClass = _Handler
        self.batch_plan = plan
        self.files: dict[str, str] = {}
        self.batches: dict[str, Kept] = {}
        #: How often each kind of request came.
        self.asked: Counter[str] = Counter()
        self.changed = threading.Condition(threading.RLock())
        #: Kinds of requests that, from a number on, get no answer until the event is set.
        self.held: dict[str, tuple[int, threading.Event]] = {}
        #: While it is not set, no batch gets over.
        self.working = threading.Event()
        self.working.set()
        self._numbers = count(1)

    def note(self, kind: str) -> int:
        """Count a request; the status that it gets, 200 for what it asks for."""
        with self.changed:
            planned = self.batch_plan.statuses.get(kind, [])
            status = planned[self.asked[kind]] if self.asked[kind] < len(planned) else 200
            self.asked[kind] += 1
            self.changed.notify_all()
            return status

    @contextmanager
    def holding(self, kind: str, *, number: int = 1) -> Iterator[None]:
        """Do what requests of a kind ask for, and answer none of them within the block, from this
        number on.
        """
        event = threading.Event()
        self.held[kind] = number, event
        try:
            yield
        finally:
            del self.held[kind]
            event.set()

    def hold(self, kind: str) -> None:
        number, event = self.held.get(kind, (0, None))
        if event and self.asked[kind] >= number:
            event.wait()

    def wait_for_kind(self, kind: str, times: int = 1, *, seconds: float = 60) -> None:
        """Return when so many requests of a kind have come."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.asked[kind] >= times, seconds)

    def keep_file(self, text: str) -> str:
        with self.changed:
            name = f"file_{next(self._numbers)}"
            self.files[name] = text
            return name

    def create(self, body: dict[str, Any]) -> Kept:
        with self.changed:
            requests = [json.loads(line) for line in self.files[body["input_file_id"]].splitlines()]
            metadata = body.get("metadata") if self.batch_plan.keeps_metadata else None
            batch = Kept(len(self.batches), body["input_file_id"], metadata, requests)
            self.batches[batch.id] = batch
            return batch

    def poll(self, name: str) -> Kept:
        """A batch, a step further."""
        with self.changed:
            batch = self.batches[name]
            if batch.status not in ("validating", "in_progress"):
                return batch
            batch.polls += 1
            batch.status = "in_progress"
            if batch.polls > self.batch_plan.polls and self.working.is_set():
                self._finish(batch)
            return batch

    def _finish(self, batch: Kept) -> None:
        plan = self.batch_plan
        ends = plan.ends
        batch.status = ends[batch.number] if batch.number < len(ends) else "completed"
        share = {"completed": 1.0, "failed": 0.0}.get(batch.status, plan.answered)
        n = round(share * len(batch.requests))
        if batch.status == "failed":
            batch.errors = [{"code": "invalid", "message": "the file could not be used"}]
            return
        lines: dict[str, list[str]] = {"output": [], "error": []}
        for request in batch.requests[:n]:
            line = self._line(request)
            kind = "output" if line["response"]["status_code"] == 200 else "error"
            lines[kind].append(json.dumps(line))
        for request in batch.requests[n:]:
            error = {"code": f"batch_{batch.status}", "message": "This request was not executed."}
            line = {"custom_id": request["custom_id"], "response": None, "error": error}
            lines["error"].append(json.dumps(line))
        lines["output"] = lines["output"][0 if batch.number else plan.lost :]
        for kind, text in lines.items():
            if text and plan.is_messy:
                random.Random(batch.number).shuffle(text)
                text.insert(len(text) // 2, "this is no JSON")
                text.append(text[0])
            if text:
                batch.files[kind] = self.keep_file("\n".join(text) + "\n")

    def _line(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request, which is charged for."""
        question = Question(request["body"])
        before = sum(not entry.is_probe for entry in self.log)
        entry = Entry(
            number=len(self.log),
            request_id=request["custom_id"],
            received_at=0.0,
            what=self.plan.what(before),
            in_flight=0,
            port=0,
            authorization="",
            body=question.body,
            is_probe=False,
        )
        self.log.append(entry)
        status, body = STATUSES.get(entry.what, 200), {"error": {"message": f"a {entry.what}"}}
        if status == 200:
            text = text_for(entry, question, self.plan)
            entry.cost = round(question.cost(text) * DISCOUNT, 10)
            cost = entry.cost if self.plan.states_cost else None
            body = completion_of(entry, question, text, cost=cost)
        response = {"status_code": status, "request_id": f"r{entry.number}", "body": body}
        return {"custom_id": request["custom_id"], "response": response, "error": None}


class _Handler(FaultyHandler):
    server: BatchJudge

    def do_GET(self) -> None:  # noqa: N802  the name in the base
        path = self.path.partition("?")[0]
        if found := re.fullmatch(r"/v1/files/(\w+)/content", path):
            if self._goes_on("download"):
                self._send(200, "application/octet-stream", self.server.files[found[1]])
        elif found := re.fullmatch(r"/v1/batches/(\w+)", path):
            if self._goes_on("retrieve"):
                if found[1] in self.server.batches:
                    self._json(200, self.server.poll(found[1]).described())
                else:
                    self._json(404, {"error": {"message": "no such batch"}})
        elif path == "/v1/batches":
            if self._goes_on("list"):
                known = [batch.described() for batch in self.server.batches.values()]
                self._json(200, {"object": "list", "data": known[::-1], "has_more": False})
        else:
            super().do_GET()

    def do_POST(self) -> None:  # noqa: N802  the name in the base
        kind = {"/v1/files": "upload", "/v1/batches": "create"}.get(self.path)
        if kind is None:
            super().do_POST()
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.server.note(kind)
        if status not in (200, -1):
            self._refuse(status)
            return
        if kind == "upload":
            answer = {"id": self.server.keep_file(self._file_in(body)), "object": "file"}
        else:
            answer = self.server.create(json.loads(body)).described()
        self.server.hold(kind)
        if status == -1:
            self._reset()
        self._json(200, answer)

    def _file_in(self, body: bytes) -> str:
        """The file in a form of several parts."""
        head = f"Content-Type: {self.headers['Content-Type']}\r\n\r\n".encode()
        form = message_from_bytes(head + body, policy=email.policy.HTTP)
        assert isinstance(form, EmailMessage)
        by_name = {
            part["content-disposition"].params["name"]: part.get_payload(decode=True)
            for part in form.iter_parts()
        }
        file = by_name["file"]
        assert by_name["purpose"] == b"batch"
        assert isinstance(file, bytes)
        return file.decode()

    def _goes_on(self, kind: str) -> bool:
        status = self.server.note(kind)
        self.server.hold(kind)
        if status != 200:
            self._refuse(status)
        return status == 200

    def _refuse(self, status: int) -> None:
        headers = {"Retry-After": "0.05"} if status == 429 else {}
        self._json(status, {"error": {"message": f"this is a {status}"}}, headers)


@contextmanager
def batch_judge(plan: BatchPlan | None = None) -> Iterator[BatchJudge]:
    """A running server on a free port, in a thread of this process."""
    with BatchJudge(plan or BatchPlan()) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.answering.set()
            server.shutdown()
            thread.join()
