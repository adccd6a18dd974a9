"""The addresses for participants: enough to make a link to a study."""

from django.urls import include, path

urlpatterns = [path("s/", include("survey.urls"))]
