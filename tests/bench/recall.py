"""How long recall takes as memory grows: synthetic commits, words by Zipf's law, random vectors.

    python -m hermes.tests.bench.recall [--chunks 10000 100000 1000000] [--keep FOLDER]

Each size is a memory of its own with four chunks to a commit, of which each names an earlier one. Prints p50 and p95 of whole recalls
(two full texts, two vector searches, fusion, eight passages fetched) and the growth between sizes.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles

import numpy as np
from numpy.typing import NDArray

from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import (
    Chunk,
    Commit,
    FileChange,
    Filters,
    Kind,
    Link,
    LinkKind,
    chunk_id,
)

BATCH = 2_000
WORDS = 200_000
QUESTIONS = 200
DIMENSION = 256


class Noise:
    """An embedder whose vectors mean nothing: recall's time does not depend on what they mean."""

    name = "noise"
    dimension = DIMENSION
    scheme = "1"

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return random unit vectors."""
        vectors = self._random.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a random unit vector."""
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector


class Zipf:
    """Words as often as in real text."""

    def __init__(self) -> None:
        weights = 1 / np.arange(1, WORDS + 1) ** 1.05
        self._cumulated = np.cumsum(weights / weights.sum())
        self._random = np.random.default_rng(1)

    def text(self, words: int) -> str:
        """Return so many words."""
        drawn = np.searchsorted(self._cumulated, self._random.random(words))
        return " ".join(f"w{_letters(int(n))}" for n in drawn)

    def question(self) -> str:
        """Six words, none of them among the most common."""
        return " ".join(f"w{_letters(int(n))}" for n in self._random.integers(50, 20_000, 6))


def _letters(number: int) -> str:
    """Digits would be split off by the tokenizer."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def _sha(number: int) -> str:
    return hashlib.sha1(str(number).encode(), usedforsecurity=False).hexdigest()


def fill(memory: Memory, chunks: int) -> None:
    """Write so many chunks and their vectors."""
    repo = memory.index.add_repo("synthetic", "/nowhere/.git", None, None)
    words = Zipf()
    commits: list[Commit] = []
    written: list[Chunk] = []
    for number in range(chunks // 4):
        sha = _sha(number)
        paths = [f"part{number % 40}/file{(number + k) % 900}.py" for k in range(3)]
        subject = words.text(8)
        when = 1_500_000_000 + 60 * number
        commits.append(
            Commit(
                repo=repo.id,
                sha=sha,
                parents=(),
                author=f"Person {number % 50}",
                email=f"p{number % 50}@example.org",
                time=when,
                committed=when,
                subject=subject,
                files=tuple(FileChange(path, "M") for path in paths),
                links=(Link(LinkKind.COMMIT, _sha(number * 2 // 3)),),
            )
        )
        for path in ("", *paths):
            text = words.text(60) if path else f"{subject}\n\n{words.text(12)}"
            written.append(
                Chunk(
                    id=chunk_id(repo.id, sha, path, 0),
                    repo=repo.id,
                    source="git",
                    kind=Kind.CONTEXT if path else Kind.MESSAGE,
                    ref=sha,
                    path=path,
                    part=0,
                    author=f"Person {number % 50}",
                    email=f"p{number % 50}@example.org",
                    time=when,
                    title=subject,
                    text=text,
                    index_text=f"{subject}\n{path}\n{text}" if path else text,
                )
            )
        if len(commits) == BATCH:
            memory.write(repo.id, commits, written)
            commits, written = [], []
    memory.write(repo.id, commits, written)
    memory.fill_vectors(batch=5_000)
    memory.maintain(force=True)


def measure(memory: Memory, filters: Filters) -> list[float]:
    """Return the seconds of each question, sorted; a first twenty warm up."""
    words = Zipf()
    times: list[float] = []
    for _ in range(QUESTIONS + 20):
        question = words.question()
        start = time.perf_counter()
        recall(memory, question, filters)
        times.append(time.perf_counter() - start)
    return sorted(times[20:])


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--chunks", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        before: float | None = None
        for chunks in options.chunks:
            folder = (options.keep or Path(scratch)) / f"synthetic-{chunks}"
            if not folder.exists():
                start = time.perf_counter()
                with Memory.open(folder, embedder=Noise(), write=True) as memory:
                    fill(memory, chunks)
                print(f"{chunks:>9,} chunks written in {time.perf_counter() - start:.0f} s")
            with Memory.open(folder, embedder=Noise()) as memory:
                for name, filters in (
                    ("everything", Filters()),
                    ("one folder", Filters(path="part7")),
                    ("one author", Filters(author="person 7")),
                    ("since", Filters(since=1_500_000_000 + 60 * (chunks // 8))),
                ):
                    times = measure(memory, filters)
                    p95 = quantiles(times, n=20)[-1] * 1000
                    growth = f"   {p95 / before:.1f} times the size before" if before else ""
                    shown = growth if name == "everything" else ""
                    print(
                        f"{chunks:>9,} {name:12} p50 {median(times) * 1000:6.1f} ms"
                        f"   p95 {p95:6.1f} ms{shown}"
                    )
                    if name == "everything":
                        before = p95


if __name__ == "__main__":
    main()
