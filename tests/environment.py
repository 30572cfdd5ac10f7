"""One embedded server for the whole run, in a folder of its own; nothing from the caller's environment.

A plugin rather than a conftest: pytest-django reads the settings before any conftest is imported.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

KEPT = {"KB_HOME", "KB_TEST_DATABASE", "KB_CI", "KB_CHROMIUM"}

for name in [name for name in os.environ if name.startswith("KB_") and name not in KEPT]:
    del os.environ[name]
if "KB_HOME" not in os.environ:
    os.environ["KB_HOME"] = tempfile.mkdtemp(prefix="kb-tests-")
    # Registered before the server's own clean-up, so it runs after it.
    atexit.register(shutil.rmtree, os.environ["KB_HOME"], ignore_errors=True)
# Built once on a machine, not once a run.
os.environ["KB_MODELS"] = str(Path(tempfile.gettempdir()) / f"kb-models-{os.getuid()}")
# Tasks that tests send go nowhere by themselves; journeys and engine tests start real workers.
os.environ["CELERY_BROKER_URL"] = "memory://"

from kbsite import catalogues, embedded

embedded.ensure_database_url()
catalogues.compile_all()
(embedded.home() / "static").mkdir(exist_ok=True)
