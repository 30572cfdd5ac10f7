"""Links between skills: found in texts, resolved, kept through renames, and followed back."""
