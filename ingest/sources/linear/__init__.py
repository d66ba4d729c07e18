"""Tickets of Linear: a CSV export, or the GraphQL API with a token."""

from __future__ import annotations

from collections.abc import Sequence

from ....memory.records import Repo
from ..contract import Options, Source
from .options import options

__all__ = ["open_source", "options"]


def open_source(options: Options, secret: str | None, repos: Sequence[Repo]) -> Source:
    """Return the source for what ``options`` made; tickets belong to no repository in particular."""
    del repos
    if "csv" in options:
        from .table import CsvExport

        return CsvExport(str(options["csv"]))
    from .source import Linear

    return Linear(str(options.get("url") or ""), str(options.get("team") or ""), secret)
