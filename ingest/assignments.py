"""Secrets that only their surroundings give away: ``password = "…"``, logins in URLs, PEM blocks.

A catalogue of token formats knows what a GitHub token looks like; nothing but its name tells a
database password from any other word. These rules work on lines, so a diff's signs in front of
the lines do not disturb them.
"""

from __future__ import annotations

import base64
import binascii
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


_NAMES = (b"passw", b"passphrase", b"pwd", b"secret", b"token", b"credential")
"""What the name of a secret contains, in lower case; ``…key`` is besides them."""

_KEYS = tuple(
    kind + joint
    for kind in (
        *(b"api", b"access", b"private", b"encryption", b"encrypt", b"signing", b"auth"),
        *(b"account", b"master", b"shared", b"app", b"secret"),
    )
    for joint in (b"", b"_", b"-", b".")
)
"""What stands before ``key`` in the name of a key that is secret."""

_ASSIGNED = re.compile(
    rb"""(?P<rest>[\w.\-]*)["'\]]{0,2}"""  # of the name
    rb"""(?:[ \t]*:[ \t]*[\w.\[\]| ]{1,30}?)?"""  # a type, as in `password: str = "…"`
    rb"""(?:[ \t]*(?:=>|:=|=|:)[ \t]*|(?<=["']),[ \t]*(?=[bruf]{0,2}["'`]))"""
    rb"""[bruf]{0,2}(?:(?P<quote>["'`])(?P<quoted>[^"'`\s\\]{8,200})(?P=quote)"""
    rb"""|(?P<bare>[A-Za-z0-9+/=_.!@#%^&*~\-]{12,200})(?=[\s,;]|$))""",
    re.IGNORECASE,
)
"""What follows such a name where a value is given to it."""

_ABOUT = re.compile(
    rb"(?:ids?|names?|ur[il]s?|path|file|type|kind|length|count|size|ttl|expir\w*)$", re.IGNORECASE
)
"""How the names end of what only belongs to a secret: ``token_id``, ``password_file``."""

_TOKENS = (
    ("aws-access-key-id", b"AKIA", re.compile(rb"(?<!\w)AKIA[A-Z2-7]{16}\b")),
    ("aws-access-key-id", b"ASIA", re.compile(rb"(?<!\w)ASIA[A-Z2-7]{16}\b")),
    ("google-oauth-secret", b"GOCSPX-", re.compile(rb"GOCSPX-(?P<secret>[\w\-]{20,})")),
    ("azure-client-secret", b"Q~", re.compile(rb"(?<=\b\w{3}\d)Q~[\w.~\-]{31,34}")),
    ("discord-webhook", b"/webhooks/", re.compile(rb"/webhooks/(?P<secret>\d{17,20}/[\w\-]{60,})")),
    (
        "password-option",
        b"--pass",
        re.compile(rb"--pass(?:word|wd|phrase)?[ =](?P<secret>(?=\S*\d)[^\s\"'$<>{}()]{8,})"),
    ),
    ("netrc-password", b"login ", re.compile(rb"login \S+\s+password (?P<secret>[^\s$<>]{4,})")),
    ("bearer-token", b"earer ", re.compile(rb"earer (?P<secret>(?=\S*\d)[\w.~+/\-]{20,}=*)")),
    ("basic-auth", b"asic ", re.compile(rb"asic (?P<secret>(?=\S*\d)[A-Za-z0-9+/]{16,}={0,2})")),
)
"""Kind, a word to look for, and what must lie there: tokens the catalogue lets pass."""

_LOGIN = re.compile(rb"://[^\s:/@'\"<>]{0,100}:(?P<secret>[^\s:/@'\"<>]{3,200})@[\w\[]")

_PLACEHOLDER = re.compile(
    rb"example|sample|change.?me|your|placeholder|dummy|redacted|replace|insert|foobar|xxxx"
    rb"|^passw(?:or)?d\W{0,2}\d{0,4}$|^\[|\*\*\*|\.\.\.|12345678|abcdefgh|deadbeef|^(?:test|fake|mock|my|some)[\W_]|<|>|\$|\{|\}|%[sd(]",
    re.IGNORECASE,
)
_USUAL = frozenset(
    b"pass passwd password pwd secret user username admin root guest test testpass postgres mysql redis"
    b" token login default none null true false hostname host port localhost".split()
)

_CODE = re.compile(
    rb"^[A-Za-z_][A-Za-z]*(?:[._\-/:][A-Za-z_]+\d?)+$|^[a-z]+(?:[A-Z][a-z]+)+\d?$|^[\w.]+\(|^https?:"
    rb"|^\.{0,2}/[\w\-]*[/.?]"
)
"""Names, dotted or dashed words, paths, calls: what leads to a secret, not the secret."""

_BEGIN = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(rb"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(
    rb"[ +\-]?\s*[\"'#/*|>]{0,3}\s*(?:[A-Za-z0-9+/]{4,}={0,2}|(?:Proc-Type|DEK-Info|Version|Comment): [^\n]*)"
    rb"(?:\\[nr])*[\"',;+\\]{0,3}\s*|[ +\-]?\s*"
)


def find(data: bytes) -> Iterator[Span]:
    """Yield the secrets in some text: a message, a diff, any lines. Spans may overlap."""
    yield from _assigned(data)
    for kind, word, pattern in _TOKENS:
        for match in _matches(data, word, pattern):
            group = 1 if pattern.groups else 0
            value = _password(match[group]) if kind == "basic-auth" else match[group]
            if not is_placeholder(value):
                yield Span(*match.span(group), kind)
    for match in _matches(data, b"://", _LOGIN):
        if not is_placeholder(match["secret"]):
            yield Span(*match.span("secret"), "url-password")
    if b"PRIVATE KEY" in data:
        yield from _key_blocks(data)


def _password(login: bytes) -> bytes:
    """Return the password of a base64 ``user:password``; what is none counts as all password."""
    try:
        _, colon, password = base64.b64decode(login, validate=True).partition(b":")
    except binascii.Error:
        return login
    return password if colon else login


def _matches(data: bytes, word: bytes, pattern: re.Pattern[bytes]) -> Iterator[re.Match[bytes]]:
    """Yield what a pattern matches where a word lies: far faster than to search for the pattern."""
    position = data.find(word)
    while position >= 0:
        match = pattern.match(data, position)
        if match is not None:
            yield match
        position = data.find(word, position + len(word))


def key_lines(data: bytes) -> Iterator[Span]:
    """Yield every line that could belong to a key, for files that hold keys and nothing else."""
    for match in re.finditer(rb"[A-Za-z0-9+/]{40,}={0,2}", data):
        yield Span(match.start(), match.end(), "private-key")


def _assigned(data: bytes) -> Iterator[Span]:
    lowered = data.lower()
    for hint in _NAMES:
        position = lowered.find(hint)
        while position >= 0:
            yield from _value(data, position)
            position = lowered.find(hint, position + len(hint))
    position = lowered.find(b"key")
    while position >= 0:
        if lowered[max(position - 11, 0) : position].endswith(_KEYS):
            yield from _value(data, position)
        position = lowered.find(b"key", position + 3)


def _value(data: bytes, name: int) -> Iterator[Span]:
    """Yield the secret given to the name that lies at a position."""
    match = _ASSIGNED.match(data, name)
    if match is not None and not _ABOUT.search(match["rest"]):
        group = "quoted" if match["quoted"] is not None else "bare"
        if looks_secret(match[group], quoted=group == "quoted"):
            yield Span(*match.span(group), "assigned-secret")


def looks_secret(value: bytes, *, quoted: bool) -> bool:
    """Whether a value assigned to a secret's name is one, rather than code or a placeholder."""
    if is_placeholder(value) or _CODE.search(value):
        return False
    letters = any(65 <= byte <= 90 or 97 <= byte <= 122 for byte in value)
    digits = sum(48 <= byte <= 57 for byte in value)
    if not letters or not digits:
        return False
    needed = 2.8 if quoted else 3.2
    return entropy(value) >= needed


def is_placeholder(value: bytes) -> bool:
    """Whether a value only stands where a secret would: in documents, templates and tests."""
    return value.lower() in _USUAL or _PLACEHOLDER.search(value) is not None


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
