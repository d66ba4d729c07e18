"""Commit messages: what a change is, how this repository writes, and a draft that is checked."""
