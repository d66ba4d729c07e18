"""Whether a daemon that holds too much memory begins anew: only where that can be expected to help.

A limit below what hermes needs would otherwise have it begin anew for ever.
"""

from __future__ import annotations

SETTLED_SECONDS = 600.0
"""So long after the first look it never begins anew: what is held by then is what is needed."""
WORTH = 1.25
"""Beginning anew gives enough back when this many times the need is held."""


class Renewal:
    """Judges how much memory is held, from soon after the start on."""

    def __init__(self, limit: int) -> None:
        """``limit`` in bytes; 0 for none."""
        self._limit = limit
        self._settled: float | None = None
        self._need = 0
        self.note = ""
        """Why it does not begin anew although it holds too much; empty when that is not so."""

    def is_due(self, rss: int, clock: float) -> bool:
        """Given the bytes held now and a monotonic time, say whether to begin anew."""
        self.note = ""
        if self._settled is None:
            self._settled = clock + SETTLED_SECONDS
        settles = clock < self._settled
        if settles:
            self._need = max(self._need, rss)
        if not 0 < self._limit < rss:
            return False
        if not settles and rss > WORTH * self._need:
            return True
        self.note = (
            f"{rss / 1e6:.0f} MB of memory are held, which background.max_rss_mb ="
            f" {self._limit / 1e6:.0f} forbids, and starting again would give little back: raise it"
        )
        return False
