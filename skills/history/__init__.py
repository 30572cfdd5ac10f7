"""History: a skill's revisions, compared and brought back."""
