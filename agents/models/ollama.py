"""Chat models served by Ollama, through its official client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import httpx
import ollama
from pydantic import ValidationError

from .protocol import (
    Delta,
    Garbage,
    Interrupted,
    Message,
    Missing,
    ModelError,
    ModelState,
    Refused,
    Throttled,
    TimedOut,
    Truncated,
    Unreachable,
    Usage,
)
from .timing import Timeouts, limited

READY_SECONDS = 2.0
_START = "Start it (ollama serve, or its app), or set its address in the settings."


class OllamaModel:
    """One model of an Ollama server. Every call uses the same context size, so it loads once."""

    def __init__(
        self,
        name: str,
        *,
        url: str,
        context_tokens: int = 8_192,
        keep_alive: int | str = "30m",
        timeouts: Timeouts | None = None,
    ) -> None:
        """``url`` as host.server_url gives it. ``keep_alive``: seconds as an integer (-1 for
        ever), or a duration such as "30m"."""
        self.name = name
        self.context_tokens = context_tokens
        self._url = url
        self._keep_alive = keep_alive
        self._timeouts = timeouts or Timeouts()

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> AsyncGenerator[Delta]:
        """See ChatModel.stream."""
        options: dict[str, Any] = {
            "num_ctx": self.context_tokens,
            "num_predict": max_tokens,
            "temperature": temperature,
        }
        if stop:
            options["stop"] = list(stop)
        answered = False
        calling = self._call(messages, options, schema)
        async with aclosing(limited(calling, self._timeouts, f"Ollama ({self.name})")) as parts:
            async for part in parts:
                text = part.message.content or ""
                answered = answered or bool(text.strip())
                if not part.done:
                    if text:
                        yield Delta(text)
                    continue
                usage = self._usage(part, max_tokens)
                if not answered:
                    raise Garbage(
                        f"{self.name} answered with nothing.",
                        hint="Ask again, or try another model.",
                    )
                yield Delta(text, usage)
                return
        raise Interrupted(
            f"The answer of {self.name} ended before it was complete.",
            hint="Ask again; Ollama's log says why it stopped.",
        )

    async def ready(self) -> ModelState:
        """See ChatModel.ready."""
        client = self._client(READY_SECONDS)
        try:
            async with asyncio.timeout(READY_SECONDS):
                listed = await client.list()
        except (ConnectionError, httpx.ConnectError, httpx.InvalidURL):
            hint = (
                f"For written answers: run ollama serve and ollama pull {self.name}, "
                "or set its address in the settings."
            )
            return ModelState(False, False, f"Ollama does not answer at {self._url}.", hint)
        except (TimeoutError, httpx.TimeoutException):
            return ModelState(False, False, f"Ollama at {self._url} hangs.", "Restart Ollama.")
        except ollama.ResponseError as error:
            refusal = self._refusal(error)
            return ModelState(False, False, refusal.message, refusal.hint)
        except (httpx.HTTPError, json.JSONDecodeError, ValidationError, TypeError):
            return ModelState(False, False, *self._not_ollama())
        finally:
            await client.close()  # type: ignore[no-untyped-call]
        if self.name not in _names(listed):
            return ModelState(True, False, *self._missing())
        return ModelState(True, True)

    async def _call(
        self,
        messages: Sequence[Message],
        options: Mapping[str, Any],
        schema: Mapping[str, Any] | None,
    ) -> AsyncGenerator[ollama.ChatResponse]:
        """The client's stream, with its errors as ModelErrors."""
        client = self._client(self._timeouts.first)
        begun = False
        try:
            parts = await client.chat(  # pyright: ignore[reportUnknownMemberType]
                self.name,
                [{"role": m.role, "content": m.content} for m in messages],
                stream=True,
                options=options,
                format=dict(schema) if schema else None,
                keep_alive=self._keep_alive,
            )
            async for part in parts:
                begun = True
                yield part
        except (ConnectionError, httpx.ConnectError):
            raise Unreachable(f"Ollama does not answer at {self._url}.", hint=_START) from None
        except httpx.TimeoutException:
            raise TimedOut(f"Ollama at {self._url} hangs.", hint="Restart Ollama.") from None
        except ollama.ResponseError as error:
            raise self._refusal(error) from None
        except httpx.HTTPError:
            raise Interrupted(
                f"The connection to Ollama broke {'in the middle of' if begun else 'before'} "
                f"the answer of {self.name}.",
                hint="Ask again; Ollama's log says why it stopped.",
            ) from None
        except (json.JSONDecodeError, ValidationError, TypeError, AttributeError):
            if begun:
                raise Garbage(
                    f"Ollama sent something unreadable in the middle of the answer of {self.name}.",
                    hint="Ask again; update Ollama if it repeats.",
                ) from None
            message, hint = self._not_ollama()
            raise Garbage(message, hint=hint) from None
        finally:
            await client.close()  # type: ignore[no-untyped-call]

    def _client(self, read: float) -> ollama.AsyncClient:
        timeout = httpx.Timeout(read, connect=self._timeouts.connect)
        # No proxy of the environment may come between us and the local server.
        # Loading the certificates takes tens of milliseconds, and plain http has no use for them.
        verify = self._url.startswith("https:")
        return ollama.AsyncClient(host=self._url, timeout=timeout, trust_env=False, verify=verify)

    def _usage(self, part: ollama.ChatResponse, max_tokens: int) -> Usage:
        tokens_in, tokens_out = part.prompt_eval_count or 0, part.eval_count or 0
        if tokens_in + 1 >= self.context_tokens or (
            part.done_reason == "length" and tokens_out < max_tokens
        ):
            raise Truncated(
                f"The prompt filled the {self.context_tokens} tokens of {self.name}, so Ollama "
                "cut it.",
                hint="Raise the model's context size, or ask a narrower question.",
            )
        return Usage(tokens_in, tokens_out, cut=part.done_reason == "length")

    def _missing(self) -> tuple[str, str]:
        return f"Ollama does not have the model {self.name}.", f"Run: ollama pull {self.name}"

    def _not_ollama(self) -> tuple[str, str]:
        return f"What answers at {self._url} is not Ollama.", "Check the address in the settings."

    def _refusal(self, error: ollama.ResponseError) -> ModelError:
        said = " ".join(error.error.split())[:200]
        match error.status_code:
            case 404 if "<" not in said and "page not found" not in said:
                message, hint = self._missing()
                return Missing(message, hint=hint)
            case 404:
                message, hint = self._not_ollama()
                return Garbage(message, hint=hint)
            case 503:
                return Throttled(
                    "Ollama is busy: its queue is full.", hint="Ask again in a minute."
                )
            case -1:
                return Interrupted(
                    f"Ollama gave up in the middle of an answer: {said}",
                    hint="Ask again; a smaller model helps when memory ran out.",
                )
            case status if "<html" in said.lower() or "<!doctype" in said.lower():
                return Garbage(
                    f"A web page came instead of an answer (status {status}).",
                    hint=f"Something other than Ollama serves {self._url}; check the address.",
                )
            case status:
                return Refused(
                    f"Ollama refused (status {status}): {said or 'no reason given'}",
                    hint="Ollama's log says more.",
                )


def _names(listed: ollama.ListResponse) -> set[str]:
    names = {model.model for model in listed.models if model.model}
    return names | {name.removesuffix(":latest") for name in names}
