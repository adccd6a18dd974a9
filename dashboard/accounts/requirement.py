"""Who is admitted: to the API by role and token (`IsResearcher`), and anywhere by a second factor,
which an installation can require of all researchers (`REQUIRE_SECOND_FACTOR`).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from rest_framework.exceptions import MethodNotAllowed, PermissionDenied
from rest_framework.permissions import SAFE_METHODS, IsAdminUser
from rest_framework.request import Request

from dashboard.accounts.models import ApiToken
from dashboard.shared.access import NoSuchMethod, NotAllowed, needs_of, role_in
from dashboard.shared.roles import About, Needs

if TYPE_CHECKING:  # the framework's views load this module, for it is a setting
    from rest_framework.views import APIView

#: What needs no second factor: participants' pages, logging in, setting up the second factor, a
#: phone's look at the site. The API has a rule of its own (`IsResearcher`).
ADMITTED = (
    *("/s/", "/login/", "/logout/", "/account/security/", "/reachable/"),
    *("/api/studies/", "/api/corpora/", "/api/samples/", "/api/account/", "/api/schema/"),
)


def has_second_factor(user: User | AnonymousUser) -> bool:
    """Whether an account's logins need more than the password."""
    return bool(is_mfa_enabled(user, [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]))


def lacks_second_factor(user: User | AnonymousUser) -> bool:
    """Whether a researcher has yet to set up the second factor that the installation requires."""
    return settings.REQUIRE_SECOND_FACTOR and user.is_staff and not has_second_factor(user)


def require_second_factor(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: leads researchers without the required second factor to the page for it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMITTED) and lacks_second_factor(request.user):
            return redirect("mfa_index")
        return get_response(request)

    return middleware


class IsResearcher(IsAdminUser):
    """Admits active staff to the API as far as their role goes: with a token, whose own limits hold
    in addition, or with a session that may see the pages.
    """

    def has_permission(self, request: Request, view: "APIView") -> bool:
        """Raises Http404, PermissionDenied, MethodNotAllowed with the reason."""
        rule = needs_of(view)
        if rule is None or not super().has_permission(request, view):
            return False
        if request.auth is None and lacks_second_factor(request.user):
            raise PermissionDenied("Set up a second factor under Security first.")
        if isinstance(request.auth, ApiToken):  # before it is said which studies there are
            _keep_to_limits(request.auth, request, rule, view.kwargs.get("name", ""))
        try:
            role_in(request._request, rule)
        except NotAllowed as why:
            raise PermissionDenied(str(why)) from None
        except NoSuchMethod:
            raise MethodNotAllowed(request.method or "") from None
        return True


def _keep_to_limits(token: ApiToken, request: Request, rule: Needs, study: str) -> None:
    """Raises PermissionDenied if a token does not go so far."""
    if request.method not in SAFE_METHODS and not token.may_change:
        raise PermissionDenied(f"The token {token.name} may only read.")
    if token.studies and (rule.about is About.CORPORA or rule.whole_account):
        raise PermissionDenied(f"The token {token.name} is for some studies only.")
    if study and not token.is_for(study.partition("@")[0]):
        raise PermissionDenied(f"The token {token.name} is not for this study.")
