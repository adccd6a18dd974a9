"""All addresses: `/s/` is for participants, everything else for researchers."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config import participant_urls

urlpatterns = [
    *participant_urls.urlpatterns,
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/password_change/", RedirectView.as_view(pattern_name="change-password")),
    path("admin/", admin.site.urls),
    path("", include("dashboard.urls")),
]
handler404 = "dashboard.shared.access.not_found"
handler500 = "config.outages.server_error"
