"""A git whose output is read while it is still at work."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from .errors import error_from

READ_SIZE = 1 << 20
"""Bytes asked of the pipe at once, and the pipe's own size where it can be set."""


class Stream:
    """A git process that was started, and its output as blocks of bytes.

    It works ahead until the pipe is full, whether or not it is read yet. It ends when all of it
    was read, when the block is left, or with ``close``.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        stdin: bytes,
    ) -> None:
        self._folder = folder
        # Files, not pipes: git reads all of its input first, and can't be blocked by either.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        with tempfile.TemporaryFile() as feed:
            feed.write(stdin)
            feed.seek(0)
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=feed,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
            )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        _widen(self._output)

    def __iter__(self) -> Iterator[bytes]:
        """Yield what git prints; if it fails, raise a GitError subclass after the last of it."""
        try:
            while block := self._output.read(READ_SIZE):
                yield block
            if self._process.wait():
                self._errors.seek(0)
                raise error_from(self._errors.read().decode(errors="replace"), self._folder)
        finally:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End git if it still runs. May be called again."""
        if self._process.poll() is None:
            self._process.kill()
        self._output.close()
        self._process.wait()
        self._errors.close()


def _widen(pipe: IO[bytes]) -> None:
    """Let git run ahead of us: the default pipe holds only 64 kB."""
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, READ_SIZE)
        except PermissionError:  # the user's share of pipe memory is used up: 64 kB will do
            return
