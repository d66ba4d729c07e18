"""What a test framework is to the test runner. One file each; `frameworks.py` has the table."""

from __future__ import annotations

from typing import Protocol

from .records import Changed, Choice, Ended, Invocation, Report, Tree


class Framework(Protocol):
    """One way to run a project's tests. Calls look at files and may start short processes: they
    belong in a thread. None of them writes into ``tree.worktree``."""

    name: str
    """pytest, jest, vitest, go, cargo or command."""

    def choose(self, tree: Tree, changed: Changed) -> Choice:
        """Return the tests that may depend on what changed: never too few. ``changed.whole`` asks
        for all of them."""
        ...

    def invocation(self, tree: Tree, choice: Choice) -> Invocation:
        """Return the process that runs the chosen tests. Raise EnvironmentBroken."""
        ...

    def read(self, tree: Tree, choice: Choice, ended: Ended) -> Report:
        """Return what the process that ran by ``invocation`` found."""
        ...


class EnvironmentBroken(Exception):
    """The project's environment can't run its tests. One line: what is missing, and what to do."""
