"""The models page."""

from django.urls import path

from kbsite.llm import views

app_name = "llm"

urlpatterns = [
    path("models/", views.models, name="models"),
    path("models/offered/", views.offered, name="offered"),
    path("models/purpose/<slug:purpose>/", views.purpose, name="purpose"),
    path("models/provider/", views.provider, name="provider_new"),
    path("models/provider/test/", views.provider_test, name="provider_test_new"),
    path("models/provider/<uuid:provider_id>/", views.provider, name="provider"),
    path("models/provider/<uuid:provider_id>/test/", views.provider_test, name="provider_test"),
    path("models/provider/<uuid:provider_id>/delete/", views.provider_delete, name="provider_delete"),
]
