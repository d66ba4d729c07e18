"""What stands for a question, and what stands for all that its answer was made from.

The second is computed again when somebody asks: an answer that was made ahead serves only if it is
the same. It is cheap: a few rows, and the files in which git says where branches stand.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ... import __version__
from ...ingest.git.command import Git
from ...memory.memory import Memory
from ...memory.records import Filters
from ...memory.work import Work
from ..themes.wordings import FILE as TITLES
from .areas import window_of
from .asked import Asked, Kind
from .direct import RULES

_COUNTED = ("items", "marks", "facts")
"""What is counted by repository; items of none concern all."""


def question_id(asked: Asked, filters: Filters, repos: tuple[str, ...], now: datetime) -> str:
    """Return what stands for a question: the same words of another day are another one where they
    mean another time."""
    about: dict[str, object] = {
        "kind": asked.kind,
        "subject": asked.subject.strip("/").casefold()
        if asked.kind is not Kind.TEST
        else asked.subject,
        "repos": sorted(repos),
        "only": [filters.path, filters.author, filters.source, filters.refs is not None],
    }
    if asked.kind is Kind.AREA:
        window = window_of(asked, filters, now)
        about["time"] = [window.since, window.until, window.usual]
    else:
        about["time"] = [filters.since, filters.until]
    return _digest(about)


def state_key(
    asked: Asked,
    repos: Mapping[str, Git | None],
    memory: Memory,
    work: Work | None,
    themes: Path,
    settings: str,
    model: str,
) -> str:
    """Return what stands for all that an answer about ``repos`` (by id) is made from: where their
    branches stand in git and in memory, items and what is known of them, test runs, themes, what a
    person edited or had forgotten, the rules, ``settings`` and the model's name."""
    generations = memory.index.generations()
    counted = [f"{part}:{repo}" for part in _COUNTED for repo in (*sorted(repos), "")]
    return _digest(
        {
            "rules": [RULES, __version__],
            "settings": settings,
            "model": model,
            "zone": str(datetime.now().astimezone().utcoffset()),
            "git": {repo: _refs(git) for repo, git in sorted(repos.items())},
            "memory": {repo: sorted(memory.index.tips(repo).items()) for repo in sorted(repos)},
            "counts": [generations.get(p, 0) for p in (*counted, "withheld", "edits")],
            "tests": work.answers.generation(sorted(repos)) if work is not None else None,
            "themes": _themes(themes) if asked.kind is Kind.AREA else None,
        }
    )


def _themes(folder: Path) -> list[object]:
    """Return what stands for themes: the newest night, and the titles that lie beside its pages."""
    found: list[object] = [refs_in(folder / ".git")]
    with suppress(OSError):
        found.append((folder / TITLES).read_text("utf-8", "replace"))
    return found


def _refs(git: Git | None) -> list[tuple[str, str]] | None:
    return None if git is None else refs_in(git.common_dir)


def refs_in(folder: Path) -> list[tuple[str, str]]:
    """Return where the branches in a git directory stand, or what stands for that: the contents of
    loose refs, and of the files that hold many the time and size. Where HEAD is matters only if it
    is on no branch."""
    found: list[tuple[str, str]] = []
    for name in ("packed-refs", "reftable/tables.list"):
        with suppress(OSError):
            about = (folder / name).stat()
            found.append((name, f"{about.st_mtime_ns} {about.st_size} {about.st_ino}"))
    with suppress(OSError):
        head = (folder / "HEAD").read_text("utf-8", "replace")
        found.append(("HEAD", "" if head.startswith("ref:") else head))
    for place in ("heads", "remotes"):
        for path in _files(folder / "refs" / place):
            with suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
                found.append((path, file.read()))
    return sorted(found)


def _files(folder: Path) -> Iterator[str]:
    waiting = [str(folder)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not entry.name.endswith(".lock"):
                    yield entry.path


def _digest(about: Mapping[str, object]) -> str:
    text = json.dumps(about, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
