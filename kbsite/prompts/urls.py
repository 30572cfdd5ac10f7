"""The prompts page."""

from django.urls import path

from kbsite.prompts import views

app_name = "prompts"

urlpatterns = [
    path("prompts/", views.listing, name="list"),
    path("prompts/<slug:key>/", views.prompt, name="prompt"),
    path("prompts/<slug:key>/reset/", views.reset, name="reset"),
]
