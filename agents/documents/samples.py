"""Whether a block of code in a document parses, as far as it claims to be whole."""

from __future__ import annotations

import ast
import json
import re
import textwrap
import tomllib
import warnings

MAX_CHARACTERS = 50_000
_PYTHON = frozenset({"python", "py", "python3", "py3"})
_LEFT_OUT = re.compile(
    r"\.\.\.|…|\{\{|\{%|<[a-zA-Z][\w -]*>|^\s*[%!$]\s?\w|^\s*(?:\$|>>>|In \[)|^[-+@]{1,3} "
    r"|^\s*Traceback|\?\?\?|^\s*# ?(?:or|before|after)\b|^\s*print [\"'\w]|^usage:",
    re.MULTILINE | re.IGNORECASE,
)
"""Marks of a sample that is no whole text of its language: elisions, templates, prompts, diffs."""
_JSON_LEFT_OUT = re.compile(r"\.\.\.|…|^\s*//|/\*|\{\{|<[a-zA-Z]|^\s*#", re.MULTILINE)


def problem(language: str, text: str) -> tuple[int, str] | None:
    """Given a sample, return the line, from 0, and what is wrong with it; None if nothing is, or
    it does not claim to be whole."""
    if len(text) > MAX_CHARACTERS or not text.strip():
        return None
    if language in _PYTHON:
        return None if _LEFT_OUT.search(text) else _python(textwrap.dedent(text))
    if language == "json" and not _JSON_LEFT_OUT.search(text):
        return _json(text)
    if language == "toml" and not re.search(r"\.\.\.|…|\{\{|<[a-zA-Z]", text):
        return _toml(text)
    return None


def _python(text: str) -> tuple[int, str] | None:
    first: tuple[int, str] | None = None
    if not re.search(r"[(=:]|^\s*(?:import|from|return|del|raise)\s", text, re.MULTILINE):
        return None  # labelled as what it is not
    # A comment in place of a body stands for what is left out.
    filled = re.sub(r"^(\s+)#[^\n]*$", r"\1pass", text, flags=re.MULTILINE)
    inside = "".join(f"    {line}\n" if line.strip() else "\n" for line in text.splitlines())
    # As it is; as the body of a function, where await and return may stand; after a decorator.
    for made in (text, filled, f"async def _():\n{inside}", f"{text.rstrip()}\ndef _(): pass\n",
                 f"{text.rstrip()}\n    pass\n", f"if 1:\n    pass\n{text}", f"try:\n    pass\n{text}", f"_ = [{text}\n]", f"_({text}\n)"):  # fmt: skip
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(made)
        except SyntaxError as error:
            if "f-string" in error.msg:  # newer versions of Python allow more
                return None
            first = first or (max((error.lineno or 1) - 1, 0), f"not valid Python: {error.msg}")
        except (ValueError, RecursionError, MemoryError):
            return None
        else:
            return None
    return first


def _json(text: str) -> tuple[int, str] | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text.rstrip()):
            return None  # the beginning of something longer
        # One value a line, or a piece of an object, is no broken file.
        for made in (f"{{{text.strip().rstrip(',')}}}", f"[{text.strip().rstrip(',')}]"):
            try:
                json.loads(made)
            except json.JSONDecodeError:
                continue
            return None
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            for line in lines:
                json.loads(line)
        except json.JSONDecodeError:
            return error.lineno - 1, f"not valid JSON: {error.msg}"
    except RecursionError:
        return None
    return None


def _toml(text: str) -> tuple[int, str] | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        return int(line[1]) - 1 if line else 0, f"not valid TOML: {error}"
    except RecursionError:
        return None
    return None
