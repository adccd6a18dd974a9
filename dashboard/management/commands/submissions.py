"""`manage.py submissions STUDY CSV [CSV …] [--exclude MISMATCH …] [--reason TEXT]`."""

from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from analysis.manual_decisions import DecisionOptions
from dashboard.management.arguments import add_study
from dashboard.management.deciding import decide_and_wake
from dashboard.payments.case import MISMATCHES, Case
from dashboard.payments.cases import cases_of
from dashboard.raters.submissions import in_words, read_lists
from dashboard.raters.uploads import apply_lists
from survey.files.problems import read_bytes
from survey.management.option_arguments import chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study


class Command(RefusingCommand):
    help = (
        "Read and store the lists of submissions exported from Prolific, and free the slots of "
        "people who returned or timed out before finishing. Then report how submissions and "
        "people do not match. --exclude excludes people with a mismatch from the analysis."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "csv",
            metavar="CSV",
            type=Path,
            nargs="+",
            help="the exported list of each study on Prolific that recruits for this one",
        )
        parser.add_argument(
            "--exclude",
            action="append",
            default=[],
            choices=list(MISMATCHES),
            metavar="MISMATCH",
            help="exclude participants with this mismatch; may be given several times",
        )
        parser.add_argument("--reason", default="", help="why; stored with each decision")

    def handle(
        self, *, slug: str, csv: list[Path], exclude: list[str], reason: str, **options: Any
    ) -> None:
        if exclude and not reason.strip():
            raise CommandError("--exclude needs --reason. Nothing was changed.")
        if reason and not exclude:
            raise CommandError("--reason is given without --exclude. Nothing was changed.")
        given = {"excluded": True, "reason": reason}
        decision = chosen_options(DecisionOptions, given) if exclude else None
        study = find_study(slug)
        lists = read_lists(study, [(str(path), read_bytes(path)) for path in csv])
        applied = apply_lists(study, lists, None)
        cases = cases_of(study)
        self.note(lists.notices)
        report = [*in_words(applied), *_mismatches(cases)]
        self.stdout.write("\n".join([f"{study}:", *report]))
        if decision:
            with_one = [case for case in cases if {*exclude} & {*case.mismatches}]
            ids = [case.person for case in with_one if case.person is not None]
            people = list(study.participants.filter(pk__in=ids))
            self.stdout.write(decide_and_wake(study, people, decision))


def _mismatches(cases: Sequence[Case]) -> Iterator[str]:
    """Every mismatch that there is, with its people by pseudonym."""
    for name, (heading, advice) in MISMATCHES.items():
        of = [case for case in cases if name in case.mismatches]
        if of:
            yield f"{heading} ({name}): {len(of)}. {advice}"
            people = [case for case in of if case.arrived_at is not None]
            nobody = [f"{len(of) - len(people)} × nobody here"] if len(people) < len(of) else []
            yield f"  {', '.join([*map(_named, people), *nobody])}"
    if not any(case.has_code for case in cases if case.submission):
        yield "Completion codes were not compared: the study has none, or the lists have none."


def _named(case: Case) -> str:
    """A person by pseudonym. IDs of submissions are shown on pages, on request."""
    assert case.arrived_at is not None
    here = case.here.replace("_", " ")
    excluded = f", excluded ({case.excluded})" if case.excluded else ""
    arrived = f"{case.arrived_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return f"{case.pseudonym} ({here}, arrived {arrived}{excluded})"
