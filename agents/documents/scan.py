"""What is wrong in all documents of a repository now."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...ingest.git.command import Git
from ..project_settings import ProjectDocuments
from . import links
from .broken import bad_samples, dead_links
from .changes import Change, changes
from .code_words import all_words
from .conventions import is_prose
from .documents import load_tree
from .drift import in_order
from .names import COMMON, forms, word_of
from .past_names import Past, Taken, past_names, past_paths
from .paths import resolve
from .present import line_of, live, sample_lines
from .records import Document, Drift, Mention, Thing, Tier
from .removed import lost_name
from .said import drift_of
from .since import parent_of
from .tree import Tree

MAX_COMMITS = 30
"""That a scan looks into, for what took the place of names."""


def scan(git: Git, project: ProjectDocuments, rev: str = "HEAD") -> list[Drift]:
    """Return what does not match in any document at ``rev``: dead links, paths and anchors, names
    that history knew and that are gone, samples that don't parse. Surest first. Raise a GitError
    subclass.
    """
    head = (
        git.run("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}").decode().strip()
    )
    tree = Tree.at(git, head)
    documents = load_tree(tree, project)
    past = past_paths(git, head)
    found: list[Drift] = []
    for document in documents.values():
        found += _dead(document, tree, documents, past)
        found += _paths(document, tree, past)
        found += _samples(document)
    found += _names(git, head, tree, documents)
    return in_order(found)


def _dead(
    document: Document, tree: Tree, documents: Mapping[str, Document], past: Past
) -> Iterator[Drift]:
    for link, missing in dead_links(document, tree, documents):
        anchor = "heading" in missing
        was = next(
            (path for path in links.targets(document.path, link.name) if path in past.paths), None
        )
        new = _renamed(was, past, tree)
        taken = past.paths[was] if was else None
        yield Drift(
            document.path, link.line, line_of(document, link.line),
            Thing.ANCHOR if anchor else Thing.LINK, link.name,
            Tier.CERTAIN if taken or anchor else Tier.LIKELY,
            f"{missing}, since {taken.commit[:7]}" if taken else missing,
            taken.commit if taken else None, new,
        )  # fmt: skip


def _paths(document: Document, tree: Tree, past: Past) -> Iterator[Drift]:
    blocks = sample_lines(document)
    for mention in live(document):
        if mention.thing is not Thing.PATH or "/" not in mention.name.strip("/"):
            continue
        if mention.line in blocks:  # what a program printed, or a project of the reader's
            continue
        if resolve(tree, document.path, mention.name) is not None:
            continue
        targets = links.targets(document.path, mention.name)
        was = next((path for path in targets if path.rstrip("/") in past.paths), None)
        if was is None:
            continue
        was = was.rstrip("/")
        taken, new = past.paths[was], _renamed(was, past, tree)
        deed = f"{was} is {new} since" if new else f"{was} was removed by"
        yield Drift(
            document.path, mention.line, line_of(document, mention.line), Thing.PATH,
            mention.name, Tier.CERTAIN, f"{deed} {taken.commit[:7]}", taken.commit, new,
        )  # fmt: skip


def _renamed(path: str | None, past: Past, tree: Tree) -> str | None:
    """Return where a path is now, through several renames."""
    for _ in range(5):
        path = past.renamed.get(path) if path is not None else None
        if path is None or tree.has(path):
            return path
    return None


def _samples(document: Document) -> Iterator[Drift]:
    for sample, number, said in bad_samples(document):
        yield Drift(
            document.path, number, line_of(document, number), Thing.SAMPLE, sample.language,
            Tier.LIKELY, said,
        )  # fmt: skip


def _names(git: Git, head: str, tree: Tree, documents: Mapping[str, Document]) -> Iterator[Drift]:
    held = all_words(tree)
    own = {part for path in tree.entries if not is_prose(path) for part in _stems(path)}
    own -= sys.stdlib_module_names
    shown = _defined_in_samples(documents)
    unknown: dict[str, list[_Named]] = {}
    for document in documents.values():
        blocks = sample_lines(document)
        places: set[tuple[int, int]] = set()
        for mention in live(document):
            word = word_of(mention)
            place = (mention.line, mention.column)
            if len(word) < 4 or word.lower() in COMMON or any(form in held for form in forms(word)):
                continue
            if word in shown or place in places:
                continue
            named = _Named(document, mention, mention.line in blocks)
            if not _ours(mention, own, held, in_block=named.in_block):
                continue
            places.add(place)
            unknown.setdefault(word, []).append(named)
    taken = past_names(git, head, unknown)
    told = _Told(git, held)
    for word, many in unknown.items():
        if word in taken:
            for named in many:
                yield told.of(named, word, taken[word])


@dataclass(frozen=True, slots=True)
class _Named:
    """A mention, and where."""

    document: Document
    mention: Mention
    in_block: bool


class _Told:
    """Says of a name what a look at the commit that took it out says."""

    def __init__(self, git: Git, held: frozenset[str]) -> None:
        self._git = git
        self._held = held
        self._changes: dict[str, Change | None] = {}

    def of(self, named: _Named, word: str, taken: Taken) -> Drift:
        """Return the finding, with the new name where that still is one."""
        document, mention, commit = named.document, named.mention, taken.commit
        change = self._change(commit)
        drift = None
        if change is not None:
            drift = lost_name(change, document, mention, commit, in_block=named.in_block)
        if drift is None:
            return drift_of(document, mention, word, None, Tier.CERTAIN, taken.path, commit)
        new = None
        if drift.replacement is not None:
            new = word_of(replace(mention, thing=drift.thing, name=drift.replacement))
        if new is not None and not any(form in self._held for form in forms(new)):
            path = taken.path  # it was renamed again, or went later
            return drift_of(
                document,
                replace(mention, thing=drift.thing),
                word,
                None,
                Tier.CERTAIN,
                path,
                commit,
            )
        return replace(drift, tier=Tier.CERTAIN)

    def _change(self, commit: str) -> Change | None:
        if commit not in self._changes and len(self._changes) < MAX_COMMITS:
            parent = parent_of(self._git, commit)
            self._changes[commit] = None
            if parent is not None:
                before, after = Tree.at(self._git, parent), Tree.at(self._git, commit)
                self._changes[commit] = changes(self._git, before, after)
        return self._changes.get(commit)


_SHOWN = re.compile(
    r"^\s*(?:>>> |\$ |> )?(?:export |set -x |set |async )?(?:(?:def|class) (\w+)|([A-Za-z_]\w*)\s*[=:])"
    r"|[\"'](--[a-z][\w-]*)|\$env:(\w+)|set -x (\w+)",
    re.MULTILINE,
)


def _defined_in_samples(documents: Mapping[str, Document]) -> frozenset[str]:
    """Return the names that documents define themselves, in examples: they were never the code's."""
    return frozenset(
        name
        for document in documents.values()
        for sample in document.samples
        for names in _SHOWN.findall(sample.text)
        for name in names
        if name
    )


def _stems(path: str) -> Iterator[str]:
    for part in path.split("/"):
        yield part.partition(".")[0]


_KNOWN_VARIABLES = frozenset({"LC_ALL", "LC_CTYPE", "NO_COLOR", "FORCE_COLOR", "HTTP_PROXY"})


def _ours(mention: Mention, own: set[str], held: frozenset[str], *, in_block: bool) -> bool:
    """Say whether a name can be of this code only: history knows many words of others, too."""
    if mention.thing is Thing.FLAG:
        return True
    if mention.thing is Thing.VARIABLE:
        return "_" in mention.name and not in_block and mention.name not in _KNOWN_VARIABLES
    if mention.thing is not Thing.SYMBOL and (
        mention.thing is not Thing.SETTING or not mention.name.isidentifier()
    ):
        return False
    parts = re.split(r"\.|::|#", mention.name.removesuffix("()"))
    if len(parts) > 1:
        root = parts[0]
        known = root in own or (root[0].isupper() and root in held)
        return known and all(part in held or part in own for part in parts[:-1])
    if in_block:
        return False
    name = parts[0]
    return (
        "_" in name.strip("_")
        or bool(re.search(r"[a-z][A-Z]", name))
        or mention.name.endswith("()")
    )
