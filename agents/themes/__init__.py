"""Themes: what days and weeks were about, rolled up from evidence and pointing at it."""
