"""Hygiene of memory: what says the same, what was taken back, what is small talk, and since when what was so."""
