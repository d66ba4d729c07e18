"""git hooks that tell hermes what happened: their scripts, and how they get into a repository."""
