"""Why pytest could not run tests, in one line, and whose fault it is.

A module of the project's own that can't be imported is the project's: the state is uncollected.
A module that is nobody's in the worktree is missing from the environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .records import Ended, Failure, State, Tree

_CONFTEST = re.compile(r"ImportError while loading conftest '([^'\n]+)'")
_NO_MODULE = re.compile(r"No module named '?([\w.]+)'?")
_REASON = re.compile(r"^E\s+(\S.*)$", re.MULTILINE)
_INTERNAL = re.compile(r"^INTERNALERROR> (?!Traceback|File | )(\S.*)$", re.MULTILINE)
_ERROR = re.compile(r"^(?:ERROR: |\w*: error: |.*: error: |Exit: )(.*)$", re.MULTILINE)
_EXCEPTION = re.compile(r"^((?:[\w.]+)(?:Error|Exception|Exit|Interrupt)\b.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A run that did not begin."""

    state: State
    detail: str
    collected: Mapping[str, str] = field(default_factory=dict[str, str])


def at_start(tree: Tree, ended: Ended, *, began: bool) -> Trouble:
    """Say why pytest ended before it ran anything."""
    output = ended.output
    if ended.code is not None and ended.code < 0:
        when = "while tests were collected" if began else "as it started"
        return Trouble(State.BROKEN, f"pytest was killed by signal {-ended.code} {when}")
    if "INTERNALERROR> " in output:
        return Trouble(State.BROKEN, internal_error(output))
    if conftest := _CONFTEST.search(output):
        return _conftest(tree, conftest[1], output[conftest.end() :])
    if re.search(r"No module named '?pytest'?\s*$", output.strip()):
        return Trouble(State.BROKEN, "the environment has no pytest: install it there")
    if plugin := re.search(r'Error importing plugin "([^"\n]+)": (.*)', output):
        return Trouble(
            State.BROKEN,
            f"pytest can't load the plugin {plugin[1]} ({plugin[2][:200]}): install it",
        )
    if required := re.search(r"Missing required plugins: (.*)", output):
        return Trouble(State.BROKEN, f"the environment lacks {required[1][:200]}: install it there")
    if unknown := re.search(r"unrecognized arguments: (.*)", output):
        return Trouble(
            State.BROKEN,
            f"pytest does not know {unknown[1][:200]}, which the project's settings ask for:"
            " install the plugin that brings it",
        )
    return Trouble(State.BROKEN, f"pytest did not start: {_reason(output, ended)}")


def internal_error(output: str) -> str:
    """Say what broke inside pytest or a plugin."""
    reasons = _INTERNAL.findall(output)
    return f"pytest broke: {reasons[-1][:300] if reasons else 'an internal error'}"


def interrupted(output: str) -> str:
    """Say what stopped pytest in the middle."""
    told = re.findall(r"^!+ (.*?) !+$", output, re.MULTILINE) or _ERROR.findall(output)
    return f"pytest was stopped by the project's code: {told[-1][:300] if told else 'interrupted'}"


def one_line(tree: Tree, failure: Failure) -> str:
    """Say why a file could not be collected."""
    said = failure.message
    if failure.exception and failure.exception not in said:
        said = f"{failure.exception}: {said}"
    if failure.path and failure.line:
        said += f" ({failure.path}:{failure.line})"
    missing = _missing(tree, failure.message)
    if missing:
        said += f"; {missing} is not in the environment: install it there"
    return said[:500]


def _conftest(tree: Tree, path: str, after: str) -> Trouble:
    root = f"{tree.root}/"
    name = path.removeprefix(root)
    reasons = _REASON.findall(after)
    if not reasons:
        reasons = _EXCEPTION.findall(after)
    reason = (reasons[-1] if reasons else "it can't be imported").replace(root, "")[:300]
    if missing := _missing(tree, reason):
        return Trouble(
            State.BROKEN, f"{name} needs {missing}, which the environment lacks: install it there"
        )
    return Trouble(
        State.UNCOLLECTED, f"{name} can't be imported: {reason}", collected={name: reason}
    )


def _missing(tree: Tree, reason: str) -> str:
    """Return the missing module's name if it is not one that the project could have."""
    found = _NO_MODULE.search(reason)
    if found is None:
        return ""
    top = found[1].partition(".")[0]
    for folder in (tree.root, tree.root / "src", tree.root / "lib", tree.root / "tests"):
        if (folder / top).exists() or (folder / f"{top}.py").exists():
            return ""
    # A module of a package that is there, misspelt or moved, is the project's own doing.
    return found[1] if "." not in found[1] else top


def _reason(output: str, ended: Ended) -> str:
    for pattern in (_ERROR, _EXCEPTION):
        if found := pattern.findall(output):
            return str(found[-1])[:300]
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else f"exit code {ended.code}"
