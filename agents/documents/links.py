"""Paths as documents write them: relative to the document, to the top, with an anchor or without."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import quote, unquote

_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def split(written: str) -> tuple[str, str]:
    """Given a link or path as written, return the path and what follows it: an anchor, a query."""
    found = re.search(r"[?#]", written)
    return (written[: found.start()], written[found.start() :]) if found else (written, "")


def targets(document: str, written: str) -> tuple[str, ...]:
    """Given a document's path and a link or path in it, return the paths of the repository that it
    may mean, the likeliest first; none for another site, or for an anchor alone."""
    path, _ = split(written)
    if not path or _ELSEWHERE.match(written):
        return ()
    plain = unquote(path)
    top = _inside(plain.lstrip("/"))
    if plain.startswith("/"):
        return (top,) if top else ()
    near = _inside(posixpath.join(posixpath.dirname(document), plain))
    return tuple(dict.fromkeys(each for each in (near, top) if each))


def rewritten(document: str, written: str, old: str, new: str) -> str | None:
    """Given a document's path, a path in it, and the old and new name of what it means (from the
    top), return how the new name is written there; None where it does not mean ``old``."""
    path, rest = split(written)
    meant = targets(document, written)
    old, new = old.strip("/"), new.strip("/")
    if old not in meant:
        return None
    slash = "/" if path.endswith("/") else ""
    folder = posixpath.dirname(document)
    plain = unquote(path)
    near = _inside(posixpath.join(folder, plain))
    if plain.startswith("/"):
        made = "/" + new
    elif near == old and not (folder and _inside(plain) == old):
        made = posixpath.relpath(new, folder or ".")
        made = made if made.startswith("../") or not plain.startswith("./") else f"./{made}"
    else:
        made = ("./" if plain.startswith("./") else "") + new
    return (quote(made, safe="/()@:+,~!$&'*;=") if plain != path else made) + slash + rest


def _inside(path: str) -> str:
    """Return a path from the top, normalised; empty if it leads out or is the top itself."""
    made = posixpath.normpath(path)
    return "" if made in (".", "..") or made.startswith(("../", "/")) else made
