from django.urls import path

from benchmarks.plain_app import views

urlpatterns = [
    path("", views.arrive),
    path("page/<int:number>/", views.page, name="page"),
]
