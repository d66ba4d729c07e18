"""What an Ollama server tells of itself: its version, what it has, and what it holds in memory;
and the two things it is told: load a model, fetch one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import httpx

from .protocol import Garbage, Interrupted, Missing, ModelError, Refused, TimedOut, Unreachable

LOOK_SECONDS = 2.0
LOAD_SECONDS = 300.0
"""A large model from a slow disk."""
PULL_SILENCE = 120.0
"""Seconds without a word after which a fetch is given up."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in a server's memory."""

    name: str
    size: int
    """Bytes, in all."""
    on_gpu: int
    """Bytes of it in a graphics card's memory."""
    until: str
    """When it is dropped unless it is used: a timestamp, as the server gives it."""
    context: int | None
    """Tokens of context that it was granted; None from servers that do not say."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A model that a server has on its disk."""

    name: str
    size: int
    """Bytes."""
    digest: str
    """Of its weights and settings: the same under another name."""
    family: str
    """As the server names it: ``qwen2``."""


@dataclass(frozen=True, slots=True)
class Pulling:
    """How far a fetch is. ``total`` is 0 where the server names no size."""

    status: str
    done: int = 0
    total: int = 0


class OllamaServer:
    """One server. ``url`` as host.server_url gives it. All methods raise ModelError."""

    def __init__(self, url: str) -> None:
        self.url = url

    async def version(self) -> str:
        """Return its version."""
        return str((await self._get("/api/version")).get("version") or "unknown")

    async def models(self) -> dict[str, int]:
        """Return the names of the models it has, each with its bytes."""
        return {model.name: model.size for model in await self.kept()}

    async def kept(self) -> list[Kept]:
        """Return the models it has."""
        return [
            Kept(
                str(model.get("name") or model.get("model")),
                _number(model.get("size")),
                str(model.get("digest") or ""),
                str(_object(model.get("details")).get("family") or ""),
            )
            for model in _objects((await self._get("/api/tags")).get("models"))
        ]

    async def loaded(self) -> list[Loaded]:
        """Return the models it has in memory."""
        return [
            Loaded(
                str(model.get("name") or model.get("model")),
                _number(model.get("size")),
                _number(model.get("size_vram")),
                str(model.get("expires_at") or ""),
                _number(model.get("context_length")) or None,
            )
            for model in _objects((await self._get("/api/ps")).get("models"))
        ]

    async def unload(self, name: str) -> None:
        """Have it take a model out of memory, once whoever uses it is done."""
        body = {"model": name, "keep_alive": 0, "stream": False}
        async with self._talking(LOOK_SECONDS), self._client(LOOK_SECONDS) as client:
            self._read(await client.post("/api/generate", json=body), name)

    async def load(self, name: str, *, context: int, keep_alive: int) -> None:
        """Have it load a model, with the same options as every call has, and wait for that."""
        body = {
            "model": name,
            "options": {"num_ctx": context},
            "keep_alive": keep_alive,
            "stream": False,
        }
        async with self._talking(LOAD_SECONDS), self._client(LOAD_SECONDS) as client:
            self._read(await client.post("/api/generate", json=body), name)

    async def pull(self, name: str) -> AsyncGenerator[Pulling]:
        """Have it fetch a model; yield how far it is. Closed early, the server keeps what it has
        and goes on from there the next time."""
        async with (
            self._talking(PULL_SILENCE),
            self._client(PULL_SILENCE) as client,
            client.stream("POST", "/api/pull", json={"model": name, "stream": True}) as answer,
        ):
            if answer.is_error:
                await answer.aread()
                self._read(answer, name)
            last = ""
            async for line in answer.aiter_lines():
                if not line.strip():
                    continue
                found = _object(json.loads(line))
                if "error" in found:
                    raise _pull_error(name, str(found["error"]))
                last = str(found.get("status") or "")
                yield Pulling(last, _number(found.get("completed")), _number(found.get("total")))
        if last != "success":
            raise Interrupted(
                f"{self.url} ended before {name} was whole.",
                hint=f"`hermes models pull {name}` goes on from there.",
            )

    async def _get(self, path: str) -> dict[str, Any]:
        async with self._talking(LOOK_SECONDS), self._client(LOOK_SECONDS) as client:
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    return self._read(await client.get(path), "")
            except TimeoutError:
                raise self._hangs(LOOK_SECONDS) from None

    def _client(self, seconds: float) -> httpx.AsyncClient:
        timeout = httpx.Timeout(seconds, connect=LOOK_SECONDS)
        # As for every call: no proxy of the environment comes between.
        return httpx.AsyncClient(
            base_url=self.url,
            timeout=timeout,
            trust_env=False,
            verify=self.url.startswith("https:"),
        )

    @asynccontextmanager
    async def _talking(self, seconds: float) -> AsyncGenerator[None]:
        """What can go wrong on the way, as ModelErrors."""
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.InvalidURL):
            raise Unreachable(
                f"Ollama does not answer at {self.url}.",
                hint="Start it (ollama serve, or its app), or set its address in the settings.",
            ) from None
        except httpx.TimeoutException:
            raise self._hangs(seconds) from None
        except httpx.HTTPError:
            raise Interrupted(
                f"The connection to {self.url} broke.", hint="Try again; Ollama's log says more."
            ) from None
        except (ValueError, TypeError):
            raise Garbage(
                f"What answers at {self.url} is not Ollama.",
                hint="Check the address in the settings.",
            ) from None

    def _hangs(self, seconds: float) -> ModelError:
        return TimedOut(
            f"Ollama at {self.url} said nothing for {seconds:g} s.", hint="Restart Ollama."
        )

    def _read(self, answer: httpx.Response, name: str) -> dict[str, Any]:
        """Return the object of an answer. Raise ModelError, ValueError or TypeError if it is none."""
        found = answer.json()
        if not isinstance(found, dict):
            raise TypeError("not an object")
        if answer.is_error:
            said = " ".join(str(found.get("error") or "").split())[:200]  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
            if answer.status_code == 404 and name:
                raise Missing(
                    f"{self.url} does not have the model {name}.",
                    hint=f"Run: hermes models pull {name}",
                )
            raise Refused(
                f"Ollama at {self.url} refused (status {answer.status_code}): "
                f"{said or 'no reason given'}",
                hint="Ollama's log says more.",
            )
        return cast(dict[str, Any], found)


def _pull_error(name: str, said: str) -> ModelError:
    said = " ".join(said.split())[:200]
    lower = said.lower()
    if "no space" in lower or "disk" in lower and "full" in lower:
        return Refused(
            f"There is no space left where Ollama keeps its models ({said}).",
            hint=f"Free some; `hermes models pull {name}` goes on from there.",
        )
    if "manifest" in lower or "not found" in lower or "does not exist" in lower:
        return Missing(
            f"There is no model {name} to fetch ({said}).",
            hint="Check its name and tag at https://ollama.com/library.",
        )
    return Interrupted(
        f"Ollama could not fetch {name}: {said}",
        hint=f"`hermes models pull {name}` goes on from where it was.",
    )


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _object(value: object) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _objects(value: object) -> list[dict[str, Any]]:
    return [_object(one) for one in cast(list[object], value)] if isinstance(value, list) else []
