"""What documents show of a program's ``--help``, held against what it prints."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import takewhile

from .present import line_of
from .records import Document, Drift, Sample, Thing, Tier

_ASKED = re.compile(r"^\s*(?:\$|>|%)?\s*(?P<words>[\w./-]+(?: [\w.-]+)*?) (?:--help|-h)\s*$")
_USAGE = re.compile(r"^\s*usage:\s*(?P<program>[\w./-]+)", re.IGNORECASE)
_FLAG = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")


_WHOLE = re.compile(
    r"^\s*(?:options|optional arguments|flags)\b.*:\s*$", re.IGNORECASE | re.MULTILINE
)
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9_-]*")


def asked_for(documents: Mapping[str, Document], programs: Collection[str]) -> list[str]:
    """Return the commands of some programs whose help documents show, by their words."""
    found: dict[str, None] = {}
    for document in documents.values():
        for sample in document.samples:
            for name, _ in _shown(sample):
                first, *rest = name.split()
                if first in programs and all(_SUBCOMMAND.fullmatch(word) for word in rest):
                    found.setdefault(name)
    return list(found)


def differing(
    documents: Mapping[str, Document], printed: Mapping[str, str], commit: str | None = None
) -> Iterator[Drift]:
    """Given what commands print for ``--help``, by the command's words, yield the lines of help
    blocks in documents that are not printed any more, and blocks that lack a new option. Nothing
    is run here.

    Width and spacing don't count: each line of a block, without its blanks, must stand somewhere
    in what is printed, wrapped in any way.
    """
    flat = {name: _flat(text) for name, text in printed.items()}
    for document in documents.values():
        for sample in document.samples:
            name, first = next((each for each in _shown(sample) if each[0] in flat), ("", 0))
            if not name:
                continue
            differs = False
            for offset, line in enumerate(sample.text.split("\n")[first:], first):
                number = sample.line + offset
                wanted = _flat(line)
                if not wanted or number in document.ignored or wanted in flat[name]:
                    continue
                flags = [flag for flag in _FLAG.findall(line) if flag not in flat[name]]
                said = f"{flags[0]} is not in it any more" if flags else "this line is not in it"
                differs = True
                yield Drift(
                    document.path, number, line_of(document, number), Thing.HELP, name,
                    Tier.CERTAIN, f"{name} --help prints otherwise: {said}", commit,
                )  # fmt: skip
            number = sample.line + first
            lacking = [flag for flag in _FLAG.findall(printed[name]) if flag not in sample.text]
            if lacking and not differs and number not in document.ignored and _is_whole(sample):
                yield Drift(
                    document.path, number, line_of(document, number), Thing.HELP, name,
                    Tier.LIKELY, f"{name} --help has {lacking[0]} too", commit,
                )  # fmt: skip


def _is_whole(sample: Sample) -> bool:
    """Say whether a sample shows all options, not just the beginning."""
    return _WHOLE.search(sample.text) is not None and "..." not in sample.text.split("\n")[-3:]


def _shown(sample: Sample) -> Iterator[tuple[str, int]]:
    """Yield the commands whose help a sample may show, the likeliest first, each with its first
    line of help."""
    lines = sample.text.split("\n")
    for number, line in enumerate(lines[:5]):
        if asked := _ASKED.match(line):
            yield asked["words"], number + 1
            return
        if usage := _USAGE.match(line):
            words = list(takewhile(_SUBCOMMAND.fullmatch, _flat(line).split()[2:]))
            for size in range(len(words), -1, -1):
                yield " ".join([usage["program"], *words[:size]]), number
            return


def _flat(text: str) -> str:
    return " ".join(text.split())
