"""`manage.py role STUDY USER owner|editor|analyst|viewer|none`, or of a corpus with `--corpus`."""

from typing import Any

from django.core.management.base import CommandParser

from corpus.folders import find_corpus
from dashboard.corpora.people import CorpusRoleOptions, change_corpus_role
from dashboard.overview.people import NO_ROLE, RoleOptions, change_role
from dashboard.shared.roles import Role
from survey.management.option_arguments import chosen_options
from survey.management.refusing import RefusingCommand
from survey.queries import find_study

#: What messages call the arguments.
CALLED = {"person": "USER", "role": "role"}


class Command(RefusingCommand):
    nothing = "Nothing was changed"
    help = (
        "Give an account a role in all versions of a study or, with --corpus, in a corpus, or take "
        "its access away. Superusers own all of them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="STUDY", help="slug or slug@version; or a corpus")
        parser.add_argument("person", metavar="USER", help="the account's user name")
        parser.add_argument("role", choices=[*Role.values, NO_ROLE])
        parser.add_argument("--corpus", action="store_true", help="STUDY is the name of a corpus")

    def handle(self, *, slug: str, corpus: bool, **given: Any) -> None:
        if corpus:
            of, found = f"corpus {slug}", find_corpus(slug)
            options = chosen_options(CorpusRoleOptions, given, called=CALLED)
            changed = change_corpus_role(found, options, author=None)
        else:
            study = find_study(slug)
            of = study.slug
            changed = change_role(study, chosen_options(RoleOptions, given, called=CALLED), None)
        now = "has no access to" if given["role"] == NO_ROLE else f"is {given['role']} of"
        self.stdout.write(f"{given['person']} {now} {of}{'' if changed else ' already'}")
