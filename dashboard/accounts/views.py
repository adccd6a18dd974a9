"""A researcher's account: API token, account at Prolific, and the block after failed logins."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import (
    HttpRequest,
    HttpResponse,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from rest_framework.authtoken.models import Token

from dashboard.accounts import prolific
from dashboard.accounts.forms import ProlificTokenForm
from dashboard.shared.access import ResearcherRequest, researcher_required
from survey.prolific.errors import ProlificError


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


@require_http_methods(["GET", "POST"])
@sensitive_post_parameters("token")
@researcher_required
def prolific_account(request: ResearcherRequest) -> HttpResponse:
    """A researcher's account at Prolific: connect it, replace its token, disconnect it."""
    if request.method == "POST":
        if request.POST.get("action") == "disconnect":
            prolific.disconnect(user=request.user)
            messages.success(request, "Disconnected. The token is deleted here.")
        else:
            _connect(request)
        return redirect("prolific-account")
    context = {"account": prolific.account_of(request.user)}
    return render(request, "dashboard/accounts/prolific.html", context)


def _connect(request: ResearcherRequest) -> None:
    form = ProlificTokenForm(request.POST)
    if not form.is_valid():
        messages.error(request, f"{form.errors['token'][0]} Nothing was changed.")
        return
    try:
        account = prolific.connect(user=request.user, token=form.cleaned_data["token"])
    except ProlificError as error:
        messages.error(request, f"{error} Nothing was changed.")
        return
    messages.success(request, f"Connected to {account.email or account.prolific_id} on Prolific.")
