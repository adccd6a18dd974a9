"""The page of an account's API tokens."""

from datetime import timedelta

from allauth.account.decorators import reauthentication_required
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from dashboard.accounts.models import ApiToken
from dashboard.accounts.tokens import create_token, revoke_token
from dashboard.shared.access import ResearcherRequest, researcher_required, visible_to
from dashboard.shared.pages import refusals_told
from survey.models import Study

NEVER = "never"


class TokenForm(forms.Form):
    """What a new token may do."""

    name = forms.CharField(
        label="Name",
        max_length=100,
        help_text="What it is for, such as “notebook on my laptop”.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scope = forms.ChoiceField(
        label="It may", choices=ApiToken.Scope.choices, initial=ApiToken.Scope.READ
    )
    days = forms.ChoiceField(
        label="Valid for",
        choices=[("30", "30 days"), ("90", "90 days"), ("365", "1 year"), (NEVER, "ever")],
        initial="90",
    )
    studies = forms.MultipleChoiceField(
        label="Only for these studies",
        required=False,
        help_text="Without a choice, for all your studies.",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "You have no study %(value)s."},
    )

    def __init__(self, *args: object, slugs: list[str]) -> None:
        super().__init__(*args)  # type: ignore[arg-type]  # as Django's own
        studies = self.fields["studies"]
        assert isinstance(studies, forms.MultipleChoiceField)
        studies.choices = [(slug, slug) for slug in slugs]


@require_http_methods(["GET", "POST"])
@sensitive_variables("key")
@researcher_required
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]  # allauth has no types
def tokens(request: ResearcherRequest) -> HttpResponse:
    """An account's tokens; a sent form makes one, which the page shows once.

    A token logs in without the second factor, so it needs a password given lately.
    """
    studies = visible_to(request.user, Study.objects.order_by("slug"))
    slugs = list(studies.values_list("slug", flat=True).distinct())
    form = TokenForm(*([request.POST] if request.method == "POST" else []), slugs=slugs)
    key = ""
    if form.is_valid():
        asked = form.cleaned_data
        valid = None if asked["days"] == NEVER else timedelta(days=int(asked["days"]))
        key = create_token(
            user=request.user,
            name=asked["name"],
            scope=ApiToken.Scope(asked["scope"]),
            studies=asked["studies"],
            expires_at=timezone.now() + valid if valid else None,
        )
        form = TokenForm(slugs=slugs)
    context = {
        "key": key,
        "form": form,
        "tokens": request.user.api_tokens.all(),
        "api_url": settings.SITE_URL + reverse("api:studies"),
    }
    return render(request, "dashboard/accounts/tokens.html", context)


@require_POST
@researcher_required
def revoke(request: ResearcherRequest, pk: int) -> HttpResponse:
    """Delete one of the account's tokens."""
    with refusals_told(request):
        revoke_token(user=request.user, token=pk)
        messages.success(request, "The token is revoked.")
    return redirect("tokens")
