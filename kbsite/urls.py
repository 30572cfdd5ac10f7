"""Where everything is."""

from django.contrib import admin
from django.urls import path

from kbsite.api import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", api.urls),
]
