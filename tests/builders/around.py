"""What surrounds an agent in tests: a context that asks nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hermes.agents.models.protocol import ChatModel


@dataclass
class Around:
    """A context without a worker; ``written`` is what the agent said that it wrote."""

    chat: ChatModel | None = None
    written: list[str] = field(default_factory=list[str])

    def model(self) -> ChatModel | None:
        """Return the model, if there is one."""
        return self.chat

    async def bulk(
        self,
        task: str,
        repo: str | None = None,
        *,
        source: str | None = None,
        seconds: float | None = None,
    ) -> Mapping[str, Any]:
        """Fail: there is no worker."""
        raise AssertionError(task)

    def progress(self, phase: str, done: int, total: int) -> None:
        """Take note of nothing."""

    def read(self, reference: str) -> None:
        """Take note of nothing."""

    def wrote(self, reference: str) -> None:
        """Keep what was written."""
        self.written.append(reference)
