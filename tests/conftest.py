"""One embedded server for the whole run, in a folder of its own."""

from __future__ import annotations

import os
import tempfile

os.environ.setdefault("KB_HOME", tempfile.mkdtemp(prefix="kb-tests-"))

from kbsite import embedded

embedded.ensure_database_url()
