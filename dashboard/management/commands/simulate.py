"""`manage.py simulate STUDY --participants N --seed S [--profile YAML] [--server URL]`."""

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from dashboard.management.arguments import add_study
from dashboard.rehearsal.profiles import DEFAULT, PROFILES, is_default
from dashboard.rehearsal.sending import AT_ONCE, Sending
from dashboard.rehearsal.simulations import CrowdOptions, crowd_of
from survey.management.option_arguments import add_options, chosen_options
from survey.management.refusing import RefusingCommand
from survey.models import Identity, Participant, Study
from survey.queries import find_study
from survey.simulated.plan import RaterPlan
from survey.tidy import definition_of


def _whole_number(least: int, most: int) -> Any:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read


def _address(text: str) -> str:
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(f"{text!r} does not begin with http:// or https://")
    return text


class Command(RefusingCommand):
    unread = ""
    help = (
        "Send simulated raters through a study on a running server, page by page. They are "
        "labelled `simulated` and never count unless asked for by name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        add_options(parser, CrowdOptions, without=["profile", "file"])
        parser.add_argument(
            "--profile",
            type=Path,
            default=PROFILES / DEFAULT,
            help="shares of behaviours and planted effects (default: "
            f"{(PROFILES / DEFAULT).relative_to(settings.BASE_DIR)})",
        )
        parser.add_argument(
            "--server",
            type=_address,
            default=settings.SITE_URL,
            help=f"address of the site (default: SITE_URL, {settings.SITE_URL})",
        )
        parser.add_argument(
            "--workers",
            type=_whole_number(1, 64),
            default=AT_ONCE,
            help=f"raters at once (default: {AT_ONCE})",
        )
        parser.add_argument(
            "--plan",
            type=Path,
            help="write each rater's behaviour to this CSV, to compare with the funnel",
        )

    def handle(
        self,
        *,
        slug: str,
        profile: Path,
        server: str,
        workers: int,
        plan: Path | None,
        **options: Any,
    ) -> None:
        study = find_study(slug)
        own = {} if is_default(profile) else {"file": profile}
        crowd, notices = crowd_of(study, chosen_options(CrowdOptions, options | own))
        for notice in notices:
            self.stderr.write(f"Notice: {notice}")
        if options["seed"] is None:
            self.stdout.write(f"Seed: {crowd.seed}")
        sending = Sending.of(study, crowd, server=server)
        if plan:
            _write_plans(plan, study, sending.plans)
        todo = sending.send(at_once=workers)
        try:
            for _ in tqdm(todo, total=len(sending.rota.waiting), unit="rater", disable=None):
                pass
        except KeyboardInterrupt:
            again = f"The same command with --seed {crowd.seed} goes on where each rater was."
            raise CommandError(f"Stopped. {again}") from None
        finally:
            if plan:  # again, now that they have arrived and have pseudonyms
                _write_plans(plan, study, sending.plans)
        for line in sending.summary():
            self.stdout.write(line)


def _write_plans(path: Path, study: Study, plans: Sequence[RaterPlan]) -> None:
    """One row for each rater; `participant` is their pseudonym, once they have arrived."""
    pseudonyms = dict(
        Identity.objects.filter(
            slug=study.slug,
            participant__source=Participant.Source.SIMULATED,
            key__in=[plan.person for plan in plans],
        ).values_list("key", "participant__pseudonym")
    )
    checks = definition_of(study).attention_checks
    rights = {check.name: check.right_answer for check in checks}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            [
                *("participant", "person", "behaviour", "minutes", "blocks", "checks_failed"),
                "at_prolific",
            ]
        )
        for plan in plans:
            failed = sum(answer != rights[name] for name, answer in plan.checks.items())
            writer.writerow(
                [
                    pseudonyms.get(plan.person, ""),
                    plan.person,
                    plan.behaviour,
                    f"{plan.minutes:.2f}",
                    plan.blocks,
                    failed,
                    plan.deed or "",
                ]
            )
