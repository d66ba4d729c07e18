"""Which file a path in a document means."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence

from . import links
from .tree import Tree


def resolve(tree: Tree, document: str, written: str) -> str | None:
    """Return the file or folder, from the top, that a path in a document means; None for nothing.

    From the document's folder, from the top, or (with a folder in it) as the end of one path.
    """
    for target in links.targets(document, written):
        if tree.has(target):
            return target.rstrip("/")
    return by_end(tree.names, tree.folders, written)


def by_end(
    names: Mapping[str, Sequence[str]], folders: Collection[str], written: str
) -> str | None:
    """Return the one path, of several by their last part, that ends as it is written."""
    plain = posixpath.normpath(links.split(written)[0].strip("/"))
    if plain.startswith("..") or plain == ".":
        return None
    found = [
        path
        for path in names.get(plain.rpartition("/")[2], ())
        if path == plain or path.endswith("/" + plain)
    ]
    if not found and written.endswith("/"):
        found = [path for path in folders if path == plain or path.endswith("/" + plain)]
    return min(found, key=len) if found else None


def short_as(tree: Tree, document: str, written: str, new: str) -> str:
    """Return a path's new name for a place that had the old one: its last part alone, if that is
    all that was written and nothing else has that name, or it lies beside the document."""
    bare = new.rpartition("/")[2]
    if "/" in written.strip("/") or written.endswith("/"):
        return new
    near = next((each for each in links.targets(document, bare) if tree.has(each)), None)
    return bare if near == new or (near is None and tree.names.get(bare) == (new,)) else new
