"""Requests to Prolific's API: waits, repetitions, time-outs, and errors in a sentence.

A request that Prolific is too busy for (429) was not carried out, and is sent again after a wait:
as long as Prolific says, else twice as long each time. So is a request that failed at Prolific
(5xx) or on the way, if carrying it out twice does what once does (`repeat="always"`). Of others the
`ProlificError` says that they may have happened.

So it says of an answer that is not Prolific's: a maintenance page with status 200, an empty body,
or an error page of a server in between. Only what the API describes says that something was done,
or that it was not.

This module and `signed_links` import `requests`; web processes import them when they need them.
"""

import json
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeVar

import requests
from pydantic import BaseModel, ValidationError

from survey.prolific.errors import ProlificError, is_temporary, refusal

Row = TypeVar("Row", bound=BaseModel)
#: Whether a request is sent again after a failure; "if busy": if it was surely not carried out.
Repeat = Literal["always", "if busy", "never"]
CONNECT_SECONDS = 5.0
#: One answer; a request also ends when the exchange's time is over.
ANSWER_SECONDS = 20.0
#: The first wait; each further one is twice as long, up to the longest.
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
#: How often an address that nobody answers at is tried again.
MOST_UNREACHED = 2
#: Shorter tokens are placeholders, which texts can contain too.
SHORTEST_SECRET = 8


class Exchange:
    """Requests with one token. All of them together end within `seconds`."""

    def __init__(
        self, token: str, *, base_url: str, seconds: float, wait: Callable[[float], None]
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._ends_at = time.monotonic() + seconds
        self._wait = wait
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Token {token}"
        self._session.trust_env = False  # a .netrc would replace the token

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        about: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
        repeat: Repeat = "if busy",
        header: str = "",
        success: int | None = None,
    ) -> Any:
        """The JSON of an answer; None if it is empty. Raises ProlificError, also for another status
        than `success`, if that is given.

        The value of `header`, if the answer has it, is added to a JSON object under its name.
        """
        answer = self._answer(method, path, about, body, query, repeat)
        try:
            content = json.loads(answer.content) if answer.content else None
        except ValueError:
            raise unexpected(about) from None
        if success not in (None, answer.status_code):
            raise unexpected(about)
        if isinstance(content, dict) and header in answer.headers:
            content[header] = answer.headers[header]
        return content

    def download(self, path: str, *, about: str, body: Mapping[str, Any]) -> bytes:
        """The file that a POST answers with, which changes nothing. Raises ProlificError."""
        return self._answer("POST", path, about, body, None, "always").content

    def _answer(
        self,
        method: str,
        path: str,
        about: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, str] | None,
        repeat: Repeat,
    ) -> requests.Response:
        always = repeat == "always" or method == "GET"
        waits, happened, unreached = _waits(), False, 0
        while True:
            failed, asked_to_wait = self._attempt(method, path, about, body, query)
            if not isinstance(failed, ProlificError):
                return failed
            unreached += failed.status is None and not failed.may_have_happened
            happened |= failed.may_have_happened and method != "GET"
            failed.may_have_happened = happened
            again = repeat != "never" and (failed.status == 429 or always)
            seconds = next(waits) if asked_to_wait is None else asked_to_wait
            is_late = time.monotonic() + seconds >= self._ends_at
            if not is_temporary(failed.status) or not again or is_late:
                raise failed
            if unreached > MOST_UNREACHED:
                raise failed
            self._wait(seconds)

    def _attempt(
        self,
        method: str,
        path: str,
        about: str,
        body: Mapping[str, Any] | None,
        query: Mapping[str, str] | None,
    ) -> tuple[requests.Response | ProlificError, float | None]:
        """One attempt: the answer or a ProlificError, and the wait that Prolific wants."""
        left = self._ends_at - time.monotonic()
        if left <= 0:  # the caller may have been stopped for a while: others may act for it now
            return ProlificError("Prolific was not asked: the time for it was over."), None
        seconds = min(ANSWER_SECONDS, left)
        try:
            answer = self._session.request(
                method,
                f"{self._base_url}/{path}",
                json=body,
                params=query,
                timeout=(min(CONNECT_SECONDS, left), seconds),
                allow_redirects=False,
            )
        except requests.ConnectTimeout:
            return ProlificError(f"Prolific at {self._base_url} could not be reached."), None
        except requests.Timeout:
            message = f"Prolific did not answer within {seconds:.0f} s."
            return ProlificError(message, may_have_happened=True), None
        except requests.RequestException as error:
            return ProlificError(
                f"No answer from Prolific at {self._base_url}: {_innermost(error)}.",
                may_have_happened=not isinstance(
                    _root(error), ConnectionRefusedError | socket.gaierror
                ),
            ), None
        if 200 <= answer.status_code < 300:
            return answer, None
        return self._failure(answer, about), retry_after_seconds(answer)

    def _failure(self, answer: requests.Response, about: str) -> ProlificError:
        status = answer.status_code
        if is_temporary(status):
            what = "is too busy" if status == 429 else "has a fault of its own"
            return ProlificError(
                f"Prolific {what} at the moment (HTTP {status}). Try again in some minutes.",
                status=status,
                may_have_happened=status != 429,
            )
        try:
            content = answer.json()
        except ValueError:
            content = None
        error = refusal(status, content, about=about)
        if len(self._token) >= SHORTEST_SECRET:
            error.args = (str(error).replace(self._token, "[token]"),)
        return error


def retry_after_seconds(answer: requests.Response) -> float | None:
    """The wait that an answer asks for; None if it asks for none, or for no sensible one."""
    try:
        seconds = float(answer.headers.get("Retry-After", ""))
    except ValueError:
        return None
    return min(seconds, LONGEST_WAIT) if seconds >= 0 else None


def _waits() -> Iterator[float]:
    """Growing waits, each with some chance so that several clients do not come together."""
    seconds = FIRST_WAIT
    while True:
        yield seconds * random.uniform(0.8, 1.2)  # noqa: S311  no secret
        seconds = min(LONGEST_WAIT, 2 * seconds)


def read(schema: type[Row], answer: Any, about: str) -> Row:
    try:
        return schema.model_validate(answer)
    except ValidationError:
        raise unexpected(about) from None


def unexpected(about: str) -> ProlificError:
    return ProlificError(
        f"Prolific's answer ({about}) is not what its API describes. Is PROLIFIC_URL right?",
        may_have_happened=True,
    )


def _root(error: BaseException) -> BaseException:
    chain, seen = error, set[int]()
    while id(chain) not in seen:
        seen.add(id(chain))
        reason = chain.args[0] if chain.args else None
        inner = getattr(reason, "reason", None) or chain.__cause__ or chain.__context__
        if not isinstance(inner, BaseException):
            break
        chain = inner
    return chain


def _innermost(error: BaseException) -> str:
    """The system's reason, such as "Connection refused"; outer ones repeat the address."""
    root = _root(error)
    return (isinstance(root, OSError) and root.strerror) or type(root).__name__
