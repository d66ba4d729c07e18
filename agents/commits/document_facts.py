"""What changed in a document: the section, the entry, the link, the block of code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .mentions import is_name
from .records import FileChange
from .signals import changed, pairs
from .statement import Statement

_LINK = re.compile(
    r"\[(?P<text>[^\]]+)\]\((?P<url>[^)\s]+)|`(?P<rst>[^`<]+?)\s*<(?P<target>[^>]+)>`_|https?://[^\s)>\]]+"
)
_ENTRY = re.compile(
    r"^\s*[-*+] +(?:\[(?P<link>[^\]]{2,40})\]\(|\*\*(?P<bold>[^*]{2,40})\*\*|`(?P<code>[^`]{2,40})`|(?P<rst>`[^`<]{2,40}) <)"
)
_FENCE = re.compile(r"^\s*(?:```|~~~|\.\. code-block::)")
_BADGE = re.compile(r"badge|shields\.io|\.svg\b")
_FILLERS = re.compile(r"[^\w`.\- /()]")


def document_statements(files: Sequence[FileChange], place: str, weight: float) -> list[Statement]:
    """Return what is to be said of documents that stay where they are, beside new headings."""
    path = max(files, key=lambda file: file.added + file.removed).path
    plus = [line for line in changed(files, "+") if line.strip()]
    minus = [line for line in changed(files, "-") if line.strip()]
    found: list[Statement] = []

    def say(text: str, rank: float) -> None:
        found.append(Statement(text, place, path, weight + rank))

    both = [pair for pair in pairs(files) if pair[0] != pair[1]]
    if both and len(plus) == len(minus) == len(both):  # noqa: SIM102 - two questions
        if all(_LINK.sub("", old) == _LINK.sub("", new) for old, new in both):
            badge = all(_BADGE.search(line) for line in plus)
            what = (
                ("a badge" if badge else "a link")
                if len(both) == 1
                else ("badges" if badge else "links")
            )
            say(f"updates {what} in {place}", 2.0)
    if not minus and plus and all(_FENCE.match(line) for line in plus):
        say(f"adds a missing code fence to {place}", 2.0)
    names = [
        name
        for line in plus
        if (m := _ENTRY.match(line)) and (name := m["link"] or m["bold"] or m["code"])
    ]
    if not minus and len(names) == len(plus) and len(names) <= 2:
        say(f"adds {' and '.join(names)} to {place}", 2.5)
    gone = [
        name
        for line in minus
        if (m := _ENTRY.match(line)) and (name := m["link"] or m["bold"] or m["code"])
    ]
    if not plus and len(gone) == len(minus) and len(gone) <= 2:
        say(f"removes {' and '.join(gone)} from {place}", 2.5)
    sections = {
        hunk.section
        for file in files
        for hunk in file.hunks
        if any(x[0] in "+-" for x in hunk.lines)
    }
    if len(sections) == 1 and (title := _title(sections.pop())):
        verb = "extends" if not minus else "shortens" if not plus else "updates"
        say(f"{verb} the section on {title} in {place}", 0.5 if not minus else 0.3)
    return found


def _title(text: str) -> str:
    """Return a heading as it stands inside of a sentence; empty where it says nothing there."""
    bare = _FILLERS.sub("", text.replace("**", "")).strip(" .")
    bare = re.sub(r"^(?:\d+\.)+\s+|^[Oo]n\s+", "", bare)
    first, space, rest = bare.partition(" ")
    if (
        not 3 <= len(bare) <= 40
        or re.fullmatch(r"v?\d[\w.\-() ]*|Unreleased.*|Version .*", bare)
        or rest.count("`") % 2
    ):
        return ""
    small = first[1:].islower() and first[:1].isupper() and not is_name(first)
    return (first.lower() if small else first) + space + rest


def changelog_statements(logs: Sequence[FileChange], weight: float) -> list[Statement]:
    """Return what is to be said of a changelog that is all that changed."""
    plus = [line.strip() for line in changed(logs, "+") if line.strip()]
    minus = [line.strip() for line in changed(logs, "-") if line.strip()]
    path = logs[0].path
    entries = [line for line in plus if re.match(r"^[-*] ", line) and line not in minus]
    text = ""
    if plus and sorted(plus) == sorted(minus):
        text = "moves an entry of the changelog" if len(plus) < 8 else "reorders the changelog"
    elif not minus and len(entries) > 1:
        text = f"adds {len(entries)} entries to the changelog"
    elif not minus and len(entries) == 1:
        text = "adds an entry to the changelog"
    elif minus and not plus:
        text = "removes text from the changelog"
    return [Statement(text, "changelog", path, weight)] if text else []
