"""Whatever text is stored, by whoever: every page shows it as text, and none of it runs.

A study whose every label, name and response is a script is taken, imported into and analysed;
then every page of participants and researchers that shows some of it is opened in a browser.
"""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import APIResponse, Browser, Dialog, Error, Page, Response

from tests.e2e.conftest import PATIENCE_MS
from tests.e2e.installation import PUBLIC, Installation
from tests.hostile.targets import Visitor, fill, researchers_addresses, visit
from tests.hostile.wire import Connection
from tests.prolific import arrival

pytestmark = pytest.mark.embedded  # what pages make of stored text

SCRIPT = (
    '<img src=x data-hostile onerror="hostile=1"><script data-hostile>hostile=1</script>\'">'
    '<svg data-hostile onload="hostile=1"></svg></textarea></title></script>'
    "[x](javascript:hostile=1)<javascript:hostile=1>{{ 7 }}{% now %}"
)
#: Runs in every page before its own scripts: what tried to run and was stopped.
WATCH = """
window.stopped = [];
addEventListener("securitypolicyviolation", event => stopped.push(event.violatedDirective));
"""
FOUND = """() => ({
    ran: typeof hostile !== "undefined",
    elements: document.querySelectorAll("[data-hostile], a[href^='javascript:']").length,
    stopped: window.stopped,
    shown: document.documentElement.outerHTML.includes("data-hostile"),
})"""
_numbers = count()


def bad(word: str, *, longest: int = 300) -> str:
    """A different script each time; `word` tells where it came from. In a name of a hundred
    characters, which is as long as most names may be, the first two scripts are whole.
    """
    return f"{word}{next(_numbers)} {SCRIPT}"[:longest]


def definition() -> dict[str, Any]:
    options = [bad("option"), bad("option")]
    screening = [bad("option"), bad("option")]
    check = [bad("option"), bad("option")]
    understood = [bad("option"), bad("option")]
    conditions = [bad("condition", longest=100) for _ in range(2)]
    return {
        "slug": "scripts",
        "title": bad("title"),
        "estimated_minutes": 5,
        "response_format": "markdown",
        "texts": {
            name: bad(name)
            for name in ("information", "instructions", "thanks", "warning", "help", "screened_out")
        },
        "consent": {"statement": bad("statement"), "decline": bad("decline")},
        "tasks": [
            {
                "kind": "likert",
                "scale": [{"value": n, "label": bad("point")} for n in (1, 2)],
                "dimensions": [{"name": "warmth", "question": bad("question")}],
            },
            {"kind": "ranking", "question": bad("ranking")},
            {"kind": "best_worst", "best": bad("best"), "worst": bad("worst")},
            {"kind": "text", "name": "why", "question": bad("why"), "hint": bad("hint")},
        ],
        "comment": bad("comment"),
        "conditions": conditions,
        "condition_a": conditions[0],
        "condition_b": conditions[1],
        "screening": [
            {
                "name": "home",
                "question": bad("screening"),
                "options": screening,
                "eligible": screening[:1],
            }
        ],
        "comprehension": {
            "questions": [
                {
                    "name": "understood",
                    "question": bad("comprehension"),
                    "hint": bad("hint"),
                    "options": understood,
                    "answer": understood[0],
                }
            ]
        },
        "training": {
            "attempts": 2,
            "items": [
                {
                    "name": "item",
                    "prompt": bad("prompt"),
                    "context": bad("context"),
                    "responses": [
                        {"text": bad("text"), "expected": {"warmth": [2, 2]}, "why": bad("why")}
                    ],
                }
            ],
        },
        "attention_checks": [
            {
                "name": "check",
                "statement": bad("check"),
                "options": check,
                "answer": check[0],
                "after_blocks": [1, 1],
            }
        ],
        "closing": [{"kind": "text", "name": "end", "question": bad("closing")}],
        "demographics": [
            {"name": "sex", "kind": "single", "question": bad("sex"), "options": options},
            {"name": "race", "kind": "multiple", "question": bad("race"), "options": options},
        ],
        "ways_in": ["prolific", "link", "invitation"],
        "prolific": {"completion_code": bad("code"), "screened_out_code": bad("code")},
    }


def write_table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def responses_of(study: dict[str, Any]) -> list[dict[str, str]]:
    """Two scenarios with two models in two conditions."""
    models = [bad("model", longest=200), bad("model", longest=200)]
    return [
        {
            "scenario": name,
            "prompt": prompt,
            "context": context,
            "model": model,
            "condition": condition,
            "response": bad("response"),
        }
        for name, prompt, context in [
            (bad("scenario", longest=100), bad("prompt"), bad("context")) for _ in range(2)
        ]
        for model in models
        for condition in study["conditions"]
    ]


@dataclass
class Watched:
    """A page, and what was found in all the documents it showed."""

    page: Page
    dialogs: list[str] = field(default_factory=list)
    wrong: list[tuple[str, Any]] = field(default_factory=list)
    shown: set[str] = field(default_factory=set)

    def dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def look(self, address: str, response: Response | None = None) -> None:
        try:
            found = self.page.evaluate(FOUND)
        except Error:  # it loaded itself anew when an analysis had come
            self.page.wait_for_load_state()
            found = self.page.evaluate(FOUND)
        if found.pop("shown"):
            self.shown.add(address)
        if any(found.values()) or (response is not None and response.status >= 500):
            self.wrong.append((address, found))

    def open_as_answered(self, answer: APIResponse) -> None:
        """Open a page that was asked for before, without having the server make it again."""
        self.page.route(answer.url, lambda route: route.fulfill(response=answer), times=1)
        place = urlsplit(answer.url)
        self.open(place.path, at=f"{place.scheme}://{place.netloc}")

    def open(self, address: str, at: str = "") -> None:
        try:
            response = self.page.goto(at + address)
        except Error:  # the page before loads itself anew when an analysis has come
            self.page.wait_for_load_state()
            response = self.page.goto(at + address)
        self.look(address, response)


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    context = browser.new_context()
    context.add_init_script(WATCH)
    watching = Watched(context.new_page())
    watching.page.set_default_timeout(PATIENCE_MS)
    watching.page.on("dialog", watching.dismiss)
    yield watching
    context.close()
    assert (watching.wrong, watching.dialogs) == ([], [])


@pytest.fixture(scope="module")
def scripts(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study of scripts, loaded, imported into, taken and analysed: where the report is."""
    folder = tmp_path_factory.mktemp("scripts")
    study = definition()
    (folder / "study.yaml").write_text(json.dumps(study), encoding="utf-8")
    responses = responses_of(study)
    write_table(folder / "responses.csv", responses)
    person = bad("imported", longest=100)
    participants = [{"participant": person, "status": "completed", "duration_seconds": "900"}]
    cells = ("scenario", "model", "condition")
    ratings = [
        {"participant": person, **{name: row[name] for name in cells}, "rating": "1"}
        for row in responses
    ]
    files = (
        *("--participants", write_table(folder / "participants.csv", participants)),
        *("--ratings", write_table(folder / "ratings.csv", ratings)),
    )
    installation.manage_all(
        ("load_study", folder),
        ("set_study", "scripts", "open"),
        ("invite", "scripts", "--label", SCRIPT[:200]),  # as long as labels may be
        ("import_ratings", "scripts", *files),
        **PUBLIC,
    )
    visitor = visit(installation, "scripts", "writer", pages=0)
    while not visitor.path.endswith("/end/"):
        fields = [(n, bad("text") if n.startswith("text-") else v) for n, v in fill(visitor.html)]
        assert visitor.open(visitor.path, fields) == 200
    installation.manage("analyze", "scripts", "--no-images", "--out", folder / "out")
    return folder / "out" / "report.html"


def test_script_that_runs_would_be_found(watched: Watched) -> None:
    watched.page.set_content(f"<title>{SCRIPT}</title>{SCRIPT}")
    watched.page.evaluate("alert('hostile')")
    watched.look("a page that repeats it as it is")
    [(_, found)] = watched.wrong
    assert found == {"ran": True, "elements": 3, "stopped": []}
    assert watched.dialogs == ["hostile"]
    watched.wrong.clear()
    watched.dialogs.clear()


def test_participants_pages_run_nothing(
    installation: Installation, scripts: Path, watched: Watched
) -> None:
    page = watched.page
    watched.open(f"/s/scripts/{arrival('reader')}", at=installation.url)
    visitor = Visitor(Connection(installation.port))
    [mine] = [c for c in page.context.cookies() if c.get("name") == "fivefold-scripts"]
    visitor.cookies["fivefold-scripts"] = mine.get("value", "")
    visitor.open("/s/scripts/")
    while not visitor.path.endswith("/end/"):
        watched.open(visitor.path, at=installation.url)
        with page.expect_navigation(wait_until="load"):
            page.evaluate("() => [...document.forms].at(-1).submit()")
        watched.look(f"{visitor.path} with errors")
        visitor.go_on()
    for path in ("end/", "page/3/", arrival("reader")):
        watched.open(f"/s/scripts/{path}", at=installation.url)
    assert len(watched.shown) > 15


def test_researchers_pages_run_nothing(
    installation: Installation, scripts: Path, watched: Watched
) -> None:
    page, (name, password) = watched.page, installation.researcher
    page.goto(f"{installation.url}/login/")
    page.locator("input[name=username]").fill(name)
    page.locator("input[name=password]").fill(password)
    page.locator("form:has(input[name=password]) button").click()
    addresses = [
        address for address in researchers_addresses("scripts") if not address.startswith("/api/")
    ]
    for address in addresses:
        answer = page.request.get(installation.url + address)
        if answer.status == 405 or not answer.headers["content-type"].startswith("text/html"):
            continue  # nothing to look at
        watched.open_as_answered(answer)
        if address.startswith("/admin/") and page.locator("#result_list th a").count():
            record = page.locator("#result_list th a").first.get_attribute("href")
            assert record
            watched.open(record, at=installation.url)
    watched.open("/studies/scripts/submissions/", at=installation.url)
    rows = [{"Submission id": SCRIPT, "Participant id": "", "Status": SCRIPT}]
    file = write_table(scripts.parent / f"{SCRIPT.replace('/', '_')[:150]}.csv", rows)
    page.locator("input[type=file]").set_input_files(file)
    with page.expect_navigation(wait_until="load"):
        page.locator("form:has(input[type=file]) button").click()
    watched.look("the list that was refused")
    assert page.get_by_text("Nothing was changed.").is_visible()
    wanted = {f"/studies/scripts/{tab}" for tab in ("", "raters/", "results/", "figures/")}
    assert wanted <= watched.shown
    assert {
        f"/admin/survey/{table}/" for table in ("study", "response", "invitation")
    } < watched.shown


def test_report_runs_nothing(scripts: Path, watched: Watched) -> None:
    watched.open(scripts.as_uri())
    assert watched.shown
