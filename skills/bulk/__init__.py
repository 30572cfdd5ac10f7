"""One deed to many skills: which, what, and how it is undone; and the folder picker."""
