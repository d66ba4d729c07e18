"""Who the brief is for, by all the names and addresses they commit under."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from .bounded import Failure, bounded
from .records import Person

NOBODY = (
    "hermes does not know who you are, so it tells of the repository alone:"
    " git config --global user.email you@example.com, or [person] emails in the settings"
)
"""What a brief says to a person that it can't tell from others."""

SECONDS = 5.0
_KEYS = r"^(user|author|committer)\.(name|email)$"
_IDENT = re.compile(r"^(?P<name>.*?)\s*<(?P<email>[^<>]*)>$")


@dataclass(frozen=True, slots=True)
class Identity:
    """One name and address; either may be empty."""

    name: str
    email: str


def person_of(names: Sequence[str], emails: Sequence[str], gits: Iterable[Git]) -> Person:
    """Return the person, by settings (``names``, ``emails``), by what git is told in each
    repository, and by what their .mailmap files make of it.

    Blocking. A repository that can't be read, or does not answer, adds nothing.
    """
    told = [Identity("", email.strip()) for email in emails if email.strip()]
    told += [Identity(name.strip(), "") for name in names if name.strip()]
    calls = {str(git.common_dir): partial(identities, git, told) for git in gits}
    found = [*told]
    for answer in bounded(calls, SECONDS).values():
        if not isinstance(answer, Failure):
            found += answer
    # Names are only for commits without an address: a name alone is too many people's.
    return Person(
        frozenset(each.name for each in found if each.name),
        frozenset(each.email.lower() for each in found if each.email),
    )


def identities(git: Git, told: Sequence[Identity] = ()) -> list[Identity]:
    """Return what git is told of the person in a repository, and what its .mailmap makes of that
    and of what was ``told`` otherwise. Raise GitError."""
    own = [*configured(git), *(each for each in told if each.email)]
    if not own or git.worktree is None or not (git.worktree / ".mailmap").is_file():
        return own
    asked = "".join(f"{_plain(each.name)} <{_plain(each.email)}>\n" for each in own if each.email)
    said = git.run("check-mailmap", "--stdin", stdin=asked.encode(), timeout=SECONDS)
    return [*own, *_idents(said.decode("utf-8", "replace"))]


def configured(git: Git) -> list[Identity]:
    """Return the names and addresses of git's settings, each pair together. Raise GitError."""
    try:
        said = git.run("config", "--includes", "-z", "--get-regexp", _KEYS, timeout=SECONDS)
    except GitError:
        # It fails where nothing is set, too.
        git.run("rev-parse", "--git-dir", timeout=SECONDS)
        return []
    values: dict[str, str] = {}
    for entry in said.decode("utf-8", "replace").split("\0"):
        key, newline, value = entry.partition("\n")
        if newline and value.strip():
            values[key.lower()] = value.strip()  # the last one is the one that counts
    roles = ("user", "author", "committer")
    found = [Identity(values.get(f"{r}.name", ""), values.get(f"{r}.email", "")) for r in roles]
    return [each for each in dict.fromkeys(found) if each.name or each.email]


def _idents(said: str) -> list[Identity]:
    matches = [_IDENT.match(line.strip()) for line in said.splitlines()]
    return [Identity(match["name"], match["email"]) for match in matches if match]


def _plain(text: str) -> str:
    return re.sub(r"[<>\n\0]", "", text)
