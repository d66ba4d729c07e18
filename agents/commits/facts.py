"""What a change is, computed: everything that a message about it may say."""

from __future__ import annotations

from .records import Change, Facts


def facts_of(change: Change) -> Facts:
    """Compute a change's facts."""
    raise NotImplementedError
