"""Every host that may be contacted, and why. Nothing else ever is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from ..memory.sources import SourceRow
from .settings import Settings
from .sourcing import contacts_of
from .wire import Fields

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Destination:
    """One address, and what for."""

    address: str
    why: list[str] = field(default_factory=list[str])
    sends_text: bool = True
    """Whether text of yours goes there; a source is only read."""

    @property
    def host(self) -> str:
        """The host's name."""
        return urlsplit(self.address).hostname or self.address

    @property
    def local(self) -> bool:
        """Whether it is this machine."""
        return self.host in LOOPBACK

    def fields(self) -> Fields:
        """Return it as an object."""
        return {
            "address": self.address,
            "host": self.host,
            "why": self.why,
            "local": self.local,
            "sends_text": self.sends_text,
        }


def destinations_of(settings: Settings, sources: Sequence[SourceRow] = ()) -> list[Destination]:
    """Return every address that may be contacted with these settings and sources."""
    found: dict[str, Destination] = {}

    def note(address: str, why: str, *, sends_text: bool = True) -> None:
        known = found.setdefault(address, Destination(address, sends_text=sends_text))
        known.why.append(why)

    if settings.models.provider == "ollama":
        note(settings.ollama.host, "language model")
    if settings.models.provider == "openai":
        note(settings.openai.base_url, "language model")
    providers = {juror.partition(":")[0] for juror in settings.council.jurors}
    if "ollama" in providers:
        note(settings.ollama.host, "jurors")
    if "openai" in providers:
        note(settings.openai.base_url, "jurors")
    if settings.embedder.provider in ("auto", "ollama"):
        note(settings.ollama.host, "embeddings")
    if "://" in settings.store.uri and not settings.store.uri.startswith("file:"):
        note(settings.store.uri, "the memory itself")
    for row in sources:
        for contact in contacts_of(row):
            paused = ", paused" if row.paused else ""
            note(contact.host, f"source {row.name}{paused}: {contact.why}", sends_text=False)
    return list(found.values())
