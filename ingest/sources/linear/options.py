"""What a person says when adding Linear as a source."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from ....memory.errors import HermesError
from ..contract import Options

API = "https://api.linear.app/graphql"
_TEAM = re.compile(r"[A-Za-z][A-Za-z0-9]{0,19}", re.ASCII)


class BadLinear(HermesError):
    """What was said does not describe a source of Linear."""

    code = "usage"


def options(given: Mapping[str, Any]) -> Options:
    """Return the options of an export (``csv``, an absolute path) or of the API (``token``, by name;
    ``team``, its key; ``url``, where it is not Linear's own). Raise BadLinear."""
    export, token = given.get("csv"), given.get("token")
    if bool(export) == bool(token):
        raise BadLinear(
            "an export, or where the token is: one of the two" if export else "what is to be read?",
            hint="hermes sources add linear --csv issues.csv, or --token-env LINEAR_API_KEY --team ENG",
        )
    if export:
        path = os.path.join(str(given.get("root", "")), os.path.expanduser(str(export)))
        if not os.path.isabs(path) or "\0" in path:
            raise BadLinear(f"{export} starts from no folder", hint="give an absolute path")
        if not os.path.isfile(path):
            raise BadLinear(
                f"{export} is no file that is there", hint="check the spelling of the path"
            )
        return {"csv": os.path.normpath(path)}
    chosen = {"token": str(token)}
    if team := str(given.get("team") or "").strip():
        if not _TEAM.fullmatch(team):
            raise BadLinear(f"{team} is no team's key", hint="ENG, as in ENG-17")
        chosen["team"] = team.upper()
    if url := str(given.get("url") or ""):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadLinear(f"{url} is no address", hint=f"for example: {API}")
        chosen["url"] = url
    return chosen
