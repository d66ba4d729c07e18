"""What is wrong in all documents of a repository now."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping

from ...ingest.git.command import Git
from ..project_settings import ProjectDocuments
from . import links
from .broken import bad_samples, dead_links
from .code_words import words_in
from .conventions import is_prose
from .documents import load_tree
from .drift import in_order
from .names import COMMON, forms, word_of
from .past_names import Past, Taken, past_names, past_paths
from .paths import resolve
from .records import Document, Drift, Mention, Thing, Tier
from .removed import line_of, live, sample_lines
from .tree import Tree


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
    held: set[str] = set()
    for words in words_in(tree).values():
        held |= words
    own = {part for path in tree.entries if not is_prose(path) for part in _stems(path)}
    own -= sys.stdlib_module_names
    shown = _defined_in_samples(documents)
    unknown: dict[str, list[tuple[Document, Mention]]] = {}
    for document in documents.values():
        blocks = sample_lines(document)
        for mention in live(document):
            word = word_of(mention)
            if len(word) < 4 or word.lower() in COMMON or any(form in held for form in forms(word)):
                continue
            if word in shown or not _ours(mention, own, held, in_block=mention.line in blocks):
                continue
            unknown.setdefault(word, []).append((document, mention))
    taken = past_names(git, head, unknown)
    for word, places in unknown.items():
        if word in taken:
            for document, mention in places:
                yield _gone(document, mention, word, taken[word])


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


def _ours(mention: Mention, own: set[str], held: set[str], *, in_block: bool) -> bool:
    """Say whether a name can be of this code only: history knows many words of others, too."""
    if mention.thing is Thing.FLAG:
        return True
    if mention.thing is Thing.VARIABLE:
        return "_" in mention.name and not in_block and mention.name not in _KNOWN_VARIABLES
    if mention.thing is not Thing.SYMBOL:
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


def _gone(document: Document, mention: Mention, word: str, taken: Taken) -> Drift:
    label = {Thing.FLAG: "the option ", Thing.VARIABLE: "the variable "}.get(mention.thing, "")
    return Drift(
        document.path, mention.line, line_of(document, mention.line), mention.thing, mention.name,
        Tier.CERTAIN, f"{label}{word} was removed from {taken.path} by {taken.commit[:7]}",
        taken.commit,
    )  # fmt: skip
