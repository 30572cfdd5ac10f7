"""Skills that ship with the product: they instruct the agent, and can be read, not changed."""
