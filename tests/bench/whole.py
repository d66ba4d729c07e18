"""Whole ingest (read, redact, write, vectors, compaction) against a naive loop, and embedding's share.

    python -m hermes.tests.bench.whole REPO [--commits 150]

The naive loop is what a first attempt does: one ``git show`` for each commit, and for each file of
it one embedding and one row added to a table. It is run on the newest commits only, since it is
slow, and compared by chunks a second. Both use the bundled embedder.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from hermes.ingest.git.command import Git
from hermes.ingest.git.ingest import ingest
from hermes.ingest.redaction import warm_up
from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.lance import lancedb
from hermes.memory.memory import Memory


def whole(repo: Path, folder: Path) -> tuple[int, float, float]:
    """Take ``repo`` in; return the chunks, the seconds, and the share of them spent on vectors."""
    with Memory.open(folder, embedder=StaticEmbedder(), write=True) as memory:
        start = time.perf_counter()
        git = Git.open(repo)
        report = ingest(
            git, memory, memory.index.add_repo("bench", str(git.common_dir), None, None)
        )
        read = time.perf_counter()
        memory.fill_vectors()
        filled = time.perf_counter()
        memory.maintain()
        total = time.perf_counter() - start
    return report.chunks, total, (filled - read) / total


def naive(repo: Path, folder: Path, commits: int) -> tuple[int, float]:
    """Do the newest commits one chunk at a time; return the chunks and the seconds."""
    embedder = StaticEmbedder()
    table = None
    chunks = 0
    start = time.perf_counter()
    shas = _git(repo, "rev-list", f"--max-count={commits}", "HEAD").split()
    database = lancedb().connect(str(folder))
    for sha in shas:
        message, *files = _git(repo, "show", "--format=%B", sha).split("\ndiff --git ")
        for text in (message, *files):
            row = {"ref": sha, "text": text[:8_000], "vector": embedder.embed([text[:2_000]])[0]}
            if table is None:
                table = database.create_table("chunks", [row])
            else:
                table.add([row])
            chunks += 1
    return chunks, time.perf_counter() - start


def _git(repo: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(repo), *words], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("repo", type=Path)
    parser.add_argument("--commits", type=int, default=150)
    options = parser.parse_args()
    warm_up()
    StaticEmbedder().embed(["warm"])
    with tempfile.TemporaryDirectory() as scratch:
        chunks, seconds, share = whole(options.repo, Path(scratch) / "whole")
        few, slow = naive(options.repo, Path(scratch) / "naive", options.commits)
    fast_rate, slow_rate = chunks / seconds, few / slow
    print(f"hermes: {chunks} chunks in {seconds:.1f} s, {fast_rate:,.0f} a second")
    print(f"        {share:.0%} of it vectors, {chunks / (seconds * share):,.0f} texts a second")
    print(f"naive:  {few} chunks in {slow:.1f} s, {slow_rate:,.0f} a second")
    print(f"ratio:  {fast_rate / slow_rate:.0f}")


if __name__ == "__main__":
    main()
