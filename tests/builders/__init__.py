"""Builders of real things that tests look at."""
