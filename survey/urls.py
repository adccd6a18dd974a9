from django.urls import path

from survey.views import arrival, ending, pages

app_name = "survey"
urlpatterns = [
    path("<slug:slug>/", arrival.arrive, name="arrive"),
    path("<slug:slug>/consent/", arrival.consent, name="consent"),
    path("<slug:slug>/page/<int:number>/", pages.page, name="page"),
    path("<slug:slug>/end/", ending.end, name="end"),
    path("<slug:slug>/stop/", ending.stop, name="stop"),
    path("<slug:slug>/withdraw/<str:token>/", ending.withdraw, name="withdraw"),
]
