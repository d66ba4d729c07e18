"""The spool folder drained by a running service: what comes is noticed, however much it is."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import get_args

import pytest

from hermes.agents.events import Event, Noted
from hermes.daemon.triggers.drops import DOOR_KINDS
from hermes.daemon.triggers.spool import Spool
from hermes.memory.errors import NoSpace

HOOK = b"hermes-hook=1\0hook=post-commit\0git-dir=\0cwd=/src/shop\0pid=7\0001=\0002=\0end=\0"


class Accepted:
    """What came, and a way to wait for it."""

    def __init__(self) -> None:
        self.events: dict[str, Event] = {}
        self.refused: list[tuple[str, str]] = []
        self.full = False
        self.asked = 0
        self._changed = asyncio.Condition()

    async def accept(self, event: Event, key: str | None) -> int:
        self.asked += 1
        assert key is not None
        async with self._changed:
            self._changed.notify_all()
        if self.full:
            raise NoSpace("here")
        self.events.setdefault(key, event)
        return len(self.events)

    async def refuse(self, name: str, reason: str) -> None:
        self.refused.append((name, reason))
        async with self._changed:
            self._changed.notify_all()

    async def until(self, count: int, refused: int = 0) -> None:
        async with asyncio.timeout(60), self._changed:
            await self._changed.wait_for(
                lambda: len(self.events) >= count and len(self.refused) >= refused
            )

    @property
    def titles(self) -> list[str]:
        return [event.title for event in self.events.values() if isinstance(event, Noted)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@asynccontextmanager
async def serving(accepted: Accepted, folder: Path) -> AsyncGenerator[Spool]:
    """Run the service; what lies there already is drained before it is there for others."""
    spool = Spool(
        accepted.accept, folder, refuse=accepted.refuse, repo_of=lambda git_dir, cwd: "shop"
    )
    note(folder, "first")
    task = asyncio.create_task(spool.serve())
    try:
        await accepted.until(1)
        yield spool
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def note(folder: Path, title: str) -> None:
    """Drop a note, as a script does it."""
    folder.mkdir(mode=0o700, exist_ok=True)
    temp = folder / f".{title}"
    temp.write_text(json.dumps({"kind": "noted", "title": title}))
    temp.rename(folder / f"{title}.json")


def hooks(folder: Path, count: int) -> None:
    """Drop so many files, as if by as many hooks."""
    folder.mkdir(mode=0o700, parents=True)
    for number in range(count):
        (folder / f"{number}.hook").write_bytes(HOOK.replace(b"pid=7", b"pid=%d" % number))


def left(folder: Path) -> list[str]:
    """Return what is not drained yet."""
    taking = folder / "taking"
    names = [name for name in os.listdir(folder) if name.endswith(".hook")]
    return names + (os.listdir(taking) if taking.is_dir() else [])


async def test_what_is_dropped_becomes_an_event_at_once(folder: Path) -> None:
    accepted = Accepted()
    async with serving(accepted, folder) as spool:
        began = time.monotonic()
        note(folder, "second")
        await accepted.until(2)
        assert time.monotonic() - began < 2  # by the watch, long before any rescan
        (folder / "third.json").write_text('{"kind": "noted", "title": "third"}')
        await accepted.until(3)
        os.mkfifo(folder / "fifo.json")
        await accepted.until(3, refused=1)
        assert accepted.titles == ["first", "second", "third"]
        assert spool.state()["state"] == "ok"


async def test_nothing_is_written_while_nothing_comes(folder: Path) -> None:
    accepted = Accepted()
    async with serving(accepted, folder):
        note(folder, "second")
        await accepted.until(2)
        async with asyncio.timeout(10):
            while os.listdir(folder / "taking"):  # noqa: ASYNC110 the disk tells nobody
                await asyncio.sleep(0.01)
        places = (folder, folder / "taking", folder / "refused")
        before = [os.stat(place).st_mtime_ns for place in places]
        await asyncio.sleep(0.3)
        assert [os.stat(place).st_mtime_ns for place in places] == before


async def test_a_folder_that_was_removed_is_made_and_watched_again(folder: Path) -> None:
    accepted = Accepted()
    async with serving(accepted, folder):
        shutil.rmtree(folder)
        async with asyncio.timeout(10):
            while not (folder / "refused").is_dir():  # noqa: ASYNC110 the disk tells nobody
                await asyncio.sleep(0.01)
        note(folder, "second")
        await accepted.until(2)
        note(folder, "third")
        await accepted.until(3)


async def test_a_full_disk_is_not_hammered_and_nothing_is_lost(folder: Path) -> None:
    accepted = Accepted()
    async with serving(accepted, folder) as spool:
        accepted.full = True
        asked = accepted.asked
        for number in range(50):
            note(folder, f"n{number}")
        async with asyncio.timeout(10):
            while spool.state()["state"] == "ok":  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        assert accepted.asked == asked + 1
    accepted.full = False
    async with serving(accepted, folder):
        await accepted.until(52)
    assert len(set(accepted.titles)) == 51  # "first" came twice


async def test_ten_thousand_files_are_taken_while_the_loop_stays_free(folder: Path) -> None:
    accepted = Accepted()
    hooks(folder, 10_000)
    longest = 0.0

    async def feel() -> None:
        nonlocal longest
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.005)
            longest = max(longest, time.monotonic() - before - 0.005)

    feeling = asyncio.create_task(feel())
    began = time.monotonic()
    async with serving(accepted, folder):
        await accepted.until(10_001)
    took = time.monotonic() - began
    feeling.cancel()
    assert longest < max(0.5, took / 4)  # a machine busy with other tests is slow at everything
    assert accepted.refused == []


async def test_a_drain_that_is_killed_again_and_again_loses_and_doubles_nothing(
    folder: Path, tmp_path: Path
) -> None:
    """A process of its own keeps the events' keys in a file, synced before it answers."""
    hooks(folder, 300)
    kept = tmp_path / "kept"
    kept.touch()
    kills = 0
    while left(folder):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", DRAIN, str(folder), str(kept)),
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        for _ in range(40 + 7 * kills):
            if not await process.stdout.readline():
                break
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        kills += 1
    assert kills > 3
    lines = kept.read_text().splitlines()
    assert len(set(lines)) == 300
    assert len(lines) == 300


DRAIN = """
import asyncio, os, sys, time
from pathlib import Path
from typing import get_args
from hermes.daemon.triggers.drops import DOOR_KINDS
from hermes.daemon.triggers.spool import Spool

kept = Path(sys.argv[2])
known = set(kept.read_text().splitlines())
file = kept.open("a")

async def accept(event, key):
    if key not in known:
        known.add(key)
        file.write(key + "\\n")
        file.flush()
        os.fsync(file.fileno())
    print("accepted", flush=True)
    return 1

async def main():
    spool = Spool(accept, Path(sys.argv[1]), refuse=None, repo_of=lambda git_dir, cwd: "shop")
    while not await spool.step(time.time()):
        pass

asyncio.run(main())
"""


PAGE = (Path(__file__).resolve().parents[3] / "docs" / "hooks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", ["sh", "python"])
async def test_the_examples_in_the_page_become_events(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example = PAGE.partition(f"```{language}\n")[2].partition("```")[0]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder = tmp_path / "hermes-ambient" / "spool"
    hooks(folder, 0)
    command = [sys.executable if language == "python" else "sh", "-c", example]
    process = await asyncio.create_subprocess_exec(*command)
    assert await process.wait() == 0
    accepted = Accepted()
    async with serving(accepted, folder):
        await accepted.until(2)
    (event,) = [one for one in accepted.events.values() if "first" not in str(one)]
    assert (event.kind, event.repo) == ("noted", "shop")


@pytest.mark.parametrize("kind", DOOR_KINDS)
def test_the_page_has_every_kind_with_its_fields(kind: str) -> None:
    (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{kind}` |")]
    (schema,) = [s for s in get_args(get_args(Event)[0]) if s.model_fields["kind"].default == kind]
    for name in set(schema.model_fields) - {"at", "source", "repo", "kind"}:
        assert f"`{name}`" in line
