"""How skills hang together: relations and links as a picture, as a list, and as JSON."""
