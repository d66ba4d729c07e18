"""How fast history becomes chunks, against git alone: ``python -m hermes.tests.bench.ingest REPO``.

The promise: parse and chunk at 0.8 or more of the speed at which ``git log -p`` prints, on two
cores. Runs of each kind take turns, so that a machine that slows down slows all of them.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from unittest.mock import patch

from hermes.ingest.git import chunks
from hermes.ingest.git.command import Git
from hermes.ingest.git.ingest import IngestReport, ingest
from hermes.ingest.redaction import warm_up
from hermes.memory.records import Chunk, Commit, Repo


class Nowhere:
    """A memory that forgets at once: what is measured is the making of chunks."""

    def __init__(self) -> None:
        self.index = self
        self.characters = 0

    def known(self, repo: str) -> set[str]:
        return set()

    def tips(self, repo: str) -> dict[str, str]:
        return {}

    def set_tips(self, repo: str, tips: Mapping[str, str]) -> None:
        pass

    def write(self, repo: str, commits: Sequence[Commit], chunks: Sequence[Chunk]) -> None:
        self.characters += sum(len(chunk.text) for chunk in chunks)

    def orphan(self, repo: str, shas: Collection[str]) -> None:
        pass


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the seconds that some work took: by the clock, and of this process's own CPU."""
    started, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    git = Git.open(options.repository)
    repo = Repo("bench", "bench", str(git.common_dir), None, None, 0)
    reports: list[IngestReport] = []

    def git_alone() -> None:
        subprocess.run(
            ["git", "-C", str(git.folder), "log", "-p", "--branches"],
            stdout=subprocess.DEVNULL,
            check=True,
        )

    def with_redaction() -> None:
        reports.append(ingest(git, Nowhere(), repo))

    def without_redaction() -> None:
        def untouched(pieces: Sequence[bytes]) -> tuple[list[bytes], list[int]]:
            return list(pieces), [0] * len(pieces)

        with patch.object(chunks, "redact_all", untouched):
            ingest(git, Nowhere(), repo)

    warm_up()
    kinds = {
        "git log -p alone": git_alone,
        "parse and chunk, no redaction": without_redaction,
        "parse, redact and chunk": with_redaction,
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    for _ in range(options.runs):
        for name, work in kinds.items():
            taken[name].append(timed(work))
    report = reports[-1]
    base = statistics.median(wall for wall, _ in taken["git log -p alone"])
    print(
        f"{report.new_commits:,} commits, {report.chunks:,} chunks, {sum(report.stubs.values()):,} stubs,"
        f" {report.redacted:,} secrets redacted"
    )
    for name, times in taken.items():
        wall = statistics.median(wall for wall, _ in times)
        cpu = statistics.median(cpu for _, cpu in times)
        print(
            f"{name:32} {wall:6.2f} s  ({report.new_commits / wall:7,.0f} commits/s,"
            f" {cpu:5.2f} s CPU in Python)  {base / wall:5.2f} of git's speed"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB")


if __name__ == "__main__":
    main()
