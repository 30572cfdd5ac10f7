"""The quick door: short notes, on a page and by the API."""
