"""What is kept of webhooks from run to run: the port that a tunnel leads to, and whose deliveries are
taken in, with which secret."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..ingest.sources.deliveries import PROVIDERS
from ..memory.errors import HermesError
from .private_file import write_private


class Damaged(HermesError):
    """What is kept can't be read."""

    code = "no_webhooks"

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} is damaged", hint="`hermes webhooks off`, then on again, with new secrets"
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """Where deliveries arrive, and how they are signed."""

    port: int
    secrets: Mapping[str, str] = field(default_factory=dict[str, str])
    """By provider: those that we made."""
    places: Mapping[str, str] = field(default_factory=dict[str, str])
    """By provider: where one is that the provider made, ``env:NAME`` or ``keyring:NAME``."""

    @property
    def names(self) -> tuple[str, ...]:
        """The providers whose deliveries are taken in."""
        return tuple(name for name in PROVIDERS if name in self.secrets or name in self.places)

    def without(self, name: str) -> Kept:
        """Return the same without a provider."""
        ours = {each: secret for each, secret in self.secrets.items() if each != name}
        theirs = {each: place for each, place in self.places.items() if each != name}
        return Kept(self.port, ours, theirs)

    def having(self, name: str, *, secret: str = "", place: str = "") -> Kept:
        """Return the same with a provider, and its secret or where that is."""
        rest = self.without(name)
        ours = dict(rest.secrets) | ({name: secret} if secret else {})
        theirs = dict(rest.places) | ({name: place} if place else {})
        return Kept(self.port, ours, theirs)


def read(path: Path) -> Kept | None:
    """Return what is kept; None if nothing is taken in. Raise Damaged, OSError."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
        ours, theirs = _texts(found["secrets"]), _texts(found["places"])
        kept = Kept(int(found["port"]), ours, theirs)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(path) from error
    said = [*kept.secrets.values(), *kept.places.values()]
    if not 0 < kept.port < 65_536 or not all(said):
        raise Damaged(path)
    return kept


def _texts(found: Any) -> dict[str, str]:
    return {str(name): value if isinstance(value, str) else "" for name, value in found.items()}


def write(path: Path, kept: Kept) -> None:
    """Keep it, for our eyes alone. Raise OSError."""
    write_private(path, asdict(kept))
