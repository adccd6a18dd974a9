"""`manage.py withdraw STUDY PERSON [--yes]`: deletes a participant who asks for it."""

from contextlib import suppress
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.celery import wake
from dashboard.management.arguments import add_study
from dashboard.shared.log import record
from survey.files.names import one_name
from survey.management.refusing import RefusingCommand
from survey.models import Participant
from survey.queries import find_study
from survey.withdrawal import withdraw


class Command(RefusingCommand):
    help = (
        "Delete everything about a participant, as their own private link does. A worker then "
        "recomputes the analyses."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument(
            "person", help="their Prolific ID, the token of their invitation, or their pseudonym"
        )
        parser.add_argument(
            "--yes", action="store_true", help="delete; without it, only show the participant"
        )

    def handle(self, *, slug: str, person: str, yes: bool, **options: Any) -> None:
        study = find_study(slug)
        named = Q(identity__key=person) | Q(pseudonym__in=[person, one_name(person)])
        people = Participant.objects.filter(named, study__slug=study.slug)
        if "@" in slug:
            people = people.filter(study=study)
        participants = list(people.select_related("study"))
        if not participants:
            raise CommandError(f"{study.slug} has no participant {person!r}")
        if len(participants) > 1:
            studies = ", ".join(str(one.study) for one in participants)
            raise CommandError(f"{person!r} is in {studies}: give the version, as in slug@2")
        [participant] = participants
        who = f"{participant} ({participant.source}, {participant.status}) of {participant.study}"
        if not yes:
            self.stdout.write(f"Would delete everything about {who}. Add --yes to do it.")
            return
        withdraw(participant=participant, at=timezone.now())
        record(participant.study, None, "withdrawn on request", participants=1)
        with suppress(OperationalError):  # the broker is silent: workers look by themselves
            wake("analysis.sweep")
            wake("survey.sweep")
        self.stdout.write(f"Everything about {who} is deleted.")
