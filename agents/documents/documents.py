"""The documents of a repository as they are at a revision."""

from __future__ import annotations

import threading
from collections import OrderedDict

from pathspec import GitIgnoreSpec

from ...ingest.documents.formats import MARKDOWN, RST
from ...ingest.git.classify import by_path
from ...ingest.git.command import Git
from ...memory.records import Content
from ..project_settings import ProjectDocuments
from .conventions import is_module, is_prose, is_test, tells_of_past
from .gathered import Gathered
from .read_docstrings import gather_docstrings, gather_plain
from .read_markdown import gather_markdown
from .read_rst import gather_rst
from .records import Document
from .tree import MAX_BLOB, Entry, Tree

MAX_BYTES = 1_000_000
"""Of a document that is read; what is larger is data, or made by a program."""
_KEPT = 4_000
"""Documents kept read, by path and blob: a commit changes few of them."""


def load(git: Git, rev: str, project: ProjectDocuments) -> dict[str, Document]:
    """Return the documents at a revision, by path: prose, and Python modules with docstrings.

    Left out: what the project excludes, what is vendored, generated or a test, what tells of the
    past (see ``conventions``), and what is too large or is not text. Raise a GitError subclass.
    """
    return load_tree(Tree.at(git, rev), project)


def load_tree(tree: Tree, project: ProjectDocuments) -> dict[str, Document]:
    """Do the same for a tree that was listed already."""
    excluded = GitIgnoreSpec.from_lines(project.exclude)
    chosen = [
        entry
        for entry in tree.entries.values()
        if wanted(entry) and not excluded.match_file(entry.path)
    ]
    found: dict[str, Document] = {}
    missing: list[Entry] = []
    for entry in chosen:
        key = (entry.path, entry.blob)
        with _lock:
            known = key in _cache
            document = _cache.get(key)
            if known:
                _cache.move_to_end(key)
        if not known:
            missing.append(entry)
        elif document is not None:
            found[entry.path] = document
    texts = tree.read(entry.blob for entry in missing)
    for entry in missing:
        content = texts.get(entry.blob)
        document = read(entry.path, _text(content)) if content is not None else None
        with _lock:
            _cache[entry.path, entry.blob] = document
            while len(_cache) > _KEPT:
                _cache.popitem(last=False)
        if document is not None:
            found[entry.path] = document
    return dict(sorted(found.items()))


def wanted(entry: Entry) -> bool:
    """Say whether a file of a tree is a document that is kept in step."""
    path = entry.path
    return (
        entry.is_file
        and entry.size <= min(MAX_BYTES, MAX_BLOB)
        and (is_prose(path) or is_module(path))
        and not tells_of_past(path)
        and not is_test(path)
        and by_path(path) is Content.TEXT
    )


def read(path: str, text: str) -> Document | None:
    """Read one document; None if it is none, or too large. Broken markup yields what was found."""
    if len(text) > MAX_BYTES or "\0" in text:
        return None
    into = Gathered(text.split("\n"))
    lowered = path.lower()
    if lowered.endswith(MARKDOWN):
        gather_markdown(text, into)
    elif lowered.endswith(RST):
        gather_rst(text, into)
    elif is_module(path):
        if not gather_docstrings(text, into):
            return None
    elif is_prose(path):
        gather_plain(text, into)
    else:
        return None
    return into.document(path, text)


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").replace("\r\n", "\n")


_cache: OrderedDict[tuple[str, str], Document | None] = OrderedDict()
_lock = threading.Lock()
