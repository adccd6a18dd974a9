from django.urls import path

from survey import views

app_name = "survey"
urlpatterns = [
    path("<slug:slug>/", views.arrive, name="arrive"),
    path("<slug:slug>/consent/", views.consent, name="consent"),
    path("<slug:slug>/page/<int:number>/", views.page, name="page"),
    path("<slug:slug>/end/", views.end, name="end"),
]
