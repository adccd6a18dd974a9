"""`manage.py set_study STUDY draft|open|paused|closed [--rehearsal] [--stand-in]`."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser

from dashboard.overview.opening import NotOpened, only_stand_in, open_study, refused
from survey.definition.findings import StudyFinding
from survey.management.refusing import RefusingCommand
from survey.models import Study
from survey.queries import find_study
from survey.studies import set_state


class Command(RefusingCommand):
    help = (
        "Move a study between draft, open, paused and closed. Participants who began can still "
        "finish. `open` first checks the study for problems."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "slug", metavar="STUDY", help="slug, or slug@version (default: the newest)"
        )
        parser.add_argument("state", choices=Study.State.values)
        parser.add_argument(
            "--rehearsal",
            action="store_true",
            help="with open: try the study out. Everyone is a test person who never counts. "
            "Prolific participants are not admitted, and checks refuse nothing",
        )
        parser.add_argument(
            "--stand-in",
            action="store_true",
            help="with open: accept gold scores that no language model made",
        )

    def handle(
        self, *, slug: str, state: str, rehearsal: bool, stand_in: bool, **options: Any
    ) -> None:
        for option, given in (("--rehearsal", rehearsal), ("--stand-in", stand_in)):
            if given and state != Study.State.OPEN:
                raise CommandError(f"{option} goes with open, not with {state}; nothing changed")
        if rehearsal and stand_in:
            raise CommandError("A rehearsal always accepts a stand-in: leave out --stand-in")
        findings: list[StudyFinding] = []
        study = find_study(slug)
        try:
            if state == Study.State.OPEN and not rehearsal:
                changed, findings = open_study(study=study, stand_in_allowed=stand_in)
            else:
                changed = set_state(study=study, state=state, rehearsal=rehearsal)
        except NotOpened as refusal:
            raise CommandError(_refusal(study, refusal.findings)) from None
        as_what = f"{state} as a rehearsal" if rehearsal else state
        self.stdout.write(f"{study} is {'now' if changed else 'already'} {as_what}")
        if rehearsal:
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
