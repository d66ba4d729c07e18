"""What doctor looks at, each with what to do about it."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..memory.errors import HermesError
from ..memory.sources import SourceRow
from .host import Host
from .model_look import NO_MODEL
from .network import destinations_of
from .paths import Paths
from .settings import Settings

if TYPE_CHECKING:
    from .services import Services

LITTLE_SPACE = 1_000_000_000
"""Free bytes under which the disk is worth a warning."""
HARDLY_ANY_SPACE = 100_000_000

State = Literal["ok", "warn", "fail"]
STATES: dict[str, State] = {"ok": "ok", "degraded": "warn", "down": "fail"}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    detail: str
    hint: str = ""


async def examine(host: Host) -> list[dict[str, Any]]:
    """Look at everything; what fails is an entry, never an error."""
    checks = [_python(), await asyncio.to_thread(_git), _command(), _space(host.paths)]
    sources: list[SourceRow] = []
    checks += [_door(host.paths)] if host.runtime is not None else []
    checks += _triggers(host)
    try:
        services = await host.warm.get()
    except HermesError as error:
        checks.append(Check("memory", "fail", error.message, error.hint))
    else:
        checks += await asyncio.to_thread(_tried, _memory, services)
        checks += [_embedder(services), await _model(host)]
        checks += await asyncio.to_thread(_tried, _repos, services)
        checks += await asyncio.to_thread(_tried, _sources, services)
        with suppress(HermesError):  # it is said above
            sources = await asyncio.to_thread(services.memory.index.sources.all)
    checks += destinations(host.settings, sources)
    # A damaged memory fails everything that reads it, with the same words.
    return [asdict(check) for check in dict.fromkeys(checks)]


def _tried(look: Callable[[Services], Iterator[Check]], services: Services) -> list[Check]:
    """Given a way to look at the memory, return what it finds, or that it can't be read."""
    try:
        return list(look(services))
    except HermesError as error:
        return [Check("memory", "fail", error.message, error.hint)]


def destinations(settings: Settings, sources: Sequence[SourceRow] = ()) -> Iterator[Check]:
    """Yield every address that may be contacted with these settings and sources, and what for."""
    found = destinations_of(settings, sources)
    if not found:
        yield Check("destinations", "ok", "none: nothing is ever contacted")
    for each in found:
        what = f"{each.address} ({' and '.join(each.why)})"
        if each.local:
            yield Check("destination", "ok", f"{what}: this machine")
        elif each.sends_text:
            yield Check("destination", "warn", f"{what}: text of yours leaves this machine")
        else:
            yield Check("destination", "ok", f"{what}: it is read, and sent nothing of yours")


def _python() -> Check:
    return Check("python", "ok", f"{platform.python_version()} at {sys.executable}")


def _git() -> Check:
    from ..ingest.git.command import check_git

    try:
        return Check("git", "ok", ".".join(map(str, check_git())))
    except HermesError as error:
        return Check("git", "fail", error.message, error.hint)


def _command() -> Check:
    first = shutil.which("hermes")
    if first is None:
        return Check("command", "ok", f"hermes is not on the PATH; it is in {_scripts()}")
    if _is_ours(Path(first)):
        return Check("command", "ok", first)
    return Check(
        "command",
        "warn",
        f"another program called hermes comes first on the PATH: {first}",
        "use the command hermes-ambient, which is always this one",
    )


def _scripts() -> Path:
    return Path(sys.executable).parent


def _is_ours(command: Path) -> bool:
    if command.resolve().parent in (_scripts(), _scripts().resolve()):
        return True
    try:
        with command.open("rb") as file:
            return b"hermes.surfaces.cli" in file.read(4096)
    except OSError:
        return False


def _space(paths: Paths) -> Check:
    there = next(place for place in (paths.state, *paths.state.parents) if place.exists())
    free = shutil.disk_usage(there).free
    detail = f"{free / 1e9:,.1f} GB free where memory lies ({there})"
    if free < HARDLY_ANY_SPACE:
        return Check("disk", "fail", detail, "free some space: memory can't grow")
    if free < LITTLE_SPACE:
        return Check("disk", "warn", detail, "free some space soon")
    return Check("disk", "ok", detail)


def _door(paths: Paths) -> Check:
    """The way in: nobody but us may pass."""
    way = paths.token if paths.token.exists() else paths.socket
    try:
        ways: list[tuple[Path, int]] = [(way, 0o600), (way.parent, 0o700)]
        for place, wanted in ways:
            found = stat.S_IMODE(place.stat().st_mode)
            if os.name == "posix" and found & ~wanted:
                return Check(
                    "socket",
                    "fail",
                    f"{place} has mode {found:o}: others may get in",
                    f"chmod {wanted:o} {place}",
                )
    except OSError as error:
        return Check("socket", "fail", f"{error.filename}: {error.strerror}", "restart hermes")
    return Check("socket", "ok", f"{way}, for you alone")


def _memory(services: Services) -> Iterator[Check]:
    found = services.memory.check()
    for finding in found:
        yield Check("memory", "fail" if finding.serious else "warn", finding.problem, finding.hint)
    if not any(finding.serious for finding in found):
        stats = services.memory.stats()
        yield Check("memory", "ok", f"whole: {stats.commits:,} commits, {stats.chunks:,} chunks")


def _triggers(host: Host) -> Iterator[Check]:
    """What has to live for hermes to be up to date: watch, spool, schedule, queue, attention."""
    for name, fault in host.faults.items():
        yield Check(name, "fail", fault, f"its log says more: {host.paths.log_file}")
    for trigger in host.triggers:
        found = trigger.state()
        if found["name"] not in host.faults:
            state: State = STATES[found["state"]]
            yield Check(found["name"], state, found["detail"] or "works")


def _embedder(services: Services) -> Check:
    embedder = services.memory.embedder
    if embedder is None and services.note:
        return Check("embedder", "warn", services.note, 'set [embedder] provider = "auto"')
    if embedder is None:
        return Check("embedder", "ok", "off: full text only")
    what = f"{embedder.name}, {embedder.dimension} dimensions"
    return Check("embedder", "ok", what, services.note)


async def _model(host: Host) -> Check:
    state = NO_MODEL if host.chat is None else await host.chat.look.now()
    if state["name"] is None:
        return Check("model", "ok", "off: answers are put together by rule")
    what = f"{state['name']}: {state['detail']}" if state["detail"] else str(state["name"])
    return Check("model", "ok" if state["present"] else "warn", what, state["hint"])


def _repos(services: Services) -> Iterator[Check]:
    for repo in services.repos():
        if repo["problem"]:
            yield Check("repository", "warn", f"{repo['name']}: {repo['problem']}")


def _sources(services: Services) -> Iterator[Check]:
    for row in services.memory.index.sources.all():
        if row.fault is not None and not row.paused:
            yield Check("source", "warn", f"{row.name}: {row.fault.message}", row.fault.hint)
