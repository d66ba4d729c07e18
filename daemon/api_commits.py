"""The API's commit messages: drafts for what is staged or committed."""

from __future__ import annotations

from fastapi import FastAPI

from .host import Host


def add_commits(app: FastAPI, host: Host) -> None:
    """Add these to the application."""
