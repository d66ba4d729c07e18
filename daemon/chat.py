"""The language model as the daemon uses it: one or several hosts, each behind a gate, kept warm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..agents.models.gate import Gate
from ..agents.models.host import server_url
from ..agents.models.hosts import Host, Hosts, Say
from ..agents.models.ollama import OllamaModel
from ..agents.models.ollama_server import OllamaServer
from ..agents.models.openai import OpenAIModel
from ..agents.models.timing import Timeouts
from ..agents.models.warm import KeepWarm
from .model_look import ModelLook
from .settings import Settings


@dataclass(frozen=True, slots=True)
class Chat:
    """The model, who keeps it in memory, and what was last seen of it."""

    hosts: Hosts
    keeper: KeepWarm
    look: ModelLook


def chat_of(
    settings: Settings,
    *,
    say: Say = lambda what, text, fields: None,
    may_warm: Callable[[], bool] = lambda: True,
) -> Chat | None:
    """Given the settings, return the model that they name; None if they name none."""
    models = settings.models
    timeouts = Timeouts(
        connect=models.connect_timeout,
        first=models.token_timeout,
        between=models.token_timeout,
        total=models.total_timeout,
    )
    servers: list[OllamaServer] = []
    gates: list[Gate] = []
    match models.provider:
        case "ollama":
            for address in (settings.ollama.host, *settings.ollama.more_hosts):
                url = server_url(address)
                model = OllamaModel(
                    models.model,
                    url=url,
                    context_tokens=models.num_ctx,
                    keep_alive=models.keep_alive,
                    timeouts=timeouts,
                )
                servers.append(OllamaServer(url))
                gates.append(Gate(model, host=url))
        case "openai":
            url = settings.openai.base_url
            served = OpenAIModel(
                models.model,
                url=url,
                context_tokens=models.num_ctx,
                api_key_variable=settings.openai.api_key_env or None,
                timeouts=timeouts,
            )
            gates.append(Gate(served, host=url))
        case "none":
            return None
    hosts = Hosts([Host(gate) for gate in gates], say)
    keeper = KeepWarm(hosts, servers, keep_alive=models.keep_alive, may_warm=may_warm, say=say)
    hosts.used = keeper.used
    return Chat(hosts, keeper, ModelLook(hosts))
