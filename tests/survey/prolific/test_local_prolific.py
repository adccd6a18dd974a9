"""The local Prolific: people by their links, events with faults, and pages for a browser."""

import http.cookiejar
import json
import threading
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from examples.local_prolific import TOKEN
from examples.local_prolific.people import Shares, send
from examples.local_prolific.server import LocalProlific
from examples.local_prolific.webhooks import signature
from examples.local_prolific.world import ApiError
from survey.prolific.client import ProlificClient
from tests.survey.prolific.conftest import DRAFT

pytestmark = pytest.mark.e2e


class Listener(ThreadingHTTPServer):
    """Gets events, and waits for their number."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Heard)
        self.heard: list[tuple[dict[str, str], bytes]] = []
        self.more = threading.Condition()

    def wait_for(self, number: int) -> list[tuple[dict[str, str], bytes]]:
        with self.more:
            assert self.more.wait_for(lambda: len(self.heard) >= number, 10)
            return self.heard[:number]


class _Heard(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.more:
            self.server.heard.append((dict(self.headers), body))
            self.server.more.notify_all()
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base
        """The log is a list."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def post(prolific: LocalProlific, path: str, **body: Any) -> Any:
    """The answer's JSON, and its header X-Hook-Secret."""
    request = urllib.request.Request(
        f"{prolific.api_url}/{path}",
        json.dumps(body).encode(),
        {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer), answer.headers["X-Hook-Secret"]


@pytest.fixture
def secret(prolific: LocalProlific, listener: Listener) -> str:
    """The key of signatures, once events of submissions are subscribed to."""
    created, _ = post(prolific, "hooks/secrets/", workspace_id=prolific.world.workspace)
    subscribed, confirmation = post(
        prolific,
        "hooks/subscriptions/",
        event_type="submission.status.change",
        target_url=f"http://127.0.0.1:{listener.server_port}/",
        workspace_id=prolific.world.workspace,
    )
    post(prolific, f"hooks/subscriptions/{subscribed['id']}/", secret=confirmation)
    return str(created["value"])


def test_people_come_by_the_link_with_their_ids_and_do_what_was_drawn(
    client: ProlificClient, prolific: LocalProlific
) -> None:
    study = client.create_study(DRAFT | {"total_available_places": 100}).id
    client.move_study(study, "PUBLISH")
    links: list[str] = []

    def take(link: str) -> str:
        links.append(link)
        return "DONE"

    shares = Shares(returns=0.2, times_out=0.2, no_code=0.2, wrong_code=0.2)
    # So many that nobody of a kind is missing, whatever the study's id.
    sent = send(prolific.world, study, 100, take, shares=shares).by_deed
    status = {deed: {one.status for one in people} for deed, people in sent.items()}
    assert status == {
        "completes": {"APPROVED"},
        "returns": {"RETURNED"},
        "times_out": {"TIMED-OUT"},
        "no_code": {"AWAITING REVIEW"},
        "wrong_code": {"AWAITING REVIEW"},
    }
    assert len(prolific.world.ledger) == len(sent["completes"])
    came = {
        tuple(parse_qs(urlsplit(link).query)[name][0] for name in ("PROLIFIC_PID", "SESSION_ID"))
        for link in links
    }
    assert came == {(one.participant, one.id) for people in sent.values() for one in people}
    assert all(f"STUDY_ID={study}" in link for link in links)


def test_people_who_come_to_no_end_return(
    client: ProlificClient, published: str, prolific: LocalProlific
) -> None:
    [one] = send(prolific.world, published, 1, lambda _: None).by_deed["returns"]
    assert client.submission(one.id).status == "RETURNED"
    assert client.study(published).places_taken == 0


def test_full_study_takes_nobody_and_goes_on_with_more_places(
    client: ProlificClient, published: str, prolific: LocalProlific
) -> None:
    send(prolific.world, published, 3, lambda _: "DONE")
    assert client.study(published).status == "AWAITING REVIEW"
    with pytest.raises(ApiError, match="AWAITING REVIEW"):
        send(prolific.world, published, 1, lambda _: "DONE")
    client.change_study(published, total_available_places=4)
    send(prolific.world, published, 1, lambda _: "DONE")
    assert len(prolific.world.ledger) == 4


def test_events_are_signed_and_faulty_where_asked(
    prolific: LocalProlific, listener: Listener, secret: str, published: str
) -> None:
    prolific.faults.events.extend(["double", "wrong_signature"])
    prolific.world.start(published)
    twice = listener.wait_for(2)
    assert len({headers["X-Event-Id"] for headers, _ in twice}) == 1
    prolific.world.start(published)
    wrong = listener.wait_for(3)[2]
    prolific.faults.events.append("late")
    prolific.world.start(published)
    late = listener.wait_for(4)[3]
    right = [
        signature(secret, headers["X-Prolific-Request-Timestamp"], body)
        == headers["X-Prolific-Request-Signature"]
        for headers, body in [*twice, wrong, late]
    ]
    assert right == [True, True, False, True]
    assert json.loads(late[1])["event_type"] == "submission.status.change"


def test_browser_takes_part_and_enters_a_code(
    client: ProlificClient, prolific: LocalProlific
) -> None:
    # the study's address is a page of this very server, so the browser gets somewhere
    study = client.create_study(DRAFT | {"external_study_url": f"{prolific.url}/"}).id
    client.move_study(study, "PUBLISH")
    cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    browser = urllib.request.build_opener(cookies)
    with browser.open(f"{prolific.url}/participate/{study}/") as page:
        assert "1 of 3 places taken" in page.read().decode()
    with browser.open(f"{prolific.url}/submissions/complete?cc=DONE") as page:
        assert "Your submission: APPROVED." in page.read().decode()
    with browser.open(f"{prolific.url}/.local/ledger") as ledger:
        told = json.load(ledger)
    assert [one["cents"] for one in told["payments"]] == [150]
    assert told["double_payments"] == []


def test_another_process_sends_people_and_says_what_became_of_them(
    prolific: LocalProlific, published: str
) -> None:
    def control(path: str, **body: Any) -> Any:
        request = urllib.request.Request(f"{prolific.url}/.local/{path}", json.dumps(body).encode())
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    first, second = control("people", study=published, count=2)
    assert f"SESSION_ID={first['id']}" in first["link"]
    assert control(f"people/{first['id']}", code="DONE")["status"] == "APPROVED"
    assert control(f"people/{second['id']}", status="TIMED-OUT")["status"] == "TIMED-OUT"
    control("faults", what=["503"], on="GET users/me/")
    assert [fault.what for fault in prolific.faults.waiting] == ["503"]
