"""Who has access to a corpus and its samples."""

from typing import Annotated

from django.contrib.auth.models import User
from django.db.models import QuerySet
from pydantic import AfterValidator, BeforeValidator, Field

from corpus.models import Corpus
from dashboard.overview.people import (
    RoleOptions,
    RoleRefused,
    account_called,
    labels_of_roles,
    role_or_none,
    set_corpus_role,
)
from dashboard.shared.models import CorpusMembership
from dashboard.shared.option_forms import OptionsForm
from dashboard.shared.roles import CORPUS_ROLES, Role


def _in_a_corpus(role: Role | None) -> Role | None:
    if role is not None and role not in CORPUS_ROLES:
        raise ValueError("a role in a corpus is owner, editor or viewer")
    return role


class CorpusRoleOptions(RoleOptions):
    """An account's new role in a corpus, or none."""

    person: str = Field(title="User name", max_length=150, description="the name of the account")
    role: Annotated[
        Role | None,
        BeforeValidator(role_or_none),
        AfterValidator(_in_a_corpus),
        labels_of_roles(CORPUS_ROLES),
    ]


class CorpusRoleForm(OptionsForm[CorpusRoleOptions]):
    """The role of an account in a corpus, or none."""

    options = CorpusRoleOptions
    messages = {"role": {"invalid_choice": "%(value)s is no role in a corpus."}}


def members_of_corpus(corpus: Corpus) -> QuerySet[CorpusMembership]:
    """The accounts that have a role in a corpus, by name."""
    return corpus.memberships.select_related("user").order_by("user__username")


def change_corpus_role(corpus: Corpus, options: CorpusRoleOptions, author: User | None) -> bool:
    """Give a researcher a role or none. False if it was so already.

    Raises RoleRefused for names of no researcher, and for the last owner.
    """
    found = User.objects.filter(username=options.person)
    may_have = found.filter(is_active=True, is_staff=True)
    if options.role is None:  # someone who has left keeps no role
        may_have |= found.filter(corpus_memberships__corpus=corpus)
    if author is not None and not may_have.exists():
        raise RoleRefused(
            f"There is no researcher's account {options.person[:80]!r}. A colleague without one "
            "gets it by an invitation to a study."
        )
    user = account_called(options.person)
    return set_corpus_role(corpus=corpus, user=user, role=options.role, author=author)
