"""The folder of themes: pages as files for whoever reads, and every night of them in git.

``<repository>-<start of its id>/days/2026-11-30.json`` and ``.md`` beside it, ``weeks/2026-W49``;
what belongs to no repository is under ``elsewhere/``. A night is committed first and then written
file by file, each in one piece: killed in between, each page is yesterday's or today's, and the next
writer makes the files fit the commit.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from pathlib import Path
from typing import cast

from filelock import FileLock, Timeout

from ...memory.errors import HermesError, NoSpace
from . import wordings
from .archive import (
    REVERTS,
    TAKE_BACK,
    UNFINISHED,
    Archive,
    Entry,
    ThemesUnwritable,
    blob_id,
    put,
)
from .pages import PageDamaged, from_json, to_json, to_markdown
from .phrase import with_wordings
from .records import Night, Page

ELSEWHERE = "elsewhere"
PINS = "pins.json"
LOCK = ".lock"
LOCK_SECONDS = 60.0
STAMP = "^<!-- "
"""How the line of a Markdown page begins that says what it was made from."""
GONE = "gone"
"""As a pin: that the page has nothing to tell any more was taken back."""
_OURS = re.compile(r"[^/]+/((days|weeks)/[^/]+\.(json|md)|pins\.json)")

Files = Mapping[str, bytes | None]
"""Contents by path; None for what is to go."""


class NoSuchNight(HermesError):
    """A night is named that is not there."""

    code = "no_such_night"


class NothingToRevert(HermesError):
    """Taking a night back would change nothing."""

    code = "wrong_state"


@dataclass(frozen=True, slots=True)
class Reverted:
    """What taking a night back did."""

    commit: str
    night: Night
    back: tuple[str, ...]
    """The pages that are as before that night."""
    left: tuple[str, ...]
    """The pages that were written again since, and stay."""


class ThemesFolder:
    """One process writes at a time, which a lock sees to; any number read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._archive = Archive(path)

    # Reading

    def pages(
        self,
        repo: str | None = None,
        *,
        weeks: bool,
        since: date | None = None,
        until: date | None = None,
        on_damaged: Callable[[str], None] = lambda path: None,
        as_made: bool = False,
    ) -> list[Page]:
        """Return the pages of days or of weeks that touch a span, the oldest first; of one
        repository (empty: of none) or of all. ``on_damaged`` is told of what can't be read.
        ``as_made``: with the rules' own titles, also where a model gave one."""
        homes = self._homes() if repo is None else [self._home_of(repo)]
        found: list[Page] = []
        for home in homes:
            if home is None:
                continue
            for file in _pages_under(home / _kind(weeks), on_damaged):
                if not _touches(file.stem, weeks, since, until):
                    continue
                try:
                    found.append(from_json(file.read_text("utf-8")))
                except FileNotFoundError:
                    continue
                except (PageDamaged, OSError, UnicodeDecodeError):
                    on_damaged(str(file))
        titles = [] if as_made else wordings.read(self.path)
        if titles:
            found = [with_wordings(page, titles) for page in found]
        return sorted(found, key=lambda page: (page.first, page.name, page.repo))

    @property
    def is_made(self) -> bool:
        """Whether there was a night. Raise ThemesUnreadable or ThemesDamaged."""
        return bool(self._homes()) or self._archive.exists

    def has(self, repo: str, first: date, last: date, digest: str) -> bool:
        """Say whether a page made from the same evidence is there, or was taken back by a person."""
        home = self._home_of(repo)
        if home is None:
            return False
        stem = _stem_of(first, last)
        stored = _stored(home / f"{stem}.json")
        return digest in (_read_pins(home / PINS).get(stem), stored.digest if stored else None)

    def is_settled(self, page: Page) -> bool:
        """Say whether there is nothing to write of a page."""
        if not _is_empty(page):
            return self.has(page.repo, page.first, page.last, page.digest)
        home = self._home_of(page.repo)
        if home is None or _stored(home / f"{_stem(page)}.json") is None:
            return True
        return _read_pins(home / PINS).get(_stem(page)) == GONE

    def log(self, most: int = 20) -> list[Night]:
        """Return the nights that changed something, the newest first. Raise ThemesDamaged."""
        return [_night(entry) for entry in self._archive.entries(most)]

    def diff(self, name: str, zone: tzinfo | None = None) -> tuple[Night, str]:
        """Return what a night changed, as a diff of Markdown. For names see `_find`."""
        entry = self._find(name, zone)
        return _night(entry), self._archive.diff(entry, "*.md", STAMP)

    # Writing

    def write(
        self,
        pages: Sequence[Page],
        subject: str,
        at: int,
        *,
        finished: bool = True,
        dry_run: bool = False,
    ) -> Night | None:
        """Write the pages that are not settled, those with nothing to tell removed, as one commit; None if
        that changes nothing. ``at``: seconds since 1970. Unless ``finished``, the next run's commit
        takes this one's place. Raise ThemesUnwritable, ThemesDamaged or NoSpace."""
        if dry_run:
            paths = sorted(self._place(page) for page in pages if not self.is_settled(page))
            return Night("", at, subject, tuple(paths)) if paths else None
        with self._writing() as tracked:
            wanted = [page for page in pages if not self.is_settled(page)]
            changes = _differing(self._strays(tracked) | self._files_of(wanted), tracked)
            newest = next(iter(self._archive.entries(1)), None)
            amends = newest if newest is not None and newest.unfinished else None
            if not changes and not (amends and finished):
                return None
            body = "" if finished else UNFINISHED
            self._archive.commit(changes, subject, at, body=body, instead=amends)
            self._lay_out(changes)
            return _night(self._archive.entries(1)[0])

    def revert(self, name: str, at: int, zone: tzinfo | None = None) -> Reverted:
        """Have the pages that a night wrote be as before it, but for those written again since.
        They stay so until their evidence changes. Raise NoSuchNight or NothingToRevert."""
        entry = self._find(name, zone)
        with self._writing() as now:
            then = self._archive.tree(entry.commit)
            before = self._archive.tree(entry.parent)
            stems = [path.removesuffix(".json") for path in _pages_in(entry.paths)]
            back = [s for s in stems if now.get(f"{s}.json") == then.get(f"{s}.json")]
            back = [s for s in back if now.get(f"{s}.json") != before.get(f"{s}.json")]
            if not back:
                raise NothingToRevert(
                    f"nothing of the night {entry.commit[:7]} stands any more",
                    hint="its pages were written again since, or taken back already",
                )
            changes = self._before(back, before) | self._pinned(back, then)
            night = _night(entry)
            commit = self._archive.commit(
                changes,
                f"{TAKE_BACK}{entry.commit[:7]}: {entry.subject}",
                at,
                body=REVERTS + entry.commit,
            )
            self._lay_out(changes)
            left = tuple(stem for stem in stems if stem not in back)
            return Reverted(commit, night, tuple(back), left)

    def forget(
        self,
        repos: Collection[str] = (),
        revise: Callable[[Page], Page | None] = lambda page: page,
    ) -> int:
        """Take repositories, by their ids, out of the folder and of all its history, and have every
        page that ever was be as ``revise`` returns it; None drops it. No object of what was is left
        on disk. Return how many versions of pages were changed or dropped."""
        if not self.path.is_dir():
            return 0
        with self._writing():
            wordings.forget(self.path)  # made again from what is left
            gone = [home.name for repo in repos if (home := self._home_of(repo)) is not None]
            counts = [0]
            kept: list[tuple[Entry, Files]] = []
            for entry in reversed(self._archive.entries()):
                changes = self._revised(entry, gone, revise, counts)
                if any(content is not None for content in changes.values()) or (kept and changes):
                    kept.append((entry, changes))
            if counts[0]:
                self._archive.replay(kept)
                self._sync(self._archive.tree(self._archive.head()))
            return counts[0]

    # What a night is called

    def _find(self, name: str, zone: tzinfo | None) -> Entry:
        """Return a night by the start of its commit's id, by its local date, or, without a name,
        the newest. Raise NoSuchNight."""
        entries = self._archive.entries()
        if not entries:
            raise NoSuchNight("there was no night yet", hint="`hermes consolidate` makes one")
        if not name:
            return entries[0]
        wanted = name.lower()
        found = [
            entry
            for entry in entries
            if entry.commit.startswith(wanted)
            or datetime.fromtimestamp(entry.at, zone).date().isoformat() == wanted
        ]
        ids = {entry.commit for entry in found if entry.commit.startswith(wanted)}
        if not found or len(wanted) < 4:
            raise NoSuchNight(f"there is no night {name}", hint="`hermes memory log` lists them")
        if len(ids) > 1:
            raise NoSuchNight(
                f"several nights begin with {name}", hint="`hermes memory log` lists them"
            )
        return found[0]

    # Places

    def _homes(self) -> list[Path]:
        try:
            return sorted(each for each in self.path.iterdir() if not each.name.startswith("."))
        except OSError:
            return []

    def _home_of(self, repo: str) -> Path | None:
        """Return the folder of a repository, if it has one: a repository's name may change."""
        if not repo:
            return self.path / ELSEWHERE
        end = f"-{repo[:8]}"
        return next((home for home in self._homes() if home.name.endswith(end)), None)

    def _place(self, page: Page) -> str:
        home = self._home_of(page.repo)
        plain = re.sub(r"[^\w.-]+", "-", page.name).strip("-.") or "repository"
        return f"{home.name if home else f'{plain[:60]}-{page.repo[:8]}'}/{_stem(page)}"

    # Contents

    def _files_of(self, pages: Sequence[Page]) -> dict[str, bytes | None]:
        files: dict[str, bytes | None] = {}
        pins: dict[str, dict[str, str]] = {}
        for page in pages:
            place = self._place(page)
            texts = (None, None) if _is_empty(page) else (to_json(page), to_markdown(page))
            for suffix, text in zip((".json", ".md"), texts, strict=True):
                content = None if text is None else text.encode("utf-8", "replace")
                files[place + suffix] = content
            home = place.partition("/")[0]
            standing = pins.setdefault(home, _read_pins(self.path / home / PINS))
            standing.pop(_stem(page), None)
        return files | {f"{home}/{PINS}": _write_pins(left) for home, left in pins.items()}

    def _strays(self, tracked: Mapping[str, str]) -> dict[str, bytes | None]:
        """Return the files that are there where git knows none at all: its history was removed, and
        begins anew with them."""
        if tracked:
            return {}
        return {path: (self.path / path).read_bytes() for path in self._laid_out()}

    def _before(self, stems: Sequence[str], before: Mapping[str, str]) -> dict[str, bytes | None]:
        paths = [stem + suffix for stem in stems for suffix in (".json", ".md")]
        contents = self._archive.contents([before[path] for path in paths if path in before])
        return {path: contents.get(before.get(path, "")) for path in paths}

    def _pinned(self, stems: Sequence[str], then: Mapping[str, str]) -> dict[str, bytes | None]:
        """Return the pins that keep a night from writing again what was taken back."""
        ids = {stem: then[f"{stem}.json"] for stem in stems if f"{stem}.json" in then}
        contents = self._archive.contents(ids.values())
        pins: dict[str, dict[str, str]] = {}
        for stem in stems:
            home, _, page = stem.partition("/")
            standing = pins.setdefault(home, _read_pins(self.path / home / PINS))
            standing[page] = _digest(contents[ids[stem]]) if stem in ids else GONE
        return {f"{home}/{PINS}": _write_pins(found) for home, found in pins.items()}

    def _revised(
        self,
        entry: Entry,
        gone: Collection[str],
        revise: Callable[[Page], Page | None],
        counts: list[int],
    ) -> dict[str, bytes | None]:
        """Return a commit's changes as they would be without what is forgotten."""
        tree = self._archive.tree(entry.commit)
        mine = [path for path in entry.paths if path in tree]
        pages = _pages_in(entry.paths)
        contents = self._archive.contents([tree[path] for path in mine])
        changes: dict[str, bytes | None] = {}
        for path in entry.paths:
            if path.partition("/")[0] in gone:
                counts[0] += path in pages
            elif path not in tree:
                changes[path] = None
            elif path.endswith(PINS):
                changes[path] = contents[tree[path]]
            elif path in pages:
                page = _parsed(contents[tree[path]])
                kept = None if page is None else revise(page)
                counts[0] += kept is None or kept != page
                markdown = path.removesuffix("json") + "md"
                changes[path] = to_json(kept).encode("utf-8", "replace") if kept else None
                changes[markdown] = to_markdown(kept).encode("utf-8", "replace") if kept else None
        return changes

    # Files

    @contextmanager
    def _writing(self) -> Generator[dict[str, str]]:
        """Hold the lock, with the files as the newest commit has them; yield its tree."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self.path / LOCK, timeout=LOCK_SECONDS, mode=0o600, thread_local=False)
            with lock:
                self._archive.make()
                head = self._archive.head()
                tracked = self._archive.tree(head)
                if head:
                    self._sync(tracked)
                yield tracked
                self._archive.tidy()
        except Timeout as error:
            raise ThemesUnwritable(self.path, "another hermes is writing there") from error
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise NoSpace(self.path) from error
            why = (error.strerror or str(error)).lower()
            raise ThemesUnwritable(self.path, why) from error

    def _sync(self, tracked: Mapping[str, str]) -> None:
        """Make the files fit a tree."""
        for left in self.path.glob("*/**/.*.new"):  # of a writer that was killed
            left.unlink(missing_ok=True)
        there = set(self._laid_out())
        odd = [path for path, id in tracked.items() if path not in there or self._id(path) != id]
        contents = self._archive.contents([tracked[path] for path in odd])
        changes: dict[str, bytes | None] = {path: contents[tracked[path]] for path in odd}
        changes |= dict.fromkeys(there - tracked.keys())
        self._lay_out(changes)

    def _lay_out(self, changes: Files) -> None:
        for path, content in changes.items():
            target = self.path / path
            if content is not None:
                put(target, content)
                continue
            target.unlink(missing_ok=True)
            for folder in (target.parent, target.parent.parent):
                if folder != self.path and folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
        if changes:
            self._archive.index()

    def _laid_out(self) -> list[str]:
        found = [str(each.relative_to(self.path)) for each in self.path.glob("*/**/*")]
        return [path for path in found if _OURS.fullmatch(path) and path[0] != "."]

    def _id(self, path: str) -> str:
        return blob_id((self.path / path).read_bytes())


def _kind(weeks: bool) -> str:
    return "weeks" if weeks else "days"


def _pages_under(folder: Path, on_damaged: Callable[[str], None]) -> list[Path]:
    try:
        return sorted(each for each in folder.iterdir() if each.match("[!.]*.json"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        on_damaged(str(folder))
        return []


def _stem(page: Page) -> str:
    return f"{_kind(page.is_week)}/{page.label}"


def _stem_of(first: date, last: date) -> str:
    return _stem(Page("", "", first, last, (), ""))


def _is_empty(page: Page) -> bool:
    return not page.themes and not page.more


def _touches(label: str, weeks: bool, since: date | None, until: date | None) -> bool:
    try:
        first = datetime.strptime(f"{label}-1", "%G-W%V-%u").date() if weeks else None
        first = first or date.fromisoformat(label)
    except ValueError:
        return False
    last = date.fromordinal(first.toordinal() + 6) if weeks else first
    return (since is None or last >= since) and (until is None or first <= until)


def _pages_in(paths: Collection[str]) -> list[str]:
    return sorted(p for p in paths if p.endswith(".json") and not p.endswith(f"/{PINS}"))


def _night(entry: Entry) -> Night:
    pages = tuple(path.removesuffix(".json") for path in _pages_in(entry.paths))
    return Night(entry.commit, entry.at, entry.subject, pages, entry.reverts)


def _parsed(content: bytes) -> Page | None:
    try:
        return from_json(content.decode("utf-8"))
    except (PageDamaged, UnicodeDecodeError):
        return None


def _stored(file: Path) -> Page | None:
    try:
        return _parsed(file.read_bytes())
    except OSError:
        return None


def _digest(content: bytes) -> str:
    page = _parsed(content)
    return "" if page is None else page.digest


def _differing(files: Files, tracked: Mapping[str, str]) -> dict[str, bytes | None]:
    return {
        path: content
        for path, content in files.items()
        if (blob_id(content) if content is not None else None) != tracked.get(path)
    }


def _read_pins(file: Path) -> dict[str, str]:
    try:
        found: object = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(key): str(value) for key, value in cast("dict[object, object]", found).items()}


def _write_pins(pins: Mapping[str, str]) -> bytes | None:
    return json.dumps(pins, sort_keys=True, indent=2).encode() + b"\n" if pins else None
