"""All addresses: `/s/` is what participants see, everything else is for researchers."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("s/", include("survey.urls")),
    path("admin/", admin.site.urls),
    path("", include("dashboard.urls")),
]
