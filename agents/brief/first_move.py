"""One thing to begin with: what costs most if it is forgotten, and what was said of it before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ...memory.records import Chunk, Filters, Passage, Recollection, is_item
from ..words import word_list
from .records import Fact, Reference, Section
from .wording import MOST, commit_ref, cut, quoted

ORDER = (
    "operation",  # nothing else can be done before, and how it came to be fades by the hour
    "red",  # broken by the work that was left
    "forced",  # the next pull does harm
    "touched_open",  # every further line makes the conflict larger
    "review",  # somebody waits
    "question",
    "asked",
    "checks",
    "waiting",
    "incident",
    "touched_branch",
    "unpushed",  # it is on one disk alone
    "assigned",
    "approved",
    "draft",  # a minute's work
    "accepted",
    "uncommitted",
    "full_run",
    "drift",
    "stash",
)
"""What facts are about, by what it costs to forget them."""
CANDIDATES = 8
MOST_MOVES = 3
COMMON = 2
"""Telling words that a passage must share with what it is to bear on."""

_KEY = re.compile(r"([A-Z][A-Z0-9]*-\d+|#\d+) ")
_TITLE = 70

Recall = Callable[[str, Filters], Recollection]

_ROUTINE = re.compile(
    r"(?:update |add |prepare )?(?:the )?(?:changelog|version|release|bump|merge)\b", re.IGNORECASE
)
"""Subjects of commits in which nothing was decided."""
_SYMBOL = re.compile(r"\w[_./]\w|[a-z][A-Z]|\w\(\)")
"""What tells a symbol or a path from a word."""
_COMMON_TEXT = """
    the and for with before after from onto go you your was are is has have not again first look see
    push commit commits rebase finish abort bring date work uncommitted changed where ready message
    main origin master branch upstream file files tests test since yesterday today monday tuesday
    wednesday thursday friday saturday sunday new one two add fix use
"""
_COMMON = frozenset(_COMMON_TEXT.split())


@dataclass(frozen=True, slots=True)
class Related:
    """An earlier commit, discussion or document that bears on something."""

    reference: Reference
    title: str

    @property
    def told(self) -> str:
        """How it is called in a sentence: of a discussion, also where it was."""
        place, colon, title = self.title.partition(": ")
        if self.reference.kind == "thread" and colon and place.startswith("#"):
            return f"{quoted(title, _TITLE)} in {place}"
        return quoted(self.title, _TITLE)


def first_moves(facts: Iterable[Fact], most: int = MOST_MOVES) -> list[Fact]:
    """Given facts that say what is to be done about them, return what to begin with, and what else
    one may begin with if that was suggested before; best first."""
    known = list(facts)
    keys = {fact.key for fact in known}
    moves = [
        fact
        for fact in known
        if fact.move and fact.topic in ORDER and (not fact.behind or fact.behind not in keys)
    ]
    moves.sort(key=lambda fact: (_rank(fact), -fact.weight, fact.key))
    return [_suggested(fact, place) for place, fact in enumerate(moves[:most])]


def _suggested(best: Fact, place: int) -> Fact:
    # An operation under way is suggested every day until it is over.
    weight = 4.0 if best.topic == ORDER[0] else 2.0 - 0.4 * place
    return Fact(
        key=f"first:{best.key}",
        section=Section.FIRST_MOVE,
        text=best.move,
        references=best.references,
        weight=weight,
        topic=f"first:{best.topic}",
        repo=best.repo,
        details=(best.text, *best.details[:5]),
        state=best.digest,
    )


def _rank(fact: Fact) -> int:
    """A branch that has rested for days rests one more: what was worked on last goes first."""
    rested = fact.topic == "unpushed" and fact.weight < 1.0
    return ORDER.index("stash") if rested else ORDER.index(fact.topic)


def with_related(first: Fact, recall: Recall) -> Fact:
    """Add the earlier commit, or discussion, that bears most on a first move, if memory is sure of
    one."""
    found = related_to(first, recall)
    if found is None:
        return first
    tail = f"; see {found.told}"
    room = MOST - len(tail)
    if room < 80:
        return replace(first, details=(*first.details, f"related: {found.title}"))
    return replace(
        first,
        text=cut(first.text, room) + tail,
        references=(*first.references, found.reference),
    )


def related_to(first: Fact, recall: Recall) -> Related | None:
    """Return what bears on a first move; None where nothing is above memory's floor, or only what
    the move names already. Discussions are looked through where the move is about one."""
    question = question_of(first)
    if not question:
        return None
    known = {ref.target or ref.text for ref in first.references}
    discussed = any(map(is_item, known))
    filters = Filters(
        repos=(first.repo,) if first.repo else (), source=None if discussed else "git"
    )
    found = recall(question, filters)
    if not found.relevant:
        return None
    wanted = telling(" ".join(topic_of(first)))
    names = names_of(first)
    for passage in found.passages:
        title = passage.chunk.title
        if passage.chunk.ref in known or title in first.text or _ROUTINE.match(title):
            continue
        said = _said(passage)
        named = any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", said) for name in names)
        if named and len(wanted & telling(said)) >= min(COMMON, len(wanted)):
            return Related(_reference(passage.chunk), " ".join(passage.chunk.title.split()))
    return None


def _reference(chunk: Chunk) -> Reference:
    """Return what a passage is found by again."""
    if not is_item(chunk.ref):
        return commit_ref(chunk.ref)
    if chunk.path:
        return Reference("path", chunk.path, chunk.ref)
    key = _KEY.match(chunk.title)
    if key is None:
        return Reference("thread", chunk.ref, chunk.ref)
    return Reference("pull" if key[1].startswith("#") else "ticket", key[1], chunk.ref)


def question_of(first: Fact) -> str:
    """Return what to look for: the words of a first move, with the file that it is about; empty
    where it has none of its own: a file's name alone finds all that ever touched it."""
    topic = topic_of(first)
    paths = [_name(ref.text) for ref in first.references if ref.kind == "path"]
    return " ".join(dict.fromkeys([*topic, *paths[:1]])) if topic else ""


def topic_of(first: Fact) -> list[str]:
    """Return the titles, tests and branches that a first move names."""
    titles = re.findall(r"“([^”]+)”", f"{first.text} {' '.join(first.details[:1])}")
    tests = [_name(ref.text) for ref in first.references if ref.kind == "test"]
    branches = [_split(ref.text) for ref in first.references if ref.kind == "branch"]
    return [words for words in (*titles[:1], *tests[:1], *branches[:1]) if words]


def names_of(first: Fact) -> frozenset[str]:
    """Return the names in a move that mean one thing: files, tests, symbols."""
    told = [_name(ref.text) for ref in first.references if ref.kind in ("path", "test")]
    stems = [name.rpartition(".")[0] for name in told]
    written = [word.strip("`'\"“”()[],;:.") for word in " ".join(topic_of(first)).split()]
    return frozenset(
        [
            *(name for name in told if name),
            *(stem for stem in stems if _SYMBOL.search(stem)),
            *(word for word in written if _SYMBOL.search(word)),
        ]
    )


def _name(path: str) -> str:
    return path.rpartition("::")[2].rpartition("/")[2]


def _split(branch: str) -> str:
    return "" if branch in ("main", "master", "develop") else re.sub(r"[/_-]+", " ", branch)


def _said(passage: Passage) -> str:
    messages: Sequence[str] = [c.text for c in (passage.chunk, *passage.also) if not c.path]
    return " ".join([passage.chunk.title, *messages])


def telling(text: str) -> frozenset[str]:
    """Return the words of a text that tell what it is about."""
    parts = (part for word in word_list(text) for part in re.split(r"[^\w]|_", word.lower()))
    return frozenset(part for part in parts if len(part) > 2 and part not in _COMMON)
