"""Typed relations between skills, always written both ways."""
