"""Import me first: a fresh home, its database and Django, gone again at the end."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

os.environ["KB_HOME"] = tempfile.mkdtemp(prefix="kb-bench-")
os.environ["DJANGO_SETTINGS_MODULE"] = "kbsite.settings"
os.environ["CELERY_BROKER_URL"] = "memory://"
# Registered before the server's own clean-up, so it runs after it.
atexit.register(shutil.rmtree, os.environ["KB_HOME"], ignore_errors=True)

import django

from kbsite import embedded

embedded.ensure_database_url()
django.setup()
