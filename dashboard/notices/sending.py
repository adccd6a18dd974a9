"""Tell followers of a study what has happened, each thing once.

A notice is stored before it is sent. If the mail server does not take it, later turns try again for
a day. If a worker is lost between sending and recording that, the notice is sent twice.
"""

import logging
import smtplib
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F, Q, QuerySet

from dashboard.notices.models import Follower, Notice
from dashboard.notices.occasions import happened
from dashboard.shared.access import with_access
from dashboard.shared.log import record
from survey.models import Study

EVERY = timedelta(minutes=5)
#: A notice that was tried is not tried again before this time, by whatever worker.
PAUSE = timedelta(minutes=10)
#: What could not be sent for so long is not sent any more.
GIVE_UP = timedelta(days=1)

FOOTER = "You asked for this e-mail on the study's page E-mail, where you can also end it."

logger = logging.getLogger(__name__)


def is_possible() -> bool:
    """Whether this installation has a mail server."""
    return bool(settings.EMAIL_HOST)


def slugs_to_look_at(*, at: datetime) -> list[str]:
    """The studies whose followers are to be told by now; none without a mail server."""
    if not is_possible():
        return []
    return list(Follower.objects.filter(_due(at)).values_list("slug", flat=True).distinct())


def tell_followers(slug: str, *, at: datetime) -> None:
    """Look once at what has happened in a study, and send its followers what they do not know."""
    followers = list(_followers(slug).filter(_due(at)))
    mine = Follower.objects.filter(_due(at))  # another worker may have taken some meanwhile
    claimed = [one for one in followers if mine.filter(pk=one.pk).update(looked_at=at)]
    if claimed:
        _note(slug, claimed, at=at)
    for notice in _unsent(slug, at).select_related("follower__user", "study"):
        _send(notice, at)


@transaction.atomic
def choose(*, study: Study, user: User, email: str, occasions: Sequence[str], at: datetime) -> None:
    """Send a researcher e-mail about these occasions of a study to this address from now on."""
    user.email = email
    user.save(update_fields=["email"])
    follow(user_id=user.pk, slug=study.slug, occasions=occasions, at=at)
    record(study, user, "e-mail chosen", name=", ".join(occasions) or "none")


def chosen_by(user: User, study: Study) -> list[str]:
    """The occasions of a study that a researcher is told."""
    follower = Follower.objects.filter(user=user, slug=study.slug).first()
    return list(follower.occasions) if follower else []


def follow(*, user_id: int, slug: str, occasions: Sequence[str], at: datetime) -> None:
    """Tell this user of these occasions from now on; of nothing any more if there are none.

    What is so already is not sent: they see it where they ask for this.
    """
    if not occasions:
        Follower.objects.filter(user_id=user_id, slug=slug).delete()
        return
    follower, _ = Follower.objects.update_or_create(
        user_id=user_id, slug=slug, defaults={"occasions": list(occasions)}
    )
    _note(slug, [follower], at=at, is_over=True)


def _followers(slug: str) -> QuerySet[Follower]:
    return Follower.objects.filter(slug=slug, user__in=with_access(slug)).exclude(user__email="")


def _note(slug: str, followers: Sequence[Follower], *, at: datetime, is_over: bool = False) -> None:
    """Store what these followers are to be told, and do not know yet."""
    for study in Study.objects.filter(slug=slug):
        for one in happened(study, at=at):
            for follower in followers:
                if one.occasion in follower.occasions:
                    Notice.objects.get_or_create(
                        follower=follower,
                        study=study,
                        occasion=one.occasion,
                        key=one.key,
                        defaults={
                            "subject": f"{study.title}: {one.subject}",
                            "text": one.text,
                            "at": at,
                            "is_over": is_over,
                        },
                    )


def _due(at: datetime) -> Q:
    return Q(looked_at=None) | Q(looked_at__lt=at - EVERY)


def _unsent(slug: str, at: datetime) -> QuerySet[Notice]:
    return Notice.objects.filter(
        Q(tried_at=None) | Q(tried_at__lt=at - PAUSE),
        follower__slug=slug,
        follower__user__in=with_access(slug),  # a role may be lost meanwhile
        is_over=False,
    )


def _send(notice: Notice, at: datetime) -> None:
    mine = Notice.objects.filter(pk=notice.pk, tries=notice.tries, is_over=False)
    if not mine.update(tried_at=at, tries=F("tries") + 1):
        return  # another worker's
    is_over = notice.at < at - GIVE_UP
    try:
        EmailMessage(
            subject=" ".join(f"Fivefold: {notice.subject}".split()),
            body=f"{notice.text}\n\n{FOOTER}",
            to=[notice.follower.user.email],
        ).send()
        is_over = True
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("A notice about %s was not sent: %s", notice.study, error)
    if is_over:
        Notice.objects.filter(pk=notice.pk).update(is_over=True)
