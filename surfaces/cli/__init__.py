"""The command line: one module a command group, each imported only when its command is given."""

from __future__ import annotations

from .main import main

__all__ = ["main"]
