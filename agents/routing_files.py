"""Which agents changed files call, by their paths."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from .events import FilesChanged
from .routing_facts import PATH_END

_DOCUMENT = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|asciidoc|txt|org|textile)$"
    r"|(?:^|/)(?:readme|changelog|changes|news|contributing|authors|license|copying)[^/]*$",
    re.IGNORECASE,
)
_DOCUMENTS_FOLDER = re.compile(r"(?:^|/)(?:docs?|documentation|adrs?|wiki|postmortems?)(?:/|$)")
_NO_CODE = re.compile(
    r"\.(?:png|jpe?g|gif|svg|ico|webp|bmp|pdf|mp[34]|wav|ogg|woff2?|ttf|eot|zip|gz|tar|bin|exe"
    r"|log|csv|tsv|parquet|db|sqlite3?|psd|mov|swp|bak|orig)$|~$"
    r"|(?:^|/)(?:\.gitignore|\.gitattributes|\.mailmap|\.editorconfig|codeowners|\.ds_store"
    r"|requirements[^/]*\.txt|cmakelists\.txt|robots\.txt)$",
    re.IGNORECASE,
)
_LEFTOVER = re.compile(r"(?:~|\.(?:log|tmp|sw[a-p]|bak|orig)|(?:^|/)\.ds_store)$", re.IGNORECASE)
"""What editors and programs leave about; no test reads it."""
_TEST_MATTERS = re.compile(r"(?:^|/)(?:requirements[^/]*\.txt|cmakelists\.txt)$", re.IGNORECASE)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures|e2e)/|(?:^|/)(?:test_|conftest)[^/]*$"
    r"|[._-](?:test|spec)s?\.\w+$|_test\.\w+$",
    re.IGNORECASE,
)


def is_document(path: str) -> bool:
    """Say whether a path is a text for people."""
    if _TEST_MATTERS.search(path) or PurePosixPath(path).name.lower() == "robots.txt":
        return False
    if _DOCUMENT.search(path):
        return True
    return bool(_DOCUMENTS_FOLDER.search(path)) and not PurePosixPath(path).suffix


def is_code(path: str) -> bool:
    """Say whether tests may depend on a path: code, configuration, and lists of dependencies."""
    if _TEST_MATTERS.search(path):
        return True
    return not is_document(path) and not _NO_CODE.search(path)


def by_files(event: FilesChanged) -> dict[str, str]:
    """Given changed files, return the agents that they call, each with the reason."""
    if event.whole:
        return {
            "indexer": "the whole worktree changed",
            "test_runner": "the whole worktree changed",
        }
    found: dict[str, str] = {}
    paths = [path[-PATH_END:] for path in event.paths]
    documents = (path for path in paths if is_document(path))
    folders = (folder for folder in event.folders if _DOCUMENTS_FOLDER.search(folder))
    if document := next(documents, next(folders, None)):
        found["indexer"] = f"{document} is a document"
    # Documents, data and pictures too: a test may read them, and only the test runner can tell.
    code = [path for path in paths if not _LEFTOVER.search(path)]
    code.sort(key=is_code, reverse=True)
    if first := next(iter((*code, *event.folders)), None):
        found["test_runner"] = f"tests may depend on {first}"
    return found


def is_test(path: str) -> bool:
    """Say whether a path belongs to tests."""
    return bool(_TEST.search(path))
