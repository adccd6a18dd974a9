"""The page of an account's sessions, which ends them."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from analysis.catalogue.number_text import noun
from dashboard.accounts.sessions import end_sessions, name_of, sessions_of
from dashboard.shared.access import ResearcherRequest


@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # allauth has no types
def sessions(request: ResearcherRequest) -> HttpResponse:
    """Where the account is logged in. A sent form ends one other session, or all others."""
    this = name_of(request.session.session_key)
    if request.method == "POST":
        only = request.POST.get("session")
        ended = end_sessions(request.user, author=request.user, only=only, but=this)
        if ended:
            messages.success(request, f"{ended} {noun(ended, 'session')} logged out.")
        else:
            messages.error(request, "There is no such session. Nothing was changed.")
        return redirect("sessions")
    context = {"sessions": sessions_of(request.user), "this": this}
    return render(request, "dashboard/accounts/sessions.html", context)
