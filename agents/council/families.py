"""Which family of weights a model grew from: relatives are wrong alike.

By its name, as servers spell it. A fine-tune belongs to what it was tuned from: Hermes 3 is a Llama.
"""

from __future__ import annotations

import re

_FAMILIES = (
    # Fine-tunes and distillations first: their names hold the name of what they came from or hide it.
    (r"deepseek-?r1.*(?:distill.*)?qwen|qwq|qwen", "qwen"),
    (r"deepseek-?r1.*(?:distill.*)?llama", "llama"),
    (r"hermes-?4.*14b|nous-?hermes.*qwen", "qwen"),
    (
        r"(?:nous-?)?hermes-?2.*mistral|openhermes|dolphin.*mistral|zephyr|nous-?hermes2?:",
        "mistral",
    ),
    (r"hermes|dolphin|tulu|nemotron|tinyllama|vicuna|alpaca|wizard|codellama|llama", "llama"),
    (r"mistral|mixtral|codestral|devstral|magistral|ministral|pixtral", "mistral"),
    (r"gemma|gemini|palm", "google"),
    (r"gpt|davinci|^o[134](?:-|$)|chatgpt|codex", "openai"),
    (r"claude|haiku|sonnet|opus", "anthropic"),
    (r"phi-?\d|phi$|orca", "phi"),
    (r"deepseek", "deepseek"),
    (r"command-?r|command-?a|aya|cohere", "cohere"),
    (r"granite", "granite"),
    (r"glm|chatglm", "glm"),
    (r"\byi\b|yi-", "yi"),
    (r"falcon", "falcon"),
    (r"grok", "xai"),
    (r"kimi|moonshot", "moonshot"),
    (r"minimax", "minimax"),
    (r"smollm", "smollm"),
    (r"olmo", "olmo"),
    (r"starcoder|santacoder", "bigcode"),
    (r"internlm", "internlm"),
    (r"exaone", "exaone"),
)
_COMPILED = tuple((re.compile(pattern), family) for pattern, family in _FAMILIES)


def family_of(model: str) -> str:
    """Given a model's name, ``NousResearch/Hermes-3-Llama-3.1-8B`` or ``hermes3:8b``, return its
    family; empty if the name tells nothing."""
    name = model.casefold().rpartition("/")[2]
    return next((family for pattern, family in _COMPILED if pattern.search(name)), "")
