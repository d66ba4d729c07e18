"""Earlier commits that bear on a change: what memory says of the things that it touches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...ingest.redaction import redact
from ...memory.records import Filters, Passage, Recollection
from .records import Change, Facts, Ticket

if TYPE_CHECKING:
    from ...memory.memory import Memory

MOST = 2
"""Commits that are named."""
CANDIDATES = 8
_TELLING = 2
"""Words that a subject must have besides the name."""
_GENERIC_TEXT = """
    add adds added update updates updated change changes changed fix fixes fixed bump bumps bumped
    improve improved tweak the for from and with docs to in of
"""
_GENERIC = frozenset(_GENERIC_TEXT.split())


def question_of(facts: Facts, ticket: Ticket | None) -> str:
    """Return what to look for: the main thing, where it is, and the ticket."""
    name = facts.main_path.rpartition("/")[2]
    words = [facts.main, facts.main_path, *([ticket.key] if ticket else [])]
    if name == facts.main:
        words = words[1:]
    return " ".join(word for word in words if word)


def related(memory: Memory, repo: str, facts: Facts, ticket: Ticket | None) -> tuple[str, ...]:
    """Return at most MOST commits, each as its short sha and its subject; none that only might
    bear on it. Raise HermesError as memory does."""
    from ...memory.recall import recall

    question = question_of(facts, ticket)
    if not question:
        return ()
    found = recall(memory, question, Filters(repos=(repo,), source="git"), CANDIDATES)
    return chosen(found, facts, ticket)


def chosen(found: Recollection, facts: Facts, ticket: Ticket | None) -> tuple[str, ...]:
    """Given a recollection, return what names the main thing or the ticket itself."""
    if not found.relevant:
        return ()
    wanted = [
        word for word in (facts.main.rpartition(".")[2], ticket.key if ticket else "") if word
    ]
    patterns = [re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in wanted]
    lines: list[str] = []
    for passage in found.passages:
        if _says_nothing(passage.chunk.title, wanted):
            continue
        if any(pattern.search(_message(passage)) for pattern in patterns):
            title = redact(" ".join(passage.chunk.title.split()))[0]
            lines.append(f"{passage.chunk.ref[:7]} {title}")
    return tuple(dict.fromkeys(lines))[:MOST]


def _says_nothing(title: str, wanted: list[str]) -> bool:
    """Say whether a subject holds next to nothing besides the name that was looked for."""
    for word in wanted:
        title = title.replace(word, " ")
    words = re.findall(r"[^\W\d_]{2,}", title.lower())
    return len(set(words) - _GENERIC) < _TELLING


def _message(passage: Passage) -> str:
    """Return what the commit says of itself: a file that happens to hold a word is no reason."""
    messages = [c.text for c in (passage.chunk, *passage.also) if not c.path]
    return "\n".join([passage.chunk.title, *messages])


def branch_words(change: Change) -> frozenset[str]:
    """Return the words of the branch's name, which a message may use."""
    return frozenset(word for word in re.split(r"[/_\-.]+", change.branch) if word)
