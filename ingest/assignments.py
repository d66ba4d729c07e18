"""Secrets that only their surroundings give away: ``password = "…"``, logins in URLs, PEM blocks.

A catalogue of token formats knows what a GitHub token looks like; nothing but its name tells a
database password from any other word. These rules work on lines, so a diff's signs in front of
the lines do not disturb them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Where a secret lies in the searched bytes, and its kind."""

    start: int
    end: int
    kind: str


_NAMES = (
    rb"passw(?:or)?d|passwd|passphrase|\bpwd|_pwd|secret|token|credential"
    rb"|(?:api|access|private|encryption|encrypt|signing|auth|account|master|shared|app)[_.\-]?key"
)

_HINTS = (b"passw", b"passphrase", b"pwd", b"secret", b"token", b"credential", b"key")
"""Lower-case words, one of which every name above contains: a cheap look before the regex."""

_ASSIGNMENT = re.compile(
    rb"""(?P<name>[\w.\-]*(?:""" + _NAMES + rb""")[\w.\-]*)["'\]]{0,2}"""
    rb"""(?:\s*:\s*[\w.\[\]| ]{1,30}?)?"""  # a type, as in `password: str = "…"`
    rb"""\s*(?:=>|:=|=|:|,)\s*"""
    rb"""[bruf]{0,2}(?:(?P<quote>["'`])(?P<quoted>[^"'`\s\\]{8,200})(?P=quote)"""
    rb"""|(?P<bare>[A-Za-z0-9+/=_.!@#%^&*~\-]{12,200})(?=[\s,;]|$))""",
    re.IGNORECASE,
)

_TOKENS = (
    ("aws-access-key-id", b"AKIA", re.compile(rb"\bAKIA[A-Z2-7]{16}\b")),
    ("aws-access-key-id", b"ASIA", re.compile(rb"\bASIA[A-Z2-7]{16}\b")),
    ("google-oauth-secret", b"GOCSPX-", re.compile(rb"\bGOCSPX-[\w\-]{20,}")),
    ("azure-client-secret", b"Q~", re.compile(rb"\b\w{3}\dQ~[\w.~\-]{31,34}")),
    (
        "discord-webhook",
        b"/webhooks/",
        re.compile(rb"(?<=/webhooks/)\d{17,20}/[\w\-]{60,}"),
    ),
)

_LOGIN = re.compile(rb"://[^\s:/@'\"<>]{0,100}:(?P<password>[^\s:/@'\"<>]{3,200})@[\w\[]")

_PLACEHOLDER = re.compile(
    rb"example|sample|change.?me|your|placeholder|dummy|redacted|replace|insert|foobar|xxxx"
    rb"|\*\*\*|\.\.\.|12345678|abcdefgh|deadbeef|^(?:test|fake|mock|my)|<|>|\$|\{|\}|%[sd(]",
    re.IGNORECASE,
)
"""Values that stand where a secret would, in documents, templates and tests."""

_USUAL = frozenset(
    b"pass passwd password pwd secret user username admin root guest test postgres mysql redis"
    b" token login default none null true false hostname host port localhost".split()
)

_CODE = re.compile(
    rb"^[A-Za-z_][A-Za-z]*(?:[._\-/:][A-Za-z_]+\d?)+$|^[a-z]+(?:[A-Z][a-z]+)+\d?$|^[\w.]+\(|^https?:"
)
"""Names, dotted or dashed words and calls: code that fetches a secret, not the secret."""

_BEGIN = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(rb"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(
    rb"[ +\-]?\s*[\"'#/*|>]{0,3}\s*(?:[A-Za-z0-9+/]{4,}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*)"
    rb"(?:\\[nr])*[\"',;+\\]{0,3}\s*|[ +\-]?\s*"
)


def find(data: bytes) -> Iterator[Span]:
    """Yield the secrets in some text: a message, a diff, any lines. Spans may overlap."""
    yield from _assigned(data)
    for kind, hint, pattern in _TOKENS:
        if hint in data:
            for match in pattern.finditer(data):
                yield Span(match.start(), match.end(), kind)
    if b"://" in data:
        for match in _LOGIN.finditer(data):
            password = match["password"]
            if password.lower() not in _USUAL and not _PLACEHOLDER.search(password):
                yield Span(*match.span("password"), "url-password")
    if b"PRIVATE KEY" in data:
        yield from _key_blocks(data)


def key_lines(data: bytes) -> Iterator[Span]:
    """Yield every line that could belong to a key, for files that hold keys and nothing else."""
    for match in re.finditer(rb"[A-Za-z0-9+/]{40,}={0,2}", data):
        yield Span(match.start(), match.end(), "private-key")


def _assigned(data: bytes) -> Iterator[Span]:
    lowered = data.lower()
    seen = -1
    starts: set[int] = set()
    for hint in _HINTS:
        position = lowered.find(hint)
        while position >= 0:
            start = data.rfind(b"\n", 0, position) + 1
            starts.add(start)
            seen = data.find(b"\n", position)
            position = lowered.find(hint, seen) if seen >= 0 else -1
    for start in sorted(starts):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        if end - start > 2_000:  # a long line holds its secrets where a short one would
            end = start + 2_000
        for match in _ASSIGNMENT.finditer(data, start, end):
            group = "quoted" if match["quoted"] is not None else "bare"
            if looks_secret(match[group], quoted=group == "quoted"):
                yield Span(*match.span(group), "assigned-secret")


def looks_secret(value: bytes, *, quoted: bool) -> bool:
    """Whether a value assigned to a secret's name is one, rather than code or a placeholder."""
    if value.lower() in _USUAL or _PLACEHOLDER.search(value) or _CODE.search(value):
        return False
    letters = any(65 <= byte <= 90 or 97 <= byte <= 122 for byte in value)
    digits = sum(48 <= byte <= 57 for byte in value)
    if not letters or not digits:
        return False
    needed = 2.8 if quoted else 3.2
    return entropy(value) >= needed


def entropy(value: bytes) -> float:
    """Shannon entropy in bits a byte."""
    size = len(value)
    return -sum(n / size * math.log2(n / size) for n in Counter(value).values())


def _key_blocks(data: bytes) -> Iterator[Span]:
    """Private keys, also those of which a diff shows only the head or only the tail."""
    for match in _BEGIN.finditer(data):
        yield Span(match.start(), _follow(data, match.end()), "private-key")
    for match in _END.finditer(data):
        start = data.rfind(b"\n", 0, match.start()) + 1
        while start > 0:
            before = data.rfind(b"\n", 0, start - 1) + 1
            line = data[before : start - 1]
            if not line.strip(b" +-") or not _KEY_LINE.fullmatch(line):
                break
            start = before
        start += data[start : start + 1] in (b"+", b"-", b" ")
        yield Span(start, match.end(), "private-key")


def _follow(data: bytes, start: int) -> int:
    """Return where the key that began before ``start`` ends."""
    position = data.find(b"\n", start)
    if position < 0:  # all on one line, with \n written out
        return len(data)
    end = position
    while position >= 0:
        following = data.find(b"\n", position + 1)
        line = data[position + 1 : following if following >= 0 else len(data)]
        closing = _END.search(line)
        if closing:
            return position + 1 + closing.end()
        if not _KEY_LINE.fullmatch(line):
            return end
        end = following if following >= 0 else len(data)
        position = following
    return end
