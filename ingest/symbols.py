"""The names that a source file defines, and what a change did to them."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from . import python_symbols, tree_symbols
from .symbol import Symbol, SymbolChange, SymbolKind, What

__all__ = ["Symbol", "SymbolChange", "SymbolKind", "What", "compare", "known", "symbols"]

MAX_CHARACTERS = 2_000_000
"""Of a file that is read; larger ones are generated."""
ALIKE = 0.6
"""Share of lines that two definitions must have in common to be one that was renamed."""
FEW = 3
"""Up to so many lines, two definitions must agree in all of them: short ones look alike."""

_Found = tuple[Symbol, ...] | None


def known(path: str) -> bool:
    """Say whether a file is in a language whose definitions are read."""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix in python_symbols.SUFFIXES or suffix in tree_symbols.LANGUAGES


def symbols(path: str, text: str) -> _Found:
    """Given a file's path and text, return what it defines, in order; None where the language is
    not known or the text can't be read as it."""
    if len(text) > MAX_CHARACTERS or "\0" in text:
        return None
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in python_symbols.SUFFIXES:
        return python_symbols.symbols(text)
    if suffix in tree_symbols.LANGUAGES:
        return tree_symbols.symbols(suffix, text)
    return None


def compare(before: _Found, after: _Found) -> tuple[SymbolChange, ...]:
    """Given what a file defined before and defines now, return the differences: first what is gone
    or renamed, then what is new, then what is different.

    A file that is not there defines nothing, ``()``. Of one that can't be read, None, nothing can
    be told, so that there are no differences.
    """
    if before is None or after is None:
        return ()
    old, new = _by_name(before), _by_name(after)
    gone = [one for name, many in old.items() if name not in new for one in many[:1]]
    come = [one for name, many in new.items() if name not in old for one in many[:1]]
    renamed = _renames(gone, come)
    moved = {id(one) for pair in renamed for one in pair}
    found = [
        SymbolChange("renamed", was, now, f"{was.name} is {now.name} now") for was, now in renamed
    ]
    found += [
        SymbolChange("removed", was, None)
        for was in gone
        if id(was) not in moved and not _inside(was, gone, moved)
    ]
    found += [
        SymbolChange("added", None, now)
        for now in come
        if id(now) not in moved and not _inside(now, come, moved)
    ]
    pairs = [pair for name in old if name in new for pair in _pairs(old[name], new[name])]
    for was, now in [*renamed, *pairs]:
        found += _differences(was, now)
    return tuple(found)


def _by_name(found: Iterable[Symbol]) -> dict[str, list[Symbol]]:
    named: dict[str, list[Symbol]] = defaultdict(list)
    for one in found:
        named[one.name].append(one)
    return named


def _pairs(old: Sequence[Symbol], new: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    """Definitions of one name; of several (overloads, branches) only if there are as many."""
    return list(zip(old, new, strict=True)) if len(old) == len(new) else []


def _inside(one: Symbol, many: Sequence[Symbol], moved: set[int]) -> bool:
    """Say whether what it is in came, went or moved as a whole: then it needs no word of its own."""
    return any(one.outer == other.name and other.kind != "module" for other in many)


def _renames(gone: Sequence[Symbol], come: Sequence[Symbol]) -> list[tuple[Symbol, Symbol]]:
    """Pair what went with what came where their bodies are alike, best first; outer ones first, so
    that what is inside of a renamed class follows it."""
    scored = [
        (-score, abs(was.line - now.line), i, j)
        for i, was in enumerate(gone)
        for j, now in enumerate(come)
        if was.kind == now.kind and (score := _alike(was, now))
    ]
    pairs: list[tuple[Symbol, Symbol]] = []
    used_old: set[int] = set()
    used_new: set[int] = set()
    for _, _, i, j in sorted(scored):
        if i not in used_old and j not in used_new:
            used_old.add(i)
            used_new.add(j)
            pairs.append((gone[i], come[j]))
    outer = {was.name: now.name for was, now in pairs}
    # A method that keeps its name in a class that has a new one is where it was.
    return [
        (was, now)
        for was, now in pairs
        if was.short != now.short or outer.get(was.outer) != now.outer
    ]


def _alike(was: Symbol, now: Symbol) -> float:
    """Return how alike two definitions are, 0 if they are not the same one."""
    if was.kind == "constant":
        trivial = len(was.value) < 3 and was.outer != now.outer
        return float(bool(was.value) and was.value == now.value and not trivial)
    if was.outer != now.outer and was.short != now.short:
        return 0.0
    old, new = Counter(array("I", was.lines)), Counter(array("I", now.lines))
    total = max(old.total(), new.total())
    if not total:
        return 0.0
    share = (old & new).total() / total
    least = 1.0 if total <= FEW else ALIKE
    same = [name for name, _ in was.parameters] == [name for name, _ in now.parameters]
    if total <= FEW and not same:
        return 0.0
    return share if share >= least else 0.0


def _differences(was: Symbol, now: Symbol) -> list[SymbolChange]:
    found: list[SymbolChange] = []
    old, new = dict(was.parameters), dict(now.parameters)
    if [*old] != [*new]:
        found.append(SymbolChange("signature", was, now, _parameters_in_words(was, now)))
    for name, default in new.items():
        if name in old and old[name] != default:
            found.append(
                SymbolChange("default", was, now, _default_in_words(name, old[name], default))
            )
    if was.returns != now.returns and (was.returns or now.returns):
        detail = f"returns {now.returns or 'nothing'}, was {was.returns or 'nothing'}"
        found.append(SymbolChange("returns", was, now, detail))
    if was.value != now.value:
        detail = f"{now.name} is {now.value or 'unset'}, was {was.value or 'unset'}"
        found.append(SymbolChange("default", was, now, detail))
    if not found and was.lines != now.lines:
        found.append(SymbolChange("body", was, now))
    return found


def _parameters_in_words(was: Symbol, now: Symbol) -> str:
    old, new = [name for name, _ in was.parameters], [name for name, _ in now.parameters]
    gone = [name for name in old if name not in new]
    come = [name for name in new if name not in old]
    if len(gone) == len(come) == 1 and old.index(gone[0]) == new.index(come[0]):
        return f"the parameter {gone[0]} of {now.name} is {come[0]} now"
    parts = [f"without {', '.join(gone)}"] if gone else []
    parts += [f"with {', '.join(come)}"] if come else []
    return f"{now.name} {' and '.join(parts)}" if parts else f"{now.name} in another order"


def _default_in_words(name: str, old: str, new: str) -> str:
    if not new:
        return f"{name} has no default any more, was {old}"
    return f"{name} defaults to {new}, was {old or 'required'}"
