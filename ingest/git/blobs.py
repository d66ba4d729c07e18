"""What can be asked about blobs without reading them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager

from .command import Git

SizesOf = Callable[[Collection[bytes]], Mapping[bytes, int]]


@contextmanager
def size_lookup(git: Git) -> Generator[SizesOf]:
    """Give a function that returns blobs' sizes in bytes; of those that are not here, none."""
    if git.is_partial:  # it would fetch to answer
        yield lambda blobs: {}
        return
    with git.dialogue("cat-file", "--batch-check=%(objectname) %(objectsize)") as dialogue:

        def sizes_of(blobs: Collection[bytes]) -> dict[bytes, int]:
            answers = (line.split(b" ") for line in dialogue.ask(list(blobs)))
            return {answer[0]: int(answer[1]) for answer in answers if answer[-1].isdigit()}

        yield sizes_of


def local_objects(git: Git) -> frozenset[bytes]:
    """Return the ids of all objects that are here; for a partial clone, what is not is remote.

    Listing what is here is the one way to ask that no version of git answers by fetching.
    """
    found: set[bytes] = set()
    rest = b""
    listing = ("cat-file", "--batch-all-objects", "--unordered", "--buffer")
    with git.stream(*listing, "--batch-check=%(objectname)") as blocks:
        for block in blocks:
            *lines, rest = (rest + block).split(b"\n")
            found.update(lines)
    return frozenset(found)
