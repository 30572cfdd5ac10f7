"""Folders and documents on the admin site, one module for each."""

from documents.admin import files, tree

__all__ = ["files", "tree"]
