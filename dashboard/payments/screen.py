"""The screen on which proposals are confirmed: groups with sums, and what is chosen of them. Pure.

Pages, the API and the command show the same groups and confirm the same decisions.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from dashboard.payments.case import Case
from dashboard.payments.proposals import (
    APPROVE,
    BONUS,
    RULES,
    HourlyPay,
    Proposal,
    ProposalRule,
    hourly_pay,
    proposals,
)
from dashboard.prolific.terms import Terms

#: What is done by each kind, as headings.
KINDS = {
    "approve": "Approve",
    "return": "Ask for a return",
    "message": "Ask in a message",
    "bonus": "Pay a bonus",
}


@dataclass(frozen=True)
class Line:
    """A proposal with its case."""

    proposal: Proposal
    case: Case
    is_chosen: bool


@dataclass(frozen=True)
class ProposalGroup:
    """The proposals of one rule. `text` and `cents` are as the researcher changed them."""

    rule: str
    lines: list[Line]
    text: str
    cents: int | None

    @property
    def about(self) -> ProposalRule:
        return RULES[self.rule]

    @property
    def heading(self) -> str:
        return f"{KINDS[self.about.kind]}: {self.about.heading[0].lower()}{self.about.heading[1:]}"

    @property
    def chosen(self) -> list[Line]:
        return [line for line in self.lines if line.is_chosen]

    @property
    def sum_cents(self) -> int:
        """Of the bonuses that are chosen."""
        return len(self.chosen) * (self.cents or 0)

    @property
    def sum_of_all(self) -> int:
        """Of all bonuses of the group."""
        return len(self.lines) * (self.cents or 0)


@dataclass(frozen=True)
class Screen:
    """Everything that can be confirmed at once."""

    groups: list[ProposalGroup]
    terms: Terms
    hourly: HourlyPay | None = None
    unknown: list[str] = field(default_factory=list)

    def count(self, kind: str) -> int:
        """How many decisions of a kind are chosen."""
        return sum(len(group.chosen) for group in self.groups if group.about.kind == kind)

    @property
    def bonus_cents(self) -> int:
        return sum(group.sum_cents for group in self.groups if group.about.kind == BONUS)

    @property
    def reward_cents(self) -> int | None:
        """Of the approvals that are chosen; None if the reward is not known."""
        return None if self.terms.reward is None else self.count(APPROVE) * self.terms.reward

    @property
    def n(self) -> int:
        return sum(len(group.chosen) for group in self.groups)

    @property
    def stamp(self) -> str:
        """Says what is chosen; a page that shows another one is out of date."""
        return "-".join([*(str(self.count(kind)) for kind in KINDS), str(self.bonus_cents)])


def is_bonus(rule: str) -> bool:
    """Whether a rule proposes money beside the reward."""
    return RULES[rule].kind == BONUS


def screen_of(
    cases: Sequence[Case],
    terms: Terms,
    *,
    chosen: Collection[str] | None = None,
    texts: Mapping[str, str] | None = None,
    amounts: Mapping[str, int] | None = None,
) -> Screen:
    """All proposals by rule. `chosen` has their keys; None chooses what the rules choose. `texts`
    and `amounts` (cents) are by rule, in place of those of the rules.
    """
    by_submission = {case.submission: case for case in cases}
    lines: dict[str, list[Line]] = {}
    for one in proposals(cases, terms):
        is_chosen = RULES[one.rule].is_chosen if chosen is None else one.key in chosen
        line = Line(one, by_submission[one.submission], is_chosen)
        lines.setdefault(one.rule, []).append(line)
    groups = [
        ProposalGroup(
            rule,
            of_rule,
            (texts or {}).get(rule) or RULES[rule].text,
            (amounts or {}).get(rule, of_rule[0].proposal.cents) if is_bonus(rule) else None,
        )
        for rule, of_rule in lines.items()
    ]
    there = {line.proposal.key for group in groups for line in group.lines}
    unknown = sorted(set(chosen or ()) - there)
    return Screen(groups, terms, hourly_pay(cases, terms), unknown)
