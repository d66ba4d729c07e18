"""The API of forgetting: look what would go, have it go, list what is kept out, take it back.

What is to be forgotten is put on disk as a rule first; what goes through the queue only says that
there is one. So the queue's own tables never hold who was meant.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from ..agents.brief.person import person_of
from ..agents.events import RunAsked
from ..memory import plain
from ..memory.errors import HermesError
from ..memory.forgetting import Counts
from ..memory.forgetting_rules import RuleKind, path_rule, person_rule, read_rule
from ..memory.memory import Memory
from ..memory.plain import Plain
from ..memory.sieve import Sieve
from ..memory.withheld import Kept, Stage
from .api_repos import INDEXER
from .following import followed
from .forgetting import Forgetting
from .host import Host
from .people_meant import Meant, NobodyMeant, known_people, near, who_is
from .requests import ForgetIn
from .services import Services
from .standing import ledger_of, runtime_of, work_of
from .wire import Fields, Json, Number, stream

MOST_PATHS = 2_000
"""Forgotten paths that are remembered until it is proved that they are gone."""


class NothingToForget(HermesError):
    """Memory holds nothing of what is to be forgotten."""

    code = "nothing_to_forget"


class TooMuch(HermesError):
    """What is named is everything, or can't be."""

    code = "usage"


class NoSuchRule(HermesError):
    """A rule is named that there is not."""

    code = "no_such_id"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be forgotten, as a rule and in plain words."""

    kind: RuleKind
    rule: str
    said: Plain
    meant: Meant | None = None


def add_forget(app: FastAPI, host: Host) -> None:
    """Add ``/v1/forget``."""

    @app.post("/v1/forget/look")
    async def look(asked: ForgetIn) -> StreamingResponse:
        forgetting = Forgetting(host.paths, ledger_of(host), work_of(host))
        services = await host.warm.get()
        return stream(_look(services, forgetting, asked), host.paths.log_file)

    @app.post("/v1/forget")
    async def forget(asked: ForgetIn) -> StreamingResponse:
        runtime_of(host)
        services = await host.warm.get()
        number = await asyncio.to_thread(_write_down, services, asked)
        return stream(_carried_out(host, number), host.paths.log_file)

    @app.get("/v1/forget")
    async def rules() -> Json:
        services = await host.warm.get()
        kept = await asyncio.to_thread(services.memory.index.withheld.rules)
        return Json({"rules": [_shown(rule) for rule in kept]})

    @app.delete("/v1/forget/{number}")
    async def lift(number: Number) -> StreamingResponse:
        runtime_of(host)
        services = await host.warm.get()
        withheld = services.memory.index.withheld
        kept = await asyncio.to_thread(withheld.rules)
        if not any(rule.id == number for rule in kept):
            raise NoSuchRule(f"there is no rule {number}", hint="hermes forget --list lists them")
        await asyncio.to_thread(withheld.set_stage, number, Stage.LIFTING)
        return stream(_carried_out(host, number), host.paths.log_file)


async def _carried_out(host: Host, number: int) -> AsyncGenerator[Fields]:
    asked = RunAsked(at=time.time(), source="api", agent=INDEXER, subject="forget")
    async for fields in followed(host, asked):
        if fields["type"] == "done":
            fields = fields | {"rule": number}
        yield fields


async def _look(
    services: Services, forgetting: Forgetting, asked: ForgetIn
) -> AsyncGenerator[Fields]:
    """Yield how far a look is, and at the end what it came to."""
    loop = asyncio.get_running_loop()
    told: asyncio.Queue[Fields] = asyncio.Queue()

    def on_progress(phase: str, done: int, total: int) -> None:
        fields = {"type": "progress", "phase": phase, "done": done, "total": total}
        loop.call_soon_threadsafe(told.put_nowait, fields)

    looking = asyncio.create_task(
        asyncio.to_thread(_looked, services, forgetting, asked, on_progress)
    )
    looking.add_done_callback(lambda task: told.put_nowait({"type": "end"}))
    while (fields := await told.get())["type"] != "end":
        yield fields
    yield {"type": "done", "report": await looking}


def _looked(
    services: Services, forgetting: Forgetting, asked: ForgetIn, on_progress: Any
) -> Fields:
    memory = services.memory
    what = _read(services, asked)
    counts = memory.look_forgetting(what.kind, what.rule, what.said, on_progress)
    rule = read_rule(what.kind, what.rule, memory.index.withheld.salt())
    phrases = replace(what.said, phrases=()).with_phrases(counts.phrases).cleaner()
    sieve = Sieve([(0, rule)])
    around = forgetting.look(
        lambda text: phrases(sieve.clean(text)), counts.gone, float(asked.before or 0) or None
    )
    if counts.nothing and not any(around.values()):
        raise _nothing(asked, what, memory)
    return {
        "kind": what.kind.value,
        "counts": counts.told,
        "around": around,
        "empties": _empties(counts, memory),
        "who": [asdict(each) for each in what.meant.identities] if what.meant else [],
        "warnings": _warnings(services, asked, what),
        "paths": list(what.said.paths[:20]),
    }


def _read(services: Services, asked: ForgetIn) -> _Asked:
    """Return what is to be forgotten. Raise TooMuch or NothingToForget."""
    index = services.memory.index
    salt = index.withheld.salt()
    if asked.person:
        known, together = known_people(index, services.gits())
        meant = who_is(asked.person, known, together)
        said = Plain(
            names=tuple(sorted(meant.names)),
            addresses=tuple(sorted(meant.addresses)),
            also=tuple(sorted(meant.also)),
        )
        rule = person_rule(said.names, said.addresses, said.also, salt)
        return _Asked(RuleKind.PERSON, rule, said, meant)
    if asked.path is not None:
        place = asked.path.strip().removeprefix("./").rstrip("/")
        if not place.strip("*./"):
            raise TooMuch(f"{asked.path!r} is every file", hint="hermes remove NAME takes it all")
        rule = path_rule(place, salt)
        compiled = read_rule(RuleKind.PATH, rule, salt)
        known_paths = [path for path in index.all_paths() if compiled.is_path(path)]
        is_glob = any(sign in place for sign in "*?[")
        paths = [place] if not is_glob and ("/" in place or "." in place) else known_paths
        said = Plain(place="" if is_glob else place, paths=tuple(paths[:MOST_PATHS]))
        return _Asked(RuleKind.PATH, rule, said)
    if asked.source is not None:
        known_sources = ["git", *index.items.counts()]
        if asked.source not in known_sources:
            if any(row.name == asked.source for row in index.sources.all()):
                raise NothingToForget(
                    f"{asked.source} is one source of several of its kind",
                    hint=f"hermes sources remove {asked.source} --forget takes out what only it"
                    " brought",
                )
            raise NothingToForget(
                f"nothing came from {asked.source}", hint=f"sources: {', '.join(known_sources)}"
            )
        return _Asked(RuleKind.SOURCE, asked.source, Plain())
    before = asked.before or 0
    if before > time.time():
        raise TooMuch("that day is still to come", hint="--before takes a day that is over")
    return _Asked(RuleKind.BEFORE, str(before), Plain())


def _write_down(services: Services, asked: ForgetIn) -> int:
    """Put the rule on disk, and beside it what it is about in plain words until that is gone."""
    memory = services.memory
    what = _read(services, asked)
    number = memory.index.withheld.add(what.kind, what.rule)
    plain.write(memory.folder, number, what.said)
    return number


def _nothing(asked: ForgetIn, what: _Asked, memory: Memory) -> HermesError:
    before = memory.index.withheld.sieve()
    for number, rule in before.rules:
        if any(rule.clean(text) != text for text in (*asked.person, asked.path or "")):
            return NothingToForget(
                "that is forgotten already", hint=f"by rule {number}; hermes forget --list"
            )
    if what.meant is not None and asked.person:
        known, _ = known_people(memory.index, {})
        return NobodyMeant(asked.person[0], near(asked.person[0], known))
    if asked.path is not None:
        return NothingToForget(
            f"memory holds no file {asked.path}", hint="a path, a folder, or a glob such as docs/**"
        )
    return NothingToForget("memory holds nothing of it")


def _empties(counts: Counts, memory: Memory) -> bool:
    """Say whether no commit and no item would be left."""
    items = sum(memory.index.items.counts().values())
    return counts.left == 0 and counts.items >= items


def _warnings(services: Services, asked: ForgetIn, what: _Asked) -> Sequence[str]:
    if what.meant is None:
        return ()
    you = person_of((), (), services.gits().values())
    warnings = list(what.meant.warnings)
    if you.emails & what.meant.addresses:
        warnings.insert(
            0,
            "this is you: what you commit from now on is left out too, and the brief tells nothing",
        )
    return warnings


def _shown(rule: Kept) -> Fields:
    fields = {
        "id": rule.id,
        "kind": rule.kind.value,
        "at": rule.at,
        "done": rule.stage is Stage.DONE,
        "lifting": rule.stage is Stage.LIFTING,
        "commits": rule.commits,
        "items": rule.items,
        "what": "",
    }
    match rule.kind:
        case RuleKind.SOURCE | RuleKind.BEFORE | RuleKind.CHUNK | RuleKind.REF:
            fields["what"] = rule.rule
        case RuleKind.PATH:
            fields["what"] = json.loads(rule.rule).get("glob", "")
        case RuleKind.PERSON | RuleKind.ITEMS:
            pass
    return fields
