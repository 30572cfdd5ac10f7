"""What waits for a curator, and what a curator decides of it."""
