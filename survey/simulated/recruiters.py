"""Where simulated raters come from: by themselves, or from a local Prolific over HTTP."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import urlencode, urlsplit

import requests

from survey.simulated.content import Content
from survey.simulated.plan import RaterPlan
from survey.simulated.profile import Deed
from survey.simulated.walker import Walk, WalkEnding, WalkError

TIMEOUT_SECONDS = 30.0
#: Entered by people who have seen no other code of the study.
NEVER_SHOWN = "NEVERSEEN"


class Recruiter(Protocol):
    """Sends raters to the study, and hears what became of them."""

    def link(self, plan: RaterPlan, at: datetime) -> str:
        """The address that a rater opens at this time of theirs. Raises WalkError."""

    def ended(self, walk: Walk, at: datetime) -> None:
        """Do what the rater does after the survey. Raises WalkError."""


def _address(server: str, content: Content, ids: tuple[str, str, str]) -> str:
    """The participant link of the version, with ids of person, study and submission."""
    names = content.parameters
    query = dict(zip((names.participant, names.study, names.session), ids, strict=True))
    slug = content.definition.slug
    return _with_version(f"{server.rstrip('/')}/s/{slug}/?{urlencode(query)}", content)


def _as_told(at: datetime) -> str:
    """A time as Prolific writes it."""
    return at.isoformat().replace("+00:00", "Z")


def _with_version(address: str, content: Content) -> str:
    return f"{address}&version={content.version}"


@dataclass(frozen=True)
class ByThemselves:
    """Raters whose ids the simulation makes."""

    server: str
    content: Content

    def link(self, plan: RaterPlan, at: datetime) -> str:
        """The participant link of the version."""
        ids = (plan.person, "simulated", f"of-{plan.person}")
        return _address(self.server, self.content, ids)

    def ended(self, walk: Walk, at: datetime) -> None:
        """Nobody hears of it."""


@dataclass
class FromLocalProlific:
    """A published study on a local Prolific at `url`; see `examples/local_prolific`."""

    url: str
    study: str
    server: str
    content: Content
    #: Submissions by person.
    _submissions: dict[str, str] = field(default_factory=dict)

    def link(self, plan: RaterPlan, at: datetime) -> str:
        """Take a place and get the link that Prolific opens; again the same place."""
        if plan.deed is Deed.FORGED_IDS:
            invented = hashlib.sha256(f"session of {plan.person}".encode()).hexdigest()[:24]
            return _address(self.server, self.content, (plan.person, self.study, invented))
        asked = {"study": self.study, "participants": [plan.person], "at": _as_told(at)}
        [came] = self._ask("people", asked)
        self._submissions[plan.person] = came["id"]
        link = urlsplit(came["link"])
        address = f"{self.server.rstrip('/')}{link.path}?{link.query}"
        return _with_version(address, self.content)

    def ended(self, walk: Walk, at: datetime) -> None:
        """Enter a code, return, or run out of time."""
        deed, submission = walk.plan.deed, self._submissions.pop(walk.plan.person, None)
        if submission is None:
            return
        if deed is Deed.RETURNS:
            told: dict[str, str | None] = {"status": "RETURNED"}
        elif deed is Deed.TIMES_OUT or walk.ending is WalkEnding.LEFT:
            told = {"status": "TIMED-OUT"}
        elif deed is Deed.SWAPPED_CODE:
            told = {"code": self._another_code(walk.code)}
        else:
            told = {"code": None if deed is Deed.NO_CODE else walk.code or None}
        self._ask(f"people/{submission}", told | {"at": _as_told(at)})

    def _another_code(self, shown: str) -> str:
        others = [code for code in self.content.codes.values() if code != shown]
        return others[0] if others else NEVER_SHOWN

    def _ask(self, path: str, body: dict[str, Any]) -> Any:
        try:
            answer = requests.post(f"{self.url}/.local/{path}", json=body, timeout=TIMEOUT_SECONDS)
            content = answer.json()
        except (requests.RequestException, ValueError):
            raise WalkError(f"no answer from the local Prolific at {self.url}") from None
        if not answer.ok:
            error = content.get("error", {})
            said = " ".join(str(error.get(part, "")) for part in ("title", "detail"))
            raise WalkError(f"the local Prolific at {self.url} refused: {said.strip()}")
        return content
