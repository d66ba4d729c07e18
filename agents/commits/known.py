"""What a message about a change may name: all that stands in its diff, its file names, the ticket,
the branch, and the facts that were computed of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from .mentions import Mention, parts_of
from .records import Change, Facts, Sources, Style

_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[._,]\w+)*")
_DOMAINS = frozenset(["io", "org", "com", "net"])
"""What follows a service's name: ``codecov.io``."""


@dataclass(frozen=True)
class Known:
    """The words of a change, to look names up in."""

    change: Change
    facts: Facts
    style: Style
    sources: Sources

    @cached_property
    def text(self) -> str:
        """All of it in small letters, a piece a line, and what the touched files define."""
        defined = "\n".join(name for file in self.change.files for name in file.defines)
        around = "\n".join(self._lines(" "))
        return f"{self.changed}\n{around}\n{defined}".lower().replace("\\-", "-")

    @cached_property
    def changed(self) -> str:
        """What came or went, where, and what else is known: without the lines that stay."""
        return "\n".join(self._pieces()).lower().replace("\\-", "-")  # as man pages write it

    @cached_property
    def words(self) -> frozenset[str]:
        """Its words, and those that long ones are put together from by underscores."""
        words = set(_WORD.findall(self.text))
        words.update(word.lower() for word in self.sources.allowed)
        words.update(part for word in self.sources.allowed for part in _WORD.findall(word.lower()))
        return frozenset(words)

    @cached_property
    def joined(self) -> str:
        """Its words with underscores, each between two more."""
        return " ".join(f"_{word}_" for word in self.words if "_" in word)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Its numbers and versions, and the counts of its files and lines."""
        found = {match.replace(",", "").replace("_", "") for match in _NUMBER.findall(self.changed)}
        found |= {
            number[: end.start()] for number in set(found) for end in re.finditer(r"\.", number)
        }
        files = self.change.files
        found |= {str(len(files)), str(sum(file.added for file in files))}
        found |= {str(sum(file.removed for file in files))}
        found |= {str(number) for file in files for number in (file.added, file.removed)}
        return frozenset(found)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Paths of the change before and after, in small letters."""
        names = (name for file in self.change.files for name in (file.path, file.old_path) if name)
        return tuple(name.lower() for name in names)

    def has(self, mention: Mention) -> bool:
        """Say whether the change, or what else may be named, has what a message names."""
        text = mention.text
        match mention.sort:
            case "number":
                return self._has_number(text)
            case "ticket":
                return self._has_ticket(text)
            case "flag":
                return self._has_flag(text)
            case "path":
                return self._has_path(text)
            case "sha":
                return text in self.text
            case "address":
                return text.lower() in self.text
            case "identifier":
                return self._has_name(text)

    def _pieces(self) -> Iterator[str]:
        for file in self.change.files:
            yield file.path
            yield file.old_path or ""
            yield file.old_id[:40]
            yield file.new_id[:40]
            for hunk in file.hunks:
                yield hunk.header.rpartition("@@")[2]
                yield hunk.section
            for one in file.symbols:
                for symbol in (one.before, one.after):
                    if symbol is not None:
                        yield symbol.name
                        yield " ".join(name for name, _ in symbol.parameters)
        yield from self._lines("+-")
        yield from self._sources()

    def _lines(self, signs: str) -> Iterator[str]:
        for file in self.change.files:
            for hunk in file.hunks:
                yield from (line[1:] for line in hunk.lines if line[0] in signs)

    def _sources(self) -> Iterable[str]:
        facts, sources = self.facts, self.sources
        yield from facts.statements
        yield from (facts.main, facts.scope, facts.aside)
        for one in facts.dependencies:
            yield f"{one.name} {one.before or ''} {one.after or ''}"
        yield from facts.version or ()
        yield self.change.branch
        if sources.ticket is not None:
            yield f"{sources.ticket.key} {sources.ticket.title}"
        yield from sources.related
        yield from sources.allowed
        yield from self.style.types
        yield from self.style.scopes

    def _has_number(self, text: str) -> bool:
        bare = text.lower().removeprefix("v").replace(",", "").replace("_", "")
        return bare in self.numbers or re.sub(r"(?:\.x|\.0)+$", "", bare) in self.numbers

    def _has_ticket(self, key: str) -> bool:
        ticket = self.sources.ticket
        if ticket is not None and ticket.key.lower() == key.lower():
            return True
        pattern = rf"(?<!\w){re.escape(key.lower())}(?!\w)"
        return re.search(pattern, self.changed) is not None

    def _has_flag(self, text: str) -> bool:
        """A flag as it stands, or where a program derives it from a name that is set, passed or
        quoted: ``no_cache: bool``, ``no_cache=``, ``"no-cache"``."""
        if text == "--help" and "help" in self.words:
            return True
        low = re.escape(text.lower())
        if re.search(rf"(?<![\w\-]){low}(?![\w\-])", self.text):
            return True
        bare = text.lstrip("-").lower()
        name = re.escape(bare)
        if not text.startswith("--"):
            return f"'{bare}'" in self.text
        named = re.escape(bare.replace("-", "_"))
        return (
            re.search(rf"[\"'`]{name}[\"'`]|(?<![\w.]){named}\s*[:=,)]|\.{named}\b", self.text)
            is not None
        )

    def _has_path(self, text: str) -> bool:
        bare = text.lower().strip("/").removeprefix("./").removesuffix("()")
        if "*" in bare:
            return True
        if any(f"/{bare}/" in f"/{path}/" for path in self.paths) or bare in self.text:
            return True
        # Two names with a slash between them: ``a_name/b_name``.
        return "." not in bare.rpartition("/")[2] and all(
            part.lower() in self.words for part in parts_of(bare)
        )

    def _has_name(self, text: str) -> bool:
        bare = text.lower().removesuffix("()")
        parts = parts_of(bare)
        return all(self._has_word(part) for part in parts)

    def _has_word(self, word: str) -> bool:
        if word in self.words or word.isdigit() and word in self.numbers:
            return True
        if "_" in word:
            # Whole words of a longer name: ``prefixed_env`` of ``from_prefixed_env``.
            return "_" in word.strip("_") and f"_{word.strip('_')}_" in self.joined
        if word in _DOMAINS:
            return True
        # One of several, or several of one: ``TypeErrors``, ``DirEntries``.
        others = {f"{word}s", word.removesuffix("s"), re.sub(r"ies$", "y", word)} - {word}
        return bool(others & self.words)
