"""One simulated rater, page by page over HTTP: cookies, plain forms, redirects.

It reads the same pages as a browser and knows the study only by its texts; the server decides the
order of pages. It sends one request at a time, so a caller with many raters can keep the order of
their clocks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import urljoin

import requests
from requests.adapters import HTTPAdapter
from selectolax.lexbor import LexborHTMLParser
from urllib3.util import Retry

from survey.definition import StudyDefinition
from survey.definition.tasks import ComparingTask, RatingTask, TextTask
from survey.simulated import clock
from survey.simulated.answers import ranks
from survey.simulated.content import BlockTexts, Content, RatingKey, Text, letters
from survey.simulated.form import Answers, Form, value_of
from survey.simulated.plan import WINDOWS, RaterPlan, block_page, check_page, training_page
from survey.simulated.profile import Behaviour, Deed

TIMEOUT_SECONDS = 60.0


class WalkError(Exception):
    """The rater got a page that no participant should get."""


class NotLetIn(WalkError):
    """The server refuses the rater (403): the study does not admit them, or the clock is not
    accepted.
    """


class WalkEnding(StrEnum):
    """The end of a walk: the ending on the last page, or none."""

    COMPLETED = "completed"
    FAILED_ATTENTION = "failed_attention"
    FAILED_COMPREHENSION = "failed_comprehension"
    SCREENED_OUT = "screened_out"
    DECLINED = "declined"
    FULL = "full"
    LEFT = "left_early"
    WITHDRAWN = "withdrawn"  # an earlier run of the same raters, deleted since
    REFUSED = "refused"  # forged ids


@dataclass(frozen=True)
class SentRating:
    """The place of a rating, rank or choice: its block, and the response's name in the browser."""

    scenario: str
    set_name: str
    response: str
    task: str
    dimension: str


@dataclass
class Walk:
    """One rater's actions. `sent` has the answers that the server acknowledged; a choice is 1 or
    −1.
    """

    plan: RaterPlan
    ending: WalkEnding | None = None
    code: str = ""
    pages: int = 0
    sent: dict[SentRating, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """The point at which a rater starts or continues: their time, the number of answered blocks,
    and whether they were in progress without a place.
    """

    at: datetime
    blocks: int = 0
    placeless: bool = False


@dataclass(frozen=True)
class _Request:
    """The rater's next action: a form to send, or a link to follow. `judged` has the answers of a
    block's form; `joins` means that the request may take a place, or find none.
    """

    address: str
    form: Answers | None = None
    judged: dict[SentRating, float] | None = None
    joins: bool = False


def _innermost(error: BaseException) -> str:
    """The innermost reason, such as "Connection refused"; outer ones repeat the address."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return (isinstance(error, OSError) and error.strerror) or str(error)


class SimulatedVisit:
    """A walk in progress: the rater's time, next action, and answers sent."""

    def __init__(
        self, *, link: Callable[[], str], content: Content, plan: RaterPlan, start: Start
    ) -> None:
        """Start at the link, which another device asks for anew."""
        self.content, self.plan = content, plan
        #: Time of the rater's next action.
        self.at = start.at
        self.blocks = start.blocks
        self._may_be_placeless = start.placeless
        self.walk = Walk(plan)
        self._link = link
        self._has_another_device = plan.deed is Deed.SECOND_DEVICE
        self._open_browser()

    def _open_browser(self) -> None:
        """Come with the link in a browser that knows nothing of the rater."""
        self.url = self._link()
        self._next = _Request(self.url, joins=True)
        self._session = requests.Session()
        # Sending a page again is harmless, so a page without an answer is sent again.
        retry = Retry(total=2, connect=0, other=0, backoff_factor=0.2, allowed_methods=None)
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))

    @property
    def ended(self) -> bool:
        """Whether the walk has ended."""
        return self.walk.ending is not None

    @property
    def in_turn(self) -> bool:
        """Whether the order of the rater's next request matters: it may take a place, or find none.
        At the end, a rater who lost their place while inactive gets it back if it is free.
        """
        return self._next.joins or self._may_be_placeless

    def go(self) -> None:
        """Do the next action, and decide from the new page what follows. Raises WalkError."""
        asked = self._next
        plan = self.plan
        signed = clock.sign(
            person=plan.person,
            at=self.at,
            order_seed=plan.order_seed,
            from_prolific=plan.deed is not None,
        )
        headers = {clock.HEADER: signed}
        try:
            if asked.form is None:
                answer = self._session.get(asked.address, headers=headers, timeout=TIMEOUT_SECONDS)
            else:
                headers["Referer"] = self.url
                answer = self._session.post(
                    asked.address, data=asked.form, headers=headers, timeout=TIMEOUT_SECONDS
                )
        except requests.RequestException as error:
            site = urljoin(self.url, "/").rstrip("/")
            raise WalkError(f"no answer from {site}: {_innermost(error)}") from None
        self._read(answer)
        if asked.judged is not None:
            self.blocks += 1
            self.walk.sent |= asked.judged
        if not self.ended:
            self._look()

    def go_on(self, until: datetime | None) -> None:
        """Do all actions before `until`, or all. Raises WalkError."""
        while not self.ended and (until is None or self.at < until):
            self.go()

    def close(self) -> None:
        """Close the browser."""
        self._session.close()

    def _look(self) -> None:
        """Decide the answers to the open page, or leave."""
        ending = self._ending()
        if ending is not None:
            return self._end(ending)
        forms = [Form(element) for element in self.page.css("main form")]
        if not forms:
            raise self._error("has neither a form nor an ending")
        form = forms[-1]
        study = self.content.in_language(self.plan.language)
        if "agree" in form.inputs:
            self._consent(forms)
        elif form.part:
            self._before_blocks(form)
        elif responses := self.page.css("[data-response]"):
            texts = {tag.attributes["data-response"] or "": tag.text() for tag in responses}
            self._block(form, study, texts)
        elif "answer" in form.inputs:
            self._check(form, study)
        elif any(question.name in form.inputs for question in study.screening):
            self._send(form, list(self.plan.screening.items()), "screening")
        elif any(question.name in form.inputs for question in study.asked_demographics):
            self._demographics(form)
        elif any(_text(task.name) in form.inputs for task in study.closing):
            self._send(form, self._texts(form, study.closing), "closing")
        else:
            width, height = WINDOWS[self.plan.device]
            window = {"device": self.plan.device, "width": width, "height": height}
            form.measure("device", window)
            self._send(form, [], "instructions")
        return None

    def _end(self, ending: WalkEnding) -> None:
        """Keep the code, if the study has one for this ending."""
        code = self.page.css_first("#completion-code")
        self.walk.ending = ending
        self.walk.code = code.text(strip=True) if code else ""
        if self.walk.code != self.content.codes.get(ending, ""):
            raise self._error(f"shows code {self.walk.code!r} for ending {ending}")

    def _consent(self, forms: Sequence[Form]) -> None:
        language = self.page.css("html[lang]")[0].attributes["lang"]
        if language != self.plan.language:
            choosing = next(form for form in forms if "language" in form.inputs)
            self._send(choosing, [("language", self.plan.language)], None, joins=True)
            return
        form = forms[-1]
        answer = "decline" if self.plan.behaviour is Behaviour.DECLINER else "agree"
        self._send(form, [(answer, value_of(form.inputs[answer][0]))], "consent", joins=True)

    def _before_blocks(self, form: Form) -> None:
        """Answer the comprehension check or a training item, or read its feedback."""
        study = self.content.definition
        if form.part == "comprehension":
            answers = self.plan.comprehension[form.attempt - 1]
            self._send(form, list(answers.items()), "comprehension")
        elif form.part == "feedback":
            self._send(form, [], None)
        else:
            item = study.training_items[form.item - 1]
            given = self.plan.trained(item, study.rated, form.attempt)
            ratings = [
                (study.rated.input_name(f"training{place}", dimension), str(value))
                for place, ratings in enumerate(given, start=1)
                for dimension, value in ratings.items()
            ]
            self._send(form, ratings, training_page(item.name))

    def _block(self, form: Form, study: StudyDefinition, texts: dict[str, str]) -> None:
        """Answer the block that shows `texts`, unless the rater leaves here."""
        if self.blocks >= self.plan.blocks:
            self.walk.ending = WalkEnding.LEFT
            return
        if self._has_another_device and self.blocks >= self.plan.blocks // 2:
            self._has_another_device = False
            self._session.close()
            self._open_browser()
            return
        recognised = self.content.recognise(texts, on_page=self.page.text)
        if recognised is None:
            raise self._error("shows no block of this study")
        block, shown = recognised
        judged = self._judged(block, shown, study)
        answers = [_input(study, at, value) for at, value in judged.items()]
        if "check" in form.inputs:
            answers.append(("check", str(self.plan.checks[self._statement(study, "in_block")])))
        answers += self._texts(form, study.block_remarks, *block.name)
        page = block_page(self.blocks + 1)
        form.measure("paradata", self._measured(page, texts))
        self._send(form, answers, page, judged=judged)

    def _texts(self, form: Form, tasks: Sequence[TextTask], *place: str) -> Answers:
        """Their free-text answers, with how they wrote them where the page counts that."""
        for task in tasks:
            form.measure(f"writing-{task.name}", self.plan.writing(task, *place))
        return [(_text(task.name), self.plan.remark(task, *place)) for task in tasks]

    def _judged(
        self, block: BlockTexts, shown: dict[str, Text], study: StudyDefinition
    ) -> dict[SentRating, float]:
        """Every rating, rank and choice for the block, in the order of the page."""
        judged = {}
        for task in study.tasks:
            if isinstance(task, RatingTask):
                for response, text in shown.items():
                    for dimension in task.dimensions:
                        cell = RatingKey(*block.name, text.model, text.condition, dimension.name)
                        at = SentRating(*block.name, response, task.kind, dimension.name)
                        judged[at] = self.plan.ratings[cell]
            elif isinstance(task, ComparingTask):
                wanted = [task.dimension] if task.dimension else self.content.dimensions
                placed = ranks(self.plan.places(block, list(shown.values()), wanted))
                for response, value in zip(shown, task.of_ranks(placed), strict=True):
                    at = SentRating(*block.name, response, task.kind, task.dimension)
                    if value is not None:
                        judged[at] = value
        return judged

    def _measured(self, page: str, texts: dict[str, str]) -> dict[str, object]:
        """Simulated measurements of a page's script: every text was seen, longer ones for
        longer.
        """
        seconds = round(self.plan.seconds[page], 3)
        letters_shown = sum(map(len, texts.values()))
        return {
            "visible": seconds,
            "hidden": 0,
            "unfocused": 0,
            "losses": 0,
            "first": round(seconds / 2, 3),
            "last": seconds,
            "changes": 0,
            "responses": {
                response: round(seconds * len(text) / letters_shown, 3)
                for response, text in texts.items()
            },
        }

    def _check(self, form: Form, study: StudyDefinition) -> None:
        name = self._statement(study, "item")
        self._send(form, [("answer", str(self.plan.checks[name]))], check_page(name))

    def _statement(self, study: StudyDefinition, kind: str) -> str:
        """The name of the attention check whose statement is on the page."""
        said = letters(self._said("main", most=None))
        for check in study.attention_checks:
            if check.kind == kind and letters(check.statement) in said:
                return check.name
        raise self._error("shows no attention check of this study")

    def _demographics(self, form: Form) -> None:
        given = self.plan.demographics.items()
        answers = [(name, value) for name, values in given for value in values]
        self._send(form, answers, "demographics")

    def _send(
        self,
        form: Form,
        answers: Answers,
        page: str | None,
        *,
        judged: dict[SentRating, float] | None = None,
        joins: bool = False,
    ) -> None:
        """Send the form next, after the planned time on `page`."""
        for name, value in answers:
            if not form.offers(name, value):
                raise self._error(f"does not offer {name}={value}")
        if page is not None:
            looked = timedelta(seconds=self.plan.seconds[page])
            self.at += looked
            self._may_be_placeless |= looked > self.content.silence
        address = urljoin(self.url, form.action)
        self._next = _Request(address, form.hidden + answers, judged, joins)

    def _read(self, answer: requests.Response) -> None:
        """Read the received page, after redirects."""
        self.url = answer.url
        self.page = LexborHTMLParser(answer.text)
        self.walk.pages += 1
        if answer.ok or self._ending() is not None:
            return
        if self.plan.deed is Deed.FORGED_IDS and answer.status_code == requests.codes.bad_request:
            self.walk.ending = WalkEnding.REFUSED
            return
        if answer.status_code == requests.codes.forbidden:
            raise NotLetIn(self._said("main") or self._said("body"))
        if answer.status_code == requests.codes.unprocessable_entity:
            raise self._error(f"did not take the answers: {self._said('.error-summary')}")
        raise self._error(f"answered {answer.status_code}")

    def _ending(self) -> WalkEnding | None:
        """The ending that the open page shows."""
        element = self.page.css_first("[data-ending]")
        return WalkEnding(element.attributes["data-ending"] or "") if element else None

    def _said(self, selector: str, *, most: int | None = 300) -> str:
        element = self.page.css_first(selector)
        return " ".join(element.text(separator=" ").split())[:most] if element else ""

    def _error(self, what: str) -> WalkError:
        return WalkError(f"{self.plan.person}: {self.url} {what}")


def _text(name: str) -> str:
    """The name of the input for a free-text answer."""
    return f"text-{name}"


def _input(study: StudyDefinition, at: SentRating, value: float) -> tuple[str, str]:
    """The form's values for a rating, rank or choice."""
    name, sent = study.input_of(at.task, at.dimension, response=at.response, value=value)
    return name, str(sent)
