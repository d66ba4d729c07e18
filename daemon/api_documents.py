"""The API's documents: drift, its proposed fixes, and what a person says to them."""

from __future__ import annotations

from fastapi import FastAPI

from .host import Host


def add_documents(app: FastAPI, host: Host) -> None:
    """Add these to the application."""
