"""Who may judge on this machine, and how each is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

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
from ..agents.models.openai import OpenAIModel
from ..agents.models.timing import Timeouts
from .chat import Chat
from .settings import Settings

KEPT = "2m"
"""How long Ollama keeps a juror's model that is not the one hermes uses for all else: long enough
for a debate, and then the memory is free again."""
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(slots=True)
class Jury:
    """The pool of jurors. Each model has one gate, whoever asks it."""

    settings: Settings
    chat: Chat | None
    on_call: OnCall = lambda call: None
    started: Callable[[int, str, int], None] = lambda pid, what, job: None
    """Told of each process: its id, for what, and for which job."""
    _gates: dict[str, Gate] = field(default_factory=dict[str, Gate], init=False)

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
        """Return what leaves this machine, or hermes, if these judge: a line for each place."""
        openai, ollama = self.settings.openai.base_url, self.settings.ollama.host
        found: list[str] = []
        for juror in jurors:
            if juror.provider == "command":
                found.append(
                    f"the question and its evidence, without secrets, go to the program `{juror.model}`"
                )
                continue
            url = openai if juror.provider == "openai" else ollama
            host = urlsplit(url).hostname or ""
            if host not in LOOPBACK:
                found.append(f"the question and its evidence, without secrets, go to {host}")
        return tuple(dict.fromkeys(found))

    def used(self) -> None:
        """Tell that other models were loaded: the one hermes uses for all else is looked after."""
        if self.chat is not None:
            self.chat.keeper.used()


def _juror(text: str) -> Juror:
    provider, _, model = text.partition(":")
    name = model.strip()
    return Juror(provider, name, family_of(name.split()[0] if provider == "command" else name))
