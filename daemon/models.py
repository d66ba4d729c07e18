"""What is known of the language model: its hosts, what is in their memory, who uses it at what
cost; and fetching one that is missing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ..agents.models.hosts import Host, Hosts
from ..agents.models.ollama_server import OllamaServer
from ..agents.models.protocol import ModelError
from ..agents.models.warm import KeepWarm, tagged
from ..agents.roster import CARDS
from ..memory.errors import HermesError

Fields = dict[str, Any]

USAGE_DAYS = 30
ROUTER = "router"
MODEL_FREE = frozenset({"indexer"})
"""Agents that never ask a model."""

ENOUGH_CALLS = 50
"""Calls from which usage says something."""
SHORT_ANSWER = 32
"""Tokens, on average, up to which an answer is short."""
SLOW = 1.0
"""Seconds, in the median, from which a smaller model would be noticed."""


class NoServer(HermesError):
    """There is no Ollama server that could fetch a model."""

    code = "no_model_server"


@dataclass(frozen=True, slots=True)
class Models:
    """See the module."""

    provider: str
    hosts: Hosts | None
    """None where settings name no model."""
    keeper: KeepWarm | None
    usage: Callable[[float], Sequence[Mapping[str, Any]]] = lambda since: ()
    """The ledger's calls by agent since a time; takes milliseconds, so it is called in a thread."""
    installed: Sequence[str] = ()

    async def fields(self) -> Fields:
        """Return everything, asking each host for about two seconds at most."""
        since = time.time() - USAGE_DAYS * 86_400
        rows = await asyncio.to_thread(self.usage, since)
        hosts = await self._hosts()
        return {
            "provider": self.provider,
            "model": self.hosts.name if self.hosts else None,
            "context": self.hosts.context_tokens if self.hosts else None,
            "hosts": hosts,
            "agents": self._agents(rows),
            "usage_days": USAGE_DAYS,
            "suggestions": suggestions(rows),
            "warnings": [warning for host in hosts for warning in host["warnings"]],
        }

    async def pull(self, name: str) -> AsyncGenerator[Fields]:
        """Fetch a model on every Ollama host that does not have it; yield progress, then done.

        Raise ModelError or NoServer. Closed early, what has come is kept for the next time.
        """
        servers = list(self.keeper.servers) if self.keeper else []
        if not servers:
            raise NoServer(
                "only an Ollama server can fetch models, and settings name none",
                hint="set [models] provider to ollama, or load the model into your own server",
            )
        started = time.monotonic()
        fetched: list[str] = []
        for server in servers:
            if tagged(name) in {tagged(there) for there in await server.models()}:
                yield {"type": "notice", "text": f"{server.url} has {name} already; checking it"}
            where = f" on {server.url}" if len(servers) > 1 else ""
            async with aclosing(server.pull(name)) as parts:
                async for part in parts:
                    if part.status == "success":
                        continue
                    yield {
                        "type": "progress",
                        "phase": f"{part.status}{where}",
                        "done": part.done,
                        "total": part.total,
                    }
            fetched.append(server.url)
        report = {"model": name, "hosts": fetched, "seconds": time.monotonic() - started}
        yield {"type": "done", "report": report}

    async def _hosts(self) -> list[Fields]:
        if self.hosts is None:
            return []
        servers = list(self.keeper.servers) if self.keeper else []
        if not servers:
            return list(await asyncio.gather(*(_other(host) for host in self.hosts.hosts)))
        pairs = zip(self.hosts.hosts, servers, strict=True)
        looks = (_ollama(self.hosts, host, server) for host, server in pairs)
        return list(await asyncio.gather(*looks))

    def _agents(self, rows: Sequence[Mapping[str, Any]]) -> list[Fields]:
        """Return which agent uses which model, with what it took; who never called has zeros."""
        model = self.hosts.name if self.hosts else None
        called = {row["agent"] for row in rows}
        users = [ROUTER, *(name for name in CARDS if name in self.installed)]
        quiet = [name for name in users if name not in called and name not in MODEL_FREE]
        empty = {"calls": 0, "failed": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0}
        return [
            *(dict(row) for row in rows),
            *({"agent": name, "model": model, **empty, "median": None} for name in quiet),
        ]


def suggestions(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Given calls by agent and model, return who could try a smaller model, with the evidence.

    Only where it would be noticed and nothing speaks against it: many calls, short answers, none
    failed, and each takes a while. Whether a smaller one answers as well only a measurement tells.
    """
    found: list[str] = []
    for row in rows:
        well = row["calls"] - row["failed"]
        if row["calls"] < ENOUGH_CALLS or row["failed"] or not row["median"]:
            continue
        average = row["tokens_out"] / well
        if average <= SHORT_ANSWER and row["median"] >= SLOW:
            found.append(
                f"{row['agent']}: {row['calls']} calls of {row['model']}, none failed, "
                f"{average:.0f} tokens an answer, {row['median']:.1f} s in the median: "
                "short answers that a smaller model may give as well, and sooner"
            )
    return found


async def _ollama(hosts: Hosts, host: Host, server: OllamaServer) -> Fields:
    fields = _basics(host)
    try:
        version, models, loaded = await asyncio.gather(
            server.version(), server.models(), server.loaded()
        )
    except ModelError as error:
        return fields | {"reachable": False, "detail": error.message, "hint": error.hint}
    wanted = tagged(hosts.name)
    present = wanted in {tagged(name) for name in models}
    fields |= {
        "reachable": True,
        "present": present,
        "version": version,
        "models": sorted(models),
        "loaded": [
            {
                "name": model.name,
                "size": model.size,
                "on_gpu": model.on_gpu,
                "until": model.until,
                "context": model.context,
                "ours": tagged(model.name) == wanted,
            }
            for model in loaded
        ],
    }
    if not present:
        fields["detail"] = f"{server.url} does not have {hosts.name}"
        fields["hint"] = f"hermes models pull {hosts.name}"
    for model in loaded:
        granted = model.context
        if tagged(model.name) == wanted and granted and granted < hosts.context_tokens:
            fields["warnings"].append(
                f"{hosts.name} was granted {granted:,} tokens of context at {server.url}, not "
                f"the {hosts.context_tokens:,} that settings ask for: longer prompts fail. Set "
                "[models] num_ctx to what is granted, or use a smaller model"
            )
    return fields


async def _other(host: Host) -> Fields:
    state = await host.gate.ready()
    return _basics(host) | {
        "reachable": state.reachable,
        "present": state.present,
        "detail": state.detail,
        "hint": state.hint,
    }


def _basics(host: Host) -> Fields:
    return {
        **host.fields(),
        "reachable": False,
        "present": False,
        "detail": "",
        "hint": "",
        "version": None,
        "models": list[str](),
        "loaded": list[Fields](),
        "warnings": list[str](),
    }
