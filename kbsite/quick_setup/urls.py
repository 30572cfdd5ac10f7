"""The first run."""

from django.urls import path

from kbsite.quick_setup import views

app_name = "quick_setup"

urlpatterns = [
    path("", views.setup, name="setup"),
    path("account/", views.account, name="account"),
    path("model/", views.model, name="model"),
    path("model/test/", views.model_test, name="model_test"),
    path("samples/", views.samples_step, name="samples"),
]
