"""Somebody who takes the small study, over Django's test client."""

import re

from django.http import HttpResponse
from django.test import Client

from survey.models import (
    Participant,
    Presentation,
)
from tests.prolific import arrival

LINK = f"/s/small/{arrival('abc123', study='st1', session='se1')}"
LAST_PAGE = 7  # instructions, four blocks, one attention check, demographics


def begin(client: Client, link: str = LINK) -> Participant:
    """Arrive and consent."""
    client.get(link)
    reply = client.post("/s/small/consent/", {"agree": "yes"})
    assert reply.status_code == 302, reply.content
    return Participant.objects.latest("pk")


def reopen(client: Client, link: str = LINK) -> HttpResponse:
    """Open the link in a browser of which nothing is known, agree, and see what comes."""
    client.get(link)
    reply: HttpResponse = client.post("/s/small/consent/", {"agree": "yes"}, follow=True)  # type: ignore[assignment]  # Django's test client adds to the class
    return reply


def form_of(client: Client, number: int, value: int = 2) -> dict[str, str]:
    """What somebody sends who chooses `value` everywhere on page `number`."""
    html = client.get(f"/s/small/page/{number}/").content.decode()
    names = re.findall(r'type="radio" name="([^"]+)"', html)
    return dict.fromkeys(names, str(value))


def take(client: Client, pages: range, value: int = 2) -> None:
    for number in pages:
        reply = client.post(f"/s/small/page/{number}/", form_of(client, number, value))
        assert reply.status_code == 302, reply.content


def page_of_block(participant: Participant, position: int = 1) -> int:
    page = Presentation.objects.get(participant=participant, position=position).page
    assert page is not None
    return page
