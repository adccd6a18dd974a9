"""What may be done about each submission, by rule. Pure: cases in, proposals out.

Nothing is done by a proposal, and none rejects anybody: neither do exclusions from the analysis
change what is proposed. Sources: Prolific's help pages for researchers, copies of 2022 to 2026.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

from dashboard.payments.case import APPROVED, AWAITING, COMPLETED, GONE, RETURNED, TIMED_OUT, Case
from dashboard.prolific.terms import Terms, in_money
from survey.prolific.codes import RECOMMENDED

APPROVE, BONUS, RETURN, MESSAGE, REJECT = "approve", "bonus", "return", "message", "reject"
#: Approving and rejecting decide about the same money.
REWARD = "reward"
#: The rule whose bonus and reason are those of the hourly pay.
LIFTS_PAY = "hourly"
#: From so many failed checks, the answers are worth a look before the submission is approved.
CHECKS_TO_LOOK_AT = 2


@dataclass(frozen=True)
class ProposalRule:
    """A reason for a proposal. `text` is what the participant is told."""

    kind: str
    heading: str
    text: str = ""
    #: Whether its proposals are chosen unless the researcher changes that.
    is_chosen: bool = True


UNCLEAR = "We want to pay you what you are due. Please answer this message: {}"
RULES = {
    "completed": ProposalRule(APPROVE, "Completed here with the right code"),
    "other_code": ProposalRule(APPROVE, "Completed here, with another code or none"),
    "timed_out": ProposalRule(APPROVE, "Completed here, timed out on Prolific"),
    "withdrew": ProposalRule(APPROVE, "Withdrew here: that must not cost them their pay"),
    "failed_checks": ProposalRule(
        APPROVE, "Completed here, several checks failed: look at the answers first", is_chosen=False
    ),
    "declined": ProposalRule(RETURN, "Did not consent", RECOMMENDED["declined"].return_reason),
    "screened_out": ProposalRule(RETURN, "Screened out", RECOMMENDED["screened_out"].return_reason),
    "full": ProposalRule(RETURN, "The study was full", RECOMMENDED["full"].return_reason),
    "not_finished": ProposalRule(
        RETURN, "Did not finish the survey", "You did not finish the survey."
    ),
    "code_without_end": ProposalRule(
        MESSAGE,
        "Entered a completion code, but did not finish here",
        UNCLEAR.format("our records say that the survey was not finished. What happened?"),
    ),
    "never_came": ProposalRule(
        MESSAGE,
        "Nobody with this ID came here",
        UNCLEAR.format("we cannot find your answers. Did you open the survey from Prolific?"),
    ),
    "other_submission": ProposalRule(
        MESSAGE,
        "Came here with another submission",
        UNCLEAR.format("you opened the survey from another submission. Which one did you finish?"),
    ),
    "returned": ProposalRule(
        MESSAGE,
        "Completed here, returned on Prolific",
        UNCLEAR.format(
            "you finished the survey and returned the submission. May we pay you by a bonus?"
        ),
    ),
    "completed_bonus": ProposalRule(BONUS, "Bonus for completing"),
    "checks_bonus": ProposalRule(BONUS, "Bonus for passing all attention checks"),
    LIFTS_PAY: ProposalRule(BONUS, "Bonus that lifts the hourly pay"),
    "screened_out_pay": ProposalRule(
        BONUS, "Pay for people who were screened out or met a full study"
    ),
}


@dataclass(frozen=True)
class Proposal:
    """What a rule proposes about a submission; `cents` are those of a bonus."""

    submission: int
    rule: str
    why: str
    cents: int | None = None

    @property
    def kind(self) -> str:
        return RULES[self.rule].kind

    @property
    def purpose(self) -> str:
        """One decision of a purpose is in force: see `models.SubmissionDecision`."""
        return purpose_of(self.rule)

    @property
    def key(self) -> str:
        """Names the proposal in forms and in the API."""
        return f"{self.submission}:{self.rule}"


def purpose_of(rule: str) -> str:
    """What a rule's decisions are for."""
    kind = RULES[rule].kind
    return {APPROVE: REWARD, RETURN: RETURN}.get(kind, rule)


@dataclass(frozen=True)
class HourlyPay:
    """The median time of people who completed, and what it makes of the pay. Cents, minutes."""

    people: int
    minutes: float
    pay: int
    least: int
    currency: str

    @property
    def per_hour(self) -> float:
        return self.pay * 60 / self.minutes

    @property
    def top_up(self) -> int:
        """What each must get more, so that the median person gets the least pay per hour."""
        return max(0, ceil(round(self.least * self.minutes / 60 - self.pay, 6)))

    @property
    def in_words(self) -> str:
        """The arithmetic."""
        pay, least = in_money(self.pay, self.currency), in_money(self.least, self.currency)
        reached = in_money(round(self.per_hour), self.currency)
        said = (
            f"The median time of {self.people} people is {self.minutes:.2f} minutes. "
            f"{pay} × 60 / {self.minutes:.2f} = {reached} an hour"
        )
        if not self.top_up:
            return f"{said}, at least the {least} that are due."
        due = in_money(self.pay + self.top_up, self.currency)
        more = in_money(self.top_up, self.currency)
        return (
            f"{said}, less than the {least} that are due. {least} × {self.minutes:.2f} / 60 = "
            f"{due}: {more} more for each."
        )


def hourly_pay(people: int, minutes: float | None, terms: Terms) -> HourlyPay | None:
    """The pay per hour at the median time of so many people who are paid (`is_paid`) and have a
    time; None without a reward, or without any time.

    The bonus that everyone gets for completing is part of the pay.
    """
    if terms.reward is None or minutes is None:
        return None
    pay = terms.reward + (terms.completed_bonus or 0)
    return HourlyPay(people, minutes, pay, terms.least_hourly, terms.currency)


def rules_for(case: Case, terms: Terms, hourly: HourlyPay | None) -> dict[str, int | None]:
    """The rules that propose something about a submission, each with the cents of its bonus. They
    go by its facts alone: what is decided already counts elsewhere (`settled_by`).
    """
    if case.submission is None:
        return {}
    return {**_about_the_reward(case), **_bonuses(case, terms, hourly)}


def settled_by(rule: str) -> tuple[str, ...]:
    """The purposes of which a decision about a submission ends what a rule proposes."""
    about_the_reward = (REWARD, RETURN) if rule in _ABOUT_THE_REWARD else ()
    return tuple({*about_the_reward, purpose_of(rule)})


def propose(case: Case, rule: str, cents: int | None, hourly: HourlyPay | None) -> Proposal:
    """What a rule that is true of a case proposes, with the reason for the record."""
    assert case.submission is not None
    why = hourly.in_words if rule == LIFTS_PAY and hourly else _why(rule, case)
    return Proposal(case.submission, rule, why, cents)


def _about_the_reward(case: Case) -> dict[str, int | None]:
    """At most one: approve, ask for a return, or ask what happened."""
    if case.return_requested:
        return {}
    rule = next((rule for rule, is_true in _ABOUT_THE_REWARD.items() if is_true(case)), None)
    return {} if rule is None else {rule: None}


def _is_theirs(case: Case) -> bool:
    return case.person is not None and case.came_with_it and case.came_with_any


def _may_be_approved(case: Case) -> bool:
    return case.status in (AWAITING, TIMED_OUT) and _is_theirs(case) and case.here in COMPLETED


def _ended_at(ending: str) -> Callable[[Case], bool]:
    return lambda case: case.status == AWAITING and case.came_with_it and case.here == ending


#: The first that is true.
_ABOUT_THE_REWARD: dict[str, Callable[[Case], bool]] = {
    "failed_checks": lambda case: (
        _may_be_approved(case) and case.checks_failed >= CHECKS_TO_LOOK_AT
    ),
    "timed_out": lambda case: _may_be_approved(case) and case.status == TIMED_OUT,
    "completed": lambda case: _may_be_approved(case) and bool(case.code) and case.code_is_right,
    "other_code": _may_be_approved,
    "withdrew": _ended_at("withdrawn"),
    "other_submission": lambda case: (
        case.status == AWAITING and case.person is not None and not _is_theirs(case)
    ),
    "declined": _ended_at("declined"),
    "screened_out": _ended_at("screened_out"),
    "full": _ended_at("full"),
    "code_without_end": lambda case: (
        case.status == AWAITING and case.person is not None and case.code_of in COMPLETED
    ),
    "not_finished": lambda case: case.status == AWAITING and case.person is not None,
    "never_came": lambda case: case.status == AWAITING and not case.here,
    "returned": lambda case: (
        case.status == RETURNED and _is_theirs(case) and case.here in COMPLETED
    ),
}


def _why(rule: str, case: Case) -> str:
    """The facts of one case, for the record."""
    facts = [f"{RULES[rule].heading}: {case.status.lower()} on Prolific"]
    if case.has_code:
        facts.append(f"code {case.code or 'none'}")
    if case.checks_failed:
        facts.append(f"{case.checks_failed} checks failed")
    return ", ".join(facts)


def is_paid(case: Case) -> bool:
    """Whether a person who completed here is paid, or may be approved."""
    is_theirs = _is_theirs(case) and case.here in COMPLETED
    return is_theirs and case.status in (AWAITING, TIMED_OUT, APPROVED)


def _bonuses(case: Case, terms: Terms, hourly: HourlyPay | None) -> dict[str, int | None]:
    cents: dict[str, int | None] = {}
    if is_paid(case):
        cents["completed_bonus"] = terms.completed_bonus
        cents["checks_bonus"] = None if case.checks_failed else terms.checks_bonus
        cents[LIFTS_PAY] = hourly.top_up if hourly else None
    met = case.here in ("screened_out", "full") and case.came_with_it
    if met and case.status in (AWAITING, *GONE):
        cents["screened_out_pay"] = terms.screened_out
    return {rule: amount for rule, amount in cents.items() if amount}
