"""What a chat model is to the agents, and the ways in which it can fail."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ...memory.errors import HermesError

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call took, as the server counted it (0 where it does not say)."""

    tokens_in: int = 0
    tokens_out: int = 0
    cut: bool = False
    """The answer ended because ``max_tokens`` were used up."""


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of a streamed answer. The last one has the usage."""

    text: str
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class ModelState:
    """Whether a model can be asked now, and if not, why and what to do."""

    reachable: bool
    present: bool
    detail: str = ""
    hint: str = ""

    @property
    def ready(self) -> bool:
        """Whether a call may be tried."""
        return self.reachable and self.present


class ChatModel(Protocol):
    """A model that continues a conversation."""

    @property
    def name(self) -> str:
        """The model's name, e.g. ``hermes3:8b``."""
        ...

    @property
    def context_tokens(self) -> int:
        """Tokens that prompt and answer may take together."""
        ...

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Delta]:
        """Given a conversation, yield the answer as it is written; the last Delta has the usage.

        Close the iterator to cancel, also on the server. With ``schema`` (JSON Schema) the answer
        is JSON that fits it, as far as the server keeps its word. Raise a ModelError.
        """
        ...

    async def ready(self) -> ModelState:
        """Ask the server, within about two seconds, whether the model is there. Never raise."""
        ...


class ModelError(HermesError):
    """A model did not answer as it should. ``message`` is one line; ``hint`` says what to do."""

    code = "model"


class Unreachable(ModelError):
    """No server answers at the address."""

    code = "model_unreachable"


class Missing(ModelError):
    """The server does not have the model."""

    code = "model_missing"


class Refused(ModelError):
    """The server answered that it will not, or cannot, do this."""

    code = "model_refused"


class KeyRefused(Refused):
    """The server does not take the key, or there is none."""

    code = "model_key"


class Throttled(Refused):
    """The server takes no more calls for now: its queue is full, or a limit is reached."""

    code = "model_throttled"

    def __init__(self, message: str, *, hint: str = "", after: float | None = None) -> None:
        """``after``: the seconds that it asks to wait, where it says so."""
        super().__init__(message, hint=hint)
        self.after = after


class TimedOut(ModelError):
    """Nothing came for too long."""

    code = "model_timeout"


class Busy(TimedOut):
    """Others were asked first for too long; the server itself may be well."""

    code = "model_busy"


class Interrupted(ModelError):
    """The answer broke off in the middle."""

    code = "model_interrupted"


class Truncated(ModelError):
    """The prompt did not fit the model's context, so it was cut."""

    code = "model_truncated"


class Garbage(ModelError):
    """What came is not an answer: not the protocol, or empty."""

    code = "model_garbage"
