"""Simulated participants of the local Prolific: who takes a place, and what becomes of it."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from examples.local_prolific.world import Submission, World

#: Takes the survey at an address and gives the completion code, or None for a person who left.
Take = Callable[[str], str | None]


@dataclass(frozen=True)
class Shares:
    """Which part of the people does what, other than taking the survey to its end."""

    returns: float = 0.0
    times_out: float = 0.0
    #: Come to the end, and enter no code.
    no_code: float = 0.0
    #: Enter a code that the study never had.
    wrong_code: float = 0.0


@dataclass
class Sent:
    """What became of the people, by what they did."""

    by_deed: dict[str, list[Submission]] = field(default_factory=dict)

    def add(self, deed: str, submission: Submission) -> None:
        self.by_deed.setdefault(deed, []).append(submission)


def link_of(world: World, submission: Submission, *, forge: str = "") -> str:
    """The address that Prolific opens for this person: the study's, placeholders filled, signed if
    the study asks for it. Raises ValueError for an unknown forgery.
    """
    study = world.study(submission.study)
    address = str(study["external_study_url"])
    for name, value in {
        "PROLIFIC_PID": submission.participant,
        "STUDY_ID": submission.study,
        "SESSION_ID": submission.id,
    }.items():
        address = address.replace(f"{{{{%{name}%}}}}", value)
    if study.get("is_external_study_url_secure"):
        ids = dict(parse_qsl(urlsplit(address).query))
        token = world.signer.token(address, ids, session=submission.id, forge=forge)
        address += f"&prolific_token={token}" if token else ""
    return address


def send(
    world: World, study: str, count: int, take: Take, *, shares: Shares | None = None, seed: int = 1
) -> Sent:
    """Send people to a study one after the other. The same seed makes them do the same.

    Raises ApiError where the study takes nobody (more).
    """
    chance, sent = random.Random(f"{seed}:{study}"), Sent()
    shares = shares or Shares()
    for _ in range(count):
        with world.lock:
            submission = world.start(study)
        code = take(link_of(world, submission))
        deed = _drawn(chance.random(), shares) if code is not None else "returns"
        with world.lock:
            _do(world, submission, deed, code)
        sent.add(deed, submission)
    return sent


def _drawn(drawn: float, shares: Shares) -> str:
    for deed in ("returns", "times_out", "no_code", "wrong_code"):
        drawn -= getattr(shares, deed)
        if drawn < 0:
            return deed
    return "completes"


def _do(world: World, submission: Submission, deed: str, code: str | None) -> None:
    if deed == "returns":
        world.leave(submission, "RETURNED")
    elif deed == "times_out":
        world.leave(submission, "TIMED-OUT")
    else:
        entered = {"no_code": None, "wrong_code": "NEVERSEEN"}.get(deed, code)
        world.enter_code(submission, entered)
