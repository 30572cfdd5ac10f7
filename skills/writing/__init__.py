"""Writing skills by hand: the editor's preview, drafts, saving, and what to do when two write at once."""
