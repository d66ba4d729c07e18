"""What Ollama's answers look like, and how its stand-in counts and embeds."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .http import Request

NOW = "2025-06-01T09:00:00.000000Z"
DIMENSION = 768
EMBED_CONTEXT = 2_048
"""Tokens that the embedding model holds; a longer text is an error with ``truncate: false``."""
DEFAULT_CONTEXT = 4_096


def count_tokens(text: str) -> int:
    """Count as this server counts: a word or a sign is a token."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def vector(text: str) -> list[float]:
    """Return a unit vector: texts that share words are near each other."""
    values = [0.0] * DIMENSION
    for word in re.findall(r"\w+", text.lower()) or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        for i in range(0, 16, 2):
            place = int.from_bytes(digest[i : i + 2], "big") % DIMENSION
            values[place] += 1.0 if digest[16 + i] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in values)) or 1.0
    return [value / length for value in values]


@dataclass
class OllamaModel:
    """A model the server has."""

    name: str
    family: str = "llama"
    context: int = 131_072
    capabilities: Sequence[str] = field(default_factory=lambda: ["completion", "tools"])
    size: int = 4_661_227_840
    digest: str = ""
    """Made from the name where none is given."""


def default_models() -> list[OllamaModel]:
    """Return the two models that hermes uses by default."""
    return [
        OllamaModel("hermes3:8b"),
        OllamaModel("nomic-embed-text:latest", "nomic-bert", EMBED_CONTEXT, ["embedding"]),
    ]


def line(request: Request, text: str, last: Mapping[str, Any] | None = None) -> bytes:
    line: dict[str, Any] = {"model": request.body.get("model", ""), "created_at": NOW}
    if request.path == "/api/chat":
        line["message"] = {"role": "assistant", "content": text}
    else:
        line["response"] = text
    return json.dumps({**line, "done": False, **(last or {})}).encode() + b"\n"


def prompt(body: Mapping[str, Any]) -> str:
    messages = body.get("messages")
    if messages is None:
        return str(body.get("prompt", ""))
    return "\n".join(str(message["content"]) for message in messages)


def options(body: Mapping[str, Any]) -> dict[str, Any]:
    return body.get("options") or {}


def tagged(name: str) -> str:
    return name if ":" in name else f"{name}:latest"


def valid_keep_alive(value: object) -> bool:
    return (
        value is None
        or isinstance(value, int | float)
        or bool(isinstance(value, str) and re.fullmatch(r"-?(?:\d+(?:\.\d+)?(?:ms|s|m|h))+", value))
    )


def tag(model: OllamaModel) -> dict[str, Any]:
    digest = model.digest or hashlib.sha256(model.name.encode()).hexdigest()
    return {
        "name": model.name, "model": model.name, "modified_at": NOW, "size": model.size,
        "digest": digest, "details": _details(model),
    }  # fmt: skip


def show(model: OllamaModel) -> dict[str, Any]:
    return {
        "details": _details(model), "capabilities": list(model.capabilities), "template": "",
        "modified_at": NOW,
        "model_info": {
            "general.architecture": model.family,
            f"{model.family}.context_length": model.context,
        },
    }  # fmt: skip


def _details(model: OllamaModel) -> dict[str, Any]:
    return {
        "format": "gguf", "family": model.family, "families": [model.family],
        "parameter_size": "8.0B", "quantization_level": "Q4_0",
    }  # fmt: skip
