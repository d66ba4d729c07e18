"""What documents show of a program's ``--help``, held against what it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .present import line_of
from .records import Document, Drift, Sample, Thing, Tier

_ASKED = re.compile(r"^\s*(?:\$|>|%)?\s*(?P<words>[\w./-]+(?: [\w.-]+)*?) (?:--help|-h)\s*$")
_USAGE = re.compile(r"^\s*usage:\s*(?P<program>[\w./-]+)", re.IGNORECASE)
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")


def differing(
    documents: Mapping[str, Document], printed: Mapping[str, str], commit: str | None = None
) -> Iterator[Drift]:
    """Given what commands print for ``--help``, by the command's words, yield the lines of help
    blocks in documents that are not printed any more. Nothing is run here.

    Width and spacing don't count: each line of a block, without its blanks, must stand somewhere
    in what is printed, wrapped in any way.
    """
    flat = {name: _flat(text) for name, text in printed.items()}
    for document in documents.values():
        for sample in document.samples:
            name, first = _shown(sample, flat)
            if name is None:
                continue
            for offset, line in enumerate(sample.text.split("\n")[first:], first):
                number = sample.line + offset
                wanted = _flat(line)
                if not wanted or number in document.ignored or wanted in flat[name]:
                    continue
                flags = [flag for flag in _FLAG.findall(line) if flag not in flat[name]]
                said = f"{flags[0]} is not in it any more" if flags else "this line is not in it"
                yield Drift(
                    document.path, number, line_of(document, number), Thing.HELP,
                    flags[0] if flags else name, Tier.CERTAIN,
                    f"{name} --help prints otherwise: {said}", commit,
                )  # fmt: skip


def _shown(sample: Sample, printed: Mapping[str, str]) -> tuple[str | None, int]:
    """Return the command whose help a sample shows, and its first line of help."""
    lines = sample.text.split("\n")
    for number, line in enumerate(lines[:5]):
        if asked := _ASKED.match(line):
            name = asked["words"]
            return (name, number + 1) if name in printed else (None, 0)
        if usage := _USAGE.match(line):
            words = _flat(line).split()[1:]
            for size in range(len(words), 0, -1):
                name = " ".join(words[:size])
                if name in printed:
                    return name, number
            name = usage["program"]
            return (name, number) if name in printed else (None, 0)
    return None, 0


def _flat(text: str) -> str:
    return " ".join(text.split())
