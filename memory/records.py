"""What memory holds: the plain records every floor above hands down or gets back.

Times are seconds since the epoch (UTC). Shas are full lower-case hexadecimal.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

INDEX_TEXT_LIMIT = 2_000
"""Characters of a chunk's index text that are kept for embedding."""


class Content(StrEnum):
    """What a changed file holds, as far as indexing cares."""

    TEXT = "text"
    BINARY = "binary"
    GENERATED = "generated"
    VENDORED = "vendored"
    LOCK = "lock"
    MINIFIED = "minified"
    EXCLUDED = "excluded"
    """Named by .hermesignore or by [ingest] exclude."""
    LARGE = "large"
    SUBMODULE = "submodule"


class Kind(StrEnum):
    """Which of the two searchable fields a chunk fills."""

    MESSAGE = "message"
    """A commit's message."""
    CONTEXT = "context"
    """One file's change in a commit: subject, path, hunk names and changed lines."""


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository taken into memory; all its worktrees are one repository."""

    id: str
    name: str
    path: str
    """The absolute common git directory, e.g. ``/home/sam/shop/.git``."""
    worktree: str | None
    """The working tree it was added from; None for a bare repository."""
    root_commit: str | None
    """Oldest known root commit, by which a moved repository is recognised."""
    added: int


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file's change in one commit."""

    path: str
    change: str
    """git's letter: A, M, D, R, C or T."""
    content: Content = Content.TEXT
    old_path: str | None = None
    """Where it was renamed or copied from."""
    added: int | None = None
    """Lines added; None where git shows no text diff."""
    removed: int | None = None


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit, as the structured index keeps it. ``files`` is empty for a merge."""

    repo: str
    sha: str
    parents: tuple[str, ...]
    author: str
    email: str
    time: int
    """When it was authored."""
    committed: int
    """When it was committed (later, after a rebase)."""
    subject: str
    files: tuple[FileChange, ...] = ()
    tickets: tuple[str, ...] = ()
    """Tickets and pull requests its message names: ``#482``, ``ENG-17``."""
    links: tuple[Link, ...] = ()
    """Where its message leads to besides: other commits, discussions, branches."""

    @property
    def is_merge(self) -> bool:
        """Whether it has several parents."""
        return len(self.parents) > 1


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of text that can be found, shown and cited."""

    id: str
    repo: str
    source: str
    """What brought it: ``git``, or an item's source such as ``slack``."""
    kind: Kind
    ref: str
    """What a citation resolves: the commit's sha, or an item's reference."""
    path: str
    """The changed file, or where a document lies; empty for any other message."""
    part: int
    author: str
    email: str
    time: int
    title: str
    """The commit's subject, or the item's title."""
    text: str
    """What is shown and quoted: the message, or the file's diff. Secrets are already out."""
    index_text: str
    """What is searched. Equals ``text`` for a message; for a diff the subject, path, hunk
    names and changed lines, one a line."""
    edited: int | None = None
    """When a person put other words in its place; None where it says what its source says."""


def chunk_id(repo: str, ref: str, path: str, part: int) -> str:
    """Given where a chunk comes from, return its id: 32 hexadecimal digits, the same each time."""
    text = "\x00".join((repo, ref, path, str(part)))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class ItemKind(StrEnum):
    """What people wrote outside of git."""

    THREAD = "thread"
    """A discussion: the first message and what was answered."""
    TICKET = "ticket"
    PULL = "pull"
    """A pull request, with its reviews and comments."""
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A ticket's or a pull request's field that was given another value."""

    at: int
    field: str
    """``state`` or ``assignee``; of a pull request also ``reviewer`` (whose review was asked for),
    ``review`` (``approved by Kim Noor``, ``changes requested by Kim Noor``) and ``checks``
    (``passed``, ``running``, ``failed: lint, tests``)."""
    value: str
    """The new one; empty where it was taken away."""


class LinkKind(StrEnum):
    """How one thing that memory knows of leads to another."""

    MERGED_AS = "merged as"
    """The commit that a pull request became: a merge, or all of it squashed into one."""
    COMMIT = "commit"
    """A commit, by its sha or the beginning of it."""
    ITEM = "item"
    """A ticket, a pull request, a discussion or a document, by its reference, key or address."""
    BRANCH = "branch"
    PATH = "path"
    """A file, as its repository calls it."""
    TEST = "test"
    """A test, by its id."""
    SUPERSEDES = "supersedes"
    """A document, by its reference, that does not hold any more because of this one."""


@dataclass(frozen=True, slots=True)
class Link:
    """Where an item leads to, by what its source knows or its text says."""

    kind: LinkKind
    target: str


@dataclass(frozen=True, slots=True)
class Item:
    """A discussion, a ticket, a pull request or a document, as the structured index keeps it."""

    source: str
    """What brought it: ``slack``, ``linear``, ``github``, ``docs``."""
    ref: str
    """What a citation resolves: ``slack:C024/1732871234.0012``, ``linear:ENG-17``. One of a kind."""
    kind: ItemKind
    repo: str
    """The repository's id; empty where it belongs to none in particular."""
    title: str
    text: str
    """All that was written, oldest first. Secrets are already out."""
    author: str
    email: str
    time: int
    """When it was begun."""
    changed: int
    """When something was last added or changed."""
    key: str = ""
    """What people call it: ``ENG-17``, ``#482``."""
    state: str = ""
    """In the source's own words: ``In Progress``."""
    closed: int | None = None
    """When it was done, merged or given up; None while it is open."""
    assignee: str = ""
    """A name."""
    url: str = ""
    tickets: tuple[str, ...] = ()
    """Tickets and pull requests that its text names, besides its own key."""
    people: tuple[tuple[str, str], ...] = ()
    """Names and addresses of those who took part, its author too."""
    changes: tuple[ItemChange, ...] = ()
    """What became of its fields, oldest first."""
    path: str = ""
    """Where a document lies in its repository, or its absolute path outside of every one; empty for
    all that is no document."""
    links: tuple[Link, ...] = ()
    """Where it leads to, besides its tickets."""


def is_item(ref: str) -> bool:
    """Whether a reference is an item's, which begins with its source and a colon, and no sha."""
    return ":" in ref


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known of a commit or an item besides what it says: how much it counts, and whether it
    still holds. Derived each night, from git and the items alone."""

    repo: str
    ref: str
    """The commit's sha, or the item's reference."""
    weight: float = 1.0
    """Share of its score that it keeps in recall: small talk of long ago has less."""
    folded_into: str = ""
    """The reference that stands for it: it says the same and is not shown itself."""
    ended: int | None = None
    """Since when it does not hold any more."""
    ended_by: str = ""
    """The reference of what ended it: the commit that took it back, the ticket's last change."""
    why: str = ""
    """In a few words: ``reverted``, ``cherry-pick``, ``ENG-17 is closed``."""
    branch: str = ""
    """A branch that it is on, where it is folded: ``release-1.2``."""


@dataclass(frozen=True, slots=True)
class DatedFact:
    """Something that was so for a time, as git and the items tell it."""

    repo: str
    subject: str
    """``ticket:ENG-17``, ``path:shop/payments/``."""
    relation: str
    """``state``, ``assignee``, ``owner``."""
    value: str
    since: int
    ref: str
    """What says so."""
    until: int | None = None
    """None while it still holds."""
    ended_by: str = ""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is confined to. An empty field confines nothing."""

    repos: tuple[str, ...] = ()
    """Repository ids."""
    source: str | None = None
    path: str | None = None
    """A path, a folder, or a glob such as ``worker/**``; matched against the start of the path."""
    author: str | None = None
    """Part of a name or of an email address; case does not matter."""
    since: int | None = None
    """From this second on, by when it was authored."""
    until: int | None = None
    """Up to and with this second."""
    refs: frozenset[str] | None = None
    """Only these commits: the caller resolves a branch to them."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that was found, and why."""

    chunk: Chunk
    score: float
    """Fused score; comparable within one recollection only."""
    arms: dict[str, float]
    """What each arm gave to the score: message, context, vector_message, vector_context, symbol
    (or newest, where the question had no words to search for; alone, what a discussion gains;
    linked, what it gains by what leads to it)."""
    exact: str | None = None
    """The sha, ticket or symbol of the question that this passage matches to the letter."""
    also: tuple[Chunk, ...] = ()
    """The same commit's other chunks that were found: its message, up to two of its files; then
    those of what is shown with it, such as the pull request that it was."""
    mark: Mark | None = None
    """What upkeep found out about it, if anything."""
    twins: tuple[Mark, ...] = ()
    """What says the same and is folded into it: the same commit on other branches."""
    linked_from: str = ""
    """What led here, by the name that people call it (``#482``), where that has lifted it."""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What recall found for a question."""

    passages: tuple[Passage, ...]
    confidence: float
    """0..1: how likely it is that anything here bears on the question (calibrated)."""
    relevant: bool
    """False: nothing relevant; ``passages`` are then the best weak candidates."""
    hints: dict[str, str]
    """What was read from the question's words, e.g. ``{"author": "Sam", "since": "2025-04-01"}``."""
    notes: tuple[str, ...] = ()
    """Degradations to tell the person, e.g. that vectors cover 40 % of the chunks."""
