"""Which names and addresses are one person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...memory.index import AuthorCount

SECONDS = 20.0
_IDENT = re.compile(r"^(?P<name>.*?)\s*<(?P<email>[^<>]*)>$")


def one_name_each(
    authors: Sequence[AuthorCount], mapped: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    """Given all authors and what .mailmap makes of each, return everybody's one name.

    One address is one person, who goes by the name of the most recent commits.
    """
    pairs = list(zip(authors, mapped, strict=True))
    latest: dict[str, tuple[int, str]] = {}
    for author, (name, email) in pairs:
        key = email.casefold()
        latest[key] = max(latest.get(key, (-1, "")), (author.last, name))
    return {
        (author.name, author.email): latest[email.casefold()][1] if email else name
        for author, (name, email) in pairs
    }


def mapped_by_git(git: Git | None, authors: Sequence[AuthorCount]) -> list[tuple[str, str]]:
    """Return what a repository's .mailmap makes of its authors; themselves where git can't say."""
    own = [(author.name, author.email) for author in authors]
    if git is None or not own:
        return own
    asked = "".join(f"{_plain(name)} <{_plain(email)}>\n" for name, email in own)
    try:
        said = git.run("check-mailmap", "--stdin", stdin=asked.encode(), timeout=SECONDS)
    except GitError:  # an address that git can't read, or a repository that is gone meanwhile
        return own
    found = [_IDENT.match(line.strip()) for line in said.decode("utf-8", "replace").splitlines()]
    if len(found) != len(own):
        return own
    return [
        (match["name"] or name, match["email"]) if match else (name, email)
        for match, (name, email) in zip(found, own, strict=True)
    ]


def _plain(text: str) -> str:
    return re.sub(r"[<>\n\0]", "", text)
