"""`manage.py role STUDY USER owner|editor|analyst|viewer|none`, or of a corpus with `--corpus`."""

from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError, CommandParser

from corpus.folders import find_corpus
from corpus.problems import CorpusProblem
from dashboard.overview.people import set_corpus_role, set_role
from dashboard.shared.roles import CORPUS_ROLES, Role
from survey.files.suggestions import did_you_mean
from survey.management.refusing import RefusingCommand
from survey.queries import find_study

NONE = "none"


class Command(RefusingCommand):
    nothing = "Nothing was changed"
    help = (
        "Give an account a role in all versions of a study or, with --corpus, in a corpus, or take "
        "its access away. Superusers own all of them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version; or a corpus")
        parser.add_argument("name", metavar="USER", help="the account's user name")
        parser.add_argument("role", choices=[*Role.values, NONE])
        parser.add_argument("--corpus", action="store_true", help="STUDY is the name of a corpus")

    def handle(self, *, slug: str, name: str, role: str, corpus: bool, **options: Any) -> None:
        chosen = None if role == NONE else Role(role)
        user = User.objects.filter(username=name).first()
        if corpus:
            of = f"corpus {slug}"
            if chosen is not None and chosen not in CORPUS_ROLES:
                raise CorpusProblem("a role in a corpus is owner, editor or viewer")
            found = find_corpus(slug)
            changed = set_corpus_role(
                corpus=found,
                user=_there(user, name),
                role=chosen,
                author=None,
                leave_an_owner=False,
            )
        else:
            study = find_study(slug)
            of = study.slug
            changed = set_role(
                study=study,
                user=_there(user, name),
                role=chosen,
                author=None,
                leave_an_owner=False,
            )
        now = "has no access to" if role == NONE else f"is {role} of"
        self.stdout.write(f"{name} {now} {of}{'' if changed else ' already'}")


def _there(user: User | None, name: str) -> User:
    """Raises CommandError."""
    if user is None:
        near = did_you_mean(name, list(User.objects.values_list("username", flat=True)))
        raise CommandError(f"Nothing was changed: there is no account {name!r}{near}")
    return user
