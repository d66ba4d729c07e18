"""What stands behind the API of the runtime: its parts, or a clear word that there are none."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from ..memory.errors import HermesError
from .host import Host
from .requests import FiltersIn
from .scope import to_filters
from .wire import Fields

if TYPE_CHECKING:
    from ..memory.work import Work
    from .attention.attention import Attention
    from .dispatch import Dispatcher
    from .ledger.followers import Followers
    from .ledger.ledger import Ledger
    from .runtime import Runtime
    from .sourcing import Sourcing
    from .triggers.schedule import Schedule
    from .web import Web
    from .webhooks import Webhooks


LEDGER = "ledger"
"""Under this name it is told why the ledger can't be opened."""


T = TypeVar("T")


class NoRuntime(HermesError):
    """There are no jobs and nobody who does them: the daemon does not run, or it has no ledger."""

    code = "no_worker"

    def __init__(self, host: Host | None = None) -> None:
        fault = host.faults.get(LEDGER) if host is not None else None
        if fault is not None:
            super().__init__(
                fault, hint="hermes status says what to do; you are answered meanwhile"
            )
            return
        super().__init__(
            "the daemon is not running, so there are no jobs", hint="start it with hermes up"
        )


def _present(host: Host, part: T | None) -> T:
    if part is None:
        raise NoRuntime(host)
    return part


def ledger_of(host: Host) -> Ledger:
    """Return the ledger. Raise NoRuntime in a stand-in."""
    return _present(host, host.ledger)


def work_of(host: Host) -> Work:
    """Return what agents found out. Raise NoRuntime in a stand-in."""
    return _present(host, host.work)


def runtime_of(host: Host) -> Runtime:
    """Return the runtime. Raise NoRuntime in a stand-in."""
    return _present(host, host.runtime)


def running_of(host: Host) -> list[Fields]:
    """Return the jobs that run, each with how far it is."""
    return [] if host.runtime is None else host.runtime.running()


def dispatcher_of(host: Host) -> Dispatcher:
    """Return the dispatcher. Raise NoRuntime in a stand-in."""
    return _present(host, host.dispatcher)


def schedule_of(host: Host) -> Schedule:
    """Return the schedule. Raise NoRuntime in a stand-in."""
    return _present(host, host.schedule)


def attention_of(host: Host) -> Attention:
    """Return attention. Raise NoRuntime in a stand-in."""
    return _present(host, host.attention)


def web_of(host: Host) -> Web:
    """Return who serves the local page. Raise NoRuntime in a stand-in."""
    return _present(host, host.web)


def webhooks_of(host: Host) -> Webhooks:
    """Return who takes deliveries in. Raise NoRuntime in a stand-in."""
    return _present(host, host.webhooks)


def followers_of(host: Host) -> Followers:
    """Return those who follow the journal. Raise NoRuntime in a stand-in."""
    return _present(host, host.followers)


def sourcing_of(host: Host) -> Sourcing:
    """Return who has sources read. Raise NoRuntime in a stand-in."""
    return _present(host, host.sourcing)


async def repo_id(host: Host, name: str | None) -> str | None:
    """Given a repository's id, name or path, or nothing, return its id. Raise NoSuchRepo."""
    if name is None:
        return None
    services = await host.warm.get()
    return (await asyncio.to_thread(services.repo, name)).id


async def repo_around(host: Host, name: str | None, cwd: str | None) -> str | None:
    """Return the id of the repository that is named, else of the one around a folder; None where
    there is none. Raise NoSuchRepo."""
    return (await repo_and_notes(host, name, cwd))[0]


async def repo_and_notes(
    host: Host, name: str | None, cwd: str | None
) -> tuple[str | None, tuple[str, ...]]:
    """Return the same, and notes for the person: that the one around is not in memory. Raise
    NoSuchRepo."""
    if name is None and cwd is None:
        return None, ()
    services = await host.warm.get()
    repos = await asyncio.to_thread(services.memory.index.repos)
    asked = FiltersIn(repos=(name,) if name else ())
    filters, notes = await asyncio.to_thread(to_filters, asked, cwd, repos)
    return (filters.repos[0] if filters.repos else None), notes


async def repo_names(host: Host) -> dict[str, str]:
    """Return the names of the repositories by their ids; none while memory is not open: nobody
    waits for it only to see a name."""
    services = host.warm.ready
    if services is None:
        return {}
    repos = await asyncio.to_thread(services.memory.index.repos)
    return {repo.id: repo.name for repo in repos}
