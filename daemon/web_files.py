"""The files of the local page: read once, served by name. No path of a request is ever opened."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

PACKAGE = "hermes.surfaces.web"
INDEX = "index.html"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
"""Content types by suffix; files with others are not the page's."""


@dataclass(frozen=True, slots=True)
class File:
    """One file of the page."""

    kind: str
    """Its content type."""
    content: bytes
    etag: str


def read_files() -> Mapping[str, File]:
    """Return the page's files by name."""
    found: dict[str, File] = {}
    for each in resources.files(PACKAGE).iterdir():
        stem, dot, suffix = each.name.rpartition(".")
        kind = TYPES.get(dot + suffix)
        if stem and kind is not None and each.is_file():
            content = each.read_bytes()
            etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            found[each.name] = File(kind, content, etag)
    return found
