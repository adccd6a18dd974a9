"""Where Prolific's events arrive: checked, stored, acknowledged. A worker follows them up.

Nothing of a request is logged: events name participants.
"""

import time

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from config.celery import wake
from dashboard.prolific.models import EventSubscription, ReceivedEvent
from dashboard.shared.roles import OPEN
from survey.prolific.events import (
    EVENT_ID,
    LARGEST_BYTES,
    SIGNATURE,
    TIMESTAMP,
    EventRefused,
    ProlificEvent,
    read_event,
)
from survey.prolific.tokens import TokenLost, decrypted


class EventsOfWorkspace(SimpleRateThrottle):
    """So many requests a minute for each subscription. Prolific repeats what gets 429."""

    rate = "600/min"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """The subscription; None for an unknown address, so that invented ones fill no cache."""
        key: str = view.kwargs["key"]
        is_known = EventSubscription.objects.filter(key=key).exists()
        return f"events-{key}" if is_known else None


@extend_schema(exclude=True)
class Events(APIView):
    """The address for the events of one workspace."""

    needs = OPEN
    http_method_names = ["post"]
    authentication_classes: list[type] = []
    permission_classes: list[type] = []
    throttle_classes = [EventsOfWorkspace]

    def post(self, request: Request, key: str) -> Response:
        """Store an event that Prolific signed: 200, also if it came before."""
        try:
            subscription = _subscription(key)
            event = _event(request, subscription)
        except EventRefused as refusal:
            return Response({"detail": str(refusal)}, refusal.status)
        is_new = _store(subscription, event)
        if is_new:
            wake("dashboard.prolific_events")
        return Response({"detail": "Stored." if is_new else "Known already."})


def _subscription(key: str) -> EventSubscription:
    known = EventSubscription.objects.filter(key=key, address=settings.PROLIFIC_URL).first()
    if known is None:
        raise EventRefused(404, "There is no subscription with this address.")
    return known


def _event(request: Request, subscription: EventSubscription) -> ProlificEvent:
    """Raises EventRefused. The length of a body is known before it is read (`config.bodies`)."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_BYTES:
        raise EventRefused(413, f"An event has at most {LARGEST_BYTES} bytes.")
    try:
        secret = decrypted(subscription.encrypted_secret, key=settings.PROLIFIC_TOKEN_KEY)
    except TokenLost:
        raise EventRefused(503, "The secret of this subscription can't be read.") from None
    return read_event(
        request.body,
        secret=secret,
        signed=request.headers.get(SIGNATURE, ""),
        timestamp=request.headers.get(TIMESTAMP, ""),
        event_id=request.headers.get(EVENT_ID, ""),
        now=time.time(),
    )


def _store(subscription: EventSubscription, event: ProlificEvent) -> bool:
    """Whether the event is new."""
    now = timezone.now()
    row = ReceivedEvent(
        subscription=subscription,
        event_id=event.id,
        event_type=event.event_type,
        resource=event.resource,
        received_at=now,
    )
    # Conflicts are ignored: PostgreSQL would log an error with the row's ids.
    ReceivedEvent.objects.bulk_create([row], ignore_conflicts=True)
    mine = Q(subscription=subscription, event_id=event.id, received_at=now)
    EventSubscription.objects.filter(pk=subscription.pk).update(last_event_at=now)
    return ReceivedEvent.objects.filter(mine).exists()
