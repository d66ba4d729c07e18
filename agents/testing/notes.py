"""What memory says of a failure: the best note with its reference, or none below the floor.

Looked at are documents about what went wrong, commits' messages, earlier failures and what mended
them, and the commits that last touched the failing lines. What is said is a fact or a quotation.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ...ingest.documents.postmortems import best_sentence, incidents, is_document, is_postmortem
from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...ingest.redaction import redact
from ...memory.recall import recall
from ...memory.records import Chunk, Filters, Kind
from .note_scores import (
    FLOOR,
    Features,
    features,
    matches,
    question,
    same_message,
    says_much,
    score,
    tells_of_failing,
)
from .records import Failure
from .wording import Note

if TYPE_CHECKING:
    from ...memory.memory import Memory
    from ...memory.test_records import Episode
    from ...memory.test_runs import Runs

PASSAGES = 8
FOLDERS = 6
"""Folders of documents about what went wrong that are asked by themselves."""
FRAMES = 3
SINCE = 200
"""Commits since a test last passed that are known by name."""
DOCUMENTS = "docs"
"""The source of documents as they are now, rather than as a commit left them."""
_HOLDING = ("mortem", "incident", "outage", "rca", "retrospective", "root")
"""Parts of the paths that `is_postmortem` looks at."""


class Notes:
    """Looks for notes on the failures of one repository. Blocking calls: for a thread."""

    def __init__(self, memory: Memory, runs: Runs, repo: str, git: Git) -> None:
        self._memory = memory
        self._runs = runs
        self._repo = repo
        self._git = git

    def best(self, framework: str, test: str, failure: Failure) -> Note | None:
        """Return the best note on a failure, or None if none is good enough."""
        found = [
            *self._remembered(test, failure),
            *self._earlier(test, failure),
            *self._touched(test, failure),
        ]
        best = max(found, key=lambda note: note.score, default=None)
        if best is None or best.score < FLOOR:
            return None
        return Note(redact(best.text)[0], best.reference, best.score)

    # Documents and messages

    def _remembered(self, test: str, failure: Failure) -> Generator[Note]:
        wanted, asked = features(test, failure), question(test, failure)
        seen: set[tuple[str, str]] = set()
        for filters in self._places():
            for passage in recall(self._memory, asked, filters, PASSAGES).passages:
                for chunk in (passage.chunk, *passage.also):
                    key = (chunk.repo, chunk.path or chunk.ref)
                    if key not in seen:
                        seen.add(key)
                        yield from self._of_chunk(chunk, wanted)

    def _places(self) -> list[Filters]:
        """Return where to look: the folders of postmortems first, then everywhere."""
        repos = (self._repo,)
        holding = self._memory.index.paths_holding
        paths = {path for part in _HOLDING for path in holding((part,), repos)}
        folders = {os.path.dirname(path) or path for path in paths if is_postmortem(path)}
        return [
            *(Filters(repos, path=_literal(folder)) for folder in sorted(folders)[:FOLDERS]),
            Filters(repos),
        ]

    def _of_chunk(self, chunk: Chunk, wanted: Features) -> Generator[Note]:
        if chunk.source == DOCUMENTS:
            item = self._memory.index.items.get(chunk.ref)
            if item is not None:
                name = item.path or item.ref
                yield from _of_document(wanted, name, item.title, item.text, name)
        elif chunk.kind is Kind.MESSAGE:
            worth = score(wanted, chunk.text, told=False)
            when = datetime.fromtimestamp(chunk.time, UTC).strftime("%Y-%m-%d")
            said = f"{chunk.author} wrote on {when}: “{chunk.title}”"
            body = chunk.text.partition("\n")[2]
            why = best_sentence(body, lambda text: matches(wanted, text) + tells_of_failing(text))
            if tells_of_failing(why) or matches(wanted, why) > 1:
                said = f"{said}; “{why}”"
            reference = chunk.ref[:12] if chunk.source == "git" else chunk.ref
            yield Note(said, reference, worth * 0.9)
        elif is_document(chunk.path):
            text = self._document(chunk)
            yield from _of_document(wanted, chunk.path, "", text, f"{chunk.ref[:12]}:{chunk.path}")

    def _document(self, chunk: Chunk) -> str:
        """Return the document as that commit left it, or what the commit added."""
        try:
            text = self._git.run("cat-file", "blob", f"{chunk.ref}:{chunk.path}")
            return redact(text.decode("utf-8", "replace"))[0]
        except GitError:
            lines = chunk.text.splitlines()
            return "\n".join(line[1:] for line in lines if line.startswith("+"))

    # Earlier failures

    def _earlier(self, test: str, failure: Failure) -> Generator[Note]:
        name = failure.exception
        past = self._runs.episodes(self._repo, test=test)
        if name:
            past += self._runs.episodes(self._repo, exception=name)
        for episode in past:
            worth = likeness(episode, test, failure)
            if episode.how != "passed" or worth < FLOOR:
                continue
            day = datetime.fromtimestamp(episode.began, UTC).strftime("%Y-%m-%d")
            who = "it" if episode.test == test else episode.test
            said = f"{who} failed like this on {day}"
            if episode.note and not episode.note.startswith(("it failed", "line ")):
                yield Note(f"{said}; then: {episode.note}", episode.reference, worth)
            elif fix := self._fix_of(episode):
                sha, subject = fix
                yield Note(f"{said}; it passed again with “{subject}”", sha[:12], worth)
            else:
                yield Note(f"{said} and passed again", f"hermes tests history {test}", worth * 0.7)
            return

    def _fix_of(self, episode: Episode) -> tuple[str, str] | None:
        """Return the commit that most likely mended a failure: the last one while it lasted, else
        the first one after, that touched the failing file or the test's."""
        began, ended = episode.began_head, episode.ended_head
        paths = [path for path in (episode.path, episode.test.split("::", 1)[0]) if path]
        if not began or not ended:
            return None
        if began != ended:
            found = self._log(f"{began}..{ended}", paths)
            return found[0] if found else None
        found = self._log(f"{ended}..HEAD", paths)
        return found[-1] if found else None

    def _log(self, revisions: str, paths: Sequence[str]) -> list[tuple[str, str]]:
        try:
            out = self._git.run(
                *("log", "--format=%H%x00%s", f"--max-count={SINCE}", revisions, "--", *paths)
            )
        except GitError:  # those commits are gone
            return []
        lines = out.decode("utf-8", "replace").splitlines()
        return [(sha, subject) for sha, _, subject in (line.partition("\0") for line in lines)]

    # The failing lines

    def _touched(self, test: str, failure: Failure) -> Generator[Note]:
        """Yield the commits that last touched the lines it failed in, if they came since the test
        last passed."""
        standing = self._runs.standing(self._repo, test)
        if standing is None or not standing.green_head:
            return
        since = {sha for sha, _ in self._log(f"{standing.green_head}..HEAD", ())}
        frames = list(dict.fromkeys([(failure.path, failure.line), *reversed(failure.frames)]))
        for place, (path, line) in enumerate(frames[:FRAMES]):
            if not path or line < 1 or not since:
                continue
            found = self._blamed(path, line)
            if found is None or found[0] not in since:
                continue
            sha, author, subject = found
            text = (
                f"line {line} of {path} was last touched by {author},"
                f" since the test last passed: “{subject}”"
            )
            yield Note(text, sha[:12], 0.62 - 0.02 * place)

    def _blamed(self, path: str, line: int) -> tuple[str, str, str] | None:
        try:
            out = self._git.run(
                *("blame", "--porcelain", "--no-textconv", f"-L{line},{line}", "--", path)
            ).decode("utf-8", "replace")
        except GitError:  # the line or the file is new
            return None
        sha = out[:64].split(" ", 1)[0].lstrip("^")
        author = re.search(r"^author (.*)$", out, re.MULTILINE)
        subject = re.search(r"^summary (.*)$", out, re.MULTILINE)
        if not sha.strip("0") or author is None or subject is None:
            return None
        return sha, author[1], subject[1]


def _of_document(
    wanted: Features, path: str, title: str, text: str, reference: str
) -> Generator[Note]:
    postmortem = is_postmortem(path, title)
    for each in incidents(text, title or _named_by(path)):
        worth = score(wanted, f"{each.title}\n{each.text}", postmortem=postmortem)
        sentence = each.sentence(lambda text: matches(wanted, text))
        cause = "cause: " if each.cause else ""
        said = "also in" if postmortem else "see"
        yield Note(f"{said} “{each.title}”; {cause}“{sentence}”", reference, worth)


def likeness(episode: Episode, test: str, failure: Failure) -> float:
    """Return how much a past failure is like a new one: 0 to 1."""
    same_test = episode.test == test
    same_error = bool(failure.exception) and episode.exception == failure.exception
    message = same_message(episode.message, failure.message)
    if same_test:
        return 0.4 + 0.15 * same_error + 0.3 * (message and bool(failure.message))
    if same_error and message and says_much(failure.message):
        return 0.75
    return 0.0


def _literal(path: str) -> str:
    """Return a path as a glob that means just that."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _named_by(path: str) -> str:
    stem = os.path.basename(path).rpartition(".")[0]
    return re.sub(r"[-_]+", " ", stem)
