"""What the exit codes mean; docs/cli.md has the same list."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...memory.errors import HermesError

DONE = 0
FAILED = 1
USAGE = 2
"""The command line or the settings are wrong."""
NOTHING_RELEVANT = 3
"""Asked or searched, and memory holds nothing on it; or there is no change to judge."""
ABSENT = 4
"""The daemon is not running, or the repository is not in memory."""
INTERRUPTED = 130
BROKEN_PIPE = 141

_BY_CODE = {
    "nobody": NOTHING_RELEVANT,
    "nothing_staged": NOTHING_RELEVANT,
    "nothing_to_forget": NOTHING_RELEVANT,
    "no_such_pull": NOTHING_RELEVANT,
    "pull_not_here": NOTHING_RELEVANT,
    "not_running": ABSENT,
    "not_in_memory": ABSENT,
    "settings": USAGE,
    "usage": USAGE,
    "ambiguous": USAGE,
    "no_such_agent": USAGE,
    "no_such_entry": USAGE,
    "no_such_source": USAGE,
    "date": USAGE,
    "empty_question": USAGE,
    "no_judgment": USAGE,
    "no_such_preset": USAGE,
    "bad_lesson": USAGE,
    "invalid_request": USAGE,
    "too_large": USAGE,
}


def of(error: HermesError) -> int:
    """Return the exit code of an error, by its word."""
    return _BY_CODE.get(error.code, FAILED)
