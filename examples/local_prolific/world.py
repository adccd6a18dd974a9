"""What there is on the local Prolific: accounts, studies, submissions, money. In memory.

Rules and names are those of Prolific's API description. Fees and taxes are invented.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from examples.local_prolific.signing import Signer

#: Share of the rewards, and share of the fee.
FEE, TAX = 0.3, 0.2
#: The present status and an action lead to a status.
TRANSITIONS = {
    ("UNPUBLISHED", "PUBLISH"): "ACTIVE",
    ("ACTIVE", "PAUSE"): "PAUSED",
    ("ACTIVE", "STOP"): "COMPLETED",
    ("PAUSED", "START"): "ACTIVE",
    ("PAUSED", "STOP"): "COMPLETED",
}
#: Submissions that hold no place of the study.
GONE = ("RETURNED", "TIMED-OUT")
IN_PROGRESS = ("RESERVED", "ACTIVE")
#: Fields of a study that may change after publishing.
CHANGEABLE = {"internal_name", "total_available_places"}
#: The only filter that there is: it lets people of participant groups in, and nobody else.
ALLOWLIST = "participant_group_allowlist"
#: Publishing waits for a confirmation of these shapes alone.
NUMBERS = {"total_available_places": 1, "reward": 1, "estimated_completion_time": 1}
TEXTS = ("name", "description", "external_study_url", "prolific_id_option")

Json = dict[str, Any]


class ApiError(Exception):
    """An error that the API answers with."""

    def __init__(self, status: int, title: str, detail: Any = "") -> None:
        self.status, self.title, self.detail = status, title, detail
        super().__init__(f"{status} {title}: {detail}")

    @property
    def body(self) -> Json:
        code = 140000 + self.status
        inner = {"status": self.status, "error_code": code, "title": self.title}
        return {"error": {**inner, "detail": self.detail}}


def new_id() -> str:
    """An id as Prolific's are: 24 hexadecimal digits."""
    return secrets.token_hex(12)


def now() -> str:
    """The time, as the API writes it."""
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def missing(what: str) -> ApiError:
    """The error for what is not there."""
    return ApiError(404, "Not Found", f"{what} does not exist")


@dataclass
class Submission:
    """A participant's submission."""

    study: str
    participant: str
    id: str = field(default_factory=new_id)
    status: str = "ACTIVE"
    code: str | None = None
    started_at: str = field(default_factory=now)
    completed_at: str | None = None
    return_requested: str | None = None

    def listed(self) -> Json:
        """As lists have it."""
        return {
            "id": self.id,
            "participant_id": self.participant,
            "status": self.status,
            "started_at": self.started_at,
            "completed_at": self.completed_at,
            "has_siblings": False,
            "study_code": self.code,
            "return_requested": self.return_requested,
            "ip": "192.0.2.1",  # Prolific's own client reads one: nobody should keep it
        }

    def detail(self) -> Json:
        """As a single answer has it."""
        own = {"participant": self.participant, "entered_code": self.code, "study_id": self.study}
        return {**self.listed(), **own}


@dataclass(frozen=True)
class Payment:
    """Money that a participant got. `why` is `reward`, or the id of a bulk of bonuses."""

    submission: str
    participant: str
    cents: int
    why: str
    at: float = field(default_factory=time.monotonic, compare=False)


@dataclass
class World:
    """Everything; methods raise ApiError. A lock makes each of them one step."""

    balance: int = 1_000_000
    currency: str = "GBP"
    #: A submission lists a bonus so long after it was paid: on Prolific it takes minutes.
    listing_seconds: float = 0.0
    tokens: dict[str, Json] = field(default_factory=dict)
    studies: dict[str, Json] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    bonuses: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    ledger: list[Payment] = field(default_factory=list)
    messages: list[Json] = field(default_factory=list)
    groups: dict[str, Json] = field(default_factory=dict)
    #: What people answer to Prolific, other than what is drawn from their ids: by participant.
    told: dict[str, dict[str, str]] = field(default_factory=dict)
    _members: dict[str, list[str]] = field(default_factory=dict)
    workspace: str = field(default_factory=new_id)
    project: str = field(default_factory=new_id)
    signer: Signer = field(default_factory=Signer)
    #: Called with the type of an event and its body.
    notify: Callable[[str, Json], None] = lambda kind, body: None
    lock: Any = field(default_factory=threading.RLock)

    # ── Money ────────────────────────────────────────────────────────────────────────────────

    def cost(self, reward: float, places: float) -> int:
        """Of so many submissions, with fees and taxes, in cents."""
        return round(reward * places * (1 + FEE * (1 + TAX)))

    @property
    def assigned(self) -> int:
        """Cents that published studies may still spend."""
        unpaid = 0
        for study in self.studies.values():
            if study["status"] not in ("UNPUBLISHED", "COMPLETED"):
                paid = sum(
                    payment.why == "reward"
                    and self.submissions[payment.submission].study == study["id"]
                    for payment in self.ledger
                )
                unpaid += self.cost(study["reward"], study["total_available_places"] - paid)
        return unpaid

    @property
    def spent(self) -> int:
        """Cents that were paid, with fees and taxes."""
        return sum(self.cost(payment.cents, 1) for payment in self.ledger)

    @property
    def available(self) -> int:
        """Cents that are neither paid nor assigned."""
        return self.balance - self.spent - self.assigned

    @property
    def double_payments(self) -> list[str]:
        """What was paid more than once: the reward of a submission, or a bulk of bonuses."""
        paid = Counter((payment.submission, payment.why) for payment in self.ledger)
        return [f"{submission}: {why} × {n}" for (submission, why), n in paid.items() if n > 1]

    def bonuses_of(self, submission: Submission) -> list[int]:
        """The bonuses that a submission lists, in cents."""
        listed_to = time.monotonic() - self.listing_seconds
        return [
            payment.cents
            for payment in self.ledger
            if payment.submission == submission.id
            and payment.why != "reward"
            and payment.at <= listed_to
        ]

    def pay(self, submission: Submission, cents: int, why: str) -> None:
        """Write a payment into the ledger."""
        self.ledger.append(Payment(submission.id, submission.participant, cents, why))

    # ── Studies ──────────────────────────────────────────────────────────────────────────────

    def study(self, study: str) -> Json:
        """A study, with the numbers that follow from its submissions."""
        if study not in self.studies:
            raise missing(f"study {study}")
        taken = [s for s in self.submissions.values() if s.study == study]
        return {
            **self.studies[study],
            "places_taken": sum(s.status not in GONE for s in taken),
            "number_of_submissions": len(taken),
        }

    def create_study(self, given: Json) -> Json:
        """A draft."""
        check_study(given, whole=True)
        self._check_filters(given)
        study = {
            **given,
            "id": new_id(),
            "status": "UNPUBLISHED",
            "project": given.get("project") or self.project,
            "date_created": now(),
        }
        self.studies[study["id"]] = study
        return self.study(study["id"])

    def change_study(self, study: str, given: Json) -> Json:
        """Change a draft, or the few fields that may change later."""
        before = self.study(study)
        check_study(given, whole=False)
        self._check_filters(given)
        if before["status"] != "UNPUBLISHED":
            if fixed := sorted(set(given) - CHANGEABLE):
                raise ApiError(
                    400, "Bad Request", {name: ["can't be changed any more"] for name in fixed}
                )
            places = given.get("total_available_places", before["total_available_places"])
            if places < before["total_available_places"]:
                reason = ["places can only be increased"]
                raise ApiError(400, "Bad Request", {"total_available_places": reason})
            more = places - before["total_available_places"]
            self._must_afford(self.cost(before["reward"], more))
            if more and before["status"] in ("AWAITING REVIEW", "COMPLETED"):
                self._set_status(study, "ACTIVE")
        self.studies[study].update(given)
        return self.study(study)

    def move_study(self, study: str, action: str) -> Json:
        """Publish, pause, start or stop."""
        before = self.study(study)
        after = TRANSITIONS.get((before["status"], action))
        if after is None:
            reason = f"A study that is {before['status']} does not take {action}"
            raise ApiError(400, "Bad Request", reason)
        if action == "PUBLISH":
            self._must_afford(self.cost(before["reward"], before["total_available_places"]))
        self._set_status(study, after)
        return self.study(study)

    def _must_afford(self, cents: int) -> None:
        if cents > self.available:
            raise ApiError(400, "Not enough funds", "Top up your wallet to publish this study")

    def _set_status(self, study: str, status: str) -> None:
        self.studies[study]["status"] = status
        self.notify("study.status.change", {"resource_id": study, "status": status})

    # ── Submissions ──────────────────────────────────────────────────────────────────────────

    def of_study(self, study: str) -> list[Submission]:
        """The submissions of a study, the oldest first."""
        self.study(study)
        return [s for s in self.submissions.values() if s.study == study]

    def submission(self, submission: str) -> Submission:
        """One submission."""
        if submission not in self.submissions:
            raise missing(f"submission {submission}")
        return self.submissions[submission]

    def start(self, study: str, participant: str | None = None, at: str = "") -> Submission:
        """Take a place for a participant: now, or at a simulated time."""
        now_there = self.study(study)
        if now_there["status"] != "ACTIVE":
            raise ApiError(400, "Bad Request", f"The study is {now_there['status']}")
        if now_there["places_taken"] >= now_there["total_available_places"]:
            raise ApiError(400, "Bad Request", "The study has no places left")
        invited, came = self.invited(study), {s.participant for s in self.of_study(study)}
        if participant is None and invited is not None:
            participant = next((one for one in invited if one not in came), None)
            if participant is None:
                raise ApiError(400, "Bad Request", "Everybody whom the study invites has come")
        submission = Submission(study, participant or new_id(), started_at=at or now())
        if invited is not None and submission.participant not in invited:
            raise ApiError(400, "Bad Request", "This participant is not eligible")
        if submission.participant in came:
            raise ApiError(400, "Bad Request", "This participant has a submission already")
        self.submissions[submission.id] = submission
        self._changed(submission, "ACTIVE")
        return submission

    def started(self, study: str, participant: str | None, at: str = "") -> Submission:
        """The submission of a participant, who takes a place unless they have one."""
        known = [one for one in self.of_study(study) if one.participant == participant]
        return known[0] if known else self.start(study, participant, at)

    def enter_code(self, submission: Submission, code: str | None, at: str = "") -> None:
        """Complete with a code, or without one: then its actions decide what follows. It is now, or
        the time of a simulated clock.
        """
        if submission.status not in (*IN_PROGRESS, "TIMED-OUT"):
            raise ApiError(400, "Bad Request", f"The submission is {submission.status}")
        submission.code, submission.completed_at = code or "NOCODE", at or now()
        codes = self.studies[submission.study].get("completion_codes") or []
        actions = [a["action"] for c in codes if c["code"] == code for a in c["actions"]]
        if "REQUEST_RETURN" in actions:
            submission.return_requested = now()
        self._changed(submission, "AWAITING REVIEW")
        if "AUTOMATICALLY_APPROVE" in actions:
            self.approve(submission)
        self._close_if_full(submission.study)

    def leave(self, submission: Submission, status: str) -> None:
        """Return, or run out of time."""
        if submission.status not in (*IN_PROGRESS, "AWAITING REVIEW") or status not in GONE:
            raise ApiError(400, "Bad Request", f"The submission is {submission.status}")
        self._changed(submission, status)

    def approve(self, submission: Submission) -> None:
        """Approve and pay; the second time changes nothing."""
        if submission.status == "APPROVED":
            return
        if submission.status not in ("AWAITING REVIEW", "TIMED-OUT"):
            raise ApiError(400, "Bad Request", f"The submission is {submission.status}")
        self.pay(submission, self.studies[submission.study]["reward"], "reward")
        self._changed(submission, "APPROVED")

    def reject(self, submission: Submission, message: str, category: str) -> None:
        """Reject: Prolific asks for a category and a reason of 100 characters."""
        if submission.status != "AWAITING REVIEW":
            raise ApiError(400, "Bad Request", f"The submission is {submission.status}")
        if len(message) < 100 or not category:
            reason = "needs a rejection_category and a message of at least 100 characters"
            raise ApiError(400, "Bad Request", reason)
        self._changed(submission, "REJECTED")

    def request_return(self, submission: Submission) -> None:
        """Ask for a return."""
        submission.return_requested = now()

    def _changed(self, submission: Submission, status: str) -> None:
        submission.status = status
        body = {
            "resource_id": submission.id,
            "participant_id": submission.participant,
            "status": status.replace(" ", "_"),
        }
        self.notify("submission.status.change", body)

    def _close_if_full(self, study: str) -> None:
        there = self.study(study)
        running = any(s.status in IN_PROGRESS for s in self.of_study(study))
        full = there["places_taken"] >= there["total_available_places"]
        if there["status"] == "ACTIVE" and full and not running:
            self._set_status(study, "AWAITING REVIEW")

    # ── Participant groups ───────────────────────────────────────────────────────────────────

    def group(self, group: str) -> Json:
        """A participant group; its members are asked for separately."""
        if group not in self.groups:
            raise missing(f"participant group {group}")
        return self.groups[group]

    def members(self, group: str) -> list[str]:
        """The people of a group."""
        self.group(group)
        return self._members[group]

    def set_members(self, group: str, people: list[str]) -> None:
        """Make these people, each once, the group."""
        self._members[group] = list(dict.fromkeys(people))
        self.group(group)["participant_count"] = len(self._members[group])

    def invited(self, study: str) -> list[str] | None:
        """Who alone may take part: the groups of the study's allowlist; None for everybody."""
        groups = [
            group
            for one in self.studies[study].get("filters") or []
            for group in one["selected_values"]
        ]
        if not groups:
            return None
        return list(dict.fromkeys(one for group in groups for one in self.members(group)))

    def _check_filters(self, given: Json) -> None:
        for one in given.get("filters") or []:
            if one.get("filter_id") != ALLOWLIST:
                raise ApiError(400, "Validation error", {"filters": [f"Only {ALLOWLIST} is known"]})
            for group in one.get("selected_values") or []:
                self.group(group)

    # ── Bonuses ──────────────────────────────────────────────────────────────────────────────

    def set_up_bonuses(self, study: str, lines: str) -> Json:
        """Bonuses by participant or submission, one a line with an amount such as 1.50."""
        there = self.of_study(study)
        due: list[tuple[str, int]] = []
        for line in lines.split():
            who, _, amount = line.partition(",")
            found = [s for s in there if who in (s.id, s.participant)]
            try:
                cents = round(float(amount) * 100)
            except ValueError:
                cents = 0
            if not found or cents <= 0:
                raise ApiError(400, "Bad Request", {"csv_bonuses": [f"{line} can't be paid"]})
            due.append((found[0].id, cents))
        bonus = new_id()
        self.bonuses[bonus] = due
        total_due = sum(cents for _, cents in due)
        total = self.cost(total_due, 1)
        return {"id": bonus, "study": study, "amount": total_due, "total_amount": total}

    def pay_bonuses(self, bonus: str) -> None:
        """Pay; as on Prolific, asking again pays again. The ledger shows it."""
        if bonus not in self.bonuses:
            raise missing(f"bonus {bonus}")
        for submission, cents in self.bonuses[bonus]:
            self.pay(self.submissions[submission], cents, bonus)


def check_study(given: Json, *, whole: bool) -> None:
    """Raises ApiError with each field that is missing or wrong."""
    wrong: dict[str, list[str]] = {}
    for name in TEXTS if whole else ():
        if not isinstance(given.get(name), str) or not given[name]:
            wrong[name] = ["This field is required."]
    for name, least in NUMBERS.items():
        if name not in given:
            if whole:
                wrong[name] = ["This field is required."]
        elif not isinstance(given[name], int | float) or given[name] < least:
            wrong[name] = [f"must be a number of at least {least}"]
    address = given.get("external_study_url")
    if isinstance(address, str) and not address.startswith(("http://", "https://")):
        wrong["external_study_url"] = ["Enter a valid URL."]
    codes = [code.get("code") for code in given.get("completion_codes") or []]
    if len(codes) != len(set(codes)):
        wrong["completion_codes"] = ["Each code must be unique within a study."]
    if wrong:
        raise ApiError(400, "Validation error", wrong)
