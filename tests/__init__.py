"""The suite, and the fixtures that build real repositories."""
