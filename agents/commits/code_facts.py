"""Facts about code: names that came, went or changed, flags, environment variables, errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from ...ingest.symbols import Symbol
from .body_facts import body_statements
from .options import changed_options, renamed_option
from .paths import name_of, role, stem_of
from .records import FileChange
from .signals import (
    changed,
    environment_variables,
    only_comments,
    only_space,
    replacement,
    typos,
)
from .statement import Sort, Statement, in_words, several

_KIND_WEIGHT = {"class": 6.0, "type": 5.0, "function": 4.0, "method": 4.0, "constant": 1.0}
_RAISED = re.compile(r"^\s*raise (?P<name>(?:[a-z_]\w*\.)?[A-Z]\w*)\b(?!\.)")
_TESTS = re.compile(r"(?:tests?\.|(?:.*\.)?test_)(?P<name>\w+)")
_CAUGHT = re.compile(r"^\s*except \(?(?P<name>[A-Z][\w.]*)")
_DEPRECATED = re.compile(
    r"\bDeprecationWarning\b|#\[deprecated|@[Dd]eprecated\b|^\s*// Deprecated:"
)
_CALLED = re.compile(r"(?<![\w.])(?P<name>[A-Za-z_]\w*(?:\.\w+)*)\(")
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
_SELVES = frozenset(("self", "cls", "_", "*", "/"))
_DUNDER = re.compile(r"(?:^|\.)__\w+__$")
_NOT_CALLS = frozenset(
    ("if", "for", "while", "print", "len", "str", "int", "return", "and", "or", "not", "func", "fn")
    + ("isinstance", "super", "list", "dict", "set", "tuple", "range", "type", "match", "switch")
    + ("Some", "Ok", "Err", "assert", "def", "class", "bool", "float", "bytes", "repr", "elif")
)


def code_statements(files: Sequence[FileChange]) -> list[Statement]:
    """Return what is to be said of the code, without tests."""
    code = [file for file in files if role(file) == "code"]
    texts = [file for file in files if role(file) in ("docs", "test", "config", "ci")]
    found: list[Statement] = []
    if code:
        edited = [file for file in code if file.hunks]
        if edited and not only_space(edited):
            if only_comments(edited):
                found.append(_comments(edited))
            found += _symbols(code)
            found += _flags(code)
            found += _bodies(edited)
    found += _replacement(code, texts)
    return found


def _comments(files: Sequence[FileChange]) -> Statement:
    largest = max(files, key=lambda file: file.added + file.removed)
    name = name_of(largest.path)
    wrong = typos(files)
    text = (
        f"fixes a typo in {name}"
        if wrong == 1
        else f"fixes typos in {name}"
        if wrong
        else f"updates comments in {name}"
    )
    return Statement(text, name, largest.path, 50.0)


def _flags(code: Sequence[FileChange]) -> list[Statement]:
    """Options that the code defines or does no more, environment variables that it reads."""
    found: list[Statement] = []
    path = code[0].path
    turned = renamed_option(code)
    if turned is not None:
        text = f"renames {turned[0]} to {turned[1]}"
        found.append(Statement(text, turned[1], path, 52.0, "moved"))
    new, old = changed_options(code if turned is None else ())
    variables = environment_variables(code)
    for names, verb, noun, weight in (
        (new, "adds", "option", 46.0),
        (old, "removes", "option", 46.0),
        (variables.added, "adds", "environment variable", 44.0),
        (variables.removed, "removes", "environment variable", 44.0),
    ):
        if 1 <= len(names) <= 4:
            plural = f"{noun}s" if len(names) > 1 else noun
            text = f"{verb} the {plural} {several([*names])}"
            sort: Sort = "new" if verb == "adds" else "gone"
            found.append(Statement(text, next(iter(names)), path, weight, sort))
    return found


def _symbols(code: Sequence[FileChange]) -> list[Statement]:
    found: list[Statement] = []
    gone: dict[str, tuple[Symbol, FileChange]] = {}
    come: dict[str, tuple[Symbol, FileChange]] = {}
    for file in code:
        for one in file.symbols:
            inline = _TESTS.match(one.symbol.name)
            if inline is not None:  # tests beside the code, as Rust has them
                if one.what == "added":
                    text = f"adds a test for {in_words(inline['name'])}"
                    found.append(Statement(text, inline["name"], file.path, 26.5))
            elif one.what == "renamed" and one.before and one.after:
                text = f"renames {one.before.name} to {one.after.name}"
                weight = 44.0 if one.after.public else 30.0
                found.append(Statement(text, one.after.name, file.path, weight, "moved"))
            elif one.what == "added" and one.after:
                come.setdefault(one.after.name, (one.after, file))
            elif one.what == "removed" and one.before:
                gone.setdefault(one.before.name, (one.before, file))
            elif one.what in ("signature", "default", "returns") and one.before and one.after:
                found += _signature(one.what, one.before, one.after, file)
    for name in [name for name in come if name in gone]:
        file = come.pop(name)[1]
        old = gone.pop(name)[1]
        if old.path != file.path and old.kind != "removed":
            text = f"moves {name} to {name_of(file.path)}"
            found.append(Statement(text, name, file.path, 40.0, "moved"))
    found += _come_or_gone(list(come.values()), "adds")
    found += _come_or_gone(list(gone.values()), "removes")
    return found


def _come_or_gone(items: Sequence[tuple[Symbol, FileChange]], verb: str) -> list[Statement]:
    found: list[Statement] = []
    for symbol, file in items:
        size = min(symbol.end - symbol.line + 1, 60) / 10
        public = symbol.public and _DUNDER.search(symbol.name) is None
        weight = (30.0 if public else 14.0) + _KIND_WEIGHT.get(symbol.kind, 2.0) + size
        if symbol.kind in ("constant", "module") or len(symbol.short) < 3:
            weight -= 8
        name = symbol.name
        text = (
            f"{verb} the {name} class"
            if symbol.kind == "class" and verb == "removes"
            else f"{verb} {name}"
        )
        sort: Sort = "other"
        if verb == "removes":
            sort = "gone"
        elif public and symbol.kind != "constant":
            sort = "new"
        found.append(Statement(text, name, file.path, weight, sort))
    ranked = sorted(found, key=lambda one: -one.weight)
    if 2 <= len(ranked) <= 3 and ranked[-1].weight > ranked[0].weight - 4:
        names = several([one.thing for one in ranked])
        first = ranked[0]
        joined = Statement(f"{verb} {names}", first.thing, first.path, first.weight + 1, first.sort)
        return [joined, *ranked]
    return ranked


def _signature(what: str, before: Symbol, after: Symbol, file: FileChange) -> list[Statement]:
    weight = 33.0 if after.public else 20.0
    name = after.name
    old, new = dict(before.parameters), dict(after.parameters)
    if what == "signature":
        come = [one.lstrip("*") for one in new if one not in old and one not in _SELVES]
        gone = [one.lstrip("*") for one in old if one not in new and one not in _SELVES]
        unnamed = "_" in old and len(old) == len(new)
        if unnamed or not (come or gone):
            return []
        if len(come) == len(gone) == 1:
            text = f"renames the parameter {gone[0]} of {name} to {come[0]}"
        elif come and not gone:
            text = f"adds {several(come[:3])} to {name}"
        elif gone and not come:
            text = f"removes {several(gone[:3])} from {name}"
        else:
            text = f"changes the parameters of {name}"
        sort: Sort = "new" if come and not gone and after.public else "other"
        return [Statement(text, name, file.path, weight + 3, sort)]
    if what == "returns":
        return [Statement(f"changes what {name} returns", name, file.path, weight - 12)]
    if name == "__all__":
        return _exported(file)
    if after.value != before.value:
        small = _small(before.value) and _small(after.value)
        text = f"changes {name}" + (f" from {before.value} to {after.value}" if small else "")
        return [Statement(text, name, file.path, weight - 4)]
    for parameter, default in new.items():
        if parameter in old and old[parameter] != default:
            bare = parameter.lstrip("*")
            if _small(old[parameter]) and _small(default):
                text = f"changes the default of {bare} in {name} from {old[parameter]} to {default}"
            elif not old[parameter]:
                text = f"makes {bare} of {name} optional"
            else:
                text = f"changes the default of {bare} in {name}"
            return [Statement(text, name, file.path, weight)]
    return []


_QUOTED = re.compile(r"""^\s*["'](?P<name>\w+)["'],?$""")


def _exported(file: FileChange) -> list[Statement]:
    """Names that a module's ``__all__`` lists now and did not, and the reverse."""
    new = [match["name"] for line in changed([file], "+") if (match := _QUOTED.match(line))]
    old = [match["name"] for line in changed([file], "-") if (match := _QUOTED.match(line))]
    come = [name for name in new if name not in old]
    gone = [name for name in old if name not in new]
    where = f" in {name_of(file.path)}"
    found = (
        [Statement(f"exports {several(come[:3])}", come[0], file.path, 31.0, "new")] if come else []
    )
    if gone:
        found.append(
            Statement(f"stops exporting {several(gone[:3])}{where}", gone[0], file.path, 31.0)
        )
    return found


def _small(value: str) -> bool:
    return 0 < len(value) <= 20 and "\n" not in value


def _bodies(edited: Sequence[FileChange]) -> list[Statement]:
    """What changed within definitions that keep their names, and in code outside of any."""
    found: list[Statement] = []
    for file in edited:
        bodies = [
            one.after
            for one in file.symbols
            if one.what == "body"
            and one.after
            and one.after.name.partition(".")[0] not in ("test", "tests")
        ]
        inner = [
            one
            for one in bodies
            if not any(other.name.startswith(one.name + ".") for other in bodies)
        ]
        place = inner[0].name if len(inner) == 1 else stem_of(file.path)
        where = place if len(inner) == 1 else name_of(file.path)
        weight = 24.0 + min(file.added + file.removed, 40) / 10
        for symbol in inner[:1]:
            found.append(Statement(f"updates {symbol.name}", symbol.name, file.path, weight - 2))
        if not inner:
            header = _enclosing(file)
            if header:
                found.append(Statement(f"updates {header}", header, file.path, weight - 6))
        found += _told(file, where, weight)
        sections = {hunk.section for hunk in file.hunks} - {""}
        one = sections.pop() if len(sections) == 1 else ""
        found += body_statements(file, one or where, weight - 2)
    return found


_DEFINITION = re.compile(r"\b(?:def|class|func|fn|function)\s+(?:\([^)]*\)\s*)?(?P<name>\w+)")


def _enclosing(file: FileChange) -> str:
    """Return the one definition that all hunks of a file are in; empty if there are several.

    Git names the last definition above a hunk, which what was added behind it is not in: it is asked
    only where definitions could not be read.
    """
    if file.defines:
        new = {one.after.name for one in file.symbols if one.after and one.what == "added"}
        sections = {hunk.section for hunk in file.hunks}
        section = sections.pop() if len(sections) == 1 else ""
        return "" if section in new else section
    names = {
        match["name"] if (match := _DEFINITION.search(hunk.header.rpartition("@@")[2])) else ""
        for hunk in file.hunks
    }
    return names.pop() if len(names) == 1 else ""


def _told(file: FileChange, where: str, weight: float) -> list[Statement]:
    """Errors that are raised or caught now, deprecations, and calls that were not made before."""
    removed = "\n".join(changed([file], "-"))
    context = "\n".join(line for hunk in file.hunks for line in hunk.lines if line[0] == " ")
    found: list[Statement] = []
    calls: Counter[str] = Counter()
    if not file.symbols and file.kind == "added":
        return []
    for line in changed([file], "+"):
        for pattern, verb, more in ((_RAISED, "raises", 4.0), (_CAUGHT, "catches", 5.0)):
            match = pattern.match(line)
            if match is not None and not re.search(rf"\b{re.escape(match['name'])}\b", removed):
                text = f"{verb} {match['name']} in {where}"
                found.append(Statement(text, where, file.path, weight + more))
        if where == name_of(file.path) or _DUNDER.search(where):
            continue
        if _DEPRECATED.search(line) and not _DEPRECATED.search(removed):
            found.append(Statement(f"deprecates {where}", where, file.path, weight + 9))
        calls.update(match["name"] for match in _CALLED.finditer(line))
    own = {one.symbol.short for one in file.symbols if one.what == "added"}
    for name, number in calls.most_common(8):
        short = name.rpartition(".")[2]
        known = re.search(rf"\b{re.escape(short)}\b", removed + context)
        if number >= 2 and not known and short not in own | _NOT_CALLS and len(short) > 3:
            found.append(Statement(f"uses {short} in {where}", short, file.path, weight + 1))
            break
    return found


def _replacement(code: Sequence[FileChange], texts: Sequence[FileChange]) -> list[Statement]:
    chosen = code or texts
    found = replacement(chosen)
    if found is None or typos(chosen):
        return []
    old, new = found
    name = name_of(chosen[0].path) if len(chosen) == 1 else ""
    where = f" in {name}" if name else ""
    worded = _NAME.fullmatch(old) is not None or not old[0].isdigit()
    weight = 37.0 if code else 39.0
    if not worded:
        return [
            Statement(f"changes {old} to {new}{where}", name or new, chosen[0].path, weight - 6)
        ]
    return [Statement(f"uses {new} instead of {old}{where}", new, chosen[0].path, weight)]
