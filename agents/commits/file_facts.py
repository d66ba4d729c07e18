"""Facts about files as a whole: added, moved, documents, tests, settings, and what is no text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from ...memory.records import Content
from .body_facts import body_statements
from .document_facts import changelog_statements, document_statements
from .mentions import is_name
from .paths import Role, is_changelog, name_of, role, stem_of
from .records import FileChange
from .signals import changed, only_space, settings, typos
from .statement import Sort, Statement, in_words, several
from .told import new_names

_HEADING = re.compile(r"^#{1,5} +(?P<title>[^#\n].{1,60}?)\s*#*$")
_TEST_NAME = re.compile(
    r"^\s*(?:async )?(?:def|fn|func) (?P<name>[Tt]est_?\w+)|^\s*(?:it|test)\([\"'`](?P<said>[^\"'`]{3,80})"
)


def file_statements(files: Sequence[FileChange]) -> list[Statement]:
    """Return what is to be said of files: of those that matter, else of all."""
    by_role: dict[Role, list[FileChange]] = {}
    for file in files:
        by_role.setdefault(role(file), []).append(file)
    found: list[Statement] = []
    alone = len(by_role.keys() - {"aside"}) <= 1
    if "docs" in by_role:
        found += _documents(by_role["docs"], alone=alone)
    if "test" in by_role:
        found += _tests(by_role["test"], alone=alone)
    for part in ("ci", "config", "manifest"):
        if part in by_role:
            found += _settings(by_role[part], part)
    for part in ("code", "asset"):
        if part in by_role:
            found += _plain(by_role[part], 12.0 if part == "code" else 8.0)
    if "aside" in by_role:
        said = aside_of(by_role["aside"]) or "updates generated files"
        first = by_role["aside"][0]
        found.append(Statement(said, name_of(first.path), first.path, 1.0))
    return found


def aside_of(files: Sequence[FileChange]) -> str:
    """Return generated, lock, vendored and minified files in one clause; empty if there are none."""
    counted: dict[Content, list[FileChange]] = {}
    for file in files:
        if role(file) == "aside":
            counted.setdefault(file.content, []).append(file)
    words = {
        Content.LOCK: "lock file",
        Content.GENERATED: "generated file",
        Content.VENDORED: "vendored file",
        Content.MINIFIED: "minified file",
    }
    parts = [
        f"the {words[content]}" + ("s" if len(many) > 1 else "")
        for content, many in counted.items()
        if content in words
    ]
    return f"updates {several(parts)}" if parts else ""


def _plain(files: Sequence[FileChange], weight: float) -> list[Statement]:
    """Files that came, went, moved or changed otherwise than in their lines."""
    found: list[Statement] = []
    for kind, verb in (("added", "adds"), ("removed", "removes")):
        many = [file for file in files if file.kind == kind]
        if len(many) > 3 and (folder := _folder([file.path for file in many])):
            found.append(Statement(f"{verb} {folder}/", folder, many[0].path, weight + 6))
        elif many:
            names = [name_of(file.path) for file in many[:3]]
            more = f" and {len(many) - 2} more files" if len(many) > 3 else ""
            shown = ", ".join(names[:2]) + more if more else several(names)
            sort: Sort = "new" if kind == "added" and weight > 10 else "other"
            found.append(Statement(f"{verb} {shown}", names[0], many[0].path, weight + 4, sort))
    moved = [file for file in files if file.kind == "renamed"]
    if len(moved) > 2 and (folder := _folder([file.path for file in moved])):
        text = f"moves {len(moved)} files to {folder}/"
        found.append(Statement(text, folder, moved[0].path, weight + 9, "moved"))
        files = [file for file in files if file not in moved]
    for file in files:
        if file.kind in ("renamed", "copied") and file.old_path:
            found.append(_moved(file, weight + 9))
        elif file.kind == "mode":
            what = "executable" if file.mode.endswith("755") else "not executable"
            found.append(
                Statement(
                    f"makes {name_of(file.path)} {what}", name_of(file.path), file.path, weight
                )
            )
        elif file.kind == "submodule":
            old, new = file.old_id[:7], file.new_id[:7]
            verb = "bumps" if old and new else "adds" if new else "removes"
            said = f" from {old} to {new}" if old and new else f" at {new}" if new else ""
            text = f"{verb} the submodule {file.path}{said}"
            found.append(Statement(text, file.path, file.path, weight + 8))
        elif file.kind == "type":
            what = "a symbolic link" if file.mode == "120000" else "a regular file"
            found.append(Statement(f"makes {file.path} {what}", file.path, file.path, weight))
    rest = [file for file in files if file.kind == "changed"]
    if rest and only_space(rest):
        shown = (
            several([name_of(file.path) for file in rest[:2]])
            if len(rest) < 3
            else f"{len(rest)} files"
        )
        found.append(
            Statement(f"reformats {shown}", name_of(rest[0].path), rest[0].path, weight + 9)
        )
    elif rest:
        largest = max(rest, key=lambda file: file.added + file.removed)
        name = name_of(largest.path)
        found.append(Statement(f"updates {name}", name, largest.path, weight - 8))
    return found


def _moved(file: FileChange, weight: float) -> Statement:
    assert file.old_path is not None
    old, new = PurePosixPath(file.old_path), PurePosixPath(file.path)
    if old.name == new.name:
        place = f"{new.parent}/" if str(new.parent) != "." else "the top folder"
        text = f"moves {old.name} to {place}"
    else:
        text = f"renames {old.name} to {new.name}"
    text = "copies" + text[text.index(" ") :] if file.kind == "copied" else text
    return Statement(text, new.name, file.path, weight, "moved")


def _folder(paths: Sequence[str]) -> str:
    parents = {str(PurePosixPath(path).parent) for path in paths}
    return parents.pop() if len(parents) == 1 and parents != {"."} else ""


def _documents(files: Sequence[FileChange], *, alone: bool) -> list[Statement]:
    weight = 40.0 if alone else 6.0
    found = [one for one in _plain(files, weight - 4) if not one.text.startswith("updates")]
    rest = [file for file in files if file.kind in ("changed", "renamed") and file.hunks]
    logs = [file for file in rest if is_changelog(stem_of(file.path))]
    texts = [file for file in rest if file not in logs]
    if texts:
        largest = max(texts, key=lambda file: file.added + file.removed)
        place = name_of(largest.path) if len(texts) == 1 else _documents_name(texts)
        wrong = typos(texts)
        titles = [m["title"] for line in changed(texts, "+") if (m := _HEADING.match(line))]
        known = {m["title"] for line in changed(texts, "-") if (m := _HEADING.match(line))}
        fresh = [title for title in titles if title not in known]
        if wrong:
            what = "a typo" if wrong == 1 else "typos"
            found.append(Statement(f"fixes {what} in {place}", place, largest.path, weight))
        elif len(fresh) == 1 and alone:
            title = fresh[0].strip("`*_ ")
            bare = re.sub(r"^[Oo]n\s+", "", title)
            what = title if is_name(title) or "-" in title else f"a section on {_lowered(bare)}"
            found.append(Statement(f"adds {what} to {place}", title, largest.path, weight))
            found.append(Statement(f"updates {place}", place, largest.path, weight - 6))
        else:
            named = new_names(texts) if alone else []
            gone = new_names(texts, "-") if alone and not named else []
            if gone and len(gone) <= 3 and largest.removed > largest.added:
                text = f"removes {several(gone[:2])} from {place}"
                found.append(Statement(text, gone[0], largest.path, weight))
            if 1 <= len(named) <= 3:
                text = f"documents {several(named[:2])}"
                found.append(Statement(text, named[0], largest.path, weight))
            found.append(Statement(f"updates {place}", place, largest.path, weight - 3))
        if alone and not wrong and len(texts) <= 2:
            found += document_statements(texts, place, weight - 2)
    if logs:
        name = "the changelog"
        if alone and not texts and typos(logs):
            what = "a typo" if typos(logs) == 1 else "typos"
            found.append(Statement(f"fixes {what} in {name}", "changelog", logs[0].path, weight))
        elif alone and not texts:
            found += changelog_statements(logs, weight - 4)
        found.append(Statement(f"updates {name}", "changelog", logs[0].path, weight - 5))
    return found


def _documents_name(files: Sequence[FileChange]) -> str:
    names = [name_of(file.path) for file in files]
    return several(names) if len(names) == 2 else "the documentation"


def _lowered(title: str) -> str:
    """A title inside of a sentence: its first word small, unless it is a name."""
    first, space, rest = title.strip("`*_ ").partition(" ")
    plain = first[1:].islower() and first[:1].isupper()
    return (first.lower() if plain else first) + space + rest


def _tests(files: Sequence[FileChange], *, alone: bool) -> list[Statement]:
    weight = 40.0 if alone else 5.0
    largest = max(files, key=lambda file: file.added + file.removed)
    gone = {_test_name(m) for line in changed(files, "-") if (m := _TEST_NAME.match(line))}
    new = [_test_name(m) for line in changed(files, "+") if (m := _TEST_NAME.match(line))]
    new = [name for name in dict.fromkeys(new) if name not in gone]
    subject = re.sub(r"^test_|_tests?$|\.test$|\.spec$", "", stem_of(largest.path))
    found = [
        one
        for one in _plain(files, weight - 2)
        if one.sort == "moved" or one.text.startswith(("removes", "reformats", "makes"))
    ]
    of = f" for {subject}" if subject not in ("", "test", "tests") else ""
    common = _common(new, files)
    edited = _edited_tests(files)
    if len(new) == 1:
        words = in_words(new[0])
        found.append(Statement(f"adds a test for {words}", new[0], largest.path, weight))
    elif new:
        what = f" for {common}" if common else of
        found.append(Statement(f"adds tests{what}", new[0], largest.path, weight))
    elif len(gone) == 1:
        words = in_words(*gone)
        found.append(Statement(f"removes the test for {words}", subject, largest.path, weight))
    elif gone:
        found.append(Statement(f"removes tests{of}", subject, largest.path, weight))
    elif not found:
        skipped = _SKIPPED.search("\n".join(changed(files, "+")))
        only = len(edited) == 1
        if skipped and not _SKIPPED.search("\n".join(changed(files, "-"))):
            what = f"the test for {in_words(edited[0])}" if only else f"some tests{of}"
            where = next(
                (word for word in ("Windows", "macOS") if _PLATFORM[word] in skipped[0]), ""
            )
            on = f" on {where}" if where else ""
            found.append(Statement(f"skips {what}{on}", subject, largest.path, weight))
        elif only:
            words = in_words(edited[0])
            found.append(
                Statement(f"updates the test for {words}", edited[0], largest.path, weight - 3)
            )
        if alone and len(files) == 1:
            name = name_of(largest.path)
            where = edited[0] if only else name
            found += body_statements(largest, where, weight - 8)
        found.append(Statement(f"updates the tests{of}", subject, largest.path, weight - 4))
    return found


_SKIPPED = re.compile(
    r"^\s*(?:@pytest\.mark\.skip(?:if)?|@unittest\.skip\w*|pytest\.skip|t\.Skip|#\[ignore)\b.*(?:\n.*)?",
    re.MULTILINE,
)
_PLATFORM = {"Windows": "win", "macOS": "darwin"}


def _edited_tests(files: Sequence[FileChange]) -> list[str]:
    """Names of the tests that the changed lines are in."""
    names = [hunk.section.rpartition(".")[2] for file in files for hunk in file.hunks]
    tests = [name for name in names if re.match(r"[Tt]est_?\w", name)]
    return list(dict.fromkeys(tests)) if len(tests) == len(names) else []


def _common(names: Sequence[str], files: Sequence[FileChange]) -> str:
    """Return the name of code that the names of new tests begin with, if they all do and it is
    called in them."""
    if len(names) < 2 or not all("_" in name for name in names):
        return ""
    split = [re.sub(r"^[Tt]est_", "", name).split("_") for name in names]
    text = "\n".join(changed(files, "+"))
    for count in range(min(len(words) for words in split), 1, -1):
        first = split[0][:count]
        if all(words[:count] == first for words in split):
            name = "_".join(first)
            return name if re.search(rf"\b{name}\(", text) else " ".join(first)
    return ""


def _test_name(match: re.Match[str]) -> str:
    return match["name"] or match["said"]


def _settings(files: Sequence[FileChange], part: str) -> list[Statement]:
    weight = {"ci": 16.0, "config": 15.0, "manifest": 14.0}[part]
    found = [one for one in _plain(files, weight - 2) if not one.text.startswith("updates")]
    keys = [one for one in settings(files) if one.key not in ("version", "rev", "uses")]
    if part == "ci":
        named = [one for one in keys if one.key == "name"]
        keys = [one for one in keys if "version" in one.key or one.key in _CI_KEYS]
        if len(named) == 1 and named[0].after and not named[0].before and not keys:
            step, name = named[0].after.strip("\"'"), name_of(named[0].path)
            listed = any(re.match(r"^\s+- name:", line) for line in changed(files, "+"))
            if listed and 3 <= len(step) <= 40 and "$" not in step:
                found.append(
                    Statement(f"adds the step “{step}” to {name}", step, named[0].path, weight)
                )
    for one in keys[:3] if len(keys) <= 3 else []:
        where = f" in {name_of(one.path)}"
        before, after = _value(one.before), _value(one.after)
        if before and after and not re.search(r"[^\w.\-]", before + after):
            text = f"changes {one.key} from {before} to {after}{where}"
        elif one.before and one.after:
            text = f"changes {one.key}{where}"
        elif one.after:
            text = f"adds {one.key} to {name_of(one.path)}"
        else:
            text = f"removes {one.key} from {name_of(one.path)}"
        found.append(Statement(text, one.key, one.path, weight))
    if not found:
        first = max(files, key=lambda file: file.added + file.removed)
        name = name_of(first.path)
        if part == "ci" and len(files) > 1:
            name = "the CI workflows"
        found.append(Statement(f"updates {name}", name_of(first.path), first.path, weight - 3))
    return found


_CI_KEYS = frozenset(
    ["runs-on", "os", "branches", "timeout-minutes", "fail-fast", "permissions", "cron", "interval"]
)
"""Keys of workflows that say what changed."""


def _value(text: str) -> str:
    return text.strip("\"' ") if len(text) <= 24 else ""
