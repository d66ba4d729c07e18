"""What a juror is to those who ask it, and jurors that are models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from ...models.protocol import ChatModel, Message, Usage


@dataclass(frozen=True, slots=True)
class Said:
    """What was answered, and what it took (0 where it is not told)."""

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cut: bool = False
    """It ended because it had used up its tokens."""


class Voice(Protocol):
    """Whoever can be asked."""

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may take together."""
        ...

    async def say(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
    ) -> Said:
        """Answer a conversation. Raise ModelError."""
        ...

    async def absent(self) -> str:
        """Return why it can't be asked now; empty if it can. Never raise."""
        ...


@dataclass(frozen=True, slots=True)
class ModelVoice:
    """A model behind its gate."""

    model: ChatModel

    @property
    def context_tokens(self) -> int:
        """See Voice."""
        return self.model.context_tokens

    async def say(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
    ) -> Said:
        """See Voice."""
        pieces: list[str] = []
        used = Usage()
        answer = self.model.stream(
            messages, max_tokens=max_tokens, temperature=temperature, schema=schema
        )
        async with aclosing(answer) as deltas:
            async for delta in deltas:
                pieces.append(delta.text)
                used = delta.usage or used
        return Said("".join(pieces), used.tokens_in, used.tokens_out, used.cut)

    async def absent(self) -> str:
        """See Voice."""
        state = await self.model.ready()
        return "" if state.ready else state.detail or f"{self.model.name} is not there"
