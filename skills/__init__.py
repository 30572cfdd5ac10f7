"""What is known, each in three layers: made, changed, indexed, listed. docs/architecture.md has the map."""
