"""Which places a repository's remotes are, whatever way their addresses are written."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from .command import Git

_SECONDS = 10.0
_SCP = re.compile(r"^(?:[^@/\s]+@)?(?P<host>\[[^\]]+\]|[^:/\s]+):(?P<path>(?!//).+)$")
"""``git@github.com:acme/shop.git``; a host may also be a name of the person's ssh settings."""
_SSH_OVER_HTTPS = {"ssh.github.com": "github.com", "www.github.com": "github.com"}


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a remote is."""

    name: str
    """``origin``."""
    host: str
    """In lower case. Without a dot where it is a name of the person's ssh settings."""
    path: str
    """``acme/shop``, without the ending ``.git``."""


def remotes_of(git: Git) -> list[Remote]:
    """Return a repository's remotes that are on other hosts, ``origin`` first. Nothing is asked of
    them. Raise GitError."""
    said = git.run("remote", "--verbose", timeout=_SECONDS)
    found: dict[str, Remote] = {}
    for line in os.fsdecode(said).splitlines():
        name, _, rest = line.partition("\t")
        address, _, what = rest.partition(" (")
        place = place_of(address)
        if place is not None and what.startswith("fetch"):
            found.setdefault(name, Remote(name, *place))
    return sorted(found.values(), key=lambda remote: remote.name != "origin")


def place_of(address: str) -> tuple[str, str] | None:
    """Return the host and the path of a remote's address; None for a folder, or what is none."""
    host, path = "", ""
    if "://" in address:
        try:
            url = urlsplit(address)
            host, path = url.hostname or "", unquote(url.path)
        except ValueError:
            return None
        if url.scheme not in ("https", "http", "ssh", "git", "git+ssh"):
            return None
    elif match := _SCP.match(address):
        host, path = match["host"].strip("[]"), match["path"]
    path = path.strip("/").removesuffix(".git").rstrip("/")
    if not host or "/" not in path:
        return None
    host = host.lower()
    return _SSH_OVER_HTTPS.get(host, host), path
