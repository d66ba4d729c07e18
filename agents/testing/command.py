"""A command that a project names in ``.hermes.toml``: its exit code is the result."""

from __future__ import annotations

import shutil

import pathspec

from ..project_settings import ProjectTests
from . import environment, tree_files, words
from .framework import EnvironmentBroken
from .records import Case, Changed, Choice, Ended, Failure, Invocation, Mark, Report, State, Tree


class Command:
    """``[tests] command``, run as a whole when a file that ``[tests] files`` names changed."""

    name = "command"

    def __init__(self, settings: ProjectTests) -> None:
        self._settings = settings

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        """Return all or nothing."""
        said = " ".join(self._settings.command)
        if changed.whole or changed.folders or not self._settings.files:
            known = not changed.whole and not changed.folders
            if known and not any(map(tree_files.counts, changed.paths)):
                return Choice((), "command", "nothing changed that counts")
            return Choice((), "command", f"{said}: anything may affect it", whole=True)
        spec = pathspec.PathSpec.from_lines("gitignore", self._settings.files)
        for path in changed.paths:
            if spec.match_file(path):
                return Choice((), "command", f"{said}: {path} changed", whole=True)
        return Choice((), "command", "no file that [tests] files names changed")

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        """Return the command. Raise EnvironmentBroken."""
        made = environment.plain(tree)
        first, *rest = self._settings.command
        if "/" in first:
            found = str(tree.root / first) if (tree.root / first).exists() else None
        else:
            found = shutil.which(first, path=made.get("PATH", ""))
        if found is None:
            raise EnvironmentBroken(f"{first}, which [tests] command names, is not there")
        return Invocation((found, *rest), tree.root, made)

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        """Return one test that is named ``command``."""
        tail = words.last_lines(ended.output)
        if ended.stopped:
            state = State.TIMED_OUT if ended.stopped == "time" else State.OVERRAN
            detail = f"the test command was stopped: {ended.stopped}"
            return Report(state, (), ended.seconds, detail, tail)
        if ended.code in (126, 127):
            detail = f"the test command did not start: {words.last_lines(ended.output, 1)}"
            return Report(State.BROKEN, (), ended.seconds, detail[:500], tail)
        if ended.code == 0:
            case = Case("command", Mark.PASSED, ended.seconds)
            return Report(State.GREEN, (case,), ended.seconds)
        message = words.last_lines(ended.output, 1)[: words.MESSAGE]
        code = ended.code or 0
        what = f"exit code {code}" if code > 0 else f"signal {-code}"
        case = Case("command", Mark.FAILED, ended.seconds, Failure(what, message, text=tail))
        return Report(State.RED, (case,), ended.seconds, output=tail)
