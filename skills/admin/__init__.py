"""Skills on the admin site, one module per kind of row."""

from skills.admin import around, index, places, skill

__all__ = ["around", "index", "places", "skill"]
