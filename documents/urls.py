"""Addresses under ``/documents/`` and ``/folders/``."""

from django.urls import path

from documents import document_views, folder_views, views

app_name = "documents"

urlpatterns = [
    path("documents/", views.index, name="list"),
    path("documents/events/", views.events, name="events"),
    path("documents/upload/", views.upload, name="upload"),
    path("documents/many/", views.many, name="many"),
    path("documents/batch/<uuid:batch_id>/", views.stop, name="batch"),
    path("documents/<uuid:document_id>/", document_views.document, name="document"),
    path("documents/<uuid:document_id>/download/", document_views.download, name="download"),
    path("documents/<uuid:document_id>/retry/", document_views.retry, name="retry"),
    path("documents/<uuid:document_id>/cancel/", document_views.cancel, name="cancel"),
    path("documents/<uuid:document_id>/decide/", document_views.decide_about, name="decide"),
    path("documents/<uuid:document_id>/unlock/", document_views.unlock_document, name="unlock"),
    path("documents/<uuid:document_id>/move/", document_views.move, name="move"),
    path("documents/<uuid:document_id>/delete/", document_views.delete, name="delete"),
    path("documents/<uuid:document_id>/restore/", document_views.restore, name="restore"),
    path("folders/new/", folder_views.create, name="folder_create"),
    path("folders/<uuid:folder_id>/", folder_views.change, name="folder_change"),
    path("folders/deleted/<uuid:deletion_id>/restore/", folder_views.restore, name="folder_restore"),
    path("folders/<uuid:folder_id>/place/", folder_views.place, name="folder_place"),
    path("folders/<uuid:folder_id>/contents/", folder_views.contents, name="folder_contents"),
    path("folders/<uuid:folder_id>/delete/", folder_views.delete, name="folder_delete"),
]
