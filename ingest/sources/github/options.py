"""What a person says when adding GitHub as a source."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from ....memory.errors import HermesError
from ..contract import Options
from .place import API, api_of, name_of, origin_of


class NotUsable(HermesError):
    """What was said does not name a repository, or an export."""

    code = "usage"


def options(given: Mapping[str, object]) -> Options:
    """Return the checked options of a source.

    ``token`` and ``repository``, or ``export`` and perhaps ``repository``; ``url`` for another
    address of the API. Without a repository it is that of the first remote of ``root``, the folder
    that the person is in. Raise NotUsable.
    """
    root = str(given.get("root") or "")
    host, repository = _repository(given.get("repository"))
    export = str(given.get("export") or "")
    if export:
        path = Path(os.path.expanduser(export))
        path = path if path.is_absolute() else Path(root or os.getcwd()) / path
        if given.get("token") or given.get("url"):
            raise NotUsable("an export is read from disk: it takes no token and no address")
        return {"export": str(path)} | ({"repository": repository} if repository else {})
    if not repository and root:
        host, repository = origin_of(root)
    if not repository:
        raise NotUsable(
            "which repository? there is no remote here that tells",
            hint="say it: --repo owner/name",
        )
    url = _url(str(given.get("url") or "")) or api_of(host)
    found: dict[str, object] = {"repository": repository}
    if given.get("token"):
        found["token"] = given["token"]
    return found | ({"url": url} if url != API else {})


def _repository(said: object) -> tuple[str, str]:
    if not said:
        return "", ""
    host, name = name_of(str(said))
    if not name:
        raise NotUsable(
            f"{str(said)[:80]!r} is no repository on GitHub", hint="it is called owner/name"
        )
    return host, name


def _url(said: str) -> str:
    """Return an API's address; a token may travel in the open only to this machine itself."""
    if not said:
        return ""
    try:
        url = urlsplit(said)
        host, _ = url.hostname or "", url.port
    except ValueError:
        host, url = "", urlsplit("")
    local = url.scheme == "http" and host in ("127.0.0.1", "localhost", "::1")
    if not host or not (url.scheme == "https" or local) or url.username or url.query:
        raise NotUsable(
            f"{said[:80]!r} is no address of an API",
            hint="it begins with https://; Enterprise Server has it at https://HOST/api/v3",
        )
    return said.rstrip("/")
