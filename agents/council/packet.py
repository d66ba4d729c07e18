"""One packet of evidence, the same for every juror: made once, without secrets, and cut to what fits.

What is certain about a diff (files, counts, dependencies) is counted from all of it before anything is
cut. What is cut is said, in the packet and to the person.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ...ingest.redaction import redact
from ..models.budget import estimate_tokens, fit
from .diffs import dependency_changes, read_diff, touched_of
from .perspectives import Preset
from .records import Packet, Piece, Prior
from .wish import Wish

MOST_TEXT = 400_000
"""Characters of one file, log or diff that are read at all."""
MOST_PIECE = 320
"""Tokens of one recalled passage."""
LEAST = 40
"""Tokens under which a piece is left out rather than cut."""
FROM_THE_END = frozenset({"log", "test"})
"""Kinds of pieces whose end says most."""
_HEAD = 30
"""Tokens of what stands around a piece."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that a person hands in."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Given:
    """What a person hands in with a question."""

    target: str = ""
    diff: str = ""
    files: tuple[Document, ...] = ()
    logs: tuple[Document, ...] = ()
    constraints: tuple[str, ...] = ()
    pull: Document | None = None
    """The pull request that the diff is of, by its reference, with what was said on it."""


def make_packet(
    wish: Wish,
    given: Given,
    *,
    preset: Preset,
    recalled: Sequence[Piece] = (),
    prior: Sequence[Prior] = (),
    critical: Sequence[str] = (),
) -> Packet:
    """Return the packet of a wish, whole and without secrets. ``critical`` are globs of paths on which
    an agreement needs a human check. Takes as long as looking for secrets does."""
    left: list[str] = []
    diff = _clean("the diff", given.diff, left)
    files = read_diff(diff)
    touched = touched_of(files)
    pieces = [
        *(
            [Piece("requirement", "what was asked", _clean("the text", wish.told, left))]
            * bool(wish.told)
        ),
        *(Piece("log", f"log {one.path}", _clean(one.path, one.text, left)) for one in given.logs),
        *(
            Piece("file", one.path, _clean(one.path, one.text, left), one.path)
            for one in given.files
        ),
        *(
            [Piece("pull", given.pull.path, _clean(given.pull.path, given.pull.text, left))]
            if given.pull is not None
            else []
        ),
        *(replace(one, text=redact(one.text)[0]) for one in recalled if not _is_pull(given, one)),
    ]
    paths = [
        *(one.path for one in touched),
        *(one.old_path for one in touched),
        *(one.path for one in given.files),
    ]
    return Packet(
        question=redact(wish.question)[0],
        kind=wish.kind,
        options=wish.options,
        topic=preset.name,
        target=given.target,
        constraints=tuple(redact(one)[0] for one in given.constraints),
        pieces=tuple(piece for piece in pieces if piece.text.strip()),
        diff=diff,
        touched=touched,
        dependencies=dependency_changes(files),
        prior=tuple(replace(one, title=redact(one.title)[0]) for one in prior),
        critical=_critical(paths, critical) or preset.critical,
        left_out=tuple(left),
    )


def _is_pull(given: Given, piece: Piece) -> bool:
    return given.pull is not None and piece.ref == given.pull.path


def _clean(name: str, text: str, left: list[str]) -> str:
    if len(text) > MOST_TEXT:
        left.append(f"{name}: all after the first {MOST_TEXT:,} characters")
    return redact(text[:MOST_TEXT].replace("\0", ""))[0]


def _critical(paths: Iterable[str], globs: Sequence[str]) -> str:
    """Return why paths are critical: the first that a glob names."""
    for path in paths:
        for glob in globs:
            pattern = glob.rstrip("/") + "/*" if glob.endswith("/") else glob
            if path and (
                fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, f"*/{pattern}")
            ):
                return f"{path} is a critical path ({glob})"
    return ""


def trim(packet: Packet, tokens: int) -> Packet:
    """Return the packet with its diff and pieces cut to about ``tokens``: what is small stays whole,
    what is large shares the rest; of what memory recalled, the best. ``left_out`` says what was cut."""
    parts = _diff_parts(packet)
    needs = [estimate_tokens(text) for _, text in parts]
    costs = [estimate_tokens(piece.text) + _HEAD for piece in packet.pieces]
    if sum(needs) + sum(costs) <= tokens:
        return packet
    left = list(packet.left_out)
    own = [place for place, piece in enumerate(packet.pieces) if piece.kind in _OWN]
    recalled = [min(cost, MOST_PIECE) for place, cost in enumerate(costs) if place not in own]
    half = sum(needs) // 2  # a diff counts as two: it is what is judged
    shares = _shares(
        [half, sum(needs) - half, sum(recalled), *(costs[place] for place in own)], tokens
    )
    of_own = dict(zip(own, shares[3:], strict=True))
    for_recalled = shares[2]
    kept: list[Piece] = []
    for place, piece in enumerate(packet.pieces):
        share = of_own.get(place, min(MOST_PIECE, for_recalled))
        cut = _cut(piece, costs[place], share, left)
        if cut is not None:
            kept.append(cut)
            for_recalled -= 0 if place in of_own else min(costs[place], share)
    diff = _cut_diff(parts, needs, shares[0] + shares[1], left)
    return replace(packet, diff=diff, pieces=tuple(kept), left_out=tuple(dict.fromkeys(left)))


def _shares(needs: Sequence[int], room: int) -> list[int]:
    """Return what each gets of a room that is too small: small needs whole, the others as much each."""
    shares = [0] * len(needs)
    waiting = sorted(range(len(needs)), key=lambda place: needs[place])
    for number, place in enumerate(waiting):
        shares[place] = min(needs[place], room // (len(waiting) - number))
        room -= shares[place]
    return shares


_OWN = frozenset({"requirement", "file", "log", "test", "pull"})
"""Kinds of pieces that a person handed in."""


def _cut(piece: Piece, cost: int, share: int, left: list[str]) -> Piece | None:
    if cost <= share:
        return piece
    room = share - _HEAD
    if room < LEAST:
        left.append(f"{piece.ref} ({len(piece.text):,} characters)")
        return None
    text = _end_of(piece.text, room) if piece.kind in FROM_THE_END else fit(piece.text, room).text
    left.append(f"{piece.ref}: {len(piece.text) - len(text):,} of {len(piece.text):,} characters")
    return replace(piece, text=text)


def _end_of(text: str, tokens: int) -> str:
    """Return as many whole lines from the end of a text as fit, and say what is missing before."""
    room = tokens - 18
    kept: list[str] = []
    for line in reversed(text.splitlines(keepends=True)):
        cost = estimate_tokens(line)
        if cost > room:
            break
        kept.append(line)
        room -= cost
    if not kept:
        return fit(text[-4 * max(tokens, 1) :], tokens).text
    end = "".join(reversed(kept))
    return f"[{len(text) - len(end)} characters before this are left out …]\n{end}"


def _diff_parts(packet: Packet) -> list[tuple[str, str]]:
    """Return the diff file by file, each with its path; what nobody reads comes last."""
    if not packet.diff:
        return []
    starts = [0] if not packet.diff.startswith("diff --git ") else []
    at = packet.diff.find("diff --git ")
    while at >= 0:
        if at == 0 or packet.diff[at - 1] == "\n":
            starts.append(at)
        at = packet.diff.find("diff --git ", at + 1)
    ends = [*starts[1:], len(packet.diff)]
    texts = [packet.diff[begin:end] for begin, end in zip(starts, ends, strict=True)]
    if len(texts) != len(packet.touched):  # not git's own form
        return [("the diff", packet.diff)]
    aside = {one.path for one in packet.touched if one.aside}
    parts = [(one.path, text) for one, text in zip(packet.touched, texts, strict=True)]
    return sorted(parts, key=lambda part: part[0] in aside)


def _cut_diff(
    parts: Sequence[tuple[str, str]], needs: Sequence[int], tokens: int, left: list[str]
) -> str:
    """Return the files' diffs within ``tokens``: small ones whole, large ones cut to what is left."""
    shares = _shares(needs, tokens)
    kept: list[str] = []
    for place, (path, text) in enumerate(parts):
        if needs[place] <= shares[place]:
            kept.append(text)
        elif shares[place] < LEAST:
            left.append(f"the diff of {path} ({len(text):,} characters)")
        else:
            found = fit(text, shares[place])
            left.append(f"the diff of {path}: {found.left_out:,} of {len(text):,} characters")
            kept.append(f"{found.text}\n")
    return "".join(kept)
