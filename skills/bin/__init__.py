"""The trash: what is in it, taking out of it, emptying it."""
