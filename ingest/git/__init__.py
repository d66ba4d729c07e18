"""Git history into commits and chunks."""
