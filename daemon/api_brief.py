"""The API's brief: today's, others on demand, and ratings."""

from __future__ import annotations

from fastapi import FastAPI

from .host import Host


def add_brief(app: FastAPI, host: Host) -> None:
    """Add these to the application."""
