"""A server with the OpenAI chat completions protocol, scripted per test to behave well or badly."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .http import Exchange, HttpServer

Ending = Literal["done", "cut", "hang", "error", "garbage", "eof"]


@dataclass(frozen=True)
class Reply:
    """How the next completion is answered."""

    pieces: Sequence[str] = ()
    then: Ending = "done"
    status: int = 200
    body: bytes | None = None
    """Sent whole with ``status`` instead of the protocol."""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    finish: str = "stop"
    prompt_tokens: int = 12


class OpenAIServer(HttpServer):
    """Answers completions with the scripted replies, in order, and lists its models."""

    def __init__(self, *, models: Sequence[str] = ("small",), key: str | None = None) -> None:
        super().__init__()
        self._models = models
        self._key = key
        self._replies: deque[Reply] = deque()

    @property
    def base(self) -> str:
        """The base URL that clients are given."""
        return f"{self.url}/v1"

    def script(self, *replies: Reply) -> None:
        """Queue replies for the next completions."""
        self._replies.extend(replies)

    def completions(self) -> list[dict[str, Any]]:
        """Return the bodies of all completions asked for."""
        return [r.body for r in self.requests if r.path == "/v1/chat/completions"]

    async def respond(self, exchange: Exchange) -> None:
        """Answer one request."""
        request = exchange.request
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            await exchange.send_json({"error": {"message": "Incorrect API key"}}, 401)
        elif request.path == "/v1/models":
            data = [{"id": name, "object": "model"} for name in self._models]
            await exchange.send_json({"object": "list", "data": data})
        elif request.path == "/v1/chat/completions":
            await self._complete(exchange, self._replies.popleft())
        else:
            await exchange.send(404, b"not found", "text/plain")

    async def _complete(self, exchange: Exchange, reply: Reply) -> None:
        if reply.body is not None:
            await exchange.send(reply.status, reply.body, reply.content_type, reply.headers)
            return
        await exchange.start("text/event-stream")
        await exchange.piece(b": keep-alive comment\n\n")
        for piece in reply.pieces:
            await exchange.piece(_event({"choices": [{"delta": {"content": piece}}]}))
        match reply.then:
            case "cut":
                await exchange.cut()
                return
            case "hang":
                await exchange.hang()
                return
            case "error":
                await exchange.piece(_event({"error": {"message": "out of memory"}}))
            case "garbage":
                await exchange.piece(b"data: {not json\n\n")
            case "eof":
                pass
            case "done":
                await exchange.piece(
                    _event({"choices": [{"delta": {}, "finish_reason": reply.finish}]})
                )
                usage = {
                    "prompt_tokens": reply.prompt_tokens,
                    "completion_tokens": len(reply.pieces),
                }
                await exchange.piece(_event({"choices": [], "usage": usage}))
                await exchange.finish(b"data: [DONE]\n\n")
                return
        await exchange.finish()


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"
