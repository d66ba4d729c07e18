"""The git side of a made-up life: commits fed to one ``git fast-import`` that tells their shas."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from .git import RepoBuilder, git_environment

Lines = list[str]


@dataclass(frozen=True, slots=True)
class Made:
    """A commit that was made; its sha is known once ``History.sha`` was asked for it."""

    mark: int
    branch: str
    author: str
    at: int
    message: str
    path: str
    lines: tuple[str, ...]
    """What it added to ``path``."""


class History:
    """Branches that grow by lines added to, and taken from, files. Close it to have it on disk."""

    def __init__(self, path: Path, *, existing: bool = False) -> None:
        self.repo = RepoBuilder(path, existing=existing)
        self._process = subprocess.Popen(
            ["git", "fast-import", "--quiet", "--force", "--done"],
            cwd=path,
            env=git_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._files: dict[str, dict[str, Lines]] = {}
        self._marks = 0
        self._shas: dict[int, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._process.kill()
        else:
            self._write(b"done\n")
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        if error is None and code:
            raise AssertionError(f"git fast-import ended with {code}")

    def branch(self, name: str, start: str, files: Mapping[str, Lines] | None = None) -> None:
        """Make a branch where another stands, or put it there; ``files`` are those it has where that
        other is not one of this history."""
        files = self._files[start] if files is None else files
        self._files[name] = {path: list(lines) for path, lines in files.items()}
        self._write(f"reset refs/heads/{name}\nfrom refs/heads/{start}\n\n".encode())

    def again(self, branch: str, made: Made, *, committed: int) -> Made:
        """Make a commit once more, on another branch: picked, or rebased."""
        return self.commit(
            branch, made.author, made.at, made.message, made.path, made.lines, committed=committed
        )

    def holds(self, branch: str, made: Made) -> bool:
        """Whether what a commit added is still there, in that file."""
        return set(made.lines) <= set(self._files[branch].get(made.path, ()))

    def commit(
        self,
        branch: str,
        author: str,
        at: int,
        message: str,
        path: str,
        lines: tuple[str, ...] = (),
        *,
        without: tuple[str, ...] = (),
        committed: int | None = None,
    ) -> Made:
        """Add lines to a file of a branch, and take others from it."""
        files = self._files.setdefault(branch, {})
        kept = [line for line in files.get(path, []) if line not in without]
        files[path] = [*kept, *lines]
        mark = self._begin(branch, author, at, message, committed)
        self._write_file(path, files[path])
        return Made(mark, branch, author, at, message, path, lines)

    def merge(self, branch: str, other: str, author: str, at: int, message: str, path: str) -> Made:
        """Merge a branch that has changed one file which nobody else has changed since."""
        files = self._files[branch]
        files[path] = list(self._files[other][path])
        mark = self._begin(branch, author, at, message, None, merges=other)
        self._write_file(path, files[path])
        return Made(mark, branch, author, at, message, "", ())

    def rename(self, branch: str, author: str, at: int, message: str, old: str, new: str) -> Made:
        """Rename a folder."""
        files = self._files[branch]
        self._files[branch] = {
            new + path[len(old) :] if path.startswith(f"{old}/") else path: lines
            for path, lines in files.items()
        }
        mark = self._begin(branch, author, at, message, None)
        self._write(f"R {old} {new}\n".encode())
        return Made(mark, branch, author, at, message, "", ())

    def sha(self, made: Made) -> str:
        """Return a commit's sha."""
        if made.mark not in self._shas:
            self._write(b"get-mark :%d\n" % made.mark)
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.flush()
            self._shas[made.mark] = self._process.stdout.readline().decode().strip()
        return self._shas[made.mark]

    def _begin(
        self,
        branch: str,
        author: str,
        at: int,
        message: str,
        committed: int | None,
        merges: str = "",
    ) -> int:
        self._marks += 1
        text = message.encode()
        self._write(
            b"commit refs/heads/%s\nmark :%d\n" % (branch.encode(), self._marks)
            + b"author %s %d +0000\n" % (author.encode(), at)
            + b"committer %s %d +0000\n" % (author.encode(), at if committed is None else committed)
            + b"data %d\n%s\n" % (len(text), text)
        )
        if merges:
            self._write(b"merge refs/heads/%s\n" % merges.encode())
        return self._marks

    def _write_file(self, path: str, lines: Lines) -> None:
        content = "".join(f"{line}\n" for line in lines).encode()
        self._write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content))

    def _write(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)
