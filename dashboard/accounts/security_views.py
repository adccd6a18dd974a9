"""Pages under Security: what an account logs in with. allauth does the work behind them."""

from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from allauth.account.views import ReauthenticateView
from allauth.mfa import app_settings
from allauth.mfa.base.views import AuthenticateView, IndexView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, ViewRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, EditWebAuthnView, RemoveWebAuthnView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import PasswordChangeView
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse_lazy

from dashboard.accounts.forms import NewPasswordForm, PasswordAgainForm, use_once
from dashboard.shared.log import record

SECURITY = reverse_lazy("mfa_index")
FOLDER = "dashboard/accounts"


def passkeys_work(request: HttpRequest) -> bool:
    """Whether browsers offer passkeys at the address of a request: HTTPS or localhost, by name."""
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return request.is_secure() or host == "localhost" or host.endswith(".localhost")
    return False


class Security(IndexView):  # type: ignore[misc]  # allauth has no types
    """The password, the authenticator app, passkeys and recovery codes of an account."""

    template_name = f"{FOLDER}/security.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        has = context["authenticators"]
        codes = has.get("recovery_codes")
        left = app_settings.RECOVERY_CODE_COUNT
        if codes:  # not read: this would need SECRET_KEY to be the same as ever
            left -= int(codes.instance.data["used_mask"]).bit_count()
        return context | {
            "app": has.get("totp"),
            "passkeys": has.get("webauthn", []),
            "codes": codes,
            "codes_left": left,
            "passkeys_work": passkeys_work(self.request),
            "is_required": settings.REQUIRE_SECOND_FACTOR,
        }


class ChangePassword(PasswordChangeView):
    """A new password for oneself. All other sessions of the account end."""

    form_class = NewPasswordForm
    template_name = f"{FOLDER}/password.html"
    success_url = SECURITY

    def form_valid(self, form: Any) -> HttpResponse:
        record(None, self.request.user, "password changed")
        messages.success(self.request, "Your password is changed. Other sessions are logged out.")
        return super().form_valid(form)


class PasswordAgain(ReauthenticateView):  # type: ignore[misc]  # allauth has no types
    """The password again. The session goes on under a new key, as after a login."""

    def form_valid(self, form: Any) -> HttpResponse:
        self.request.session.cycle_key()
        answer: HttpResponse = super().form_valid(form)
        return answer


class SetUpApp(ActivateTOTPView):  # type: ignore[misc]  # allauth has no types
    """Sets up an authenticator app. The code that shows this is used: it logs nobody in."""

    template_name = f"{FOLDER}/app.html"

    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        use_once(Authenticator.objects.get(user=form.user, type=Authenticator.Type.TOTP))
        return answer


class AddPasskey(AddWebAuthnView):  # type: ignore[misc]  # allauth has no types
    """Adds a passkey, or says why it can't."""

    template_name = f"{FOLDER}/passkey_add.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        # allauth's own leaves out the form that was sent.
        options: dict[str, Any] = super().get_context_data(**kwargs)
        return options | kwargs | {"passkeys_work": passkeys_work(self.request)}


def page(view: Any, name: str, **options: Any) -> Any:
    """One of allauth's views, with our template."""
    return view.as_view(template_name=f"{FOLDER}/{name}.html", **options)


second_step = page(AuthenticateView, "second_step")
password_again = page(PasswordAgain, "password_again", form_class=PasswordAgainForm)
remove_app = page(DeactivateTOTPView, "app_remove")
recovery_codes = page(ViewRecoveryCodesView, "recovery_codes")
new_recovery_codes = page(GenerateRecoveryCodesView, "recovery_codes_new")
rename_passkey = page(EditWebAuthnView, "passkey_rename", success_url=SECURITY)
remove_passkey = page(RemoveWebAuthnView, "passkey_remove", success_url=SECURITY)
