"""Pictures in texts: taken in, stripped, shown to whoever may read the text, and put away when unused."""
