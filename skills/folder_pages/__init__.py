"""A page for each folder: its text is made, its index, conflicts and log are asked for."""
