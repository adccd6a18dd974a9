"""What the rules propose about the submissions of a study, found by their facts; a proposal of its
own is made only of those that are shown or confirmed.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dashboard.payments.case_index import CaseIndex, index_of
from dashboard.payments.cases import AT_ONCE, cases_by_submission
from dashboard.payments.models import SubmissionDecision
from dashboard.payments.proposals import (
    RULES,
    HourlyPay,
    hourly_pay,
    propose,
    rules_for,
    settled_by,
)
from dashboard.payments.screen import (
    BY_THE_RULES,
    Line,
    OpenProposals,
    ProposalGroup,
    Screen,
    Selection,
    screen_of,
)
from dashboard.payments.times import times_of
from dashboard.prolific.pay_terms import terms_of
from dashboard.prolific.terms import Terms
from dashboard.shared.listed import Listed
from survey.batched import batched
from survey.models import Study
from survey.tidy import reading


@dataclass(frozen=True)
class Proposed:
    """Everything that is proposed about a study; `is_read` once there are submissions."""

    by_rule: list[OpenProposals]
    terms: Terms
    hourly: HourlyPay | None
    is_read: bool

    def screen(
        self,
        selection: Selection = BY_THE_RULES,
        *,
        texts: Mapping[str, str] | None = None,
        amounts: Mapping[str, int] | None = None,
    ) -> Screen:
        """The screen with what is chosen and changed."""
        return screen_of(
            self.by_rule,
            self.terms,
            self.hourly,
            selection=selection,
            texts=texts,
            amounts=amounts,
        )


def proposed_of(study: Study) -> Proposed:
    """Everything that the rules propose and nobody has decided yet, in the order of the rules."""
    with reading():
        index, terms = index_of(study), terms_of(study)
        hourly = _hourly(study, index, terms)
        cents, ids = _by_facts(index, terms, hourly)
        decided = _decided(ids) if ids else {}
    by_rule = []
    for rule in RULES:
        submissions = sorted(ids.get(rule, ()))
        for settled in filter(None, map(decided.get, settled_by(rule))):
            submissions = [pk for pk in submissions if pk not in settled]
        if submissions:
            by_rule.append(OpenProposals(rule, submissions, cents[rule]))
    return Proposed(by_rule, terms, hourly, is_read=bool(len(index)))


def _hourly(study: Study, index: CaseIndex, terms: Terms) -> HourlyPay | None:
    if terms.reward is None:
        return None
    times = times_of(study, index)
    return hourly_pay(times.paid, times.paid_median, terms)


def _by_facts(
    index: CaseIndex, terms: Terms, hourly: HourlyPay | None
) -> tuple[dict[str, int | None], dict[str, list[int]]]:
    """The amount of each rule that is true of some submission, and these submissions."""
    cents: dict[str, int | None] = {}
    ids: dict[str, list[int]] = {}
    for case, submissions in zip(index.kinds, index.submissions, strict=True):
        for rule, amount in rules_for(case, terms, hourly).items():
            cents[rule] = amount
            ids.setdefault(rule, []).extend(submissions)
    return cents, ids


def _decided(ids: Mapping[str, Sequence[int]]) -> dict[str, set[int]]:
    """The submissions with a decision in force, by its purpose: of those that rules are about, and
    of others between them.
    """
    purposes = {purpose for rule in ids for purpose in settled_by(rule)}
    made = SubmissionDecision.objects.filter(
        purpose__in=purposes,
        submission__gte=min(map(min, ids.values())),
        submission__lte=max(map(max, ids.values())),
    )
    in_force = made.exclude(state=SubmissionDecision.State.REFUSED).order_by("purpose")
    listed = in_force.values_list("purpose").annotate(all=Listed("submission_id"))
    # JSON is read twice as fast as each number by itself.
    return {purpose: set(json.loads(f"[{pks}]")) for purpose, pks in listed}


# ── Proposals of their own ───────────────────────────────────────────────────────────────────────


def lines_of(study: Study, screen: Screen, shown: Mapping[str, Sequence[int]]) -> list[Line]:
    """The proposals about some submissions of each rule, with their cases."""
    groups = {group.rule: group for group in screen.groups}
    wanted = [(groups[rule], pk) for rule, pks in shown.items() for pk in pks]
    cases = cases_by_submission(study, (pk for _, pk in wanted))
    picked = {rule: set(groups[rule].picked) for rule in shown}
    return [
        Line(
            propose(cases[pk], group.rule, group.cents, screen.hourly),
            cases[pk],
            pk in picked[group.rule],
        )
        for group, pk in wanted
        if pk in cases
    ]


def reasons_of(study: Study, screen: Screen) -> Iterator[tuple[ProposalGroup, int, str]]:
    """Every proposal that is chosen: its group, its submission, and the reason for the record."""
    about: dict[int, list[str]] = {}
    for group in screen.groups:
        for pk in group.picked:
            about.setdefault(pk, []).append(group.rule)
    why: dict[tuple[str, int], str] = {}
    for some in batched(about, AT_ONCE):
        for pk, case in cases_by_submission(study, some).items():
            for rule in about[pk]:
                why[rule, pk] = propose(case, rule, None, screen.hourly).why
    for group in screen.groups:
        for pk in group.picked:
            if (group.rule, pk) in why:
                yield group, pk, why[group.rule, pk]
