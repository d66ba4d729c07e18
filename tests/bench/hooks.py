"""What the git hooks add to ``git commit``, ``git checkout`` and a rebase.

Run: ``python -m hermes.tests.bench.hooks [--runs N]``. Each way of having hooks has a repository of
its own, and all are measured in turn within every round, so that a busy machine slows all of them;
what is told is the median of the differences to the repository without hooks in the same round,
as time passed and as CPU time, which other programs stretch less, and the difference of the best
rounds. No daemon runs: whether one reads the spool folder, the hooks can't tell.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hermes.agents.commits.ready import Ready, worktrees_of
from hermes.agents.commits.staged import key
from hermes.daemon.paths import Paths, locate
from hermes.ingest.git.command import Git
from hermes.surfaces.hooks.installing import install
from hermes.surfaces.hooks.place import find
from hermes.surfaces.hooks.script import HOOKS
from hermes.tests.builders.git import RepoBuilder, git_environment

COMMITS = 30
PER_HOOK = 0.005
"""Seconds one hook may take."""
SIZES = (100, 5_000, 20_000, 100_000)
"""Files in the index, for the hook alone."""
PER_REBASE = 0.3
"""Seconds a rebase of 30 commits may take longer."""

WINDOW = {"PATH": "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
"""What git gets from a graphical client: next to nothing."""


@dataclass(frozen=True)
class Cost:
    """Seconds that passed, and seconds of CPU time."""

    wall: float
    cpu: float


class Bench:
    """A repository with hooks of some kind, and a home of its own."""

    def __init__(self, folder: Path, prepare: Callable[[Bench], None]) -> None:
        self.paths: Paths = locate({"HERMES_AMBIENT_HOME": str(folder / "home")})
        self.repo = RepoBuilder(folder / "repo")
        self.hooks = self.repo.path / ".git" / "hooks"
        shutil.rmtree(self.hooks)
        self.hooks.mkdir()
        for name, value in (("user.name", "Sam"), ("user.email", "sam@example.com")):
            self.repo.config(name, value)
        self.repo.config("gc.auto", "0")
        base = self.repo.commit({"base.txt": "base\n"}, "Base")
        for number in range(COMMITS):
            self.repo.commit({f"side{number}.txt": "side\n"}, f"Side {number}")
        self.side = self.repo.head()
        self.repo.git("checkout", "--quiet", "-b", "onto", base)
        self.repo.commit({"onto.txt": "onto\n"}, "Onto")
        self.repo.git("checkout", "--quiet", "-b", "work")
        prepare(self)

    def git(self, *args: str, environment: dict[str, str] | None = None) -> Cost:
        """Run git and return what it cost; its output is captured, as graphical clients do it."""
        command = [shutil.which("git") or "git", *args]
        given = git_environment() if environment is None else environment
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        subprocess.run(command, cwd=self.repo.path, env=given, capture_output=True, check=True)
        wall = time.perf_counter() - began
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return Cost(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def no_hooks(_bench: Bench) -> None:
    """No hooks at all."""


def empty_hooks(bench: Bench) -> None:
    """Hooks that do nothing: what git and the shell cost before a word of ours."""
    for name in HOOKS:
        (bench.hooks / name).write_text("#!/bin/sh\n")
        (bench.hooks / name).chmod(0o755)


def gone(bench: Bench) -> None:
    """Our hooks, and no hermes any more."""
    install(find(bench.repo.path), bench.paths)


def there(bench: Bench) -> None:
    """Our hooks, and the spool folder."""
    bench.paths.spool.mkdir(parents=True)
    gone(bench)


def crowded(bench: Bench) -> None:
    """The same, with 10,000 files waiting that nobody reads."""
    there(bench)
    for number in range(10_000):
        (bench.paths.spool / f"{number}.json").touch()


def chained(bench: Bench) -> None:
    """Our hooks behind others that do nothing; the cost is that of both."""
    empty_hooks(bench)
    there(bench)


def drafted(bench: Bench) -> None:
    """Our hooks, and a prepared message; it is put there anew before each commit."""
    there(bench)
    put_draft(bench)


def put_draft(bench: Bench) -> None:
    """Put a draft for what is staged where the hook finds it."""
    git = Git.open(bench.repo.path)
    worktree = worktrees_of(git)[0]
    head, tree = key(git)
    message = b"Change what the tests measure\n"
    Ready(bench.paths.drafts, worktree).put(message, tree, head, worktree.at())


DRAFTED = "a draft is ready"
CHAINED = "chained behind empty hooks"
WAYS = {
    "no hooks": no_hooks,
    "empty hooks": empty_hooks,
    "hermes gone (no spool)": gone,
    "spool there, daemon down": there,
    "10,000 files in the spool": crowded,
    CHAINED: chained,
    DRAFTED: drafted,
}


def commit(bench: Bench) -> Cost:
    """Commit with a message; runs prepare-commit-msg and post-commit."""
    return bench.git("commit", "--quiet", "--allow-empty", "-m", "x")


def commit_from_window(bench: Bench) -> Cost:
    """The same, with hardly an environment."""
    return bench.git("commit", "--quiet", "--allow-empty", "-m", "x", environment=WINDOW)


def commit_in_editor(bench: Bench) -> Cost:
    """Commit with an editor that writes a line; prepare-commit-msg has something to do."""
    if bench.paths.drafts.exists():
        put_draft(bench)
    return bench.git("-c", "core.editor=echo x >", "commit", "--quiet", "--allow-empty")


def checkout(bench: Bench) -> Cost:
    """Switch to another branch; runs post-checkout."""
    bench.git("checkout", "--quiet", "onto")
    return bench.git("checkout", "--quiet", "work")


def rebase(bench: Bench) -> Cost:
    """Rebase 30 commits; runs prepare-commit-msg and post-commit for each, and two others."""
    bench.git("-c", f"core.hooksPath={os.devnull}", "checkout", "--quiet", "-B", "work", bench.side)
    return bench.git("rebase", "--quiet", "onto")


def show(
    title: str, act: Callable[[Bench], Cost], benches: dict[str, Bench], runs: int, limit: float
) -> None:
    """Measure and print: medians, and median differences to the first way, round by round."""
    found: dict[str, list[Cost]] = {name: [] for name in benches}
    for number in range(runs + 1):
        for name, bench in benches.items():
            cost = act(bench)
            if number:  # the first round warms the caches
                found[name].append(cost)
    print(f"{title}, {runs} rounds, at most {1000 * limit:.0f} ms more")
    base = next(iter(found.values()))
    middle = statistics.median(cost.wall for cost in base)
    for name, costs in found.items():
        pairs = list(zip(costs, base, strict=True))
        wall = statistics.median(cost.wall for cost in costs)
        added = statistics.median(a.wall - b.wall for a, b in pairs)
        cpu = statistics.median(a.cpu - b.cpu for a, b in pairs)
        best = min(cost.wall for cost in costs) - min(cost.wall for cost in base)
        allowed = 2 * limit if name == CHAINED else limit  # each is two hooks then
        verdict = "" if costs is base else "ok" if added <= allowed else "OVER"
        print(
            f"  {name:<27} {1000 * wall:7.1f} ms {wall / middle:5.2f}x"
            f"   added {1000 * added:+6.1f} ms, CPU {1000 * cpu:+6.1f} ms,"
            f" best to best {1000 * best:+6.1f} ms  {verdict}"
        )


def show_alone(folder: Path, runs: int) -> None:
    """Measure prepare-commit-msg by itself, with a draft, in repositories of several sizes."""
    print("prepare-commit-msg alone, with a draft that is shown; the shell's own start included")
    for files in SIZES:
        bench = Bench(folder / f"of{files}", there)
        blob = bench.repo.git("hash-object", "-w", "--stdin", stdin=b"x\n")
        lines = "".join(f"100644 {blob} 0\td{n % 300}/file_number_{n}\n" for n in range(files))
        bench.repo.git("update-index", "--index-info", stdin=lines.encode())
        put_draft(bench)
        bench.repo.git("write-tree")  # `git commit` does so before it runs the hook
        message = folder / f"message{files}"
        took: list[float] = []
        for _ in range(runs):
            message.write_text("\n# Please enter the commit message\n")
            hook = ["sh", str(bench.hooks / "prepare-commit-msg"), str(message)]
            began = time.perf_counter()
            subprocess.run(hook, cwd=bench.repo.path, env=git_environment(), check=True)
            took.append(time.perf_counter() - began)
        assert message.read_text().startswith("Change what")
        print(f"  {files:>7,} files {1000 * statistics.median(took):6.1f} ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        benches = {
            way: Bench(folder / str(number), prepare)
            for number, (way, prepare) in enumerate(WAYS.items())
        }
        some = {way: bench for way, bench in benches.items() if way != DRAFTED}
        show("git commit: two hooks", commit, some, runs, 2 * PER_HOOK)
        show("git commit from a window", commit_from_window, some, runs, 2 * PER_HOOK)
        show("git commit in an editor", commit_in_editor, benches, runs, 2 * PER_HOOK)
        show_alone(folder, runs)
        show("git checkout: one hook", checkout, some, runs, PER_HOOK)
        show(f"git rebase of {COMMITS} commits", rebase, some, max(3, runs // 3), PER_REBASE)


if __name__ == "__main__":
    main()
