"""The API's tests: how they stand, their history, and a run on demand."""

from __future__ import annotations

from fastapi import FastAPI

from .host import Host


def add_tests(app: FastAPI, host: Host) -> None:
    """Add these to the application."""
