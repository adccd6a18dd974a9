"""Hostile requests over HTTP: none is answered with an error of ours, none runs or redirects where
it should not, and nobody else's rows change.

They are a thousand over both shapes, ten thousand with --long, three quarters of them with
PostgreSQL, which refuses more of what a page might let through. HOSTILE_SEED draws other requests
(the run names its seed).
"""

import json
import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from survey.regions import STATES
from tests.e2e.installation import Installation
from tests.hostile.cases import SCRIPTS, Cases, Page
from tests.hostile.rows import Rows, protected
from tests.hostile.targets import (
    CSRF,
    TASKS,
    fill,
    open_targets,
    researcher,
    researchers_addresses,
    visit,
)
from tests.hostile.wire import Answer, Connection, Request
from tests.prolific import prolific_id

_WITH_POSTGRESQL = os.environ.get("DATABASE_URL", "").startswith("postgres")
SEED = os.environ.get("HOSTILE_SEED", "1" if _WITH_POSTGRESQL else "2")
CASES = 750 if _WITH_POSTGRESQL else 250
CONNECTIONS = 4
ARRIVAL = ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID", "invite", "resume", "preview", "version"]
SORTING = [
    "include",
    "page",
    "sort",
    "rule",
    "status",
    "included",
    "limit",
    "offset",
    "after",
    "before",
    "pool",
    "people",
    "version",
]
LISTING = ["q", "o", "p", "all", "e", "study__id__exact", "state__exact", "_to_field", "_popup"]
#: Where lists of submissions are uploaded; Prolific's own are read at another address.
UPLOAD = re.compile(r"/studies/[^/]+/submissions/")
#: What researchers do by a form, with values that are refused whatever else is right.
RESEARCHERS_FORMS = {
    "/state/": [("state", "nonsense"), ("confirmed", "on")],
    "/studies/likert/prolific/": [("action", "create"), ("name", "x"), ("reward", "1")],
    "/submissions/": [("file", "")],
    "/people/": [("person", "nobody"), ("role", "nonsense")],
    "/account/tokens/": [("name", "x"), ("scope", "nonsense"), ("days", "x")],
    "/submissions/exclude/": [("group", "1,x"), ("reason", "")],
    "/raters/1/": [("excluded", "nonsense"), ("reason", "")],
}
BYSTANDERS = ("bystander1", "bystander2")
#: The installation may hold another test file's study too, whose answers are others.
OF_THE_ATTACKED = (
    "participant_id IN (SELECT survey_participant.id FROM survey_participant"
    " JOIN survey_study ON survey_study.id = study_id WHERE slug IN ("
    + ", ".join(f"'{slug}'" for slug in TASKS)
    + "))"
)


def attackers_pages(installation: Installation) -> list[Page]:
    """Every participants' page, in front of somebody who has got there."""
    pages = []
    for slug in TASKS:
        end, number = False, 0
        while not end:
            visitor = visit(installation, slug, f"attacker{number}", pages=number)
            end = visitor.path.endswith("/end/")
            fields = None if end else fill(visitor.html)
            pages.append(Page(visitor.path, visitor.cookies, fields))
            number += 1
        somewhere = {"fivefold-x": "x", "csrftoken": CSRF}
        root = f"/s/{slug}/"
        pages += [
            Page(f"{root}{path}", cookies, [("delete", "no")])
            for path in ("stop/", "end/", "withdraw/wrong/", "page/3/")
            for cookies in (somewhere, pages[2].cookies)
        ]
        pages += [Page(root, somewhere, queries=ARRIVAL), Page(root, {}, queries=ARRIVAL)]
    return pages


def researchers_pages(installation: Installation) -> tuple[list[Page], list[Page]]:
    """Every page and address of the API as a researcher has them, and as strangers do."""
    visitor = researcher(installation)
    asked = [("name", "hostile"), ("scope", "change"), ("days", "30")]
    assert visitor.open("/account/tokens/", asked) == 200
    [key] = set(re.findall(r"fivefold_[\w-]{43}", visitor.html))
    mine, strangers = [Page("/s/likert/", visitor.cookies, queries=ARRIVAL)], []
    for path in researchers_addresses("likert"):
        queries = LISTING if path.startswith("/admin/") else SORTING
        fields = next((f for end, f in RESEARCHERS_FORMS.items() if path.endswith(end)), None)
        if path.startswith("/api/"):
            mine.append(Page(path, {}, queries=queries, token=key))
        else:
            mine.append(Page(path, visitor.cookies, fields, queries))
        strangers.append(Page(path, {"csrftoken": CSRF}, [("action", "renew")], queries))
    return mine, strangers


def fault(request: Request, answer: Answer) -> str:
    """What is wrong with an answer; nothing where it is a proper one."""
    if answer.status == 0:
        return "no answer"
    if answer.status >= 500 or b"Traceback" in answer.body:
        return f"status {answer.status}"
    if answer.header("x-injected"):
        return "a header of the sender's"
    if answer.header("location").startswith(("//", "http:", "https:")):
        return f"leads to {answer.header('location')}"
    html = answer.header("content-type").startswith("text/html")
    if html and any(script in answer.body for script in (*SCRIPTS[:4], b'href="javascript:')):
        return "repeats a script"
    return ""


@dataclass(frozen=True)
class Attack:
    """What was asked and answered, and the protected rows before and after."""

    answers: list[tuple[Request, Answer]]
    before: Rows
    after: Rows


@pytest.fixture(scope="module")
def attack(
    installation: Installation, tmp_path_factory: pytest.TempPathFactory, long_run: bool
) -> Attack:
    open_targets(installation, tmp_path_factory.mktemp("targets"))
    for slug in TASKS:
        visit(installation, slug, BYSTANDERS[0])
        visit(installation, slug, BYSTANDERS[1], pages=5)
    installation.manage("analyze", "likert", "--no-images", "--out", installation.folder / "out")
    theirs = attackers_pages(installation)
    mine, strangers = researchers_pages(installation)
    upload = next(page for page in mine if UPLOAD.fullmatch(page.path))
    login = [page for page in strangers if page.path == "/login/"]
    cases = Cases([*theirs * 6, *mine, *strangers], login, seed=SEED)
    numbers = range(10 * CASES if long_run else CASES)
    requests = [cases.next() if number % 10 else cases.upload(upload) for number in numbers]
    bystanders = [prolific_id(name) for name in BYSTANDERS]
    before = protected(installation, people=bystanders)
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        shares = [requests[start::CONNECTIONS] for start in range(CONNECTIONS)]
        done = pool.map(send, [installation.port] * CONNECTIONS, shares)
        answers = [pair for share in done for pair in share]
    return Attack(answers, before, protected(installation, people=bystanders))


def send(port: int, requests: list[Request]) -> list[tuple[Request, Answer]]:
    connection = Connection(port)
    return [(request, connection.ask(request)) for request in requests]


def test_every_request_gets_a_proper_answer(attack: Attack) -> None:
    faults = [
        f"{reason}: {request}"[:2000]
        for request, answer in attack.answers
        if (reason := fault(request, answer))
    ]
    assert (faults[:5], len(faults)) == ([], 0), f"HOSTILE_SEED={SEED}"


def test_requests_get_past_the_door(attack: Attack) -> None:
    """Else nothing was tested: pages must have been shown, forms refused for what they said."""
    statuses = Counter(answer.status for _, answer in attack.answers)
    asked = len(attack.answers)
    assert asked >= CASES
    assert all(statuses[status] > asked / 200 for status in (200, 302, 400, 403, 404, 405, 422))
    lists = [
        answer.status
        for request, answer in attack.answers
        if request.target.endswith(b"/submissions/") and b"Submission id" in request.body
    ]
    assert lists.count(200) + lists.count(302) > asked / 1000


def test_rows_of_others_are_as_before(attack: Attack) -> None:
    tables = [name for name, rows in attack.before.items() if rows != attack.after[name]]
    assert tables == [], f"HOSTILE_SEED={SEED}"
    assert len(attack.before["survey_rating"]) > 60 and attack.before["analysis_result"]


def test_what_was_stored_is_what_may_be_answered(
    attack: Attack, installation: Installation
) -> None:
    ratings = installation.query(
        "SELECT task, MIN(value), MAX(value) FROM survey_rating JOIN survey_presentation shown"
        f" ON shown.id = presentation_id WHERE shown.{OF_THE_ATTACKED} GROUP BY 1"
    )
    allowed = {"likert": (1, 3), "slider": (0, 100), "ranking": (1, 3), "best_worst": (-1, 1)}
    assert {task for task, _, _ in ratings} == set(allowed)
    for task, least, most in ratings:
        assert allowed[task][0] <= least <= most <= allowed[task][1]
    texts = [
        text
        for (text,) in installation.query(
            f"SELECT text FROM survey_freeanswer WHERE {OF_THE_ATTACKED}"
        )
    ]
    assert texts and all(len(text) <= 2000 and "\x00" not in text for text in texts)
    answers = installation.query(
        f"SELECT name, value FROM survey_demographicanswer WHERE {OF_THE_ATTACKED}"
    )
    options = {
        "home": {"Here", "There"},
        "sex": {"Female", "Male"},
        "race": {"Asian", "Black", "White"},
        "state": {"", *STATES},
    }
    for name, raw in answers:
        value = json.loads(raw) if isinstance(raw, str) and raw[:1] in '["0123456789' else raw
        if name == "age":
            assert 18 <= value <= 99
        else:
            assert set(value if isinstance(value, list) else [value]) <= options[name]


def test_server_logged_no_failure(attack: Attack, installation: Installation) -> None:
    log = installation.processes.running["web"].log.read_text(errors="replace")
    failures = ("Internal Server Error", "Error handling request", "WORKER TIMEOUT")
    assert [line for line in log.splitlines() if any(text in line for text in failures)] == []
