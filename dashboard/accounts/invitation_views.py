"""Opening an invitation to a study: with an account, or making one."""

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from django.contrib import messages
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from dashboard.overview.invitations import NotValid, accept, find_invitation, study_of
from dashboard.overview.models import MemberInvitation
from dashboard.shared.access import is_researcher, open_to_all
from dashboard.shared.roles import IN_A_STUDY, Role


class NewAccountForm(UserCreationForm):  # type: ignore[type-arg]  # Django's own has no []
    """Name and password of a new researcher's account."""

    class Meta(UserCreationForm.Meta):
        model = User

    def save(self, commit: bool = True) -> User:
        self.instance.is_staff = True
        user: User = super().save(commit)
        return user


@open_to_all
@require_http_methods(["GET", "POST"])
@sensitive_post_parameters("password1", "password2")
@never_cache
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Join the study with the account that is logged in, or with a new one."""
    try:
        found = find_invitation(secret)
        study_of(found)
        if request.user.is_authenticated:
            if not is_researcher(request.user):
                return render(request, "dashboard/refused.html", status=403)
            if request.method == "POST":
                return _join(request, secret, request.user)
            return _page(request, found)
        form = NewAccountForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            with transaction.atomic():  # no account without the role
                user = form.save()
                joined = accept(secret, user)
            record_authentication(request, user, method="password", reauthenticated=True)
            login = Login(user=user, redirect_url=reverse("study", args=[joined]))
            messages.success(request, f"Welcome. Your role in {joined.slug} is {found.role}.")
            answer: HttpResponse = perform_login(request, login)
            return answer
        return _page(request, found, form)
    except NotValid as why:
        return render(request, "dashboard/accounts/not_valid.html", {"why": why}, status=404)


def _join(request: HttpRequest, secret: str, user: User) -> HttpResponse:
    study = accept(secret, user)
    messages.success(request, f"You have joined {study.slug}.")
    return redirect("study", study)


def _page(
    request: HttpRequest, found: MemberInvitation, form: NewAccountForm | None = None
) -> HttpResponse:
    context = {
        "form": form,
        "study": study_of(found),
        "role": Role(found.role),
        "may_do": [each.what for each in IN_A_STUDY if Role(found.role).may(each)],
        "invited_by": found.created_by,
    }
    return render(request, "dashboard/accounts/invitation.html", context)
