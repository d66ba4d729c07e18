"""A server that speaks Ollama's wire protocol, scripted per test to behave well or badly.

    with OllamaServer() as server:
        server.script(Reply(["The queue", " was dropped [1]."]))
        server.script(Reply(["half"], then="cut"))

Each scripted reply serves one call of chat, generate or embed, in order; after them calls are
answered by ``answer`` and by made-up vectors. The real server's habits are kept: a prompt longer
than ``num_ctx`` is cut without a word, errors come as ``{"error": …}`` with a status or as a line
in the stream, names without a tag mean ``:latest``.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import ollama_shapes as shapes
from .http import Exchange, HttpServer
from .ollama_shapes import OllamaModel, default_models, vector

__all__ = ["OllamaModel", "OllamaServer", "Reply", "vector"]

Ending = Literal["done", "cut", "hang", "error", "garbage", "eof"]
"""How a reply ends after its pieces: as it should, dropped connection, silence, an error line,
a line that is not JSON, or an end of the stream without the last object."""


PullEnding = Literal["success", "cut", "full", "hang"]
"""How a pull ends when it is half done."""


@dataclass(frozen=True)
class Reply:
    """How the next call is answered."""

    pieces: Sequence[str] = ()
    then: Ending = "done"
    status: int = 200
    body: bytes | None = None
    """Sent whole with ``status`` instead of anything that follows the protocol."""
    content_type: str = "application/json"
    error: str = "an error was encountered while running the model"
    done_reason: str = "stop"
    prompt_tokens: int | None = None
    """What is claimed as prompt_eval_count; counted from the prompt when None."""
    before: float = 0.0
    """Seconds of silence before the first piece."""


Answer = Callable[[dict[str, Any]], AsyncIterator[str]]


async def echo(body: dict[str, Any]) -> AsyncIterator[str]:
    """Answer with the last message, a word at a time."""
    text = str(body["messages"][-1]["content"]) if body.get("messages") else str(body["prompt"])
    for word in re.findall(r"\s*\S+", text):
        yield word


class OllamaServer(HttpServer):
    """See the module."""

    def __init__(
        self, *, models: Sequence[OllamaModel] | None = None, answer: Answer = echo
    ) -> None:
        super().__init__()
        self.models = {m.name: m for m in (default_models() if models is None else models)}
        self.loaded: dict[str, dict[str, Any]] = {}
        """Models in memory: options and keep_alive of the last call."""
        self.loads: list[tuple[str, int]] = []
        """Each load of a model, with its num_ctx: one fixed num_ctx loads once."""
        self.grants: int | None = None
        """Tokens of context that it grants at most, as a server short of memory does."""
        self.pull_ends: PullEnding = "success"
        self._answer = answer
        self._replies: deque[Reply] = deque()

    def script(self, *replies: Reply) -> None:
        """Queue replies for the next calls of chat, generate and embed."""
        self._replies.extend(replies)

    def evict(self, name: str) -> None:
        """Drop a model from memory, as the server does when it needs the room."""
        del self.loaded[name]

    def calls(self, path: str) -> list[dict[str, Any]]:
        """Return the bodies that were posted to a path, in order."""
        return [request.body for request in self.requests if request.path == path]

    async def respond(self, exchange: Exchange) -> None:
        """Answer one request as the real server would, or as scripted."""
        request = exchange.request
        loads = request.path == "/api/generate" and "prompt" not in request.body
        answers = request.path in ("/api/chat", "/api/generate", "/api/embed") and not loads
        if answers and self._replies:
            await self._scripted(exchange, self._replies.popleft())
            return
        match (request.method, request.path):
            case ("GET" | "HEAD", "/"):
                await exchange.send(200, b"Ollama is running", "text/plain")
            case ("GET", "/api/version"):
                await exchange.send_json({"version": "0.13.5"})
            case ("GET", "/api/tags"):
                await exchange.send_json({"models": [shapes.tag(m) for m in self.models.values()]})
            case ("GET", "/api/ps"):
                await exchange.send_json({"models": [self._running(name) for name in self.loaded]})
            case ("POST", "/api/show" | "/api/chat" | "/api/generate" | "/api/embed"):
                await self._with_model(exchange)
            case ("POST", "/api/pull"):
                await self._pull(exchange)
            case _:
                await exchange.send(404, b"404 page not found", "text/plain")

    async def _with_model(self, exchange: Exchange) -> None:
        request = exchange.request
        name = shapes.tagged(str(request.body.get("model", "")))
        model = self.models.get(name)
        if model is None:
            shown = request.body.get("model", "")
            await exchange.send_json({"error": f"model '{shown}' not found"}, 404)
        elif request.path == "/api/show":
            await exchange.send_json(shapes.show(model))
        elif not shapes.valid_keep_alive(request.body.get("keep_alive")):
            await exchange.send_json({"error": "time: invalid duration"}, 400)
        else:
            empties = "prompt" not in request.body and request.body.get("keep_alive") == 0
            if request.path == "/api/generate" and empties:
                self.loaded.pop(name, None)
            else:
                self._load(name, request.body)
            if request.path == "/api/embed":
                await self._embed(exchange, name)
            elif request.path == "/api/generate" and "prompt" not in request.body:
                last = {"done": True, "done_reason": "load"}
                await exchange.send(200, shapes.line(request, "", last))
            else:
                await self._scripted(exchange, Reply())

    def _load(self, name: str, body: Mapping[str, Any]) -> None:
        context = int(shapes.options(body).get("num_ctx", shapes.DEFAULT_CONTEXT))
        before = self.loaded.get(name)
        if before is None or before["num_ctx"] != context:
            self.loads.append((name, context))
        self.loaded[name] = {"num_ctx": context, "keep_alive": body.get("keep_alive", "5m")}
        if body.get("keep_alive") == 0:
            del self.loaded[name]

    async def _scripted(self, exchange: Exchange, reply: Reply) -> None:
        request = exchange.request
        if reply.body is not None or reply.status != 200:
            body = reply.body
            if body is None:
                body = json.dumps({"error": reply.error}).encode()
            await exchange.send(reply.status, body, reply.content_type)
            return
        if reply.before:
            await asyncio.sleep(reply.before)
        prompt = shapes.prompt(request.body)
        context = int(shapes.options(request.body).get("num_ctx", shapes.DEFAULT_CONTEXT))
        eaten = min(shapes.count_tokens(prompt), context)
        tokens_in = eaten if reply.prompt_tokens is None else reply.prompt_tokens
        limit = int(shapes.options(request.body).get("num_predict", -1))
        pieces: list[str] = []
        reason = reply.done_reason
        streamed = request.body.get("stream", True)
        if streamed:
            await exchange.start("application/x-ndjson")
        async for piece in (
            _pieces(reply) if reply.pieces or reply.then != "done" else (self._answer(request.body))
        ):
            if 0 <= limit <= len(pieces):
                reason = "length"
                break
            pieces.append(piece)
            if streamed:
                await exchange.piece(shapes.line(request, piece))
        end = b""
        match reply.then:
            case "cut":
                await exchange.cut()
                return
            case "hang":
                await exchange.hang()
                return
            case "error" if streamed:
                end = json.dumps({"error": reply.error}).encode() + b"\n"
            case "garbage" if streamed:
                end = b"<<<not json>>>\n"
            case "eof":
                pass
            case _:
                last = {
                    "done": True, "done_reason": reason, "total_duration": 1_000_000,
                    "prompt_eval_count": tokens_in, "eval_count": len(pieces),
                }  # fmt: skip
                whole = "" if streamed else "".join(pieces)
                end = shapes.line(request, whole, last)
        await (exchange.finish(end) if streamed else exchange.send(200, end))

    async def _embed(self, exchange: Exchange, name: str) -> None:
        body = exchange.request.body
        given = body["input"]
        texts: list[str] = [given] if isinstance(given, str) else list(given)
        counts = [shapes.count_tokens(text) for text in texts]
        if max(counts, default=0) > shapes.EMBED_CONTEXT and body.get("truncate", True) is False:
            error = {"error": "the input length exceeds the context length"}
            await exchange.send_json(error, 400)
            return
        await exchange.send_json(
            {
                "model": name,
                "embeddings": [vector(text) for text in texts],
                "prompt_eval_count": sum(min(count, shapes.EMBED_CONTEXT) for count in counts),
            }
        )

    async def _pull(self, exchange: Exchange) -> None:
        name = str(exchange.request.body["model"])
        if name.startswith("no-such"):
            await exchange.start("application/x-ndjson")
            await exchange.piece(b'{"error":"pull model manifest: file does not exist"}\n')
            await exchange.finish()
            return
        await exchange.start("application/x-ndjson")
        for done in (0, 50, 100):
            if done == 100 and self.pull_ends != "success":
                await self._break_off(exchange)
                return
            status = {"status": "pulling 6a0746a1ec1a", "total": 100, "completed": done}
            await exchange.piece(json.dumps(status).encode() + b"\n")
        self.models[shapes.tagged(name)] = OllamaModel(shapes.tagged(name))
        await exchange.piece(b'{"status":"success"}\n')
        await exchange.finish()

    async def _break_off(self, exchange: Exchange) -> None:
        match self.pull_ends:
            case "cut":
                await exchange.cut()
            case "hang":
                await exchange.hang()
            case _:
                error = b'{"error":"write /models/blobs/sha256-6a07: no space left on device"}\n'
                await exchange.finish(error)

    def _running(self, name: str) -> dict[str, Any]:
        context = min(self.loaded[name]["num_ctx"], self.grants or 1_048_576)
        return {
            **shapes.tag(self.models[name]),
            "expires_at": shapes.NOW,
            "size_vram": 0,
            "context_length": context,
        }


async def _pieces(reply: Reply) -> AsyncIterator[str]:
    for piece in reply.pieces:
        yield piece
