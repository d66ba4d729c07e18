"""Pull requests and issues of GitHub, by its API or from exported JSON."""

from __future__ import annotations

from collections.abc import Sequence

from ....memory.records import Repo
from ..contract import Options, Source
from .export import Export
from .options import options
from .place import API
from .source import GitHub

__all__ = ["open_source", "options"]


def open_source(options: Options, secret: str | None, repos: Sequence[Repo]) -> Source:
    """Return the source that options describe; ``secret`` is the token itself."""
    if options.get("export"):
        return Export(str(options["export"]), str(options.get("repository") or ""), repos)
    url = str(options.get("url") or API)
    return GitHub(str(options["repository"]), secret, repos, url=url)
