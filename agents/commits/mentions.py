"""What a message names that is no ordinary word: code, paths, numbers, tickets, commits.

A word counts as a name by its form: it has a digit, an underscore, a path separator, a dot, a
capital after a small letter, dashes in front, call parentheses, or stands in backticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ...ingest.git.tickets import tickets

Sort = Literal["identifier", "path", "number", "flag", "ticket", "sha", "address"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a message."""

    text: str
    sort: Sort


_ADDRESS = re.compile(r"\bhttps?://[^\s)>\]\"'`]+")
_TICKET = re.compile(
    r"(?<![\w&/])(?:[\w.\-]+(?:/[\w.\-]+)?)?#(?P<number>\d+)\b|\b[A-Z][A-Z0-9]{1,9}-\d+\b"
    r"|\b(?:issue|fix|bug|gh|pr|pull)[-_](?P<worded>\d+)\b"
)
_ADVISORY = re.compile(r"\b(?:CVE|GO|PYSEC|RUSTSEC)-\d{4}-\d+\b|\bGHSA(?:-\w{4}){3}\b")
_PROTOCOL = re.compile(r"\b(?:HTTP|TLS|SSL|IPv?|ISO)/\d(?:\.\d)?\b")
_RELEASE = re.compile(r"\b(?P<product>[A-Za-z]+?)(?P<version>\d+\.\d+(?:\.\d+)*)\b(?!\.\w)")
"""A product and its version in one word: ``go1.14``."""
_LINE = re.compile(r"(?<=\w\.\w\w):\d+|(?<=\w\.\w\w\w):\d+|(?<=\w\.\w):\d+")
"""The line of a file, as tools print it."""
_BITS = re.compile(r"\b\d+[- ]bits?\b")
_ARGUMENTS = re.compile(r"(?<=\w)\((?=[^()\s][^()]*\))[^()]*\)(?!!?:)")
"""Arguments of a call: what is passed there may be an example's."""
_TICKED = re.compile(r"`+([^`\n]+)`+")
_FLAG = re.compile(r"(?<![\w\-/.])(?:--[A-Za-z][\w\-]*|-[A-Za-z]\b(?!-))")
_PATH = re.compile(r"(?<![\w/.\-:])[~.]{0,2}/?(?:[\w.@+\-*\\]+/)+[\w.@+\-*\\]*")
_SHA = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_NUMBER = re.compile(r"(?<![\w.])v?\d[\d_,]*(?:\.\w+)*(?![\w])")
_WORD = re.compile(
    r"@?[A-Za-z_][\w]*(?:(?:\.|::|->)[A-Za-z_]\w*)*(?:\(\))?|\.[a-z][\w\-]+(?:\.\w+)*"
)
_NAME_PART = re.compile(r"\w+")

_PLAIN_TEXT = """
    e.g i.e a.k.a et.al vs.
    github gitlab bitbucket pypi javascript typescript coffeescript macos ios ipados openai
    chatgpt postgresql mysql mongodb sqlite dynamodb graphql latex bibtex jquery youtube linkedin
    stackoverflow wordpress numpy scipy openssl libressl opensuse freebsd openbsd netbsd webassembly
    intellij pycharm vscode pyright deepseek devops webapp websocket websockets restructuredtext
    node.js next.js vue.js readthedocs circleci appveyor dependabot powershell ebay iphone ipad
    mcdonald mccarthy etc typeerrors todos urls ids apis
    ipv4 ipv6 utf8 utf16 x86 x64 arm64 amd64 win32 win64 i18n l10n a11y k8s s3 ec2 md5 sha1 sha256
    base64 h2 http2 http3 oauth2 es5 es6 py2 py3 python2 python3 mp3 mp4 i386 i686 b2b c4 2d 3d
    camelcase snake_case all_caps kebab-case
    rest godoc oses msys2 flake8 pep8 1st 2nd 3rd myst html5 css3 oauth mkdocs pytest-xdist typeerror plaintext
"""
PLAIN = frozenset(_PLAIN_TEXT.split())
"""Words with the form of a name that are none: products, encodings, machines."""


_TYPES = frozenset(["bool", "int", "str", "float", "bytes", "list", "dict", "tuple", "set", "None"])
"""Words of a language that say nothing of a change."""


def mentions(text: str) -> Iterator[Mention]:
    """Yield what a message names, each with its sort; a name may come more than once."""
    rest = text
    for match in _ADDRESS.finditer(rest):
        yield Mention(match[0].rstrip(".,;:"), "address")
    for match in _ADVISORY.finditer(rest):
        yield Mention(match[0], "address")
    rest = _ADVISORY.sub(" ", rest)
    rest = _PROTOCOL.sub(" ", _ADDRESS.sub(" ", rest))
    for match in _TICKET.finditer(rest):
        number = match["number"] or match["worded"]
        if number or tickets(match[0]):
            yield Mention(f"#{number}" if number else match[0], "ticket")
    rest = _TICKET.sub(" ", rest)  # of the same form, and no ticket: UTF-8, CVE-2024-1
    rest = _BITS.sub(" ", _LINE.sub("", rest))
    for match in _TICKED.finditer(rest):
        yield from _ticked(_ARGUMENTS.sub("()", match[1]))
    rest = _TICKED.sub(" ", rest)
    rest = _ARGUMENTS.sub("()", rest)
    for match in _RELEASE.finditer(rest):
        yield Mention(match["version"], "number")
    rest = _RELEASE.sub(" ", rest)
    for match in _FLAG.finditer(rest):
        yield Mention(match[0], "flag")
    rest = _FLAG.sub(" ", rest)
    for match in _PATH.finditer(rest):
        if is_path(match[0]):
            yield Mention(match[0].rstrip(".,;:"), "path")
    rest = _PATH.sub(lambda match: " " if is_path(match[0]) else match[0].replace("/", " "), rest)
    for match in _SHA.finditer(rest):
        yield Mention(match[0], "sha")
    rest = _SHA.sub(" ", rest)
    for match in _NUMBER.finditer(rest):
        yield Mention(match[0].rstrip(".,"), "number")
    rest = _NUMBER.sub(" ", rest)
    for match in _WORD.finditer(rest):
        if is_name(match[0]):
            yield Mention(match[0], "identifier")


def _ticked(text: str) -> Iterator[Mention]:
    """In backticks all is code, so every word of it must be known."""
    for match in _FLAG.finditer(text):
        yield Mention(match[0], "flag")
    rest = _FLAG.sub(" ", text)
    for match in _NUMBER.finditer(rest):
        yield Mention(match[0].rstrip(".,"), "number")
    for match in _NAME_PART.finditer(_NUMBER.sub(" ", rest)):
        if match[0] not in _TYPES:
            yield Mention(match[0], "number" if match[0].isdigit() else "identifier")


def is_path(text: str) -> bool:
    """Say whether words with a slash between them are a path, and not ``and/or``."""
    parts = [part for part in text.split("/") if part]
    if len(parts) == 2 and all(re.fullmatch(r"\w\.\w+|[A-Z]\w+\.\w+", part) for part in parts):
        return False  # two names of code
    if text.startswith(("/", "./", "../", "~")) or text.endswith("/"):
        return len(text) > 2
    return len(parts) > 2 or any("." in part[:-1] or "_" in part or "*" in part for part in parts)


def is_name(word: str) -> bool:
    """Say whether a word is, by its form, a name in code or of a file."""
    bare = word.rstrip("()").lstrip("@")
    if bare.lower() in PLAIN or len(bare) < 2:
        return False
    if bare.endswith("s") and bare[:-1].isupper():
        return False  # URLs, APIs
    if re.fullmatch(r"[A-Z]{2,}(?:ed|ing|s)", bare):
        return False  # ANDed
    if re.fullmatch(r"[A-Z]{1,3}\d{1,4}|\d+(?:st|nd|rd|th|x|k|ms|s|d)", bare):
        return False  # E501, H1, 2nd
    return (
        word.endswith("()")
        or any(character in bare for character in "_:>")
        or any(character.isdigit() for character in bare)
        or "." in bare
        or re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}", bare) is not None
    )


def parts_of(name: str) -> list[str]:
    """Return the words that a dotted name, a path or a flag is put together from."""
    return _NAME_PART.findall(name)
