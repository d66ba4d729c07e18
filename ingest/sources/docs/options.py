"""What a person says when adding documents: files, folders and globs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from ....memory.errors import HermesError
from ..contract import Options


class BadDocuments(HermesError):
    """What was named can't be a place of documents."""

    code = "usage"


def options(given: Mapping[str, Any]) -> Options:
    """Return ``{"patterns": [...]}``, each an absolute path or glob, given ``patterns`` and the
    ``root`` that relative ones start from. Raise BadDocuments."""
    patterns: Any = given.get("patterns")
    root: Any = given.get("root", "")
    example = 'for example: hermes sources add docs "docs/**/*.md" postmortems/ ~/notes'
    if not isinstance(patterns, list) or not patterns:
        raise BadDocuments("no documents are named", hint=example)
    absolute: list[str] = []
    for pattern in cast("list[object]", patterns):
        if not isinstance(pattern, str) or not pattern.strip() or "\0" in pattern:
            raise BadDocuments("a file, a folder or a glob is text", hint=example)
        path = os.path.join(str(root), os.path.expanduser(pattern))
        if not os.path.isabs(path):
            raise BadDocuments(f"{pattern} starts from no folder", hint="give an absolute path")
        absolute.append(os.path.normpath(path))
        if not is_glob(absolute[-1]) and not os.path.lexists(absolute[-1]):
            raise BadDocuments(f"{pattern} is not there", hint="check the spelling of the path")
    return {"patterns": list(dict.fromkeys(absolute))}


def is_glob(pattern: str) -> bool:
    """Say whether a path stands for several: it has ``*``, ``?`` or ``[``, and is no file's own."""
    return any(sign in pattern for sign in "*?[") and not os.path.lexists(pattern)


def base_of(pattern: str) -> Path:
    """Return the folder, or the file, that all that a pattern stands for lies in."""
    if not is_glob(pattern):
        return Path(pattern)
    parts = Path(pattern).parts
    first = next(place for place, part in enumerate(parts) if any(sign in part for sign in "*?["))
    return Path(*parts[:first])
