"""A researcher's account: the API token, and the block after too many failed logins."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import (
    HttpRequest,
    HttpResponse,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from rest_framework.authtoken.models import Token

from dashboard.shared.access import ResearcherRequest, researcher_required


def locked_out(
    request: HttpRequest, answer: HttpResponse, credentials: dict[str, Any]
) -> HttpResponse:
    """The page after too many failed logins, instead of `answer`."""
    wait: timedelta = settings.AXES_COOLOFF_TIME
    context = {"name": credentials.get("username", ""), "minutes": wait.total_seconds() / 60}
    locked = render(request, "registration/locked.html", context, status=429)
    locked["Retry-After"] = str(int(wait.total_seconds()))
    return locked


@researcher_required
def token(request: ResearcherRequest) -> HttpResponse:
    """A researcher's own API token: see, create, replace or delete it."""
    if request.method == "POST":
        Token.objects.filter(user=request.user).delete()
        if request.POST.get("action") == "renew":
            Token.objects.create(user=request.user)
        return redirect("token")
    mine = Token.objects.filter(user=request.user).first()
    api_url = settings.SITE_URL + reverse("api:studies")
    return render(request, "dashboard/accounts/token.html", {"token": mine, "api_url": api_url})
