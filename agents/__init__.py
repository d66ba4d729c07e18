"""The specialists: models, tools, and the Q&A agent."""
