"""What is being forgotten, in plain words: for as long as that takes, and to prove it afterwards.

One small file for each rule that is not carried out yet, and for each repository that is on its way
out, readable by its owner only. It goes last.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from .forgetting_rules import FORGOTTEN, words

FOLDER = "forgetting"
_START = 12
_MOST_PHRASES = 50_000
_REPO = "repo-"


@dataclass(frozen=True, slots=True)
class Plain:
    """What a rule is about."""

    names: tuple[str, ...] = ()
    """Of a person; taken out wherever they stand."""
    addresses: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    """Further names of one word, which are taken out where an author is named and after an @."""
    place: str = ""
    """The file or folder, as it was given; empty for a glob."""
    paths: tuple[str, ...] = ()
    """It, or the files that memory knew there."""
    phrases: tuple[str, ...] = ()
    """What commits and items that go whole were called: it is not to be quoted either."""

    @property
    def pattern(self) -> str | None:
        """A pattern that finds, whatever its case, all texts that need a look; None if only a look
        at each will do. It is one that Python and RE2 understand."""
        parts = [
            r"[\W_]+".join(map(re.escape, words(text))) for text in (*self.names, *self.addresses)
        ]
        parts += [f"@{re.escape(handle)}" for handle in self.also]
        parts += [re.escape(self.place)] if self.place else []
        return "|".join(part for part in parts if part) or None

    @property
    def needles(self) -> tuple[str, ...]:
        """What may be nowhere any more."""
        return tuple(
            dict.fromkeys(
                (
                    *(" ".join(name.split()) for name in self.names),
                    *self.addresses,
                    *(f"@{handle}" for handle in self.also),
                    *self.paths,
                )
            )
        )

    def with_phrases(self, phrases: Iterable[str]) -> Plain:
        """Return it with more that is not to be quoted; what is too short to tell is left out."""
        telling = (each for each in phrases if len(each) > _START and len(words(each)) > 1)
        return replace(
            self, phrases=tuple(dict.fromkeys((*self.phrases, *telling)))[:_MOST_PHRASES]
        )

    def cleaner(self) -> Callable[[str], str]:
        """Return what takes the phrases out of a text."""
        starts: dict[str, list[str]] = {}
        for phrase in sorted(self.phrases, key=len, reverse=True):
            starts.setdefault(phrase[:_START], []).append(phrase)

        def clean(text: str) -> str:
            pieces: list[str] = []
            done = 0
            for found in _BEGIN.finditer(text) if starts else ():
                place = found.start()
                if place < done:
                    continue
                for phrase in starts.get(text[place : place + _START], ()):
                    if text.startswith(phrase, place):
                        pieces += (text[done:place], FORGOTTEN)
                        done = place + len(phrase)
                        break
            return "".join((*pieces, text[done:])) if pieces else text

        return clean


def deep(value: Any, clean: Callable[[str], str]) -> Any:
    """Return what JSON holds with every text in it cleaned, names of fields too."""
    match value:
        case str():
            return clean(value)
        case list():
            return [deep(each, clean) for each in cast("Sequence[Any]", value)]
        case dict():
            fields = cast("dict[str, Any]", value)
            return {clean(name): deep(each, clean) for name, each in fields.items()}
        case _:
            return value


def write(folder: Path, rule: int | str, plain: Plain) -> None:
    """Put a rule's plain words on disk, or a repository's (`of_repo`), at once and whole. Raise
    OSError."""
    place = folder / FOLDER
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = place / f".{rule}.new"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(plain), file)
    fresh.replace(place / f"{rule}.json")


def read(folder: Path, rule: int | str) -> Plain | None:
    """Return the plain words of a rule, or of a repository; None where they are gone."""
    try:
        fields = json.loads((folder / FOLDER / f"{rule}.json").read_text())
        place = fields.pop("place")
        return Plain(place=place, **{name: tuple(value) for name, value in fields.items()})
    except (OSError, ValueError, TypeError, KeyError):
        return None


def repos(folder: Path) -> list[str]:
    """Return the ids of the repositories that are on their way out."""
    found = (folder / FOLDER).glob(f"{_REPO}*.json")
    return sorted(path.stem.removeprefix(_REPO) for path in found)


def of_repo(repo: str) -> str:
    """Return under what a repository's plain words are kept."""
    return f"{_REPO}{repo}"


def keep_only(folder: Path, rules: Iterable[int]) -> None:
    """Take away the plain words of all other rules: one that was killed right before it did has left
    them. Raise OSError."""
    kept = {str(rule) for rule in rules}
    for path in list((folder / FOLDER).glob("*.json")):
        if not path.stem.startswith(_REPO) and path.stem not in kept:
            remove(folder, path.stem)


def remove(folder: Path, rule: int | str) -> None:
    """Take the plain words of a rule, or of a repository, away. Raise OSError."""
    (folder / FOLDER / f"{rule}.json").unlink(missing_ok=True)
    (folder / FOLDER / f".{rule}.new").unlink(missing_ok=True)
    if (folder / FOLDER).is_dir() and not any((folder / FOLDER).iterdir()):
        (folder / FOLDER).rmdir()


_BEGIN = re.compile(r"(?<!\w)\w")
