"""Errors a person can act on: one line of what is wrong and where, one of what to do."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's; the command line imports this on every start
if TYPE_CHECKING:
    from pathlib import Path


class HermesError(Exception):
    """Something went wrong that the person at the keyboard can understand and act on."""

    code = "error"
    """Stable word for scripts and for the API."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class StoreDamaged(HermesError):
    """Part of the memory on disk can't be read."""

    code = "store_damaged"

    def __init__(self, where: Path | str, reason: str) -> None:
        super().__init__(
            f"the memory at {where} is damaged: {reason}",
            hint="Run `hermes memory rebuild` to make it again from git.",
        )
        self.where = str(where)


class StoreTooNew(HermesError):
    """The memory was written by a newer version; nothing of it was changed."""

    code = "store_too_new"

    def __init__(self, where: Path, found: int, known: int) -> None:
        super().__init__(
            f"{where} was made by a newer version of hermes"
            f" (format {found}, this one knows {known})",
            hint="Upgrade hermes-ambient, or point HERMES_AMBIENT_HOME at another folder.",
        )


class StoreBusy(HermesError):
    """Another process holds the memory."""

    code = "store_busy"

    def __init__(self, where: Path) -> None:
        super().__init__(
            f"another hermes process is writing to {where}",
            hint="Wait for it to finish (`hermes status` shows what it does), then try again.",
        )


class NoSpace(HermesError):
    """The disk is full; what was written before is still there."""

    code = "no_space"

    def __init__(self, where: Path | str) -> None:
        super().__init__(
            f"no space left for the memory at {where}; nothing that was in it is lost",
            hint="Free some space and run the same again: it goes on from where it stopped.",
        )


class ReadOnly(HermesError):
    """The memory can be read but not written."""

    code = "read_only"

    def __init__(self, where: Path | str) -> None:
        super().__init__(
            f"the memory at {where} can't be written",
            hint="Check the folder's owner and permissions, or set HERMES_AMBIENT_HOME.",
        )


class NoMemory(HermesError):
    """There is no memory yet, and none can be made."""

    code = "no_memory"

    def __init__(self, where: Path) -> None:
        super().__init__(
            f"there is no memory at {where}, and the folder can't be written",
            hint="Check the folder's owner and permissions, or set HERMES_AMBIENT_HOME.",
        )


class StoreUnreachable(HermesError):
    """The vector store's location (an object store, say) does not answer."""

    code = "store_unreachable"

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(
            f"the memory's store at {where} does not answer: {reason}",
            hint="Check `[store] uri` and `storage_options` with `hermes config show`.",
        )


class EmbedderError(HermesError):
    """The embedder can't turn text into vectors; full text search still serves."""

    code = "embedder"
