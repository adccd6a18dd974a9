"""Two studies that have everything a page can ask for, and people at every page of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from bs4 import BeautifulSoup, Tag
from django.contrib import admin
from django.urls import URLPattern, URLResolver

from dashboard.urls import urlpatterns
from tests.e2e.installation import PUBLIC, Installation
from tests.hostile.wire import Answer, Connection, Request
from tests.prolific import arrival
from tests.survey import small_study

#: Any token will do if the cookie and the form have the same.
CSRF = "a" * 32

WAYS_IN = """
language: [en, zh-hans]
ways_in: [prolific, link, invitation]
prolific:
  completion_code: DONE1
  declined_code: NOPE1
  screened_out_code: OUT1
  failed_attention_code: BAD1
screening:
  - {name: home, question: Where do you live?, options: [Here, There], eligible: [Here]}
comment: Anything to say about this page?
closing:
  - {kind: text, name: last_words, question: What did you look for?, maximum: 400}
attention_checks:
  - {name: blue, statement: Choose blue., options: [Red, Blue], answer: Blue, after_blocks: [1, 3]}
"""
TASKS = {
    "likert": """
  - {kind: ranking, question: Which is best?}
  - {kind: best_worst, best: The warmest?, worst: The coldest?}
  - {kind: text, name: why, question: Why?, required: true, minimum: 2, maximum: 300}
""",
    "slider": """
  - kind: slider
    left: Cold
    right: Warm
    dimensions: [{name: warmth, question: Warm?}, {name: sense, question: Sensible?}]
""",
}


def study_yaml(slug: str) -> str:
    """study.yaml of the study called by the task it is about: `likert` or `slider`."""
    text = small_study.YAML.replace("slug: small", f"slug: {slug}")
    before, tasks, rest = re.split(r"^(tasks:\n(?:  .*\n)+)", text, flags=re.MULTILINE)
    tasks = tasks + TASKS[slug].lstrip("\n") if slug == "likert" else "tasks:" + TASKS[slug]
    rest = re.sub(r"^attention_checks:\n(?:  .*\n)+", "", rest, flags=re.MULTILINE)
    return before + tasks + rest + WAYS_IN


Fields = list[tuple[str, str]]


@dataclass
class Visitor:
    """Somebody with a browser: a connection, cookies, and the page in front of them."""

    connection: Connection
    cookies: dict[str, str] = field(default_factory=lambda: {"csrftoken": CSRF})
    path: str = ""
    html: str = ""

    def cookie_header(self) -> bytes:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items()).encode()

    def ask(self, method: str, path: str, fields: Fields | None = None) -> Answer:
        headers = [(b"Cookie", self.cookie_header())]
        body = b""
        if fields is not None:
            body = urlencode([*fields, ("csrfmiddlewaretoken", CSRF)]).encode()
            headers.append((b"Content-Type", b"application/x-www-form-urlencoded"))
        request = Request(method.encode(), path.encode(), tuple(headers), body)
        answer = self.connection.ask(request)
        for name, value in answer.headers:
            if name.lower() == "set-cookie" and not value.startswith("csrftoken="):
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return answer

    def open(self, path: str, fields: Fields | None = None) -> int:
        """Open a page (or send fields to it) and follow to where it leads."""
        answer = self.ask("GET" if fields is None else "POST", path, fields)
        while answer.status == 302:
            path = answer.header("location")
            answer = self.ask("GET", path)
        self.path, self.html = path, answer.body.decode()
        return answer.status

    def go_on(self) -> None:
        """Answer the page in front with something that it takes."""
        before, sent = self.path, fill(self.html)
        status = self.open(before, sent)
        # The page of a training item stays until its feedback is read, with another form.
        moved = self.path != before or fill(self.html) != sent
        assert status == 200 and moved, (before, status, self.html)


def researcher(installation: Installation) -> Visitor:
    """A researcher who has logged in."""
    name, password = installation.researcher
    visitor = Visitor(Connection(installation.port))
    assert visitor.open("/login/", [("username", name), ("password", password)]) == 200
    return visitor


def open_targets(installation: Installation, folder: Path) -> None:
    """Load both studies and open them."""
    commands: list[Sequence[str | Path]] = []
    for slug in TASKS:
        (folder / slug).mkdir()
        (folder / slug / "study.yaml").write_text(study_yaml(slug), encoding="utf-8")
        (folder / slug / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        commands += [("load_study", folder / slug), ("set_study", slug, "open")]
    installation.manage_all(*commands, **PUBLIC)


def fill(html: str) -> Fields:
    """A valid answer to the last form of a page: the first option, each rank once."""
    form = BeautifulSoup(html, "html.parser").find_all("form")[-1]
    fields: dict[str, str] = {}
    ranked: list[str] = []
    for place, control in enumerate(controls(form)):
        name, value = str(control["name"]), str(control.get("value", ""))
        if control.name == "textarea":
            fields[name] = f"Some words {place}"
        elif control.get("type") == "radio":
            if name.startswith("rank-") and name not in ranked:
                ranked.append(name)
                fields[name] = str(len(ranked))
            elif name == "worst" or name not in fields:  # the last is the worst, else the first
                fields[name] = value
        elif control.get("type") == "checkbox":
            fields[name] = value
        elif control.get("inputmode") == "numeric":
            fields[name] = "42"
        elif control.get("type") == "hidden":
            fields[name] = value
    return list(fields.items())


def controls(form: Tag) -> Iterator[Tag]:
    for control in form.find_all(["input", "textarea", "select"]):
        if control.get("name") not in (None, "csrfmiddlewaretoken"):
            yield control


def visit(installation: Installation, slug: str, person: str, *, pages: int = 99) -> Visitor:
    """Somebody who comes from Prolific and answers that many pages, consent among them."""
    visitor = Visitor(Connection(installation.port))
    assert visitor.open(f"/s/{slug}/{arrival(person, study='study', session=person)}") == 200
    for _ in range(pages):
        if visitor.path.endswith("/end/"):
            break
        visitor.go_on()
    return visitor


def researchers_addresses(study: str) -> Iterator[str]:
    """Every address of researchers' pages and API, and of the raw records."""
    values = {
        "study": study,
        "judge": "judge@1",
        "number": "1",
        "slug": "ratings_kde",
        "str": "ratings.csv",
        "path": "nobody",
    }

    def walk(patterns: list[URLPattern | URLResolver], before: str) -> Iterator[str]:
        for pattern in patterns:
            address = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns, address)
            else:
                yield re.sub(r"<(\w+):\w+>", lambda found: values[found[1]], address)

    yield from walk(urlpatterns, "/")
    for table in admin.site._registry:
        yield f"/admin/{table._meta.app_label}/{table._meta.model_name}/"
