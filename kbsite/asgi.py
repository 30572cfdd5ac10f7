"""The web process: Django over ASGI."""

import os
import warnings

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import get_resolver

from kbsite import embedded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbsite.settings")
os.environ.setdefault("KB_PART", "web")
# Static files, small and compressed, are read whole by whitenoise; Django says so at each of them.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
if not settings.configured:
    embedded.ensure_database_url()

application = get_asgi_application()
get_resolver().url_patterns  # noqa: B018 - a page that can't be loaded stops the start, not its first visitor.
