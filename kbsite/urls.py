"""Where everything is."""

from django.contrib import admin
from django.urls import path

from kbsite import views
from kbsite.api import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("language/", views.language, name="language"),
    path("theme/", views.theme, name="theme"),
    path("palette/", views.palette, name="palette"),
]
