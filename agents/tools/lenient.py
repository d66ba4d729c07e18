"""JSON as small models write it: trailing commas, single quotes, Python's words, comments, missing
ends."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

_WORDS = {"true": "True", "false": "False", "null": "None"}
_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}


def read_object(text: str) -> dict[str, Any] | None:
    """Given a text that means to be a JSON object, return it, or None when it can't be told."""
    text = text.strip().removesuffix(";")
    for attempt in (text, _completed(text)):
        for read in (_strict, _loose):
            value = read(attempt)
            if isinstance(value, dict):
                return {str(key): item for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return None


def _strict(text: str) -> object:
    try:
        return json.loads(text, strict=False)  # real newlines inside strings are let through
    except (json.JSONDecodeError, RecursionError):
        return None


def _loose(text: str) -> object:
    """Read as a Python literal, which knows single quotes and trailing commas. Runs nothing."""
    outside: list[str] = []
    end = 0
    for found in _STRING.finditer(text):
        outside += [_python(text[end : found.start()]), found.group().replace("\n", "\\n")]
        end = found.end()
    outside.append(_python(text[end:]))
    try:
        return ast.literal_eval("".join(outside).strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _python(text: str) -> str:
    """Put the parts of a text outside strings into Python's form; quote bare keys."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)", r'\1"\2"\3', text)
    return re.sub(r"\b(?:true|false|null)\b", lambda word: _WORDS[word.group()], text)


def _completed(text: str) -> str:
    """Close what was left open: a string, objects and lists; drop closers that open nothing."""
    stack: list[str] = []
    quote = ""
    kept: list[str] = []
    escaped = False
    for character in text:
        if quote:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == quote:
                quote = ""
        elif character in "\"'":
            quote = character
        elif character in _CLOSING:
            stack.append(_CLOSING[character])
        elif character in "}]":
            if not stack or stack[-1] != character:
                continue
            stack.pop()
        kept.append(character)
        if not stack and not quote and character == "}":
            break
    return "".join(kept) + quote + "".join(reversed(stack))
