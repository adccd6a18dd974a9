"""Who has access to a study or a corpus: giving roles and taking them."""

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from corpus.models import Corpus
from dashboard.shared.log import record
from dashboard.shared.models import CorpusMembership, Membership
from dashboard.shared.roles import Role
from survey.models import Study
from survey.refusals import RequestRefused


class RoleRefused(RequestRefused):
    """A role that was not changed; the text says why."""

    about = "role"


def members_of(slug: str) -> QuerySet[Membership]:
    """The accounts that have a role in a study, by name."""
    return Membership.objects.filter(slug=slug).select_related("user").order_by("user__username")


def superusers() -> list[str]:
    """The names of those who own every study."""
    active = User.objects.filter(is_superuser=True, is_active=True, is_staff=True)
    return list(active.order_by("username").values_list("username", flat=True))


def change_role(*, study: Study, person: str, role: Role | None, author: User) -> bool:
    """Give a member, by the name of the account, another role or none. False if it was so already.

    Raises RoleRefused for people without a role here, and as `set_role` does.
    """
    user = User.objects.filter(username=person).first()
    if user is None or not members_of(study.slug).filter(user=user).exists():
        raise RoleRefused("This account has no role here. Invite it.")
    return set_role(
        study=study, user=user, role=role, author=author, leave_an_owner=not author.is_superuser
    )


@transaction.atomic
def set_role(
    *, study: Study, user: User, role: Role | None, author: User | None, leave_an_owner: bool = True
) -> bool:
    """Give an account a role in all versions of a study, or none. False if it was so already.

    Raises RoleRefused for the last owner if one must be left, and for accounts that are no
    researchers.
    """
    # One change at a time, so that two owners do not remove each other.
    list(Study.objects.select_for_update(no_key=True).filter(slug=study.slug).order_by("pk"))
    if not _give(Membership, {"slug": study.slug}, user, role, leave_an_owner=leave_an_owner):
        return False
    if role is None:
        record(study, author, "access removed", person=user.get_username())
    else:
        record(study, author, "role given", person=user.get_username(), name=str(role))
    return True


@transaction.atomic
def set_corpus_role(
    *,
    corpus: Corpus,
    user: User,
    role: Role | None,
    author: User | None,
    leave_an_owner: bool = True,
) -> bool:
    """As `set_role`, in a corpus and its samples."""
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    if not _give(CorpusMembership, {"corpus": corpus}, user, role, leave_an_owner=leave_an_owner):
        return False
    person, of = user.get_username(), corpus.name
    if role is None:
        record(None, author, "corpus access removed", person=person, name=of)
    else:
        record(None, author, "corpus role given", person=person, name=f"{of}: {role}")
    return True


def _give(
    members: type[Membership] | type[CorpusMembership],
    of: dict[str, Any],
    user: User,
    role: Role | None,
    *,
    leave_an_owner: bool,
) -> bool:
    """False if it was so already. Raises RoleRefused."""
    there = members._default_manager.filter(**of)
    before = there.filter(user=user).first()
    if (before.role if before else None) == role:
        return False
    if role is not None and not (user.is_active and user.is_staff):
        raise RoleRefused(f"{user} is no active researcher's account.")
    if leave_an_owner and before is not None and before.role == Role.OWNER:
        others = there.filter(role=Role.OWNER, user__is_active=True).exclude(user=user)
        if not others.exists():
            [name] = of.values()
            raise RoleRefused(
                f"{user} is the last owner of {name}. Make someone else owner first; "
                "superusers may remove the last one."
            )
    if role is None:
        assert before is not None
        before.delete()
    else:
        members._default_manager.update_or_create(**of, user=user, defaults={"role": role})
    return True
