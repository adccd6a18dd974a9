"""The records do not show second factors: they are secrets, and a command resets them."""

import allauth.account.admin  # registers what is taken out here, whatever is loaded first
import allauth.mfa.admin  # noqa: F401  as above
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib import admin

admin.site.unregister(EmailAddress)
admin.site.unregister(Authenticator)
