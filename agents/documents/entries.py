"""Whole entries of a document about one thing: a list item, a table row, a line of a sample."""

from __future__ import annotations

import re
from collections.abc import Collection

from .edits import lines_of

_ITEM = re.compile(r"^(?P<margin>[ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?P<text>.*)$", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})")
_CODE = re.compile(r"`[^`\n]+`")
_SERIES = re.compile(
    r"(?<![`\w])`[^`\n]+`(?:, `[^`\n]+`)+(?P<last>,? (?:and|or) )`[^`\n]+`(?![`\w])"
)
_MARKS = "`*_\"' ["


def without_entry(text: str, wrong: Collection[int], name: str) -> str | None:
    """Given a text, the lines that are wrong and the name that is gone, return the text without
    the entries that are about nothing else; None where a line is no such entry, or where nothing
    of its kind would be left."""
    lines = lines_of(text)
    fenced = _fenced(lines)
    gone: set[int] = set()
    for number in sorted(wrong):
        index = number - 1
        if index in gone:
            continue
        if not 0 <= index < len(lines):
            return None
        entry = _sample_line(lines, index, name) if index in fenced else _row_or_item(
            lines, index, name, fenced
        )  # fmt: skip
        if entry is None:
            return None
        gone |= entry
    if _is_last(lines, gone, fenced):
        return None
    return "".join(line for index, line in enumerate(lines) if index not in gone)


def without_member(text: str, wrong: Collection[int], name: str) -> str | None:
    """Given a text, the lines that are wrong and the name that is gone, return the text with the
    name taken out of what those lines enumerate: ``a``, ``b`` and ``c``; None where a line names
    it otherwise, or where fewer than two would be left."""
    lines = lines_of(text)
    for number in wrong:
        if not 0 < number <= len(lines):
            return None
        line = lines[number - 1]
        found = [each for each in _SERIES.finditer(line) if f"`{name}`" in _CODE.findall(each[0])]
        if len(found) != 1 or line.count(name) != 1:
            return None
        members = [each for each in _CODE.findall(found[0][0]) if each != f"`{name}`"]
        if len(members) < 2:
            return None
        last = found[0]["last"]
        joined = last.lstrip(",") if len(members) == 2 else last
        made = ", ".join(members[:-1]) + joined + members[-1]
        lines[number - 1] = line[: found[0].start()] + made + line[found[0].end() :]
    return "".join(lines)


def _fenced(lines: list[str]) -> set[int]:
    """Return the lines that stand inside fences."""
    found: set[int] = set()
    fence = ""
    for index, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark["fence"].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            else:
                found.add(index)
        elif mark:
            fence = mark["fence"]
    return found


def _begins_with(text: str, name: str) -> bool:
    start = text.lstrip(_MARKS)
    rest = start[len(name) :]
    return start.startswith(name) and not re.match(r"[\w-]", rest)


def _row_or_item(lines: list[str], index: int, name: str, fenced: set[int]) -> set[int] | None:
    line = lines[index]
    if line.lstrip().startswith("|"):
        return {index} if _begins_with(line.lstrip()[1:], name) else None
    item = _ITEM.match(line)
    if item is None or not _begins_with(item["text"], name):
        return None
    margin = len(item["margin"])
    found = {index}
    for after in range(index + 1, len(lines)):
        following = lines[after]
        if not following.strip():
            break
        depth = len(following) - len(following.lstrip())
        if depth <= margin:
            if _ITEM.match(following):
                break
            return None  # a lazy continuation: not clear where the item ends
        if _ITEM.match(following) or after in fenced:
            return None  # it has parts of its own
        found.add(after)
    end = max(found) + 1
    if end + 1 < len(lines) and not lines[end].strip():
        inner = lines[end + 1]
        if inner.strip() and len(inner) - len(inner.lstrip()) > margin:
            return None  # another paragraph of the same item
    return found


def _sample_line(lines: list[str], index: int, name: str) -> set[int] | None:
    """A line of a sample goes only if it sets or shows this thing alone, and none depends on it."""
    line = lines[index].strip()
    if not _begins_with(line, name) or line.endswith(("\\", "{", "[", "(", ":", ",")):
        return None
    rest = line[len(name) :].lstrip()
    if not rest or rest[0] not in "=:" and not name.startswith("-"):
        return None
    previous = lines[index - 1].rstrip() if index else ""
    return None if previous.endswith(("\\", ",", "(")) else {index}


def _is_last(lines: list[str], gone: set[int], fenced: set[int]) -> bool:
    """Say whether a list, table or sample would be left empty."""
    for index in sorted(gone):
        before = index - 1
        while before in gone:
            before -= 1
        after = index + 1
        while after in gone:
            after += 1
        kind = _kind(lines, index, fenced)
        near = [_kind(lines, each, fenced) for each in (before, after) if 0 <= each < len(lines)]
        if kind == "row":
            heads = [each for each in (before - 1, before) if each >= 0]
            only_head = any(set(lines[each].strip()) <= set("|-: ") for each in heads[-1:])
            if only_head and (after >= len(lines) or _kind(lines, after, fenced) != "row"):
                return True
        elif kind not in near and not (kind == "item" and _loose(lines, before, after)):
            return True
    return False


def _loose(lines: list[str], before: int, after: int) -> bool:
    """Say whether an item has neighbours behind blank lines or indented text."""
    up = next((lines[n] for n in range(before, -1, -1) if lines[n].strip()), "")
    down = next((lines[n] for n in range(after, len(lines)) if lines[n].strip()), "")
    return any(_ITEM.match(line) or line.startswith(("  ", "\t")) for line in (up, down))


def _kind(lines: list[str], index: int, fenced: set[int]) -> str:
    line = lines[index]
    if index in fenced:
        return "sample"
    if line.lstrip().startswith("|"):
        return "row"
    if _ITEM.match(line) or (line.strip() and line[:1] in " \t"):
        return "item"
    return ""
