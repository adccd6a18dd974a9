"""A page by which a phone shows that it reaches this site, for `manage.py serve --public`."""

import secrets
from ipaddress import ip_address

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from config.clients import client_address
from dashboard.shared.access import open_to_all

OUTSIDE, INSIDE = "outside", "inside"


@open_to_all
@never_cache
@require_GET
def reachable(request: HttpRequest, token: str) -> HttpResponse:
    """Say that the site was reached, and from where. The command that serves it is told the same:
    no address is stored, only whether it was one of the internet.
    """
    expected = settings.REACHABLE_TOKEN
    if not expected or not secrets.compare_digest(token.encode(), expected.encode()):
        raise Http404("This is not the link that Fivefold printed at its last start.")
    client = client_address(request)
    outside = client is not None and ip_address(client).is_global
    settings.REACHED_FILE.write_text(OUTSIDE if outside else INSIDE, encoding="utf-8")
    return render(request, "dashboard/overview/reachable.html", {"outside": outside})
