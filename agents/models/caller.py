"""Who calls a model that several share, and the model as that caller sees it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..contract import Lane
from .call import OnCall
from .protocol import Delta, Message, ModelState


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, how urgently, and who is told when the call is over."""

    agent: str
    lane: Lane
    job: int | None = None
    event: int | None = None
    prompt: str = ""
    on_call: OnCall = lambda call: None
    wait: float | None = None
    """Seconds after which it gives up waiting for its turn; the time of the call itself is the
    model's to limit."""


@dataclass(frozen=True, slots=True)
class View:
    """A ChatModel: a shared model as one caller sees it."""

    name: str
    context_tokens: int
    begin: Callable[..., AsyncGenerator[Delta]]
    """Streams an answer for the caller, given what ChatModel.stream is given."""
    look: Callable[[], Coroutine[Any, Any, ModelState]]

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Delta]:
        """See ChatModel.stream."""
        return self.begin(
            messages, max_tokens=max_tokens, temperature=temperature, schema=schema, stop=stop
        )

    async def ready(self) -> ModelState:
        """See ChatModel.ready."""
        return await self.look()
