"""Addresses under ``/skills/``. A slug may hold any letters."""

from django.urls import path

from skills import edit_views, views
from skills.bin import views as bin_views

app_name = "skills"

urlpatterns = [
    path("trash/", bin_views.trash, name="trash"),
    path("trash/restore/", bin_views.restore, name="trash_restore"),
    path("trash/delete/", bin_views.delete, name="trash_delete"),
    path("skills/", views.skill_list, name="list"),
    path("skills/new/", edit_views.new, name="new"),
    path("skills/<str:slug>/", views.skill, name="skill"),
    path("skills/<str:slug>/content/", views.content, name="content"),
    path("skills/<str:slug>/state/", views.state, name="state"),
    path("skills/<str:slug>/history/", views.history, name="history"),
    path("skills/<str:slug>/edit/", edit_views.edit_skill, name="edit"),
    path("skills/<str:slug>/append/", edit_views.append, name="append"),
    path("skills/<str:slug>/move/", edit_views.move, name="move"),
    path("skills/<str:slug>/layers/", edit_views.rewrite_layers, name="layers"),
    path("skills/<str:slug>/retry/", edit_views.retry, name="retry"),
    path("skills/<str:slug>/restore/<int:number>/", edit_views.restore, name="restore"),
    path("skills/<str:slug>/delete/", edit_views.delete, name="delete"),
    path("skills/undelete/<uuid:skill_id>/", edit_views.undelete, name="undelete"),
]
