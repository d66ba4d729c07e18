"""What can be asked about blobs without reading them."""

from __future__ import annotations

from collections.abc import Collection

from .command import Git


def sizes(git: Git, blobs: Collection[bytes]) -> dict[bytes, int]:
    """Return the sizes in bytes of the blobs that are here; blobs that are not are left out."""
    if not blobs:
        return {}
    said = git.run(
        *("cat-file", "--buffer", "--batch-check=%(objectname) %(objectsize)"),
        stdin=b"".join(blob + b"\n" for blob in blobs),
    )
    found: dict[bytes, int] = {}
    for line in said.splitlines():
        blob, _, size = line.partition(b" ")
        if size.isdigit():
            found[blob] = int(size)
    return found


def local_objects(git: Git) -> frozenset[bytes]:
    """Return the ids of all objects that are here; for a partial clone, what is not is remote.

    Listing what is here is the one way to ask that no version of git answers by fetching.
    """
    found: set[bytes] = set()
    rest = b""
    for block in git.stream(
        *("cat-file", "--batch-all-objects", "--unordered", "--buffer"),
        "--batch-check=%(objectname)",
    ):
        *lines, rest = (rest + block).split(b"\n")
        found.update(lines)
    return frozenset(found)
