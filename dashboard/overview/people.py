"""Who has access to a study: giving roles and taking them."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from dashboard.shared.log import record
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import Study


class RoleRefused(Exception):
    """A role that was not changed; the text says why."""


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
    before = Membership.objects.filter(slug=study.slug, user=user).first()
    if (before.role if before else None) == role:
        return False
    if role is not None and not (user.is_active and user.is_staff):
        raise RoleRefused(f"{user} is no active researcher's account.")
    if leave_an_owner and before is not None and before.role == Role.OWNER:
        owners = Membership.objects.filter(slug=study.slug, role=Role.OWNER)
        if not owners.filter(user__is_active=True).exclude(user=user).exists():
            raise RoleRefused(
                f"{user} is the last owner of {study.slug}. Make someone else owner first; "
                "superusers may remove the last one."
            )
    if role is None:
        assert before is not None
        before.delete()
        record(study, author, "access removed", person=user.get_username())
        return True
    Membership.objects.update_or_create(slug=study.slug, user=user, defaults={"role": role})
    record(study, author, "role given", person=user.get_username(), name=str(role))
    return True
