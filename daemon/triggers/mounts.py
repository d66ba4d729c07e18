"""Which file systems never tell of changes, so that watching them means looking again."""

from __future__ import annotations

from pathlib import Path

_SILENT = frozenset({"9p", "drvfs", "nfs", "nfs4", "cifs", "smb3", "smbfs"})
"""File systems whose files are changed from elsewhere: the kernel has no event for that."""
_TABLE = Path("/proc/self/mountinfo")


def must_poll(folder: Path, table: str | None = None) -> str | None:
    """Return the name of the file system if it has to be polled, else None.

    ``table`` is a mount table as /proc/self/mountinfo has it; by default this machine's.
    """
    if table is None:
        try:
            table = _TABLE.read_text(errors="surrogateescape")
        except OSError:  # no such table on this system
            return None
    kind, depth = "", -1
    for line in table.splitlines():
        before, found, after = line.partition(" - ")
        fields = before.split(" ")
        if not found or len(fields) < 5:
            continue
        point = Path(fields[4].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
        # A later mount at the same place hides the one before.
        if folder.is_relative_to(point) and len(point.parts) >= depth:
            kind, depth = after.split(" ", 1)[0], len(point.parts)
    return kind if kind in _SILENT else None
