"""The screen on which proposals are confirmed: groups with sums, and what is chosen of them. Pure.

Pages, the API and the command show the same groups and confirm the same decisions.
"""

import hashlib
import re
from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from dashboard.payments.case import Case
from dashboard.payments.proposals import (
    APPROVE,
    BONUS,
    RULES,
    HourlyPay,
    Proposal,
    ProposalRule,
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
class OpenProposals:
    """The submissions about which a rule proposes something, and nobody has decided yet; `cents`
    are those of a bonus.
    """

    rule: str
    submissions: Sequence[int]
    cents: int | None = None


@dataclass(frozen=True)
class Selection:
    """Which proposals are chosen: those in `chosen` by their keys, and all of `rules` but those
    in `excluded`.
    """

    chosen: Collection[str] = ()
    rules: Collection[str] = ()
    excluded: Collection[str] = ()

    def picked(self, one: OpenProposals) -> Sequence[int]:
        """The submissions that are chosen of a rule."""
        chosen, excluded = _of_rule(self.chosen, one.rule), _of_rule(self.excluded, one.rule)
        if one.rule not in self.rules:
            return [pk for pk in one.submissions if pk in chosen]
        if not excluded:
            return one.submissions
        return [pk for pk in one.submissions if pk in chosen or pk not in excluded]


#: What the rules choose.
BY_THE_RULES = Selection(rules=frozenset(rule for rule, about in RULES.items() if about.is_chosen))


#: The id of a row, as digits.
ID = re.compile(r"[1-9][0-9]{0,17}")


def key_of(submission: int, rule: str) -> str:
    """Names a proposal in forms and in the API."""
    return f"{submission}:{rule}"


def _of_rule(keys: Collection[str], rule: str) -> set[int]:
    of = (key.partition(":") for key in keys)
    return {int(pk) for pk, _, name in of if name == rule and ID.fullmatch(pk)}


@dataclass(frozen=True)
class ProposalGroup:
    """The proposals of one rule. `text` and `cents` are as the researcher changed them."""

    rule: str
    submissions: Sequence[int]
    picked: Sequence[int]
    text: str
    cents: int | None

    @property
    def about(self) -> ProposalRule:
        return RULES[self.rule]

    @property
    def heading(self) -> str:
        return f"{KINDS[self.about.kind]}: {self.about.heading[0].lower()}{self.about.heading[1:]}"

    @cached_property
    def n(self) -> int:
        return len(self.submissions)

    @cached_property
    def n_picked(self) -> int:
        return len(self.picked)

    @property
    def sum_cents(self) -> int:
        """Of the bonuses that are chosen."""
        return self.n_picked * (self.cents or 0)


@dataclass(frozen=True)
class Line:
    """A proposal with its case."""

    proposal: Proposal
    case: Case
    is_chosen: bool


@dataclass(frozen=True)
class Screen:
    """Everything that can be confirmed at once."""

    groups: list[ProposalGroup]
    terms: Terms
    hourly: HourlyPay | None = None
    unknown: list[str] = field(default_factory=list)

    def count(self, kind: str) -> int:
        """How many decisions of a kind are chosen."""
        return sum(group.n_picked for group in self.groups if group.about.kind == kind)

    @property
    def bonus_cents(self) -> int:
        return sum(group.sum_cents for group in self.groups if group.about.kind == BONUS)

    @property
    def reward_cents(self) -> int | None:
        """Of the approvals that are chosen; None if the reward is not known."""
        return None if self.terms.reward is None else self.count(APPROVE) * self.terms.reward

    @property
    def n(self) -> int:
        return sum(group.n_picked for group in self.groups)

    @cached_property
    def stamp(self) -> str:
        """A hash of what is chosen: a page with another one is out of date."""
        which = hashlib.sha256()
        for group in self.groups:
            which.update(group.rule.encode())
            which.update(array("q", group.picked).tobytes())
        counts = [str(self.count(kind)) for kind in KINDS]
        return "-".join([*counts, str(self.bonus_cents), which.hexdigest()[:20]])


def is_bonus(rule: str) -> bool:
    """Whether a rule proposes money beside the reward."""
    return RULES[rule].kind == BONUS


def screen_of(
    proposed: Sequence[OpenProposals],
    terms: Terms,
    hourly: HourlyPay | None = None,
    *,
    selection: Selection = BY_THE_RULES,
    texts: Mapping[str, str] | None = None,
    amounts: Mapping[str, int] | None = None,
) -> Screen:
    """All proposals by rule. `texts` and `amounts` (cents) are by rule, in place of those of the
    rules.
    """
    groups = [
        ProposalGroup(
            one.rule,
            one.submissions,
            selection.picked(one),
            (texts or {}).get(one.rule) or RULES[one.rule].text,
            (amounts or {}).get(one.rule, one.cents) if is_bonus(one.rule) else None,
        )
        for one in proposed
    ]
    return Screen(groups, terms, hourly, _unknown(selection.chosen, groups))


def _unknown(keys: Collection[str], groups: Sequence[ProposalGroup]) -> list[str]:
    """The keys that no proposal has."""
    if not keys:
        return []
    there = {group.rule: set(group.submissions) for group in groups}
    unknown = []
    for key in keys:
        pk, _, rule = key.partition(":")
        if not ID.fullmatch(pk) or int(pk) not in there.get(rule, ()):
            unknown.append(key)
    return sorted(unknown)
