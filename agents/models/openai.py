"""Chat models behind any server with the OpenAI chat completions protocol: llama.cpp, vLLM,
LM Studio, or a hosted service that the user named."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import Any, cast

import httpx

from .protocol import (
    Delta,
    Garbage,
    Interrupted,
    KeyRefused,
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
_FORM = re.compile(r"response_format|json_schema|schema|grammar", re.IGNORECASE)


class OpenAIModel:
    """One model of an OpenAI-compatible server."""

    def __init__(
        self,
        name: str,
        *,
        url: str,
        context_tokens: int = 8_192,
        api_key_variable: str | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        """``url`` is the base, e.g. ``http://127.0.0.1:8080/v1``. ``api_key_variable`` names the
        environment variable that holds the key; the key itself is never stored."""
        self.name = name
        self.context_tokens = context_tokens
        self._url = url.rstrip("/")
        self._key_variable = api_key_variable
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
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": max_tokens,
            "temperature": temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if stop:
            body["stop"] = list(stop)
        if schema:
            wrapped = {"name": "answer", "schema": dict(schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": wrapped}
        answered, finish, usage = False, "", Usage()
        events = limited(self._call(body), self._timeouts, self._who)
        async with aclosing(events):
            async for event in events:
                choices = _list(event.get("choices"))
                choice = _object(choices[0]) if choices else {}
                text = _object(choice.get("delta")).get("content")
                if isinstance(text, str) and text:
                    answered = answered or bool(text.strip())
                    yield Delta(text)
                finish = str(choice.get("finish_reason") or finish)
                usage = _usage(event, finish) or usage
        if not finish:
            raise Interrupted(
                f"The answer of {self.name} ended before it was complete.",
                hint="Ask again; the server's log says why it stopped.",
            )
        if usage.tokens_in + 1 >= self.context_tokens:
            raise Truncated(
                f"The prompt filled the {self.context_tokens} tokens of {self.name}.",
                hint="Raise the model's context size, or ask a narrower question.",
            )
        if not answered:
            raise Garbage(
                f"{self.name} answered with nothing.", hint="Ask again, or try another model."
            )
        yield Delta("", Usage(usage.tokens_in, usage.tokens_out, cut=finish == "length"))

    async def ready(self) -> ModelState:
        """See ChatModel.ready."""
        try:
            headers = self._headers()
            async with asyncio.timeout(READY_SECONDS), self._client(READY_SECONDS) as client:
                answer = await client.get(f"{self._url}/models", headers=headers)
            if answer.status_code in (404, 405):  # optional; a call will tell
                return ModelState(True, True)
            if answer.is_error:
                refusal = self._refusal(answer, answer.text)
                return ModelState(False, False, refusal.message, refusal.hint)
            listed = [_object(model).get("id") for model in _list(answer.json().get("data"))]
        except ModelError as error:
            return ModelState(False, False, error.message, error.hint)
        except (TimeoutError, httpx.TimeoutException):
            return ModelState(False, False, f"{self._who} hangs.", "Restart the model server.")
        except (httpx.HTTPError, httpx.InvalidURL):
            return ModelState(False, False, f"Nothing answers at {self._url}.", _START)
        except (json.JSONDecodeError, AttributeError):
            return ModelState(False, False, *self._not_the_protocol())
        if listed and self.name not in listed:
            return ModelState(
                True, False, f"{self._url} does not have the model {self.name}.", _choose(listed)
            )
        return ModelState(True, True)

    async def _call(self, body: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        """The objects of the event stream, with all that can go wrong as ModelErrors."""
        url, begun, formless = f"{self._url}/chat/completions", False, False
        try:
            async with (
                self._client(self._timeouts.first) as client,
                client.stream("POST", url, json=body, headers=self._headers()) as answer,
            ):
                if answer.is_error:
                    said = (await answer.aread()).decode("utf-8", "replace")
                    formless = "response_format" in body and _about_the_form(answer, said)
                    if not formless:
                        raise self._refusal(answer, said)
                async for line in answer.aiter_lines():
                    if formless:
                        break
                    if not line.strip() or line.startswith((":", "event:", "id:", "retry:")):
                        continue
                    field, _, data = line.partition(":")
                    if field != "data":
                        raise json.JSONDecodeError("not an event", line, 0)
                    if data.strip() == "[DONE]":
                        return
                    event = _object(json.loads(data))
                    if "error" in event:
                        raise Interrupted(
                            f"{self._who} gave up: {_error_text(event)}", hint="Ask again."
                        )
                    begun = True
                    yield event
        except (httpx.ConnectError, httpx.InvalidURL, httpx.UnsupportedProtocol):
            raise Unreachable(f"Nothing answers at {self._url}.", hint=_START) from None
        except httpx.TimeoutException:
            raise TimedOut(f"{self._who} hangs.", hint="Restart the model server.") from None
        except httpx.HTTPError:
            raise Interrupted(
                f"The connection to {self._who} broke before the answer was complete.",
                hint="Ask again; the server's log says why it stopped.",
            ) from None
        except json.JSONDecodeError:
            if begun:
                raise Garbage(
                    f"{self._who} sent something unreadable in the middle of an answer.",
                    hint="Ask again.",
                ) from None
            message, hint = self._not_the_protocol()
            raise Garbage(message, hint=hint) from None
        if formless:  # it knows no schemas, or not this one: the prompt describes the form too
            free = {name: value for name, value in body.items() if name != "response_format"}
            async with aclosing(self._call(free)) as events:
                async for event in events:
                    yield event

    @property
    def _who(self) -> str:
        return f"{self.name} at {self._url}"

    def _client(self, read: float) -> httpx.AsyncClient:
        timeout = httpx.Timeout(read, connect=self._timeouts.connect)
        # A local server must not be looked for behind the environment's proxy; a remote one may.
        local = httpx.URL(self._url).host in ("127.0.0.1", "localhost", "::1")
        # Loading the certificates takes tens of milliseconds, and plain http has no use for them.
        verify = self._url.startswith("https:")
        return httpx.AsyncClient(timeout=timeout, trust_env=not local, verify=verify)

    def _headers(self) -> dict[str, str]:
        if self._key_variable is None:
            return {}
        key = os.environ.get(self._key_variable)
        if not key:
            raise KeyRefused(
                f"The environment variable {self._key_variable} holds no key for {self._url}.",
                hint=f"Set {self._key_variable} where the daemon starts.",
            )
        return {"Authorization": f"Bearer {key}"}

    def _not_the_protocol(self) -> tuple[str, str]:
        return (
            f"What answers at {self._url} does not speak the OpenAI protocol.",
            "Check the address in the settings; it usually ends in /v1.",
        )

    def _refusal(self, answer: httpx.Response, body: str) -> ModelError:
        status = answer.status_code
        if body.lstrip()[:1] == "<":
            message, hint = self._not_the_protocol()
            return Garbage(f"{message} (A web page came, status {status}.)", hint=hint)
        said = _error_text(body)
        match status:
            case 404:
                return Missing(
                    f"{self._url} does not have the model {self.name}: {said}",
                    hint="Name one that it has in the settings.",
                )
            case 401 | 403:
                return KeyRefused(
                    f"{self._url} refused the key (status {status}).",
                    hint="Check the environment variable that holds it.",
                )
            case 429 | 503:
                after = _seconds(answer.headers.get("retry-after"))
                wait = "" if after is None else f", and asks to wait {after:g} s"
                return Throttled(
                    f"{self._who} takes no more calls for now (status {status}{wait}).",
                    hint="Ask again later.",
                    after=after,
                )
            case 400 if "context" in said.lower():
                return Truncated(
                    f"{self._who} holds less than was asked: {said}",
                    hint="Lower the context size in the settings to what the server has.",
                )
            case _:
                return Refused(
                    f"{self._who} refused (status {status}): {said}",
                    hint="The server's log says more.",
                )


_START = "Start the model server, or set its address in the settings."


def _about_the_form(answer: httpx.Response, said: str) -> bool:
    """Whether a server refuses the form that an answer is to have, and not the call."""
    return answer.status_code in (400, 422) and bool(_FORM.search(said))


def _seconds(retry_after: str | None) -> float | None:
    """Given a Retry-After header, seconds or a date (RFC 9110, 10.2.3), return the seconds."""
    if retry_after is None:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, round(at.timestamp() - time.time()))


def _choose(names: Sequence[object]) -> str:
    return "Name one that it has in the settings: " + ", ".join(str(name) for name in names[:5])


def _usage(event: Mapping[str, Any], finish: str) -> Usage | None:
    counted = _object(event.get("usage"))
    if not counted:
        return None
    tokens_in, tokens_out = counted.get("prompt_tokens"), counted.get("completion_tokens")
    return Usage(int(tokens_in or 0), int(tokens_out or 0), cut=finish == "length")


def _error_text(given: object) -> str:
    """The words of an error, in the several shapes servers give it."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except json.JSONDecodeError:
            return " ".join(str(given).split())[:200] or "no reason given"
    error = _object(given).get("error", given)
    message = _object(error).get("message", error)
    return " ".join(str(message).split())[:200] or "no reason given"


def _object(value: object) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]
