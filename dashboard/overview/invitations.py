"""Links that invite colleagues to a study. Each works once and for a week."""

import hashlib
import secrets
from datetime import timedelta
from typing import Annotated

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from pydantic import Field

from dashboard.overview.models import MemberInvitation
from dashboard.overview.people import set_role
from dashboard.shared.access import role_of
from dashboard.shared.log import record
from dashboard.shared.roles import Role
from survey.definition.options import ValueLabels
from survey.definition.parts import Part
from survey.models import Study
from survey.refusals import Conflict, RefusalKind, RequestRefused

VALID = timedelta(days=7)


class NotValid(Conflict):
    """An invitation that nobody can accept; the text says why."""

    unchanged = ""


class NoInvitation(RequestRefused):
    """There is no such open invitation."""

    kind = RefusalKind.NOT_FOUND


class InviteOptions(Part):
    """An invitation of a colleague."""

    role: Annotated[Role, ValueLabels(dict(Role.choices))] = Field(strict=False)
    note: str = Field(
        default="", max_length=200, title="Whom it is for (optional)", description="whom it is for"
    )


def invite(study: Study, options: InviteOptions, author: User) -> tuple[MemberInvitation, str]:
    """A new invitation, and its link, which is stored nowhere."""
    secret = secrets.token_urlsafe(32)
    invitation = MemberInvitation.objects.create(
        slug=study.slug,
        role=options.role,
        note=options.note,
        digest=_digest(secret),
        created_by=author,
        expires_at=timezone.now() + VALID,
    )
    record(study, author, "invited", name=str(options.role), invitation=invitation.pk)
    return invitation, settings.SITE_URL + reverse("invitation", args=[secret])


def open_invitations(slug: str) -> QuerySet[MemberInvitation]:
    """Those of a study that someone can still accept."""
    unused = MemberInvitation.objects.filter(slug=slug, used_at=None, revoked_at=None)
    return unused.filter(expires_at__gt=timezone.now()).select_related("created_by")


def revoke(study: Study, invitation: int, author: User) -> None:
    """Make a link useless. Raises NoInvitation."""
    rows = open_invitations(study.slug).filter(pk=invitation)
    if not rows.update(revoked_at=timezone.now()):
        raise NoInvitation(f"{study.slug} has no open invitation {invitation}.")
    record(study, author, "invitation revoked", invitation=invitation)


def find_invitation(secret: str) -> MemberInvitation:
    """The open invitation with this secret. Raises NotValid."""
    invitation = MemberInvitation.objects.filter(digest=_digest(secret)).first()
    if invitation is None:
        raise NotValid("This invitation is unknown. Check that you used the whole link.")
    if invitation.used_at is not None:
        raise NotValid("This invitation was used already. Each link works once.")
    if invitation.revoked_at is not None:
        raise NotValid("This invitation was revoked. Ask for another one.")
    if invitation.expires_at <= timezone.now():
        raise NotValid("This invitation has expired. Ask for another one.")
    return invitation


@transaction.atomic
def accept(link: str, user: User) -> Study:
    """Make an account a member by the link of an invitation, or the secret at its end, which is
    then used. The study's newest version.

    Raises NotValid, also for those who have this role or a higher one: their link stays unused.
    """
    invitation = find_invitation(link.rstrip("/").rpartition("/")[2])
    study = study_of(invitation)
    role, have = Role(invitation.role), role_of(user, invitation.slug)
    if have is not None and have.includes(role):
        already = f"Your role in {study.slug} is {have} already."
        raise NotValid(f"{already} Nothing was changed.")
    free = MemberInvitation.objects.filter(pk=invitation.pk, used_at=None, revoked_at=None)
    if not free.update(used_at=timezone.now()):
        raise NotValid("This invitation was used already. Each link works once.")
    set_role(study=study, user=user, role=role, author=user)
    record(study, user, "invitation accepted", name=str(role), invitation=invitation.pk)
    return study


def study_of(invitation: MemberInvitation) -> Study:
    """The newest version of the study. Raises NotValid if there is none any more."""
    study = Study.objects.filter(slug=invitation.slug).order_by("-version").first()
    if study is None:
        raise NotValid("This invitation is to a study that is not here any more.")
    return study


def _digest(secret: str) -> str:
    # The secret has 256 random bits, so a plain hash can't be guessed backwards.
    return hashlib.sha256(secret.encode()).hexdigest()
