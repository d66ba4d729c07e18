"""What changed inside of definitions that keep their names: calls, errors, conditions, values, texts.

Only what the lines show is said: a call is dropped where no line of the change makes it any more,
a value is another one where the same name is set in a line and in the one that replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from .paths import name_of
from .records import FileChange
from .signals import changed, pairs
from .statement import Statement, several

_CALL = re.compile(r"(?<![\w.@])(?P<name>[A-Za-z_]\w*(?:\.\w+)*)!?\(")
_STRING = re.compile(r"""(?P<quote>["'])(?P<text>(?:\\.|(?!(?P=quote)).)*)(?P=quote)""")
_ASSIGNED = re.compile(
    r"^\s*(?:self\.|const |let |var |pub )?(?P<name>[A-Za-z_][\w.]*)\s*(?::\s*[\w\[\]., |&]+)?\s*:?=\s*(?P<value>[^=].*?),?;?\s*$"
)
_RAISED = re.compile(r"^\s*raise (?P<name>(?:\w+\.)*[A-Z]\w*)")
_IMPORT = re.compile(
    r"^(?P<indent>\s*)(?:from (?P<module>[\w.]+) import (?P<names>[\w, ]+)|import (?P<name>[\w.]+))\s*(?:#.*)?$"
)
_ANNOTATION = re.compile(
    r"\s*->\s*[^:]+(?=:\s*$)|(?<=\w)\s*:\s*[\"']?[A-Za-z_][\w.\[\], |\"']*?(?=\s*(?:=|,\s*\w+\s*[:=,)]|,?\s*$|\)))"
)
_TYPED = re.compile(
    r"^\s*(?:async )?def |^\s*\)\s*(?:->.*)?:|^\s*(?:self\.)?\*{0,2}\w+\s*(?::[^=]*)?(?:=.*|,)?$"
)
_CONDITION = re.compile(r"^\s*(?:\}?\s*else )?(?:if|elif|while)\s+(?P<what>.+?)\s*[:{]?\s*$")
_NONE = re.compile(r"(?P<name>[\w.]+)\s+(?:is|==|===)\s+(?P<none>None|nil|null|undefined)\b")
_WARNED = re.compile(
    r"^\s*(?:warnings\.warn|logger\.warn(?:ing)?|log(?:ging|ger)?\.(?:error|info|debug|exception|warn(?:ing)?))\("
)
_KEYWORD = re.compile(r"(?<=[(,])\s*(?P<name>[a-z_]\w*)\s*=\s*(?P<value>[^,()]+)(?=[,)])")
_COMMENT = re.compile(r"^\s*(?:#|//|\*|/\*)")
_LONGEST = 28
_COMMON = frozenset(
    ["if", "for", "while", "print", "len", "str", "int", "return", "and", "or", "not", "func", "fn", "isinstance", "super", "list", "dict", "set", "tuple", "range", "type", "match", "switch", "Some", "Ok", "Err", "assert", "def", "class", "bool", "float", "bytes", "repr", "elif", "cast", "getattr", "hasattr", "setattr", "sorted", "map", "filter", "any", "all", "min", "max", "sum", "open", "make", "append", "string", "new", "get", "println", "panic", "vec", "format", "unwrap", "clone", "into", "iter", "next", "to_string", "as_ref", "is_empty", "join", "format", "strip", "split", "items", "keys", "values", "encode", "decode", "lower", "upper"]
)  # fmt: skip


def body_statements(file: FileChange, where: str, weight: float) -> list[Statement]:
    """Return what the changed lines of a file show, ``where`` being the one place that they are in."""
    if file.kind not in ("changed", "renamed") or not file.hunks:
        return []
    place = f" in {where}"
    plus, minus = [*changed([file], "+")], [*changed([file], "-")]
    found = [
        (rank, text) for rule in _RULES for rank, text in rule(file, plus, minus, place) if text
    ]
    return [Statement(text, where, file.path, weight + rank) for rank, text in found]


_Found = Iterator[tuple[float, str]]
_Rule = Callable[[FileChange, Sequence[str], Sequence[str], str], _Found]


def _annotated(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    if not minus or not file.path.endswith((".py", ".pyi")):
        return
    new = [line for line in plus if line.strip() and not _IMPORT.match(line)]
    old = [line for line in minus if line.strip() and not _IMPORT.match(line)]
    both = [pair for pair in zip(old, new, strict=False) if pair[0] != pair[1]]
    if not both or len(old) != len(new) or not all(_TYPED.match(x) for pair in both for x in pair):
        return
    bare = [[re.sub(r"\s+", "", _ANNOTATION.sub("", line)) for line in pair] for pair in both]
    counts = [
        sum(len(_ANNOTATION.findall(line)) for line in lines) for lines in zip(*both, strict=True)
    ]
    if all(was == now for was, now in bare) and counts[0] < counts[1]:
        yield 9.0, f"adds type annotations{place}"


def _imported(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    new = {_module(m): m for line in plus if (m := _IMPORT.match(line))}
    old = {_module(m): m for line in minus if (m := _IMPORT.match(line))}
    name = name_of(file.path)
    for module, was in old.items():
        now = new.get(module)
        if now is not None and len(now["indent"]) > len(was["indent"]) and not was["indent"]:
            yield 8.0, f"imports {module} lazily in {name}"
    rest = [line for line in (*plus, *minus) if line.strip() and not _IMPORT.match(line)]
    if rest:
        return
    gone = [module for module in old if module not in new]
    come = [module for module in new if module not in old]
    if gone and not come:
        yield (
            8.0,
            f"removes the import{'s' if len(gone) > 1 else ''} of {several(gone[:2])} from {name}",
        )
    elif come and not gone:
        yield 8.0, f"imports {several(come[:2])} in {name}"


def _module(match: re.Match[str]) -> str:
    names = match["names"]
    return match["name"] or (names.strip() if names and "," not in names else match["module"])


def _raised(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    new = dict.fromkeys(m["name"] for line in plus if (m := _RAISED.match(line)))
    old = dict.fromkeys(m["name"] for line in minus if (m := _RAISED.match(line)))
    come, gone = [one for one in new if one not in old], [one for one in old if one not in new]
    if len(come) == len(gone) == 1:
        yield 10.0, f"raises {come[0]} instead of {gone[0]}{place}"
    elif gone and not new:
        yield 7.0, f"stops raising {gone[0]}{place}"


def _conditions(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    if any(one.what in ("added", "removed") for one in file.symbols):
        return  # what came or went says more
    new = [m["what"] for line in plus if (m := _CONDITION.match(line))]
    old = [m["what"] for line in minus if (m := _CONDITION.match(line))]
    if new and not old:
        none = _NONE.search(new[0])
        if none is not None and len(none["name"]) > 2 and none["name"] != "err":
            yield 6.5, f"handles {none['none']} for {none['name']}{place}"
        elif 2 < len(new[0]) <= _LONGEST and _words(new[0]):
            yield 5.0, f"checks `{new[0]}`{place}"
        elif called := [n for n in _calls(new) if n not in _COMMON]:
            yield 5.0, f"checks {called[0]}{place}"
    elif old and not new and 2 < len(old[0]) <= _LONGEST and _words(old[0]):
        yield 5.5, f"stops checking `{old[0]}`{place}"
    elif (len(new) == len(old) == 1 and new != old and len(plus) == len(minus) == 1) and (
        len(new[0]) <= _LONGEST and _words(new[0])
    ):
        yield 6.0, f"checks `{new[0]}`{place}"


def _words(text: str) -> bool:
    return (
        "`" not in text
        and re.search(r"[A-Za-z_]{3}", text) is not None
        and text.count("(") == text.count(")")
    )


def _called(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    if not any(hunk.section for hunk in file.hunks):
        return  # in no definition, so perhaps in a comment
    if any(one.what in ("added", "removed") for one in file.symbols):
        return  # what came or went says more
    around = {
        name
        for hunk in file.hunks
        for name in _calls(line[1:] for line in hunk.lines if line[0] == " ")
    }
    new, old = _calls(plus), _calls(minus)
    own = {one.symbol.short for one in file.symbols if one.what in ("added", "removed", "renamed")}
    come = [
        one
        for one in new
        if _short(one) not in {_short(x) for x in old} | own and one not in around
    ]
    gone = [
        one
        for one in old
        if _short(one) not in {_short(x) for x in new} | own and one not in around
    ]
    come = [one for one in come if _short(one) not in _COMMON and len(_short(one)) > 2]
    gone = [one for one in gone if _short(one) not in _COMMON and len(_short(one)) > 2]
    if len(come) == len(gone) == 1:
        yield 7.0, f"uses {come[0]} instead of {gone[0]}{place}"
    elif gone and not come and len(gone) <= 2:
        yield 4.5, f"stops calling {several(gone)}{place}"
    elif come and not gone and len(come) <= 2:
        yield 4.5, f"calls {several(come)}{place}"
    elif come and len(gone) <= 1:
        yield 3.0, f"calls {come[0]}{place}"


def _calls(lines: Sequence[str] | Iterator[str]) -> list[str]:
    names = (
        match["name"].removeprefix("self.")
        for line in lines
        if not _COMMENT.match(line)
        and not re.match(r"^\s*(?:async )?(?:def|fn|func|class|pub) ?", line)
        for match in _CALL.finditer(_STRING.sub('""', line))
    )
    return list(dict.fromkeys(names))


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _values(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    for old, new in pairs([file]):
        was, now = _ASSIGNED.match(old), _ASSIGNED.match(new)
        if was is None or now is None or was["name"] != now["name"] or was["value"] == now["value"]:
            continue
        name, before, after = now["name"], was["value"], now["value"]
        if _small(before) and _small(after):
            yield 6.0, f"changes {name} from {before} to {after}{place}"
        elif _small(after):
            yield 5.0, f"sets {name} to {after}{place}"
        break


def _small(value: str) -> bool:
    return re.fullmatch(r"""[\w.\-+]{1,20}|["'][\w.\-+ /:]{0,20}["']""", value) is not None


def _passed(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    for old, new in pairs([file]):
        before = {match["name"] for match in _KEYWORD.finditer(old)}
        after = {match["name"] for match in _KEYWORD.finditer(new)}
        calls = _calls([new])
        if len(calls) != 1 or calls != _calls([old]):
            continue
        if len(after - before) == 1 and not before - after and "def " not in new:
            yield 7.0, f"passes {next(iter(after - before))} to {calls[-1]}{place}"
            return
        if len(before - after) == 1 and not after - before and "def " not in new:
            yield 7.0, f"stops passing {next(iter(before - after))} to {calls[-1]}{place}"
            return


def _texts(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    both = [pair for pair in pairs([file]) if pair[0] != pair[1]]
    if not both or 2 * len(both) != len([line for line in (*plus, *minus) if line.strip()]):
        return
    if all(_STRING.sub('""', old) == _STRING.sub('""', new) for old, new in both):
        old, new = both[0]
        texts = [
            (a["text"], b["text"])
            for a, b in zip(_STRING.finditer(old), _STRING.finditer(new), strict=False)
        ]
        was, now = next((pair for pair in texts if pair[0] != pair[1]), ("", ""))
        if len(both) == 1 and was and now and len(was) + len(now) <= 36 and "`" not in was + now:
            yield 8.0, f"changes `{was}` to `{now}`{place}"
        else:
            what = (
                "the error message"
                if "rror(" in new or "raise" in new
                else "help texts"
                if "help" in new
                else "texts"
            )
            yield 6.5, f"changes {what}{place}"


def _warned(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    if any(_WARNED.match(line) for line in minus):
        return
    for line in plus:
        match = _WARNED.match(line)
        if match is not None:
            yield 5.5, f"{'warns' if 'warn' in match[0] else 'writes to the log'}{place}"
            return


def _returned(file: FileChange, plus: Sequence[str], minus: Sequence[str], place: str) -> _Found:
    new = [line.strip()[7:].rstrip(";") for line in plus if line.strip().startswith("return ")]
    old = [line.strip()[7:].rstrip(";") for line in minus if line.strip().startswith("return ")]
    if (len(new) == len(old) == 1 and new != old and len(plus) == len(minus) == 1) and (
        len(new[0]) + len(old[0]) <= 2 * _LONGEST and "`" not in new[0] + old[0]
    ):
        yield 6.0, f"returns `{new[0]}`{place}"


_RULES: tuple[_Rule, ...] = (
    *(
        _annotated,
        _imported,
        _raised,
        _conditions,
        _called,
        _values,
        _passed,
        _texts,
        _warned,
        _returned,
    ),
)
