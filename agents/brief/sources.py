"""The table of where facts come from, and the one call that brings them all.

What a source brings is bounded: repositories are read at once, each in its own time, and one that
does not answer is named instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from .records import Fact, Found, Scope, Source

SOURCES: tuple[Source, ...] = ()


def gather(scope: Scope, at_night: Sequence[Fact] = ()) -> Found:
    """Return all facts, what attention holds and the first move among them, in no order yet.

    Blocking, for a thread. Never raises for one repository's fault: it is named in ``unreadable``.
    """
    return Found(tuple(at_night))
