"""Random work on a tree while it is watched: whatever differs in the end was told."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from pathlib import Path

import pytest

from hermes.agents.events import Event, FilesChanged
from hermes.daemon.triggers.watched import Watched
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.watching import watching

NAMES = ("a", "b", "c", "d")


def files(top: Path) -> dict[str, str]:
    """All files beneath, with what is in them."""
    return {
        str(path.relative_to(top)): path.read_text()
        for path in top.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def act(top: Path, chance: random.Random) -> None:
    """Do one thing that a person, an editor or a build might do."""
    folder = top.joinpath(*chance.choices(NAMES, k=chance.randint(0, 3)))
    other = top.joinpath(*chance.choices(NAMES, k=chance.randint(1, 3)))
    name = f"{chance.choice(NAMES)}.py"
    what = chance.randrange(8)
    if what <= 3:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(str(chance.random()))
    elif what == 4:
        (folder / name).unlink(missing_ok=True)
    elif what == 5 and folder != top:
        shutil.rmtree(folder, ignore_errors=True)
    elif what == 6 and folder != top and folder.is_dir() and not other.exists():
        if folder not in other.parents:
            other.parent.mkdir(parents=True, exist_ok=True)
            folder.rename(other)
    elif what == 7 and (folder / name).is_file():
        (folder / "tmp").write_text(str(chance.random()))
        os.replace(folder / "tmp", folder / name)


def tells(events: list[Event], path: str) -> bool:
    return any(
        event.whole
        or path in event.paths
        or any(path.startswith(folder + "/") for folder in event.folders)
        for event in events
        if isinstance(event, FilesChanged)
    )


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_differs_in_the_end_was_told(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"a/a.py": "1", "b/c/d.py": "1", "c.py": "1"})
    it = Watched("shop", repo.path, repo.path / ".git")
    async with watching(it, folder=tmp_path / "state") as w:
        for _ in range(4):
            before = files(repo.path)
            for _ in range(60):
                act(repo.path, chance)
                if chance.random() < 0.2:
                    await asyncio.sleep(chance.random() / 20)  # events come in many pieces
            after = files(repo.path)
            events = await w.settled(repo.path / "probe")
            differ = {p for p in before | after if before.get(p) != after.get(p)}
            assert {path for path in differ if not tells(events, path)} == set()
        folders = sum(1 for path in repo.path.rglob("*") if path.is_dir())
        in_git = sum(1 for path in (repo.path / ".git").rglob("*") if path.is_dir()) + 1
        watched = w.watch.state()["folders"]
        refs = sum(1 for path in (repo.path / ".git" / "refs").rglob("*") if path.is_dir()) + 1
        assert watched == 1 + folders - in_git + 2 + refs  # .git itself and .git/info
