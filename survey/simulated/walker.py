"""One simulated rater, page by page over HTTP: cookies, plain forms, redirects.

It reads what a browser gets and knows the study by its texts alone; which page comes when is
the server's business.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urljoin

import requests
from bs4 import BeautifulSoup, Tag
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from survey.simulated import clock
from survey.simulated.content import Cell, Content, letters
from survey.simulated.plan import RaterPlan, block_page, check_page
from survey.simulated.profile import Behaviour

TIMEOUT_SECONDS = 60.0
Answers = list[tuple[str, str]]


class WalkError(Exception):
    """A rater met something that no participant should meet."""


class NotLetIn(WalkError):
    """The server refuses the rater (403): the study is closed to them, or the clock is."""


class Ending(StrEnum):
    """How a walk ended."""

    COMPLETED = "completed"
    DECLINED = "declined"
    LEFT = "left early"


@dataclass(frozen=True)
class SentRating:
    """Where a rating belongs: its block, and the response by the name that the browser knows."""

    scenario: str
    set_name: str
    response: str
    dimension: str


@dataclass
class Walk:
    """What one rater did. `sent` holds what the server has acknowledged."""

    plan: RaterPlan
    ending: Ending | None = None
    code: str = ""
    pages: int = 0
    sent: dict[SentRating, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Resume:
    """Where an earlier run stopped: the last time stored, and how many blocks were answered."""

    at: datetime
    blocks: int


def walk(
    *,
    server: str,
    content: Content,
    plan: RaterPlan,
    now: datetime,
    resume: Resume | None = None,
) -> Walk:
    """Take the survey as planned, relative to `now`. Raises WalkError."""
    with requests.Session() as session:
        # Sending a page again is harmless, so one that got no answer is simply sent again.
        retry = Retry(total=2, connect=0, other=0, backoff_factor=0.2, allowed_methods=None)
        for scheme in ("http://", "https://"):
            session.mount(scheme, HTTPAdapter(max_retries=retry))
        visit = _Visit(session, content, plan)
        visit.at = resume.at if resume else now - plan.before
        visit.blocks = resume.blocks if resume else 0
        try:
            visit.arrive(server)
            while visit.walk.ending is None:
                visit.step()
        except requests.RequestException as error:
            raise WalkError(f"no answer from {server}: {_innermost(error)}") from None
    return visit.walk


def _innermost(error: BaseException) -> str:
    """The plainest reason, such as "Connection refused"; those around it repeat the address."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return (isinstance(error, OSError) and error.strerror) or str(error)


class _Form:
    """The form on a page: what it sends by itself, and what can be chosen."""

    def __init__(self, element: Tag) -> None:
        self.action = str(element.get("action") or "")
        self.hidden: Answers = []
        self.inputs: dict[str, list[Tag]] = {}
        for tag in element.find_all(["input", "select", "button"]):
            name = str(tag.get("name") or "")
            if tag.get("type") == "hidden":
                self.hidden.append((name, _value(tag)))
            elif name:
                self.inputs.setdefault(name, []).append(tag)

    def offers(self, name: str, value: str) -> bool:
        """Whether a person could answer this."""
        tags = self.inputs.get(name, [])
        if tags and tags[0].name == "select":
            tags = tags[0].find_all("option")
        return any(
            _value(tag) == value
            for tag in tags
            if tag.name != "input" or tag.get("type") in ("radio", "checkbox")
        ) or any(tag.get("type") in ("text", "number") for tag in tags)


def _value(tag: Tag) -> str:
    value = tag.get("value")
    return str(value) if value is not None else tag.get_text(strip=True)


class _Visit:
    """A walk under way: the open page, the rater's time, what was sent."""

    at: datetime
    blocks: int

    def __init__(self, session: requests.Session, content: Content, plan: RaterPlan) -> None:
        self.session, self.content, self.plan = session, content, plan
        self.walk = Walk(plan)

    def arrive(self, server: str) -> None:
        """Follow the participant link, to the version that was planned for."""
        person = self.plan.person
        link = f"{server.rstrip('/')}/s/{self.content.definition.slug}/"
        query = {
            "PROLIFIC_PID": person,
            "STUDY_ID": "simulated",
            "SESSION_ID": f"of-{person}",
            "version": str(self.content.version),
        }
        headers = {clock.HEADER: self._clock()}
        self._read(self.session.get(link, params=query, headers=headers, timeout=TIMEOUT_SECONDS))

    def step(self) -> None:
        """Do what the open page asks, or leave."""
        element = self.page.select_one("main form") or self.page.find("form")
        code = self.page.find(id="completion-code")
        if code is not None or element is None:
            if self.content.gives_code and code is None:
                raise self._error("has neither a form nor a completion code")
            self.walk.ending = Ending.COMPLETED
            self.walk.code = code.get_text(strip=True) if code else ""
            return
        form = _Form(element)
        ratings = [name for name in form.inputs if name.startswith("r-")]
        if "agree" in form.inputs:
            self._consent(form)
        elif ratings:
            self._block(form, ratings)
        elif "answer" in form.inputs:
            self._check(form, element)
        elif any(question.name in form.inputs for question in self.content.definition.demographics):
            self._demographics(form)
        else:
            self._send(form, [], "instructions")

    def _consent(self, form: _Form) -> None:
        if self.plan.behaviour is Behaviour.DECLINER:
            self._send(form, [("decline", _value(form.inputs["decline"][0]))], "consent")
            self.walk.ending = Ending.DECLINED
        else:
            self._send(form, [("agree", _value(form.inputs["agree"][0]))], "consent")

    def _block(self, form: _Form, names: Sequence[str]) -> None:
        if self.blocks >= self.plan.blocks:
            self.walk.ending = Ending.LEFT
            return
        asked = {name: name.split("-", 2)[1:] for name in names}
        texts = {
            response: _response_text(form.inputs[name][0]) for name, (response, _) in asked.items()
        }
        recognised = self.content.recognise(texts, on_page=self.page.get_text)
        if recognised is None:
            raise self._error("shows no block of this study")
        block, shown = recognised
        answers, sent = [], {}
        for name, (response, dimension) in asked.items():
            text = shown[response]
            value = self.plan.ratings[
                Cell(block.scenario, block.set_name, text.model, text.condition, dimension)
            ]
            answers.append((name, str(value)))
            sent[SentRating(block.scenario, block.set_name, response, dimension)] = value
        self._send(form, answers, block_page(self.blocks + 1))
        self.blocks += 1
        self.walk.sent |= sent

    def _check(self, form: _Form, element: Tag) -> None:
        said = letters(element.get_text())
        for check in self.content.definition.attention_checks:
            if letters(check.statement) in said:
                answer = str(self.plan.checks[check.name])
                return self._send(form, [("answer", answer)], check_page(check.name))
        raise self._error("shows no attention check of this study")

    def _demographics(self, form: _Form) -> None:
        given = self.plan.demographics.items()
        answers = [(name, value) for name, values in given for value in values]
        self._send(form, answers, "demographics")

    def _send(self, form: _Form, answers: Answers, page: str) -> None:
        """Send the form once the rater has looked at the page for as long as planned."""
        for name, value in answers:
            if not form.offers(name, value):
                raise self._error(f"does not offer {name}={value}")
        self.at += timedelta(seconds=self.plan.seconds[page])
        self._read(
            self.session.post(
                urljoin(self.url, form.action),
                data=form.hidden + answers,
                headers={clock.HEADER: self._clock(), "Referer": self.url},
                timeout=TIMEOUT_SECONDS,
            )
        )

    def _clock(self) -> str:
        plan = self.plan
        return clock.sign(person=plan.person, at=self.at, order_seed=plan.order_seed)

    def _read(self, answer: requests.Response) -> None:
        """Take in the page that came, redirects followed."""
        self.url = answer.url
        self.page = BeautifulSoup(answer.text, "html.parser")
        self.walk.pages += 1
        if answer.status_code == requests.codes.forbidden:
            raise NotLetIn(self._said("main") or self._said("body"))
        if answer.status_code == requests.codes.unprocessable_entity:
            raise self._error(f"did not take the answers: {self._said('.error-summary')}")
        if not answer.ok:
            raise self._error(f"answered {answer.status_code}")

    def _said(self, selector: str) -> str:
        element = self.page.select_one(selector)
        return " ".join(element.get_text(" ").split())[:300] if element else ""

    def _error(self, what: str) -> WalkError:
        return WalkError(f"{self.plan.person}: {self.url} {what}")


def _response_text(radio: Tag) -> str:
    """The text of the response that a radio button belongs to: the nearest one around it."""
    for around in radio.parents:
        response = around.find(lambda tag: tag.has_attr("data-response"))
        if isinstance(response, Tag):
            return response.get_text()
    return ""
