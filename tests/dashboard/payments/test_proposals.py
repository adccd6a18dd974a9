"""What the rules propose, as functions of cases and terms alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dashboard.payments.case import Case, Made
from dashboard.payments.proposals import RULES
from dashboard.payments.rejections import RejectionRefused, UsualTime, check_rejection
from dashboard.payments.screen import OpenProposals, Selection, screen_of
from dashboard.prolific.terms import AmountRefused, Terms, check_bonus, check_terms, in_money
from tests.dashboard.payments.whole_cases import hourly_of, proposals

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
COMPLETED = Case(
    submission=1,
    status="AWAITING REVIEW",
    code="DONE1",
    code_of="completed",
    code_is_right=True,
    started_at=START,
    completed_at=START + timedelta(minutes=20),
    person=7,
    pseudonym="ann",
    here="completed",
    sessions=1,
)
NOTHING = Terms()


def case(**changes: object) -> Case:
    return replace(COMPLETED, **changes)  # type: ignore[arg-type]  # each test names what differs


def wrong(code: str = "NOPE1", code_of: str = "declined") -> dict[str, object]:
    return {"code": code, "code_of": code_of, "code_is_right": False}


def rules_for(*cases: Case, terms: Terms = NOTHING) -> list[str]:
    return [one.rule for one in proposals(cases, terms)]


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({}, "completed"),
        ({"here": "failed_attention", "checks_failed": 1}, "completed"),
        (wrong(), "other_code"),
        (wrong("", ""), "other_code"),
        ({"status": "TIMED-OUT"}, "timed_out"),
        ({"checks_failed": 2}, "failed_checks"),
        ({"person": None, "here": "withdrawn"}, "withdrew"),
        ({"here": "declined", **wrong()}, "declined"),
        ({"here": "screened_out"}, "screened_out"),
        ({"here": "full", "person": None}, "full"),
        ({"here": "in_progress", **wrong("", "")}, "not_finished"),
        ({"here": "in_progress", "code_is_right": False}, "code_without_end"),
        ({"here": "", "person": None}, "never_came"),
        ({"came_with_any": False}, "other_submission"),
        ({"came_with_it": False, "submissions": 2}, "other_submission"),
        ({"status": "RETURNED"}, "returned"),
    ],
)
def test_first_rule_that_is_true_decides_about_the_reward(
    changes: dict[str, object], rule: str
) -> None:
    assert rules_for(case(**changes)) == [rule]


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "APPROVED"},
        {"status": "REJECTED"},
        {"status": "ACTIVE"},
        {"status": "RETURNED", "here": "declined"},
        {"submission": None, "status": ""},
        {"return_requested": True},
        {"made": (Made("approve", "reward", "waiting"),)},
        {"made": (Made("reject", "reward", "done"),)},
    ],
)
def test_nothing_is_proposed_where_nothing_is_open(changes: dict[str, object]) -> None:
    assert rules_for(case(**changes)) == []


def test_exclusion_from_the_analysis_changes_no_proposal_and_nobody_is_rejected() -> None:
    assert rules_for(case(excluded="low variance and far from gold")) == ["completed"]
    assert {rule.kind for rule in RULES.values()} == {"approve", "return", "message", "bonus"}


def test_who_failed_several_checks_is_proposed_but_not_chosen() -> None:
    proposed = [OpenProposals("completed", [1]), OpenProposals("failed_checks", [2])]
    screen = screen_of(proposed, NOTHING)
    assert [(group.rule, group.n, group.n_picked) for group in screen.groups] == [
        ("completed", 1, 1),
        ("failed_checks", 1, 0),
    ]


def test_all_of_a_rule_is_chosen_but_for_what_is_excluded() -> None:
    proposed = [OpenProposals("completed", [1, 2, 3]), OpenProposals("failed_checks", [4, 5])]

    def picked(**selection: object) -> list[list[int]]:
        screen = screen_of(proposed, NOTHING, selection=Selection(**selection))  # type: ignore[arg-type]  # each case names what differs
        return [list(group.picked) for group in screen.groups]

    assert picked() == [[], []]
    assert picked(chosen=["2:completed", "4:failed_checks"]) == [[2], [4]]
    assert picked(rules=["completed"], excluded=["2:completed"]) == [[1, 3], []]
    assert picked(rules=["failed_checks"], chosen=["3:completed"]) == [[3], [4, 5]]


def test_stamp_tells_which_are_chosen_not_only_how_many() -> None:
    first, second = (
        screen_of([OpenProposals("completed", [1, 2])], NOTHING, selection=Selection(chosen=[key]))
        for key in ("1:completed", "2:completed")
    )
    assert first.n == second.n == 1 and first.stamp != second.stamp


UNKNOWN = [
    "9:completed",
    "1:steal",
    "x:completed",
    "01:completed",
    "9" * 5000 + ":completed",
    "1",
    "",
]


@pytest.mark.parametrize("key", UNKNOWN)
def test_key_that_nothing_has_is_unknown(key: str) -> None:
    proposed = [OpenProposals("completed", [1])]
    screen = screen_of(proposed, NOTHING, selection=Selection(chosen=["1:completed", key]))
    assert screen.unknown == [key] and screen.n == 1


def test_bonuses_go_by_what_is_promised() -> None:
    terms = Terms(reward=600, completed_bonus=50, checks_bonus=25, screened_out=14)
    cases = [
        case(),
        case(submission=2, status="APPROVED", checks_failed=1),
        case(submission=3, status="RETURNED", here="screened_out"),
        case(submission=4, status="APPROVED", here="in_progress"),
        case(submission=5, made=(Made("bonus", "completed_bonus", "done", 50),)),
    ]
    found = [(one.submission, one.rule, one.cents) for one in proposals(cases, terms) if one.cents]
    assert found == [
        (1, "completed_bonus", 50),
        (2, "completed_bonus", 50),
        (1, "checks_bonus", 25),
        (5, "checks_bonus", 25),
        (3, "screened_out_pay", 14),
    ]


def test_hourly_pay_is_lifted_to_what_is_due_at_the_median_time() -> None:
    terms = Terms(currency="GBP", reward=150)
    cases = [case(submission=n, completed_at=START + timedelta(minutes=m))
             for n, m in ((1, 10), (2, 24), (3, 90))]  # fmt: skip
    hourly = hourly_of(cases, terms)
    assert hourly is not None and hourly.top_up == 90
    assert hourly.in_words == (
        "The median time of 3 people is 24.00 minutes. £1.50 × 60 / 24.00 = £3.75 an hour, less "
        "than the £6.00 that are due. £6.00 × 24.00 / 60 = £2.40: £0.90 more for each."
    )
    lifted = [one for one in proposals(cases, terms) if one.rule == "hourly"]
    assert [(one.submission, one.cents) for one in lifted] == [(1, 90), (2, 90), (3, 90)]


@pytest.mark.parametrize(
    ("terms", "top_up"),
    [
        (Terms(reward=200), 0),
        (Terms(reward=200, hourly=900), 100),
        (Terms(reward=150, completed_bonus=50), 0),
        (Terms(currency="USD", reward=200), 67),  # rounded up: 266.67 are due
    ],
)
def test_promise_and_bonus_for_everyone_count_in_the_hourly_pay(terms: Terms, top_up: int) -> None:
    hourly = hourly_of([case()], terms)
    assert hourly is not None and hourly.top_up == top_up


def test_hourly_pay_is_not_computed_without_reward_or_times() -> None:
    assert hourly_of([case()], NOTHING) is None
    timeless = case(started_at=None, completed_at=None)
    assert hourly_of([timeless], Terms(reward=100)) is None
    ours = hourly_of([replace(timeless, minutes_here=30.0)], Terms(reward=300))
    assert ours is not None and ours.minutes == 30


# ── Amounts ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("cents", "why"),
    [
        (-100, "A bonus of −£1.00 is not more than 0."),
        (0, "A bonus of £0.00 is not more than 0."),
        (15_001, "A bonus of £150.01 is more than 100 rewards: confirm that it is meant."),
        (1_000_001, "A bonus of £10,000.01 is more than £10,000.00."),
    ],
)
def test_amounts_that_are_not_paid(cents: int, why: str) -> None:
    with pytest.raises(AmountRefused) as refusal:
        check_bonus(cents, Terms(reward=150))
    assert str(refusal.value) == why


def test_high_amount_is_paid_where_it_is_meant() -> None:
    check_bonus(15_001, Terms(reward=150), is_sure=True)
    check_bonus(15_000, Terms(reward=150))


def test_pay_of_who_is_screened_out_is_prolifics_minimum_or_more() -> None:
    check_terms(Terms(screened_out=10))
    with pytest.raises(AmountRefused, match=r"at least \$0.14"):
        check_terms(Terms(currency="USD", screened_out=13))
    assert in_money(150, "") == "1.50"


# ── Rejections ───────────────────────────────────────────────────────────────────────────────

REASON = "You failed both attention checks, each of which stated the answer to choose. " * 2


@pytest.mark.parametrize(
    ("changes", "category", "reason", "minutes", "why"),
    [
        ({"checks_failed": 1}, "FAILED_CHECK", REASON, 5, "1 checks failed"),
        ({"checks_failed": 2}, "FAILED_CHECK", "x" * 99, 10, "has 99 characters"),
        ({"checks_failed": 2}, "MADE_UP", REASON, 10, "no category 'MADE_UP'"),
        ({"status": "APPROVED"}, "OTHER", REASON, 10, "this one is approved"),
        ({}, "OTHER", REASON + "Your comprehension was poor.", 10, "Comprehension checks"),
        ({}, "LOW_EFFORT", REASON + "Your MAE is 2.1.", 10, "Distance from other ratings"),
        ({}, "OTHER", REASON + "You were too fast on page 3.", 10, "Speed on one page"),
        ({}, "TOO_QUICKLY", REASON, 10, "3 standard deviations"),
        ({}, "NO_CODE", REASON, 10, "They completed the survey here"),
    ],
)
def test_rejection_that_prolifics_rules_forbid(
    changes: dict[str, object], category: str, reason: str, minutes: float, why: str
) -> None:
    with pytest.raises(RejectionRefused, match=why):
        check_rejection(case(**changes), category=category, reason=reason, study_minutes=minutes)


def test_rejection_that_the_rules_allow() -> None:
    for failed, minutes in ((2, 5), (1, 4)):
        one = case(checks_failed=failed)
        check_rejection(one, category="FAILED_CHECK", reason=REASON, study_minutes=minutes)
    quick, usual = case(completed_at=START + timedelta(minutes=2)), UsualTime(mean=21, sd=1)
    too_quickly = {"category": "TOO_QUICKLY", "reason": REASON, "study_minutes": 20}
    check_rejection(quick, **too_quickly, usual=usual)  # type: ignore[arg-type]  # said once
    with pytest.raises(RejectionRefused, match="3 standard deviations"):
        check_rejection(quick, **too_quickly, usual=UsualTime(mean=21, sd=7))  # type: ignore[arg-type]  # said once
