"""How deliveries went, by provider: what came, what was turned away, and why the last time."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

Fields = dict[str, Any]


@dataclass(slots=True)
class Count:
    """Of one provider, since it was turned on."""

    accepted: int = 0
    """They lead to a source being read."""
    again: int = 0
    """They had come before."""
    ignored: int = 0
    """No source reads what they are about."""
    other: int = 0
    """Pings, challenges, and what tells of nothing that is read."""
    refused: int = 0
    last: float | None = None
    """When one came that was signed, in seconds since 1970."""
    what: str = ""
    refused_at: float | None = None
    reason: str = ""
    """Why the last one was refused."""
    skewed: int = 0
    skew: float | None = None
    """Seconds by which the last one that was refused for its time was off; from the future if
    negative."""

    def came(self, kind: str, what: str, now: float) -> None:
        """Count one that was signed: accepted, again, ignored or other."""
        setattr(self, kind, getattr(self, kind) + 1)
        self.last, self.what = now, what

    def refuse(self, reason: str, now: float, skew: float | None = None) -> None:
        """Count one that was refused."""
        self.refused += 1
        self.refused_at, self.reason = now, reason
        if skew is not None:
            self.skewed += 1
            self.skew = skew if math.isfinite(skew) else None

    def fields(self) -> Fields:
        """Return it as JSON has it."""
        return asdict(self)


def counts_of(found: Any) -> dict[str, Count]:
    """Given what JSON held, return the counts; none of what is of another version."""
    names = {each.name for each in fields(Count)}
    said: Fields = found or {}
    return {name: Count(**count) for name, count in said.items() if set(count) <= names}
