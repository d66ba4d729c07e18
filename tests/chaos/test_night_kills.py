"""Kill -9 at random moments of a night: each page is the old one or the new one, and the next night
comes to its end.

``HERMES_CHAOS_KILLS=100`` makes it the long form; ``HERMES_CHAOS_SEED`` repeats a run.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hermes.agents.themes.folder import ThemesFolder
from hermes.agents.themes.records import Page
from hermes.ingest.git.command import Git
from hermes.ingest.git.history import root_commit
from hermes.ingest.git.ingest import ingest
from hermes.memory.memory import Memory
from hermes.tests.builders.git import ALEX, SAM, RepoBuilder

KILLS = int(os.environ.get("HERMES_CHAOS_KILLS", "5"))
SEED = int(os.environ.get("HERMES_CHAOS_SEED", "0")) or random.randrange(1, 1 << 30)
NOW = 1_796_040_000
"""2026-11-30, a Monday at noon."""
DAY = 86_400
AREAS = ("payments", "search", "stock", "mail")

NIGHT = f"""
import sys
from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hermes.agents.themes.folder import ThemesFolder
from hermes.daemon.consolidating import Limits, Nights
from hermes.memory.memory import Memory
from hermes.memory.work import Work

home, hours = Path(sys.argv[1]), int(sys.argv[2])
with Memory.open(home / "memory", embedder=None, write=True, wait=60) as memory:
    themes, zone = ThemesFolder(home / "themes"), timezone(timedelta(hours=hours))
    nights = Nights(memory, Work(home / "work.db"), themes, home, 0, zone, {NOW})
    print("ready", flush=True)
    nights.make_themes(Limits(), None)
    print("done", flush=True)
"""
"""Makes the themes as a zone's wall clock has them: another zone, and other pages are to be made."""


def begin(home: Path, hours: int) -> subprocess.Popen[str]:
    """Start a night in a process of its own; return it when its memory is open."""
    process = subprocess.Popen(
        [sys.executable, "-c", NIGHT, str(home), str(hours)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finish(home: Path, hours: int) -> float:
    """Do a night to its end; return how many seconds it took."""
    started = time.monotonic()
    process = begin(home, hours)
    opened = time.monotonic()
    assert process.wait(120) == 0, started
    process.communicate()
    return time.monotonic() - opened


def pages(home: Path) -> dict[str, Page]:
    """Return all pages by kind and label. None may be damaged."""
    damaged: list[str] = []
    folder = ThemesFolder(home / "themes")
    found = [
        page
        for weeks in (False, True)
        for page in folder.pages(weeks=weeks, on_damaged=damaged.append)
    ]
    assert damaged == []
    return {page.label: page for page in found}


def a_month(tmp_path: Path) -> RepoBuilder:
    shop = RepoBuilder(tmp_path / "shop")
    for number in range(150):
        area = AREAS[number % len(AREAS)]
        shop.now = NOW - (150 - number) * 5 * 3_600
        shop.commit(
            {f"{area}/part{number % 7}.py": f"x = {number}\n" * (5 + number % 20)},
            f"{area}: change what part {number % 7} does about case {number}",
            author=ALEX if number % 3 else SAM,
        )
    return shop


@pytest.mark.timeout(120 + 20 * KILLS)
def test_a_night_that_is_killed_anywhere_leaves_whole_pages_and_is_done_the_next_time(
    tmp_path: Path,
) -> None:
    rng = random.Random(SEED)
    home, shop = tmp_path / "home", a_month(tmp_path)
    with Memory.open(home / "memory", embedder=None, write=True) as memory:
        git = Git.open(shop.path)
        repo = memory.index.add_repo("shop", str(git.common_dir), None, root_commit(git))
        ingest(git, memory, repo)
    finish(home, 0)
    seconds = finish(home, 9)
    expected = {9: pages(home)}
    finish(home, 0)
    expected[0] = pages(home)
    assert expected[0] != expected[9]

    hours, killed = 0, 0
    for _ in range(KILLS):
        hours = 9 - hours
        process = begin(home, hours)
        time.sleep(rng.uniform(0, 1.1 * seconds))
        killed += process.poll() is None
        process.kill()
        process.communicate()
        for label, page in pages(home).items():
            was = [known[label] for known in expected.values() if label in known]
            assert page in was, f"seed {SEED}: {label} is neither the old page nor the new one"
    assert killed, f"seed {SEED}: every night was done before it was killed"

    finish(home, hours)
    assert pages(home) == expected[hours], f"seed {SEED}"
    fsck = subprocess.run(
        ["git", "fsck", "--strict", "--no-dangling"],
        cwd=home / "themes",
        check=False,
        capture_output=True,
        text=True,
    )
    assert (fsck.returncode, fsck.stdout) == (0, ""), f"seed {SEED}: {fsck.stderr}"
    left = [path.name for path in (home / "themes").rglob("*.new")]
    assert left == [], f"seed {SEED}"
