"""The daemon's log: one file, plain lines, bounded in size, readable by its owner only."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from .paths import make_private

BACKUPS = 1
"""Rotated files that are kept beside the log."""

NOISY = ("httpx", "httpcore", "uvicorn.access", "asyncio", "filelock")
"""Loggers that report every request or every step; only their warnings are kept."""


class OneLine(logging.Formatter):
    """Formats a record as one line, followed by the traceback if there is one.

    Text from repositories and servers ends up in messages: control characters are escaped, so
    that nothing can forge a line or drive the terminal of whoever reads the log.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Given a record, return its line with control characters escaped."""
        line = super().formatMessage(record).rstrip()
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


class PrivateRotatingFile(RotatingFileHandler):
    """A rotating file that only its owner can read, whatever the umask says."""

    def _open(self) -> TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")


def write_to(path: Path, *, level: str, max_bytes: int) -> logging.Handler:
    """Given the log's path, send everything that is logged in this process there.

    ``level`` is a level's name, ``max_bytes`` the size at which the log is turned over. Raise
    PathRefused if the log's folder can't be made.
    """
    make_private(path.parent)
    handler = PrivateRotatingFile(path, maxBytes=max_bytes, backupCount=BACKUPS)
    install(handler, level)
    return handler


def clean_log(path: Path, clean: Callable[[str], str]) -> int:
    """Have every line of a log be as ``clean`` returns it; return how many were changed. In place:
    who writes to it goes on at its end."""
    writers = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler, PrivateRotatingFile) and Path(handler.baseFilename) == path
    ]
    for handler in writers:
        handler.acquire()
    try:
        with path.open("r+b") as file:
            lines = file.read().decode("utf-8", "surrogateescape").splitlines(keepends=True)
            kept = [clean(line) for line in lines]
            changed = sum(one != other for one, other in zip(lines, kept, strict=True))
            if changed:
                file.seek(0)
                file.write("".join(kept).encode("utf-8", "surrogateescape"))
                file.truncate()
    except FileNotFoundError:
        return 0
    finally:
        for handler in writers:
            handler.release()
    return changed


def install(handler: logging.Handler, level: str) -> None:
    """Send what is logged to ``handler`` too, one line each."""
    handler.setFormatter(OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.captureWarnings(True)
