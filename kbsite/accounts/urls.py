"""Signing in, and pages about oneself."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from kbsite.accounts import views

app_name = "accounts"

urlpatterns = [
    path("login/", views.SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("me/", views.me, name="me"),
    path("me/password/", views.password, name="password"),
    path("me/keys/", views.key_make, name="key_make"),
    path("me/keys/<uuid:key_id>/revoke/", views.key_revoke, name="key_revoke"),
]
