"""Which GitHub repository is meant, and which of the local ones it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from ....memory.records import Repo
from ...git.command import Git
from ...git.errors import GitError
from ...git.remotes import Remote, place_of, remotes_of
from .bundle import Place

GITHUB = "github.com"
API = "https://api.github.com"

_NAME = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)


def name_of(said: str) -> tuple[str, str]:
    """Return the host, if any is told, and the ``owner/name`` of what a person called a repository:
    ``acme/shop``, its page's address or a remote's. Empty if it is neither."""
    said = said.strip()
    host, path = place_of(said) or ("", said.strip("/"))
    name = "/".join(path.split("/")[:2])
    return (host, name) if _NAME.fullmatch(name) and ".." not in name else ("", "")


def origin_of(folder: str) -> tuple[str, str]:
    """Return the host and the ``owner/name`` of a folder's repository, by its first remote; empty
    if it has none. Blocking."""
    try:
        remotes = remotes_of(Git.open(folder))
    except GitError:
        return "", ""
    found = [(remote.host, remote.path) for remote in remotes if _NAME.fullmatch(remote.path)]
    return found[0] if found else ("", "")


def api_of(host: str) -> str:
    """Return the address of a host's API: GitHub's own, its cloud's for companies, or a server's."""
    if host in ("", GITHUB):
        return API
    return f"https://api.{host}" if host.endswith(".ghe.com") else f"https://{host}/api/v3"


def host_of(api: str) -> str:
    """Return the host that an API's repositories are on."""
    host = urlsplit(api).hostname or ""
    return (
        host.removeprefix("api.") if host == "api.github.com" or host.endswith(".ghe.com") else host
    )


def placed(names: Sequence[str], host: str, repos: Sequence[Repo]) -> Place:
    """Return where a repository is, ``names`` being what it is called now and was called before.

    The local one is that whose ``origin`` it is, else one that has it among its remotes. Blocking.
    """
    wanted = {name.lower() for name in names}
    second = ""
    for repo in repos:
        try:
            remotes = remotes_of(Git.open(repo.worktree or repo.path))
        except GitError:
            continue
        for remote in remotes:
            if remote.path.lower() in wanted and _may_be(remote, host):
                if remote.name == "origin":
                    return Place(names[0], host, repo.id)
                second = second or repo.id
    return Place(names[0], host, second)


def _may_be(remote: Remote, host: str) -> bool:
    """Whether a remote is on a host; a name of the person's ssh settings may stand for any."""
    return remote.host == host.lower() or "." not in remote.host
