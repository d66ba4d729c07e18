"""What a person says when adding Slack as a source."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

from ....memory.errors import HermesError
from ..contract import Options

API = "https://slack.com/api/"


class BadSlack(HermesError):
    """What was said does not describe a source of Slack."""

    code = "usage"


def options(given: Mapping[str, Any]) -> Options:
    """Return the options of an export (``export``, an absolute path) or of the Web API (``token``,
    by name; ``url``, where it is not Slack's own), with ``channels`` and ``direct``.

    A relative ``export`` starts from ``root``. Raise BadSlack.
    """
    export, token = given.get("export"), given.get("token")
    if bool(export) == bool(token):
        raise BadSlack(
            "an export, or where the token is: one of the two" if export else "what is to be read?",
            hint="hermes sources add slack --export export.zip, or"
            " --token-env SLACK_TOKEN --channels payments,eng-platform",
        )
    chosen: dict[str, Any] = {"channels": _channels(given.get("channels", []))}
    chosen["direct"] = bool(given.get("direct", False))
    if export:
        path = os.path.join(str(given.get("root", "")), os.path.expanduser(str(export)))
        if not os.path.isabs(path) or "\0" in path:
            raise BadSlack(f"{export} starts from no folder", hint="give an absolute path")
        if not os.path.exists(path):
            raise BadSlack(f"{export} is not there", hint="check the spelling of the path")
        return {"export": os.path.normpath(path), **chosen}
    chosen["token"] = str(token)
    if url := given.get("url"):
        parts = urlsplit(str(url))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadSlack(f"{url} is no address", hint=f"for example: {API}")
        chosen["url"] = str(url)
    return chosen


def _channels(given: object) -> list[str]:
    listed = given.split(",") if isinstance(given, str) else given
    if not isinstance(listed, list | tuple):
        raise BadSlack("channels are names", hint="for example: --channels payments,eng-platform")
    named = [str(name) for name in cast(Sequence[object], listed)]
    names = [name.strip().removeprefix("#") for name in named]
    return list(dict.fromkeys(name for name in names if name))
