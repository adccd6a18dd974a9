"""Who has access to a study or a corpus: giving roles and taking them."""

from collections.abc import Iterable
from typing import Annotated, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from pydantic import BeforeValidator, Field

from corpus.models import Corpus
from dashboard.shared.log import record
from dashboard.shared.models import CorpusMembership, Membership
from dashboard.shared.roles import Role
from survey.definition.options import ValueLabels
from survey.definition.parts import Part
from survey.files.suggestions import did_you_mean
from survey.models import Study
from survey.refusals import RequestRefused

#: What stands for no role on pages and in commands.
NO_ROLE = "none"


def role_or_none(value: Any) -> Role | None:
    """A role by its name. Raises ValueError."""
    return None if value in (None, NO_ROLE) else Role(value)


def labels_of_roles(roles: Iterable[Role]) -> ValueLabels:
    """What pages call each of these roles, and none."""
    return ValueLabels({**{role.value: role.label for role in roles}, NO_ROLE: "No access"})


class RoleOptions(Part):
    """An account's new role in a study, or none."""

    person: str = Field(max_length=150, description="name of an account with a role here")
    role: Annotated[Role | None, BeforeValidator(role_or_none), labels_of_roles(Role)]


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


def account_called(name: str) -> User:
    """The account of that name. Raises RoleRefused."""
    user = User.objects.filter(username=name).first()
    if user is None:
        near = did_you_mean(name, list(User.objects.values_list("username", flat=True)))
        raise RoleRefused(f"there is no account {name!r}{near}")
    return user


def change_role(study: Study, options: RoleOptions, author: User | None) -> bool:
    """Give an account another role in all versions of a study, or none. False if it was so already.

    Raises RoleRefused as `set_role` does, and for people without a role here, unless a command asks
    (without an author): it also gives the first role.
    """
    members = members_of(study.slug).filter(user__username=options.person)
    if author is not None and not members.exists():
        raise RoleRefused("This account has no role here. Invite it.")
    user = account_called(options.person)
    return set_role(study=study, user=user, role=options.role, author=author)


@transaction.atomic
def set_role(*, study: Study, user: User, role: Role | None, author: User | None) -> bool:
    """Give an account a role in all versions of a study, or none. False if it was so already.

    Raises RoleRefused for accounts that are no researchers, and for the last owner, whom only
    superusers and commands (without an author) may remove.
    """
    # One change at a time, so that two owners do not remove each other.
    list(Study.objects.select_for_update(no_key=True).filter(slug=study.slug).order_by("pk"))
    if not _give(Membership, {"slug": study.slug}, user, role, author):
        return False
    if role is None:
        record(study, author, "access removed", person=user.get_username())
    else:
        record(study, author, "role given", person=user.get_username(), name=str(role))
    return True


@transaction.atomic
def set_corpus_role(*, corpus: Corpus, user: User, role: Role | None, author: User | None) -> bool:
    """As `set_role`, in a corpus and its samples."""
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
    if not _give(CorpusMembership, {"corpus": corpus}, user, role, author):
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
    author: User | None,
) -> bool:
    """False if it was so already. Raises RoleRefused."""
    there = members._default_manager.filter(**of)
    before = there.filter(user=user).first()
    if (before.role if before else None) == role:
        return False
    if role is not None and not (user.is_active and user.is_staff):
        raise RoleRefused(f"{user} is no active researcher's account.")
    may_leave_none = author is None or author.is_superuser
    if before is not None and before.role == Role.OWNER and not may_leave_none:
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
