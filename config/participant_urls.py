"""The addresses for participants, alone: whoever makes a link needs no page for researchers."""

from django.urls import include, path

urlpatterns = [path("s/", include("survey.urls"))]
