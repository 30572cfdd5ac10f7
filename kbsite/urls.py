"""Where everything is."""

from django.contrib import admin
from django.urls import include, path

from kbsite import views
from kbsite.api import api

# With the pages rather than with every command: it loads all that admin pages use.
admin.autodiscover()

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("", include("chat.urls")),
    path("", include("search.urls")),
    path("", include("documents.urls")),
    path("", include("skills.urls")),
    path("knowledge/", include("kbsite.knowledge.urls")),
    path("", include("kbsite.accounts.urls")),
    path("setup/", include("kbsite.quick_setup.urls")),
    path("", include("kbsite.llm.urls")),
    path("", include("kbsite.prompts.urls")),
    path("favicon.ico", views.favicon),
    path("language/", views.language, name="language"),
    path("theme/", views.theme, name="theme"),
    path("tree/", views.tree, {"folder_id": None}, name="tree_top"),
    path("tree/<uuid:folder_id>/", views.tree, name="tree"),
    path("palette/", views.palette, name="palette"),
    path("styleguide/", views.styleguide, name="styleguide"),
]

handler400 = "kbsite.errors.bad_request"
handler403 = "kbsite.errors.permission_denied"
handler404 = "kbsite.errors.page_not_found"
handler500 = "kbsite.errors.server_error"
