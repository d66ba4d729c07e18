"""Follows bulk work to its end: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..client import DaemonLost
from .text import clean

if TYPE_CHECKING:
    from collections.abc import Callable

    from .output import Output

    Update = Callable[[str, int, int], None]

LABELS = {
    "texts": ("looking through texts", ""),
    "searching files": ("searching files", "files"),
    "searching texts": ("searching texts", ""),
    "read": ("reading history", "commits"),
    "rebuild": ("building anew", "commits"),
    "links": ("looking for what commits name", "commits"),
    "vectors": ("filling vectors", "chunks"),
    "marks": ("looking for duplicates", "repositories"),
    "themes": ("making themes", "pages"),
    "compaction": ("packing the store", ""),
    "check": ("looking for damage", ""),
}
WIDE = 64
"""Columns from which the counts are shown beside the bar."""


def follow(events: Iterator[dict[str, Any]], out: Output) -> dict[str, Any]:
    """Show the progress of a job and return its report. Raise Refused if it fails."""
    report: dict[str, Any] | None = None
    with _display(out) as update:
        for event in events:
            if out.as_json:
                out.emit(event)
            match event["type"]:
                case "progress":
                    update(event["phase"], event["done"], event["total"])
                case "notice":
                    out.say(event["text"], "yellow")
                case "done":
                    report = event["report"]
                case _:
                    pass  # of a newer daemon
    if report is None:
        raise DaemonLost("the daemon stopped telling how far it is", hint="`hermes status` says")
    return report


@contextmanager
def _display(out: Output) -> Generator[Update]:
    if out.as_json:
        yield lambda phase, done, total: None
    elif out.err.terminal and os.environ.get("TERM") != "dumb":
        with _bar(out) as update:
            yield update
    else:
        yield _lines(out)


@contextmanager
def _bar(out: Output) -> Generator[Update]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn

    width = out.err.columns
    columns: list[ProgressColumn] = [
        TextColumn("{task.description}"),
        BarColumn(bar_width=None if width < WIDE else 30),
        TaskProgressColumn(),
    ]
    if width >= WIDE:
        columns.append(TextColumn("{task.fields[counts]}", style="dim"))
    console = Console(file=out.err.file, width=width, no_color=not out.err.colours)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("getting ready", total=None, counts="")

        def update(phase: str, done: int, total: int) -> None:
            name, unit = LABELS.get(phase, (clean(phase), ""))
            counts = f"{done:,} of {total:,} {unit}" if total else f"{done:,}" if done else ""
            progress.update(
                task, description=name, completed=done, total=total or None, counts=counts
            )

        yield update


def _lines(out: Output) -> Update:
    """A log file wants no bar: a line for each quarter of a phase."""
    said: set[tuple[str, int]] = set()

    def update(phase: str, done: int, total: int) -> None:
        quarter = 4 * done // total if total else 0
        if (phase, quarter) in said:
            return
        said.add((phase, quarter))
        name, unit = LABELS.get(phase, (phase, ""))
        out.say(f"{name}: {done:,} of {total:,} {unit}".rstrip() if total else name)

    return update
