"""Addresses under Security. allauth reverses the names that begin with `mfa_` and `account_`."""

from typing import Any

from django.urls import URLPattern, path

from dashboard.accounts import security_views as views
from dashboard.accounts.session_views import sessions
from dashboard.shared import converters  # noqa: F401  registers `number`
from dashboard.shared.access import open_to_all, researcher_required


def _page(route: str, view: Any, name: str) -> URLPattern:
    return path(route, researcher_required(view), name=name)


security_patterns = [
    _page("", views.Security.as_view(), "mfa_index"),
    _page("password/", views.ChangePassword.as_view(), "change-password"),
    _page("password-again/", views.password_again, "account_reauthenticate"),
    # A step of the login: it leads strangers back to its beginning.
    path("second-step/", open_to_all(views.second_step), name="mfa_authenticate"),
    _page("sessions/", sessions, "sessions"),
    _page("app/", views.SetUpApp.as_view(), "mfa_activate_totp"),
    _page("app/remove/", views.remove_app, "mfa_deactivate_totp"),
    _page("recovery-codes/", views.recovery_codes, "mfa_view_recovery_codes"),
    _page("recovery-codes/new/", views.new_recovery_codes, "mfa_generate_recovery_codes"),
    _page("passkeys/", views.AddPasskey.as_view(), "mfa_add_webauthn"),
    _page("passkeys/<number:pk>/rename/", views.rename_passkey, "mfa_edit_webauthn"),
    _page("passkeys/<number:pk>/remove/", views.remove_passkey, "mfa_remove_webauthn"),
]
