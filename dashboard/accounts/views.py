"""A researcher's account: logging in, account at Prolific, the page after too many
failures.
"""

from math import ceil
from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from axes.handlers.proxy import AxesProxyHandler
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import (
    HttpRequest,
    HttpResponse,
)
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from dashboard.accounts import prolific
from dashboard.accounts.forms import LoginForm, ProlificTokenForm
from dashboard.accounts.throttling import ACCOUNT
from dashboard.shared.access import ResearcherRequest, researcher_required
from dashboard.shared.pages import refusals_told
from dashboard.shared.roles import OPEN


class PasswordView(LoginView):
    """Asks for name and password; allauth then asks for the second factor, if there is one."""

    needs = OPEN
    authentication_form = LoginForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        logout(self.request)  # a session has one login, and ends so long after it
        # Some minutes long, changes under Security do not ask for this password again.
        record_authentication(self.request, user, method="password", reauthenticated=True)
        login = Login(user=user, redirect_url=self.get_success_url())
        answer: HttpResponse = perform_login(self.request, login)
        return answer


def locked_out(
    request: HttpRequest, answer: HttpResponse, credentials: dict[str, Any]
) -> HttpResponse:
    """The page after too many failed logins, instead of `answer`. It says when to try again."""
    limits = AxesProxyHandler.get_implementation()
    end = limits.locked_until(request, credentials) or timezone.now()
    seconds = max(1, ceil((end - timezone.now()).total_seconds()))
    context = {
        "name": credentials.get(ACCOUNT) or credentials.get("username", ""),
        "is_second_factor": ACCOUNT in credentials,
        "is_address": limits.is_address(request, credentials),
        "minutes": ceil(seconds / 60),
        "end": end,
    }
    locked = render(request, "registration/locked.html", context, status=429)
    locked["Retry-After"] = str(seconds)
    return locked


@require_GET
@researcher_required
def api_docs(request: ResearcherRequest) -> HttpResponse:
    """Every route of the API, to read and to try with the rights of who is logged in."""
    return render(request, "dashboard/accounts/api.html")


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
    with refusals_told(request):
        account = prolific.connect(user=request.user, token=form.cleaned_data["token"])
        name = account.email or account.prolific_id
        messages.success(request, f"Connected to {name} on Prolific.")
