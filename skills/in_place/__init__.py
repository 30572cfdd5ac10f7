"""Editing one field of a skill where it is read."""
