"""`manage.py role STUDY USER owner|editor|analyst|viewer|none`."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.overview.people import RoleRefused, set_role
from dashboard.shared.roles import Role
from survey.files.suggestions import did_you_mean
from survey.queries import StudyNotFound, find_study

NONE = "none"


class Command(BaseCommand):
    help = (
        "Give an account a role in all versions of a study, or take its access away. Superusers "
        "own every study."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version")
        parser.add_argument("name", metavar="USER", help="the account's user name")
        parser.add_argument("role", choices=[*Role.values, NONE])

    def handle(self, *, slug: str, name: str, role: str, **options: Any) -> None:
        try:
            study = find_study(slug)
        except StudyNotFound as error:
            raise CommandError(f"Nothing was changed: {error}") from None
        user = User.objects.filter(username=name).first()
        if user is None:
            near = did_you_mean(name, list(User.objects.values_list("username", flat=True)))
            raise CommandError(f"Nothing was changed: there is no account {name!r}{near}")
        try:
            changed = set_role(
                study=study,
                user=user,
                role=None if role == NONE else Role(role),
                author=None,
                leave_an_owner=False,
            )
        except RoleRefused as refusal:
            raise CommandError(f"{refusal} Nothing was changed.") from None
        now = "has no access to" if role == NONE else f"is {role} of"
        self.stdout.write(f"{name} {now} {study.slug}{'' if changed else ' already'}")
