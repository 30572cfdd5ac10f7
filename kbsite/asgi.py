"""The web process: Django over ASGI."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "kbsite.settings")

application = get_asgi_application()
