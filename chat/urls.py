"""Where the chat's pages are."""

from django.urls import path

from chat import conversation_views, views

app_name = "chat"

urlpatterns = [
    path("", views.ask_page, name="ask"),
    path("c/", conversation_views.index, name="conversations"),
    path("c/<uuid:conversation_id>/", views.conversation, name="conversation"),
    path("c/<uuid:conversation_id>/rename/", conversation_views.rename, name="rename"),
    path("c/<uuid:conversation_id>/pin/", conversation_views.pin, name="pin"),
    path("c/<uuid:conversation_id>/delete/", conversation_views.delete, name="delete"),
    path("c/<uuid:conversation_id>/restore/", conversation_views.restore, name="restore"),
    path("c/<uuid:conversation_id>/export/", conversation_views.export, name="export"),
    path("answers/<uuid:message_id>/stream/", views.stream, name="stream"),
    path("answers/<uuid:message_id>/stop/", views.stop, name="stop"),
    path("answers/<uuid:message_id>/again/", views.again, name="again"),
    path("answers/<uuid:message_id>/feedback/", views.feedback, name="feedback"),
]
