"""The audit log of accounts: logins, passwords, second factors, tokens."""

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from dashboard.overview.log import lines_of_accounts
from dashboard.overview.log_views import log_context, log_file
from dashboard.shared.access import ResearcherRequest, needs, researcher_required
from dashboard.shared.roles import About


@require_GET
@researcher_required
def activity(request: ResearcherRequest) -> HttpResponse:
    """What was done with the own account; superusers see all accounts."""
    context = log_context(request, lines_of_accounts(request.user))
    return render(request, "dashboard/accounts/activity.html", context)


@require_GET
@needs(is_download=True, about=About.ACCOUNT)
def activity_csv(request: ResearcherRequest) -> StreamingHttpResponse:
    """The chosen lines as CSV."""
    return log_file(request, lines_of_accounts(request.user), "accounts-log.csv")
