"""Static files under names that carry their content's hash, ES module imports included."""

from __future__ import annotations

from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage


class Storage(CompressedManifestStaticFilesStorage):
    """Whitenoise's storage, rewriting ``import`` in our modules too."""

    support_js_module_import_aggregation = True
    manifest_strict = False

    def hashed_name(self, name: str, content: Any = None, filename: str | None = None) -> str:
        """The name with its hash; the plain name while files are not collected (tests, commands)."""
        try:
            return str(super().hashed_name(name, content, filename))
        except ValueError:
            if content is not None:
                raise
            return name
