"""Addresses under ``/knowledge/``."""

from django.urls import path

from kbsite.knowledge import views

app_name = "knowledge"

urlpatterns = [
    path("", views.note_list, name="list"),
    path("understood/", views.understood, name="understood"),
    path("delete/", views.delete_many, name="delete_many"),
    path("restore/", views.restore, name="restore"),
    path("<uuid:skill_id>/", views.one, name="note"),
    path("<uuid:skill_id>/state/", views.state, name="state"),
    path("<uuid:skill_id>/edit/", views.change, name="change"),
    path("<uuid:skill_id>/delete/", views.delete, name="delete"),
]
