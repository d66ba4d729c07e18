"""Commits into what memory holds: one message chunk, one context chunk for each file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...memory.records import Chunk, Commit, Content, FileChange, Kind, chunk_id
from ..mentions import mentions_of_commit
from ..redaction import redact_all
from . import classify
from .drafts import SLACK, TEXT_LIMIT, Draft, DraftFile
from .words import decode_text, hidden_key, stub_line, submodule_line, with_header

FILE_CHUNKS = 300
"""Context chunks of one commit; what is beyond is summed up in one more."""

_CHANGED = re.compile(r"\n[+-][ \t]*(\S.*)")


@dataclass(slots=True)
class Batch:
    """What one write to memory takes, and what making it came across."""

    commits: list[Commit] = field(default_factory=list[Commit])
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    redacted: int = 0
    stubs: dict[Content, int] = field(default_factory=dict[Content, int])
    """Files of which a line has to do, by what they hold; text is one without changed lines."""

    def add(self, other: Batch) -> None:
        """Take in what another batch holds."""
        self.commits += other.commits
        self.chunks += other.chunks
        self.redacted += other.redacted
        for content, number in other.stubs.items():
            self.stubs[content] = self.stubs.get(content, 0) + number


def build(repo: str, drafts: Sequence[Draft], sizes: Mapping[bytes, int]) -> Batch:
    """Take the secrets out of some drafted commits and make their records.

    ``sizes`` gives blobs' sizes in bytes, for the stubs of binary files; some may be missing.
    """
    paths = list(
        {
            path
            for drafted in drafts
            for file in drafted.files
            for path in (file.path, file.old_path)
        }
    )
    pieces = [(path or "").encode() for path in paths]
    for drafted in drafts:
        pieces.append(drafted.message)
        pieces += [file.hunks for file in drafted.files]
    clean_pieces, counts = redact_all(pieces)
    clean = iter(clean_pieces)
    clean_paths = {path: next(clean).decode() for path in paths}
    batch = Batch(redacted=sum(counts))
    for drafted in drafts:
        drafted.message = next(clean)
        for file in drafted.files:
            file.path = clean_paths[file.path]
            file.old_path = clean_paths[file.old_path] or None
            file.hunks = hidden_key(file.path, next(clean))
        _records(repo, drafted, sizes, batch)
    return batch


def _records(repo: str, drafted: Draft, sizes: Mapping[bytes, int], batch: Batch) -> None:
    head = drafted.head
    message = _cut(decode_text(drafted.message).replace("\r\n", "\n").strip()) or "(no message)"
    subject = message.partition("\n")[0].strip()[:500]
    author, email = decode_text(head.author).strip(), decode_text(head.email).strip()

    def add(kind: Kind, path: str, part: int, text: str, index_text: str) -> None:
        batch.chunks.append(
            Chunk(
                id=chunk_id(repo, head.sha, path, part),
                repo=repo,
                source="git",
                kind=kind,
                ref=head.sha,
                path=path,
                part=part,
                author=author,
                email=email,
                time=head.time,
                title=subject,
                text=text,
                index_text=index_text,
            )
        )

    texts = [_text(file) if file.hunks else "" for file in drafted.files]
    files = [
        FileChange(
            file.path, file.raw.change, file.content, file.old_path, file.added, file.removed
        )
        for file in drafted.files
    ]
    add(Kind.MESSAGE, "", 0, message, message)
    shown: Sequence[int] = range(len(files))
    if len(files) > FILE_CHUNKS:  # those with something to read come first
        shown = sorted(shown, key=lambda n: not texts[n])[:FILE_CHUNKS]
    for n in shown:
        file, text, of_git = files[n], texts[n], drafted.files[n].raw
        where = [subject, file.path, *([file.old_path] if file.old_path else [])]
        if text and file.content is Content.TEXT:
            shown_text = _cut(with_header(file.change, file.path, file.old_path, text))
            lines = [*where, *_names(text), *_changed(text)]
            add(Kind.CONTEXT, file.path, 0, shown_text, "\n".join(lines))
            continue
        batch.stubs[file.content] = batch.stubs.get(file.content, 0) + 1
        if file.content is Content.SUBMODULE:
            stub = submodule_line(file.path, text)
        else:
            modes = (of_git.old_mode.decode(), of_git.mode.decode())
            stub = stub_line(file, sizes.get(of_git.blob), modes)
        add(Kind.CONTEXT, file.path, 0, stub, "\n".join(where))
    if len(files) > len(shown):
        rest = f"… and {len(files) - len(shown):,} more files in this commit"
        add(Kind.CONTEXT, "", 1, rest, f"{subject}\n{rest}")
    said = mentions_of_commit(message)
    batch.commits.append(
        Commit(
            repo=repo,
            sha=head.sha,
            parents=head.parents,
            author=author,
            email=email,
            time=head.time,
            committed=head.committed,
            subject=subject,
            files=tuple(files),
            tickets=said.tickets,
            links=said.links,
        )
    )


def _text(file: DraftFile) -> str:
    """Return a file's hunks as text, and note what they show the file to be."""
    hunks = file.hunks
    if file.truncated:
        # Without the slack: what lies across the end was never looked at as a whole.
        hunks = hunks[: max(len(hunks) - SLACK, 0)]
        hunks = hunks[: hunks.rfind(b"\n") + 1] or hunks
    text = decode_text(hunks)
    if file.content is Content.TEXT:
        file.content = classify.by_diff(file.path, text)
    return _cut(text.replace("\r\n", "\n").rstrip("\r\n"))


def _cut(text: str) -> str:
    """Keep the first TEXT_LIMIT characters, up to the last whole line."""
    if len(text) <= TEXT_LIMIT:
        return text
    end = text.rfind("\n", 0, TEXT_LIMIT)
    return text[: end if end > 0 else TEXT_LIMIT]


def _names(text: str) -> list[str]:
    """Return the functions and sections that git names at the head of the hunks."""
    heads = (part.partition("\n")[0] for part in f"\n{text}".split("\n@@ ")[1:])
    return list(dict.fromkeys(name for head in heads if (name := head.partition(" @@ ")[2])))


def _changed(text: str) -> list[str]:
    """Return the added and removed lines, without their signs and indentation."""
    return _CHANGED.findall(text)
