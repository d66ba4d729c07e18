"""The search for what was forgotten, in a process of its own.

It opens every file of hermes, databases too, and to close one takes from SQLite the locks that the
process holds on it: whoever opens that database next would take its log away under the daemon.

What is sought goes in through a pipe, so that it stands in no list of processes: one object of JSON.
Lines of JSON come out: how far it is, and at the end the proof.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..ingest.git.command import environment
from ..memory.errors import HermesError
from .needles import Around, Needles, Surroundings
from .proving import Left, Proof, search

if TYPE_CHECKING:
    from .reaper import Reaper

_BLOCK = 1 << 20


class NotSearched(HermesError):
    """The search ended before it was through."""

    code = "not_searched"

    def __init__(self, code: int) -> None:
        super().__init__(
            f"the search for what was forgotten ended with {code}",
            hint="it is taken up again by itself; `hermes forget --list` says when it is done",
        )


def search_apart(
    folders: Sequence[Path],
    needles: Needles,
    *,
    spare: Path,
    known: Mapping[str, Surroundings],
    reaper: Reaper | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Proof:
    """Search as `search` does, but for what lies below ``spare``. ``reaper`` is told of the
    process. Raise NotSearched if it was killed."""
    asked = {
        "folders": [str(folder) for folder in folders],
        "sought": needles.sought,
        "spare": str(spare),
        "known": {
            place: [[part.decode("latin-1") for part in around] for around in some.all]
            for place, some in known.items()
        },
    }
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    if reaper is not None:
        reaper.own(process.pid, "search for what was forgotten")
    assert process.stdin is not None
    assert process.stdout is not None
    proof: Proof | None = None
    with process:
        with suppress(BrokenPipeError), process.stdin as into:
            into.write(json.dumps(asked).encode())
        for line in process.stdout:
            told = json.loads(line)
            if "proof" in told:
                proof = _read(told["proof"])
            else:
                on_progress(told["done"], told["total"])
    if reaper is not None:
        reaper.release(process.pid)
    if proof is None or process.returncode:
        raise NotSearched(process.returncode)
    return proof


def main() -> None:
    """Search for what comes in, and say how far that is."""
    asked: dict[str, Any] = json.load(sys.stdin)
    known = {
        place: Surroundings(Around(*(part.encode("latin-1") for part in around)) for around in some)
        for place, some in asked["known"].items()
    }
    spare = Path(asked["spare"])
    proof = search(
        [Path(folder) for folder in asked["folders"]],
        Needles(asked["sought"]),
        unpack_git=unpacked,
        spare=lambda path: spare in path.parents,
        known=known,
        on_progress=lambda done, total: _say({"done": done, "total": total}),
    )
    fields = {
        "files": proof.files,
        "bytes": proof.bytes,
        "rows": proof.rows,
        "left": sorted(proof.left),
        "unsearched": proof.unsearched,
    }
    _say({"proof": fields})


def unpacked(path: Path) -> Iterator[bytes]:
    """Yield all objects of the git repository that a pack belongs to. Raise OSError."""
    git_dir = path.parent.parent.parent
    process = subprocess.Popen(
        ["git", "--git-dir", str(git_dir), "cat-file", "--batch", "--batch-all-objects"],
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process, process.stdout as out:
        tail = b""
        while block := out.read(_BLOCK):
            yield tail + block
            tail = block[-4_096:]
    if process.returncode:
        raise OSError(None, "git can't read it")


def _read(fields: dict[str, Any]) -> Proof:
    left = {Left(*each) for each in fields.pop("left")}
    return Proof(left=left, **fields)


def _say(fields: dict[str, Any]) -> None:
    # The daemon may be gone: then this ends too.
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os._exit(1)
