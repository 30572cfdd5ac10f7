"""One module per format, each with a ``FORMAT``. A new format joins by adding a module here."""
