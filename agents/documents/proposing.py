"""From single drifts to proposals: what belongs together, what comes first, what is said of it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...ingest.redaction import redact
from ...memory.drift import Edit, Found, Proposal, same_of
from ..contract import Finding, Level
from .conventions import is_module
from .edits import decode, digest, edits_of, lines_of, readable
from .fix import Wrong
from .records import Drift, Fix, Thing, Tier

MAX_PLACES = 50
"""Lines of one document that one proposal tells of."""
MAX_LINE = 300

_TIERS = {Tier.CERTAIN: 0, Tier.LIKELY: 1, Tier.POSSIBLE: 2}
_NAMES = frozenset({Thing.COMMAND, Thing.VARIABLE, Thing.SETTING, Thing.FLAG})
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.])\1{2,}\s*$")


def grouped(drifts: Sequence[Drift], dismissed: Collection[str]) -> list[Wrong]:
    """Return drifts by what is wrong in which document, without those that a person dismissed."""
    groups: dict[str, dict[int, Drift]] = {}
    for drift in drifts:
        if not _is_dismissed(drift, dismissed):
            lines = groups.setdefault(same_as(drift), {})
            known = lines.get(drift.line)
            if known is None or _TIERS[drift.tier] < _TIERS[known.tier]:
                lines[drift.line] = drift
    return [
        Wrong(tuple(lines[number] for number in sorted(lines)[:MAX_PLACES]))
        for lines in groups.values()
    ]


def same_as(drift: Drift) -> str:
    """Return what a drift has in common with what belongs to the same proposal."""
    return same_of(drift.document, _safe(drift.name), subject_of(drift))


def subject_of(drift: Drift) -> str:
    """Return what tells it apart from others of its name: many functions have a ``timeout``, and
    a sample has no name at all."""
    if drift.thing is Thing.SAMPLE:
        return _safe(drift.text.strip())[:100]
    if drift.thing in (Thing.SIGNATURE, Thing.DEFAULT):
        return _safe(re.sub(r"\b[0-9a-f]{7,64}\b", "", drift.reason))
    return str(_alike(drift.thing))


def _alike(thing: Thing) -> Thing:
    """A backticked word may be a setting for one look, and a symbol for the next."""
    return Thing.SYMBOL if thing in _NAMES else Thing.PATH if thing is Thing.LINK else thing


def key_of(drift: Drift, *, loose: bool = False) -> str:
    """Return the key of a drift, whichever look found it; ``loose``: by whichever commit."""
    commit = None if loose else drift.commit
    return replace(drift, thing=_alike(drift.thing), commit=commit).key


def _is_dismissed(drift: Drift, dismissed: Collection[str]) -> bool:
    return key_of(drift, loose=drift.commit is None) in dismissed


def as_known(drifts: Sequence[Drift], known: Mapping[str, Found]) -> list[Drift]:
    """Given what a scan found, and by their ``same`` the proposals that a check made, return it
    with what the check knew better: the commit that did it, the reason, the new name."""
    told: list[Drift] = []
    for drift in drifts:
        before = known.get(same_as(drift))
        if before is None or before.scanned or drift.commit not in (None, before.commit):
            told.append(drift)
            continue
        replacement = drift.replacement or before.replacement
        told.append(
            replace(
                drift,
                thing=Thing(before.thing),
                commit=before.commit,
                reason=before.reason,
                replacement=replacement,
            )
        )
    return told


def rank_of(drift: Drift) -> int:
    """Return how late a drift is shown: by how sure it is, then by how much its document is read."""
    return 100 * _TIERS[drift.tier] + 10 * _depth(drift.document)


SCANNED = 150
"""What a look at the whole repository finds stands behind what a commit made wrong just now, unless
that is only possible."""


def _depth(path: str) -> int:
    folder, name = posixpath.split(path)
    readme = name.lower().startswith("readme")
    if readme and not folder:
        return 0
    if is_module(path):
        return 5
    return 1 if readme or not folder else min(4, 1 + path.count("/"))


def found_of(wrong: Wrong, data: bytes | None, fix: Fix | None, *, scanned: bool) -> Found:
    """Given what is wrong in a document, its bytes, and its fix, return what is stored.

    A line with a secret is stored without it, and then there is no fix to be had.
    """
    first = wrong.first
    edits: tuple[Edit, ...] = ()
    if fix is not None and data is not None:
        edits = edits_of(fix.before, fix.after)
        if any(redact(line)[1] for edit in edits for line in (*edit.old, *edit.new)):
            edits = ()
    return Found(
        document=first.document,
        thing=str(first.thing),
        name=_safe(first.name),
        tier=str(first.tier),
        reason=_safe(first.reason),
        lines=tuple(each.line for each in wrong.drifts),
        texts=tuple(_safe(each.text.strip()) for each in wrong.drifts),
        keys=tuple(key_of(each) for each in wrong.drifts),
        loose=tuple(key_of(each, loose=True) for each in wrong.drifts),
        rank=rank_of(first) + (SCANNED if scanned else 0),
        subject=subject_of(first),
        section=_safe(section_of(decode(data) or "", first.line)) if data is not None else "",
        commit=first.commit,
        replacement=None if first.replacement is None else _safe(first.replacement),
        scanned=scanned,
        digest=digest(data) if edits and data is not None else "",
        edits=edits,
        by=fix.by if fix is not None and edits else "",
        note=_safe(fix.note) if fix is not None and edits else "",
    )


def _safe(text: str) -> str:
    return redact(" ".join(text.split())[:MAX_LINE])[0]


def section_of(text: str, line: int) -> str:
    """Return the heading above a line, in words; empty if there is none."""
    lines = lines_of(text)[: max(0, line)]
    fenced = False
    heading = ""
    for number, each in enumerate(lines):
        if each.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif fenced:
            continue
        elif found := _HEADING.match(each.rstrip("\r\n")):
            heading = found["text"]
        elif number and _UNDERLINE.match(each.rstrip("\r\n")) and lines[number - 1].strip():
            heading = lines[number - 1].strip()
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*_]", lambda found: found[1] or "", heading).split()
    return " ".join(words)


def still_there(data: bytes | None, found: Found) -> bool:
    """Say whether a document still has any of the lines as they were when they were wrong."""
    if data is None:
        return False
    if found.lines == (0,):
        return True
    text = readable(data.decode("utf-8", "replace"))
    keys = set(found.keys)
    thing, tier = Thing(found.thing), Tier(found.tier)
    return any(
        key_of(Drift(found.document, 0, line, thing, found.name, tier, "", found.commit)) in keys
        for line in lines_of(text)
    )


def cause_of(repo: str, document: str) -> str:
    """Return under which name attention knows what is said of a document."""
    return f"docs:{repo}:{document}"


def finding_of(repo: str, new: Sequence[Proposal]) -> Finding | None:
    """Given the proposals that a run has opened, the best first, return what a person is told;
    None if nothing is."""
    # What is only possible is there for who looks at the list.
    new = [each for each in new if each.found.tier != Tier.POSSIBLE]
    if not new:
        return None
    first, fixes = new[0], sum(bool(each.found.edits) for each in new)
    what = place_of(first.found)
    if len(new) > 1:
        what += f" and {len(new) - 1} other place{'s' if len(new) > 2 else ''}"
    if fixes == 0:
        how = first.found.reason
    elif len(new) == 1:
        how = "draft fix ready"
    else:
        how = f"{fixes} draft fix{'es' if fixes > 1 else ''} ready"
    glance = first.found.tier == Tier.CERTAIN and _depth(first.found.document) == 0
    return Finding(
        cause_of(repo, first.found.document),
        f"{what} drifted: {how}",
        level=Level.GLANCE if glance else Level.DIGEST,
        next_step=f"hermes docs show D{first.id}",
        body="\n".join(f"D{each.id} {line_of(each.found)}: {each.found.reason}" for each in new),
        references=tuple(dict.fromkeys(line_of(each.found) for each in new)),
    )


def place_of(found: Found) -> str:
    """Return a place in words: ``README config section``, ``docs/cli.md:12``."""
    folder, name = posixpath.split(found.document)
    short = name.rpartition(".")[0] if name.startswith("README.") and not folder else found.document
    if not found.section or found.lines == (0,) or len(found.section) > 40:
        return line_of(found) if found.lines != (0,) else found.document
    section = found.section
    if section[:1].isupper() and section[1:2].islower():
        section = section[0].lower() + section[1:]
    return f"{short} {section}" + ("" if section.endswith("section") else " section")


def line_of(found: Found) -> str:
    """Return e.g. ``README.md:12``; the path alone for a document as a whole."""
    return f"{found.document}:{found.lines[0]}" if found.lines[0] else found.document


def recovered(repo: str, document: str) -> Finding:
    """Return what takes back what was said of a document."""
    return Finding(cause_of(repo, document), f"{document} matches the code again", recovered=True)
