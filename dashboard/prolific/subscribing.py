"""Have Prolific send the events of a workspace here, and stop it.

A workspace has one subscription for all studies in it. What is asked for twice is the same as once:
earlier subscriptions to our address are deleted first, also those whose answer was lost.
"""

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from dashboard.prolific.models import EventSubscription, Recruitment
from dashboard.prolific.money import workspace_of
from dashboard.prolific.steps import StepRefused, look
from dashboard.shared.stand_in import prolific_is_local
from survey.definition.placeholders import why_not_public
from survey.models import StudyEvent
from survey.prolific.errors import ProlificError
from survey.prolific.events import EVENT_TYPES
from survey.prolific.tokens import encrypted

if TYPE_CHECKING:
    from survey.prolific.client import ProlificClient

#: What the study's record says; `overview.events` has the words.
ON, OFF = "events on", "events off"


def target_of(subscription: EventSubscription) -> str:
    """The address of this site for the events of a workspace."""
    return settings.SITE_URL + reverse("prolific-events", args=[subscription.key])


def gets_events(recruitment: Recruitment | None) -> bool:
    """Whether Prolific has confirmed that it sends events of the study to the present address."""
    events = recruitment.events if recruitment else None
    return (
        events is not None
        and events.confirmed_at is not None
        and events.target == target_of(events)
    )


def subscribe(recruitment: Recruitment, client: "ProlificClient", *, author: User) -> None:
    """Subscribe to the events of the study's workspace.

    Raises StepRefused if Prolific can't reach this site, ProlificError.
    """
    why = "" if prolific_is_local() else why_not_public(settings.SITE_URL)
    if why:
        raise StepRefused(f"Prolific can't send events to {settings.SITE_URL}, {why}.")
    workspace = workspace_of(client, look(recruitment, client))
    if not workspace:
        raise StepRefused("Prolific does not say in which workspace the study is.")
    subscription, _ = EventSubscription.objects.get_or_create(
        address=recruitment.address, workspace=workspace
    )
    target = target_of(subscription)
    subscription.encrypted_secret = encrypted(
        client.hook_secret(workspace), key=settings.PROLIFIC_TOKEN_KEY
    )
    subscription.target, subscription.confirmed_at = target, None
    subscription.save()  # before Prolific sends anything
    try:
        _unsubscribe(client, subscription)
        for event_type in EVENT_TYPES:
            client.confirm_subscription(client.subscribe(workspace, event_type, target))
    except ProlificError as error:
        error.unchanged = "Prolific may send no events any more: turn them on again."
        raise
    with transaction.atomic():
        subscription.confirmed_at = timezone.now()
        subscription.save(update_fields=["confirmed_at"])
        recruitment.events = subscription
        recruitment.save(update_fields=["events"])
        StudyEvent.objects.create(study=recruitment.study, author=author, action=ON, detail={})


def unsubscribe(recruitment: Recruitment, client: "ProlificClient", *, author: User) -> None:
    """Stop the events of the study's workspace, and forget its secret. Raises ProlificError."""
    subscription = recruitment.events
    if subscription is None:
        return
    try:
        _unsubscribe(client, subscription)
    except ProlificError as error:
        error.unchanged = "Prolific may send some events no more: turn them off again."
        raise
    with transaction.atomic():
        subscription.delete()
        recruitment.events = None
        StudyEvent.objects.create(study=recruitment.study, author=author, action=OFF, detail={})


def subscribe_if_possible(recruitment: Recruitment, client: "ProlificClient", author: User) -> str:
    """Subscribe, unless it is so already; why it failed, empty if it did not."""
    if gets_events(recruitment):
        return ""
    try:
        subscribe(recruitment, client, author=author)
    except (StepRefused, ProlificError) as error:
        return f"{error} Until then a worker reads the submissions every ten minutes."
    return ""


def _unsubscribe(client: "ProlificClient", subscription: EventSubscription) -> None:
    """Delete what sends to us, at whatever address this site had before."""
    path = reverse("prolific-events", args=[subscription.key])
    for known in client.hook_subscriptions(subscription.workspace):
        if known.target_url.endswith(path):
            client.unsubscribe(known.id)
