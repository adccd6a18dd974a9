"""`manage.py set_study STUDY draft|open|paused|closed [--rehearsal] [--stand-in]`."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser

from dashboard.management.arguments import add_study
from dashboard.overview.opening import (
    NotOpened,
    StateOptions,
    change_state,
    only_stand_in,
    refused,
)
from survey.definition.findings import StudyFinding
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Move a study between draft, open, paused and closed. Participants who began can still "
        "finish. `open` first checks the study for problems."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument("state", choices=Study.State.values)
        add_options(parser, StateOptions, without=["state"])

    def handle(self, *, slug: str, **options: Any) -> None:
        study, asked = find_study(slug), chosen_options(StateOptions, options)
        try:
            changed, findings = change_state(study, asked, None)
        except NotOpened as refusal:
            raise CommandError(_refusal(study, refusal.findings)) from None
        as_what = f"{asked.state} as a rehearsal" if asked.rehearsal else asked.state
        self.stdout.write(f"{study} is {'now' if changed else 'already'} {as_what}")
        if asked.rehearsal:
            self.stdout.write("Participants never count, and Prolific is not admitted.")
        if findings:
            self.stdout.write("\n".join(["Check these:", *_items(findings)]))


def _refusal(study: Study, findings: Sequence[StudyFinding]) -> str:
    harm = refused(findings)
    rest = [finding for finding in findings if finding not in harm]
    lines = [f"{study} was not opened. First fix:", *_items(harm)]
    if rest:
        lines += ["Check these, too:", *_items(rest)]
    if only_stand_in(findings):
        lines.append(f"To open it with a stand-in: manage.py set_study {study} open --stand-in")
    if study.frozen_at is None:
        lines.append(f"To try it out: manage.py set_study {study} open --rehearsal")
    return "\n".join(lines)


def _items(findings: Sequence[StudyFinding]) -> list[str]:
    return [f"- {finding}" for finding in findings]
