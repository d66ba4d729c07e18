"""Who may judge on this machine, and how each is reached."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import psutil

from ..agents.contract import Lane
from ..agents.council.families import family_of
from ..agents.council.jurors.command import CommandVoice
from ..agents.council.jurors.voice import ModelVoice, Voice
from ..agents.council.prompt import VERSION
from ..agents.council.records import Juror
from ..agents.models.call import OnCall
from ..agents.models.gate import Gate
from ..agents.models.host import server_url
from ..agents.models.ollama import OllamaModel
from ..agents.models.ollama_server import Kept, OllamaServer
from ..agents.models.openai import OpenAIModel
from ..agents.models.protocol import ChatModel, ModelError
from ..agents.models.timing import Timeouts
from ..agents.models.warm import tagged
from .chat import Chat
from .settings import Settings

FOREMAN = "foreman 1"
"""Version of the prompt that asks for a verdict in words."""
KEPT = "2m"
"""How long Ollama keeps a juror's model that is not the one hermes uses for all else: long enough
for a debate, and then the memory is free again."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")
WITH_CONTEXT = 1.2
"""What a model takes in memory, against its file: its context comes on top."""
FOR_MODELS = 0.8
"""Share of this machine's memory that models may take together."""
ONE_BY_ONE = "there is not memory for all models at once: they are asked one after another"

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Jury:
    """The pool of jurors. Each model has one gate, whoever asks it."""

    settings: Settings
    chat: Chat | None
    on_call: OnCall = lambda call: None
    started: Callable[[int, str, int], None] = lambda pid, what, job: None
    """Told of each process: its id, for what, and for which job."""
    _gates: dict[str, Gate] = field(default_factory=dict[str, Gate], init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    """Who has it may have a model loaded, where there is not memory for all."""

    @property
    def pool(self) -> tuple[Juror, ...]:
        """Everybody who may sit, in the order of the settings."""
        models = self.settings.models
        named = self.settings.council.jurors
        if not named and models.provider != "none":
            named = (f"{models.provider}:{models.model}",)
        return tuple(_juror(one) for one in named)

    def voice(self, juror: Juror, job: int) -> Voice:
        """Return a way to ask a juror, for a job that a person waits for."""
        if juror.provider == "command":
            return CommandVoice(
                juror.model, lambda pid: self.started(pid, f"the juror {juror.model}", job)
            )
        models = self.settings.models
        if self.chat is not None and (juror.provider, juror.model) == (
            models.provider,
            models.model,
        ):
            shared = self.chat.hosts.model(
                "council", Lane.ON_DEMAND, job=job, prompt=VERSION, on_call=self.on_call
            )
            return ModelVoice(shared)
        gate = self._gates.get(juror.name)
        if gate is None:
            gate = self._gates[juror.name] = self._gate(juror)
        return ModelVoice(
            gate.model("council", Lane.ON_DEMAND, job=job, prompt=VERSION, on_call=self.on_call)
        )

    def foreman(self, job: int) -> ChatModel | None:
        """Return the model that may put a verdict into words: the one hermes uses for all else, if it
        is on this machine."""
        provider, ollama = self.settings.models.provider, self.settings.ollama
        addresses = (
            [server_url(one) for one in (ollama.host, *ollama.more_hosts)]
            if provider == "ollama"
            else [self.settings.openai.base_url]
        )
        if self.chat is None or any(urlsplit(one).hostname not in LOOPBACK for one in addresses):
            return None
        return self.chat.hosts.model(
            "council", Lane.ON_DEMAND, job=job, prompt=FOREMAN, on_call=self.on_call
        )

    def _gate(self, juror: Juror) -> Gate:
        models = self.settings.models
        timeouts = Timeouts(
            connect=models.connect_timeout,
            first=models.token_timeout,
            between=models.token_timeout,
            total=models.total_timeout,
        )
        if juror.provider == "openai":
            url = self.settings.openai.base_url
            hosted = OpenAIModel(
                juror.model,
                url=url,
                context_tokens=models.num_ctx,
                api_key_variable=self.settings.openai.api_key_env or None,
                timeouts=timeouts,
            )
            return Gate(hosted, host=url)
        url = server_url(self.settings.ollama.host)
        local = OllamaModel(
            juror.model,
            url=url,
            context_tokens=models.num_ctx,
            keep_alive=KEPT,
            timeouts=timeouts,
        )
        return Gate(local, host=url)

    def leaving(self, jurors: Sequence[Juror]) -> tuple[str, ...]:
        """Return what leaves this machine, or hermes, if these judge: a line for all hosts, and one
        for all programs."""
        openai, ollama = self.settings.openai.base_url, self.settings.ollama.host
        programs = dict.fromkeys(f"`{one.model}`" for one in jurors if one.provider == "command")
        urls = (
            openai if one.provider == "openai" else ollama
            for one in jurors
            if one.provider != "command"
        )
        hosts = dict.fromkeys(urlsplit(url).hostname or "" for url in urls)
        places = [_listed([host for host in hosts if host not in LOOPBACK])]
        if programs:
            kind = "the program" if len(programs) == 1 else "the programs"
            places.append(f"{kind} {_listed([*programs])}")
        return tuple(
            f"the question and its evidence, without secrets, go to {place}"
            for place in places
            if place
        )

    async def identified(self, jurors: Sequence[Juror]) -> list[Juror]:
        """Return jurors with what Ollama tells of their weights: the digest, by which one model under
        two names is known, and the family where the name does not tell it."""
        kept = await self._kept(jurors)
        found: list[Juror] = []
        for juror in jurors:
            model = kept.get(tagged(juror.model)) if juror.provider == "ollama" else None
            if model is None:
                found.append(juror)
                continue
            family = juror.family or family_of(model.family) or model.family
            found.append(replace(juror, digest=model.digest, family=family))
        return found

    async def is_tight(self, jurors: Sequence[Juror]) -> bool:
        """Say whether the models of these jurors and the one hermes uses for all else do not fit
        into this machine's memory together. Of a server elsewhere nothing is known."""
        host = urlsplit(server_url(self.settings.ollama.host)).hostname or ""
        if host not in LOOPBACK:
            return False
        names = {tagged(one.model) for one in jurors if one.provider == "ollama"}
        if self.settings.models.provider == "ollama" and names:
            names.add(tagged(self.settings.models.model))
        if len(names) < 2:
            return False
        kept = await self._kept(jurors)
        size = sum(kept[name].size for name in names if name in kept)
        return size * WITH_CONTEXT > psutil.virtual_memory().total * FOR_MODELS

    async def _kept(self, jurors: Sequence[Juror]) -> dict[str, Kept]:
        if not any(one.provider == "ollama" for one in jurors):
            return {}
        server = OllamaServer(server_url(self.settings.ollama.host))
        try:
            return {tagged(model.name): model for model in await server.kept()}
        except ModelError as error:  # whoever asks it is told why
            logger.info("jurors are not known by their weights: %s", error.message)
            return {}

    def apart(self, juror: Juror) -> AbstractAsyncContextManager[object]:
        """Return what a juror's turn is held in where there is not memory for all: one model is
        loaded at a time. A program, or a server of another kind, waits for nobody."""
        return self._turn if juror.provider == "ollama" else nullcontext()

    async def leave(self, jurors: Sequence[Juror], *, tight: bool) -> None:
        """Tell that these have spoken. What hermes uses for all else is in memory again soon; where
        that is short, the jurors' models are taken out of it first."""
        if tight:
            server = OllamaServer(server_url(self.settings.ollama.host))
            mine = (self.settings.models.provider, tagged(self.settings.models.model))
            for name in dict.fromkeys(
                tagged(one.model)
                for one in jurors
                if one.provider == "ollama" and ("ollama", tagged(one.model)) != mine
            ):
                try:
                    await server.unload(name)
                except ModelError as error:
                    logger.warning("%s is not taken out of memory: %s", name, error.message)
        if self.chat is not None:
            self.chat.keeper.look_soon()


def _listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _juror(text: str) -> Juror:
    provider, _, model = text.partition(":")
    name = model.strip()
    return Juror(provider, name, family_of(name.split()[0] if provider == "command" else name))
