"""Static files under names that carry their content's hash, ES module imports included."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class Storage(CompressedManifestStaticFilesStorage):
    """Whitenoise's storage, rewriting ``import`` in our modules too."""

    support_js_module_import_aggregation = True
    manifest_strict = False
