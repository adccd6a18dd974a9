"""The groups of the page *Payments*: a page of each, and what its form says of all of it.

Of a group that has several pages, the form has the lines of one. `other_pages` says whether those
on the others are chosen, too; lines that differ from that are carried along.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Paginator
from django.http import QueryDict

from dashboard.payments.proposing import lines_of
from dashboard.payments.screen import BY_THE_RULES, ProposalGroup, Screen, Selection, key_of
from dashboard.prolific.terms import AmountRefused, Terms, check_bonus, in_money
from survey.models import Study

LINES_SHOWN = 25
#: Groups of so few people are open at first.
OPEN_UP_TO = 5


@dataclass(frozen=True)
class SentSelection:
    """What a form has chosen; `pages` are those of groups that it asks for."""

    selection: Selection = BY_THE_RULES
    pages: dict[str, str] = field(default_factory=dict)
    #: The group whose page was turned, so nothing is confirmed.
    turned: str = ""

    @property
    def is_turned(self) -> bool:
        return bool(self.turned)


NOTHING_SENT = SentSelection()


def read_selection(sent: QueryDict) -> SentSelection:
    """What is chosen: lines that are ticked, and in groups of several pages those on the others."""
    ticked = set(sent.getlist("chosen"))
    chosen = ticked | _keys(sent, "chosen_elsewhere")
    excluded = _keys(sent, "excluded_elsewhere") | (_keys(sent, "on_this_page") - ticked)
    pages = {
        name.removeprefix("at-"): str(value)
        for name, value in sent.items()
        if name.startswith("at-")
    }
    turned, _, number = str(sent.get("turn", "")).partition(":")
    if turned:
        pages[turned] = number
    selection = Selection(chosen, set(sent.getlist("other_pages")), excluded)
    return SentSelection(selection, pages, turned)


def _keys(sent: QueryDict, name: str) -> set[str]:
    """Keys that are in one field with spaces between them: a form has a thousand fields at most."""
    return {key for keys in sent.getlist(name) for key in str(keys).split()}


def shown_groups(study: Study, screen: Screen, sent: SentSelection) -> list[dict[str, Any]]:
    """Each group with the lines of one of its pages."""
    pages = {
        group.rule: Paginator(group.submissions, LINES_SHOWN).get_page(sent.pages.get(group.rule))
        for group in screen.groups
    }
    shown = {rule: list(page.object_list) for rule, page in pages.items()}
    lines: dict[str, list[Any]] = {rule: [] for rule in shown}
    for line in lines_of(study, screen, shown):
        lines[line.proposal.rule].append(line)
    return [
        {
            "group": group,
            "lines": lines[group.rule],
            "page": pages[group.rule],
            "is_open": group.n <= OPEN_UP_TO or sent.turned == group.rule,
            **_elsewhere(group, shown[group.rule], sent.selection),
            **_amounts(group, screen.terms),
        }
        for group in screen.groups
    ]


def _elsewhere(group: ProposalGroup, shown: Sequence[int], selection: Selection) -> dict[str, Any]:
    """What the form carries along of the lines on other pages."""
    if len(shown) == group.n:
        return {"n_elsewhere": 0}
    is_whole, here, picked = group.rule in selection.rules, set(shown), group.picked
    differ: list[str] = []
    if group.n_picked != (group.n if is_whole else 0):
        of = set(group.submissions) - set(picked) if is_whole else set(picked)
        differ = [key_of(pk, group.rule) for pk in sorted(of - here)]
    n_elsewhere = group.n - len(shown)
    return {
        "n_elsewhere": n_elsewhere,
        "n_picked_elsewhere": n_elsewhere - len(differ) if is_whole else len(differ),
        "is_whole": is_whole,
        "excluded": differ if is_whole else [],
        "chosen": [] if is_whole else differ,
    }


def _amounts(group: ProposalGroup, terms: Terms) -> dict[str, str]:
    cents = group.cents
    return {
        "amount": "" if cents is None else f"{cents / 100:.2f}",
        "sum": "" if cents is None else in_money(group.sum_cents, terms.currency),
    }


def is_unusual(group: ProposalGroup, terms: Terms) -> bool:
    """Whether the amount of a group needs a confirmation of its own."""
    try:
        if group.cents is not None:
            check_bonus(group.cents, terms)
    except AmountRefused:
        return True
    return False
