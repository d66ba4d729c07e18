"""How results of any framework are cut to the size that records allow."""

from __future__ import annotations

import re
from pathlib import Path

from .records import Failure, Tree

MESSAGE = 500
TEXT = 8_000
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def plain(text: str) -> str:
    """Return a text without terminal sequences."""
    return _COLOUR.sub("", text)


def first_line(text: str) -> str:
    """Return the first line that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")[:MESSAGE]


def last_lines(text: str, count: int = 20) -> str:
    """Return the end of what a process printed."""
    return "\n".join(plain(text).rstrip().splitlines()[-count:])[-TEXT:]


def cut(text: str) -> str:
    """Return a report of at most 8,000 characters, the middle left out."""
    text = plain(text).strip("\n")
    return text if len(text) <= TEXT else f"{text[: TEXT // 2 - 5]}\n…\n{text[-TEXT // 2 + 5 :]}"


def relative(tree: Tree, path: str, folder: Path | None = None) -> str:
    """Return a path as the worktree has it; empty if it lies outside of it.

    What is relative is so to ``folder``, or to the tree's root.
    """
    absolute = Path(path) if path.startswith("/") else (folder or tree.root) / path
    for root in (tree.root, tree.root.resolve(), tree.worktree):
        if absolute.is_relative_to(root) and ".." not in absolute.parts:
            return absolute.relative_to(root).as_posix()
    return ""


def failure(
    tree: Tree, exception: str, text: str, places: list[tuple[str, int]], message: str = ""
) -> Failure:
    """Return why a test did not pass; ``places`` are outermost first, and already relative."""
    path, line = places[-1] if places else ("", 0)
    return Failure(
        exception=exception,
        message=plain(message or first_line(text))[:MESSAGE],
        path=path,
        line=line,
        text=cut(text).replace(str(tree.root), str(tree.worktree)),
        frames=tuple(places),
    )
