"""Slack as a source: an export archive, or the Web API with a token."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ....memory.records import Repo
from ..contract import Options, Source
from .options import API, options

__all__ = ["open_source", "options"]


def open_source(options: Options, secret: str | None, repos: Sequence[Repo]) -> Source:
    """Return the source that these options describe. Talk belongs to no repository in particular.

    Without a token it says whom it would contact, and is refused when it is read.
    """
    from .channels import choice
    from .export import Export

    wanted = choice(options.get("channels", ()), bool(options.get("direct")))
    if "export" in options:
        return Export(Path(options["export"]), wanted)
    from .api import Api
    from .web import Web

    return Api(Web(secret or "", str(options.get("url", API))), wanted)
