"""Text into vectors behind one small protocol."""
