"""A model that says what it was told to: for tests and demonstrations, offline and exact.

model = ScriptedModel()
model.enqueue("The queue was dropped because jobs ran twice [1].")
model.enqueue(Unreachable("no server"))        # the second call fails
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .budget import estimate_prompt, estimate_tokens
from .protocol import Delta, Message, ModelError, ModelState, Usage


@dataclass(frozen=True, slots=True)
class Call:
    """One call that was made of the model."""

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float
    schema: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Script:
    """An answer, and optionally the error that breaks it off."""

    text: str = ""
    then: ModelError | None = None


class ScriptedModel:
    """A ChatModel without a model. ``history`` has every call that was made."""

    def __init__(
        self,
        *answers: str | ModelError | Script,
        name: str = "scripted",
        context_tokens: int = 8_192,
        state: ModelState | None = None,
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.history: list[Call] = []
        self._state = state or ModelState(True, True)
        self._answers: deque[Script] = deque()
        for answer in answers:
            self.enqueue(answer)

    def enqueue(self, answer: str | ModelError | Script) -> None:
        """Queue what the next call gives: a text, an error, or a text that breaks off."""
        if isinstance(answer, str):
            answer = Script(answer)
        elif isinstance(answer, ModelError):
            answer = Script(then=answer)
        self._answers.append(answer)

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Delta]:
        """See ChatModel.stream. Raise AssertionError when nothing is queued."""
        self.history.append(Call(tuple(messages), max_tokens, temperature, schema))
        if not self._answers:
            raise AssertionError("the scripted model was asked once more than it has answers")
        script = self._answers.popleft()
        for piece in re.findall(r"\s*\S{1,7}|\s+$", script.text):
            yield Delta(piece)
        if script.then is not None:
            raise script.then
        yield Delta("", Usage(estimate_prompt(messages), estimate_tokens(script.text)))

    async def ready(self) -> ModelState:
        """See ChatModel.ready."""
        return self._state
