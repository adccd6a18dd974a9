"""`manage.py invite STUDY --count N [--panel NAME] [--label TEXT]`."""

import re
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from dashboard.management.arguments import add_study
from dashboard.shared.log import record
from survey.content import content_of
from survey.definition.parts import NAME_PATTERN
from survey.management.refusing import RefusingCommand
from survey.models import Invitation
from survey.queries import find_study

MOST_LINKS = 100_000
LONGEST_LABEL = 200


class Command(RefusingCommand):
    help = "Create personal links for participants who do not come from Prolific."

    def add_arguments(self, parser: CommandParser) -> None:
        add_study(parser)
        parser.add_argument("--count", type=int, default=1)
        parser.add_argument(
            "--panel",
            metavar="NAME",
            help="invite experts instead of raters: their ratings never count, but their means "
            "can be gold scores",
        )
        parser.add_argument("--label", default="", help="a note for researchers; never exported")

    def handle(
        self, *, slug: str, count: int, panel: str | None, label: str, **options: Any
    ) -> None:
        study = find_study(slug)
        if not 1 <= count <= MOST_LINKS:
            raise CommandError(f"--count must be from 1 to {MOST_LINKS}")
        if len(label) > LONGEST_LABEL:
            raise CommandError(f"--label may have at most {LONGEST_LABEL} characters")
        if panel is not None and not re.fullmatch(NAME_PATTERN, panel):
            raise CommandError(
                f"--panel {panel!r} can't be a name: use at most 40 of a-z, 0-9 and _, beginning "
                "with a letter"
            )
        if panel is not None and content_of(study).definition.rating is None:
            raise CommandError(f"{study} has no ratings, so it needs no panel")
        if panel is None and "invitation" not in study.settings["ways_in"]:
            raise CommandError(f"{study} does not admit invitations: see ways_in in its study.yaml")
        if study.is_rehearsing:
            self.stderr.write(
                f"Notice: {study} is a rehearsal. People who use these links now stay test people. "
                "Invite participants who should count after you open the study for real."
            )
        invitations = Invitation.objects.bulk_create(
            Invitation(study=study, panel=panel or "", label=label) for _ in range(count)
        )
        record(study, None, "participants invited", links=len(invitations))
        for invitation in invitations:
            self.stdout.write(f"{settings.SITE_URL}/s/{study.slug}/?invite={invitation.token}")
