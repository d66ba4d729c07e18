"""The API's trust: which repositories' code may be run."""

from __future__ import annotations

from fastapi import FastAPI

from .host import Host


def add_trust(app: FastAPI, host: Host) -> None:
    """Add these to the application."""
