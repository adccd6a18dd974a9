"""Who has access to a corpus and its samples."""

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet

from corpus.models import Corpus
from dashboard.overview.people import RoleRefused, set_corpus_role
from dashboard.shared.models import CorpusMembership
from dashboard.shared.roles import CORPUS_ROLES, Role

NO_ROLE = "none"


class CorpusRoleForm(forms.Form):
    """The role of an account in a corpus, or none."""

    person = forms.CharField(
        label="User name", max_length=150, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(
        choices=[*((role.value, role.label) for role in CORPUS_ROLES), (NO_ROLE, "No access")],
        initial=Role.VIEWER,
        error_messages={"invalid_choice": "%(value)s is no role in a corpus."},
    )

    @property
    def chosen(self) -> Role | None:
        """Of a valid form."""
        role = self.cleaned_data["role"]
        return None if role == NO_ROLE else Role(role)


def members_of_corpus(corpus: Corpus) -> QuerySet[CorpusMembership]:
    """The accounts that have a role in a corpus, by name."""
    return corpus.memberships.select_related("user").order_by("user__username")


def change_corpus_role(*, corpus: Corpus, person: str, role: Role | None, author: User) -> bool:
    """Give a researcher, by the name of the account, a role or none. False if it was so already.

    Raises RoleRefused for names of no researcher, and for the last owner.
    """
    user = User.objects.filter(username=person, is_active=True, is_staff=True).first()
    if user is None and role is None:  # someone who has left keeps no role
        user = User.objects.filter(username=person, corpus_memberships__corpus=corpus).first()
    if user is None:
        raise RoleRefused(
            f"There is no researcher's account {person[:80]!r}. A colleague without one gets it by "
            "an invitation to a study."
        )
    return set_corpus_role(
        corpus=corpus, user=user, role=role, author=author, leave_an_owner=not author.is_superuser
    )
