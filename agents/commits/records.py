"""What the parts of the commit helper hand to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ...ingest.symbols import SymbolChange
from ...memory.records import Content

Kind = Literal["added", "changed", "removed", "renamed", "copied", "mode", "type", "submodule"]
Form = Literal["conventional", "scoped", "plain"]
Place = Literal["prefix", "suffix", "trailer", "none"]
Mood = Literal["imperative", "past", "third"]
"""``Add …``, ``Added …`` or ``Adds …``."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """One run of changed lines of a file."""

    header: str
    """git's ``@@ … @@`` with the function it is in."""
    lines: tuple[str, ...]
    """With their sign; the context too."""
    section: str = ""
    """The definition or the heading that the first changed line is in; empty if it is in none."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a commit does, or will do, to one file."""

    path: str
    kind: Kind
    old_path: str | None = None
    content: Content = Content.TEXT
    binary: bool = False
    added: int = 0
    removed: int = 0
    hunks: tuple[Hunk, ...] = ()
    """Empty where the file is no text, is generated, or is too large to be read."""
    symbols: tuple[SymbolChange, ...] = ()
    """What happened to the names that it defines."""
    similarity: int | None = None
    """Percent, of a renamed or copied file."""
    old_mode: str = ""
    mode: str = ""
    """git's, as ``100755``."""
    old_id: str = ""
    new_id: str = ""
    """Of the blob or, of a submodule, of its commit; empty where there is none."""
    defines: frozenset[str] = frozenset()
    """Names and options that it defines, before or after, where its language is known."""


@dataclass(frozen=True, slots=True)
class Change:
    """All that is to be committed, or was."""

    files: tuple[FileChange, ...]
    branch: str = ""
    head: str | None = None
    """The commit that it stands on; None before the first."""
    tree: str = ""
    """The id of the tree that would be committed."""
    cut: bool = False
    """It was too large to be read whole; counts are right, hunks are missing."""
    conflicts: tuple[str, ...] = ()
    """Paths of the index that a merge left unmerged: then nothing can be committed, and ``files``
    is empty."""

    @property
    def empty(self) -> bool:
        """Whether nothing is staged."""
        return not self.files


@dataclass(frozen=True, slots=True)
class Dependency:
    """A dependency that a manifest declares otherwise than before."""

    name: str
    before: str | None
    after: str | None
    path: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What a change is, computed: everything that a message about it may say."""

    kind: str
    """feat, fix, docs, test, refactor, build, ci, style, chore, perf or revert: the best guess."""
    main: str
    """The thing that changed most, as a person would name it: a symbol, else a file or folder."""
    main_path: str
    statements: tuple[str, ...]
    """Facts in words, most telling first: ``adds Cart.total``, ``renames --fast to --quick``."""
    scope: str = ""
    """The part of the repository that it is in, if it is in one."""
    dependencies: tuple[Dependency, ...] = ()
    aside: str = ""
    """Generated, lock and vendored files, in one clause; empty if there are none."""
    reason: str = ""
    """Why it is of that kind."""
    version: tuple[str, str] | None = None
    """The project's own version before and now, if that is what changed."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """The ticket a change is for."""

    key: str
    """``ENG-17`` or ``#482``."""
    title: str = ""
    source: str = ""
    """Where it was found: ``branch``, ``memory``."""


@dataclass(frozen=True, slots=True)
class Style:
    """How this repository writes its commit messages, learnt from its history."""

    form: Form = "plain"
    types: tuple[str, ...] = ()
    """Those in use, most frequent first."""
    scopes: tuple[str, ...] = ()
    scoped: bool = False
    """With form conventional: whether a scope is usual."""
    upper: bool = True
    """The subject's first letter (after type and scope) is a capital."""
    imperative: bool = True
    """"Add …" rather than "Added …" or "Adds …"."""
    period: bool = False
    length: int = 72
    """Characters under which nine of ten subjects stay, between 50 and 100."""
    usual: int = 50
    """Characters of the median subject."""
    language: str = "en"
    """``en``, or ``other``: then a draft by rule says only what needs no language."""
    emoji: bool = False
    body: bool = False
    """Whether most messages have one."""
    wrap: int = 72
    ticket: Place = "none"
    ticket_form: str = ""
    """How a ticket is written, e.g. ``({key})``, ``[{key}]``, ``{key}:``, ``Refs: {key}``."""
    trailers: tuple[str, ...] = ()
    """Names of trailers that most messages have, without those that only their writer may add."""
    sign_off: str = ""
    """``Name <email>`` if format.signOff or the repository asks for a Signed-off-by."""
    comment: str = "#"
    """core.commentChar; a line of a message may not begin with it."""
    examples: tuple[str, ...] = ()
    """A few recent subjects, newest first."""
    previous: str = ""
    """The newest subject."""
    seen: int = 0
    """Messages it was learnt from."""
    mood: Mood = "imperative"
    ticks: bool = False
    """Whether names of code stand in backticks."""
    bump: str = "bump"
    """The verb for a dependency's new version: ``bump``, ``update``, ``upgrade``."""
    bump_prefix: str = ""
    """With form conventional: type and scope in front of it, e.g. ``chore(deps): ``."""
    release: str = ""
    """How a release's subject reads, e.g. ``Release {version}``; empty if none was seen."""
    notes: tuple[str, ...] = ()
    """What was learnt, in words, for ``--why``."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A commit message that is proposed."""

    subject: str
    body: str = ""
    trailers: tuple[str, ...] = ()
    by: str = "rule"
    """``rule``, or the name of the model that phrased it."""
    why: tuple[str, ...] = ()
    """What each part of it rests on, one line each."""

    @property
    def text(self) -> str:
        """The message as git takes it, ending in a newline."""
        parts = [self.subject, self.body.strip(), "\n".join(self.trailers)]
        return "\n\n".join(part for part in parts if part) + "\n"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a message that may not stand."""

    rule: str
    """A word for it: ``unknown_name``, ``length``, ``form``, ``preamble``, ``secret`` …"""
    what: str
    """One line, with the words it is about: a model can put it right by it."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What else a message may name, besides the change itself."""

    ticket: Ticket | None = None
    related: tuple[str, ...] = ()
    """Subjects of earlier commits that bear on it, each with its short sha in front."""
    allowed: frozenset[str] = field(default_factory=frozenset[str])
    """Words that are known otherwise: the branch's, the project's own name."""
