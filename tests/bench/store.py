"""Measure the store: search at size, growth under one-commit appends, forgetting, filling.

    python tests/bench/store.py search --rows 100000 --home /tmp/bench
    python tests/bench/store.py appends --commits 10000

Rows are synthetic: words by Zipf's law, vectors in clusters; three contexts for each message.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hermes.memory.embedders.protocol import Vectors
from hermes.memory.hits import TextSearch, VectorSearch
from hermes.memory.lance import pyarrow
from hermes.memory.memory import Memory
from hermes.memory.records import Commit, Filters, Kind, chunk_id
from hermes.memory.serving import serve
from hermes.memory.tables import CHUNKS, LIGHT, VectorSet, chunk_schema, vector_rows
from hermes.memory.upkeep import size
from hermes.tests.builders.records import chunks_of, commit_of, sha_of

VECTORS = VectorSet("bench", 256, "1")
BATCH = 20_000
_VOCABULARY = 200_000
_RANDOM = np.random.default_rng(0)
_WEIGHTS = 1 / np.arange(1, _VOCABULARY + 1) ** 1.05
_CUMULATED = np.cumsum(_WEIGHTS / _WEIGHTS.sum())
_CENTRES = _RANDOM.standard_normal((500, VECTORS.dimension), dtype=np.float32)


def words(count: int) -> str:
    """Return so many words, common ones more often."""
    return " ".join(f"w{n}" for n in np.searchsorted(_CUMULATED, _RANDOM.random(count)))


def question_words(count: int = 6) -> str:
    """Return words as a question has them: neither the commonest nor the rarest."""
    return " ".join(f"w{n}" for n in _RANDOM.integers(50, 20_000, count))


def vectors(count: int) -> Vectors:
    """Return unit vectors that lie in clusters, as embeddings do."""
    centre = _CENTRES[_RANDOM.integers(0, len(_CENTRES), count)]
    made = centre + _RANDOM.standard_normal(centre.shape, dtype=np.float32)
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)


def rows(start: int, count: int, repo: str) -> dict[str, list[Any]]:
    """Return the columns of ``count`` chunks."""
    numbers = range(start, start + count)
    message = [number % 4 == 0 for number in numbers]
    shas = [sha_of(number // 4) for number in numbers]
    paths = [
        "" if is_message else f"src/part{number % 50}/module{number % 900}.py"
        for is_message, number in zip(message, numbers, strict=True)
    ]
    text = [words(20 if is_message else 80) for is_message in message]
    return {
        "id": list(map(chunk_id, [repo] * count, shas, paths, [0] * count)),
        "repo": [repo] * count,
        "source": ["git"] * count,
        "kind": ["message" if is_message else "context" for is_message in message],
        "ref": shas,
        "path": paths,
        "part": [0] * count,
        "author": [f"Author {number % 80}" for number in numbers],
        "email": [f"author{number % 80}@example.org" for number in numbers],
        "time": [1_500_000_000 + 60 * number for number in numbers],
        "title": [f"commit {number // 4}" for number in numbers],
        "text": text,
        "message": [t if is_message else None for t, is_message in zip(text, message, strict=True)],
        "context": [None if is_message else t for t, is_message in zip(text, message, strict=True)],
        "gist": [None] * count,
    }


def build(memory: Memory, total: int) -> None:
    """Fill the store with ``total`` chunks and their vectors, past the index: it is not measured."""
    pa = pyarrow()
    store = memory.store
    home = memory.index.add_repo("bench", "/bench/.git", None, None).id
    people = [(f"Author {number}", f"author{number}@example.org") for number in range(80)]
    memory.write(
        home,
        [commit_of(home, n, author=name, email=email) for n, (name, email) in enumerate(people)],
        [],
    )
    store.create_vectors(VECTORS)
    serve(memory.index, VECTORS)
    table: Any = store.table(CHUNKS)
    for start in range(0, total, BATCH):
        count = min(BATCH, total - start)
        made = pa.table(rows(start, count, f"repo{(start // BATCH) % 5}"), schema=chunk_schema())
        table.add(made)
        for kind in Kind:
            some = made.filter(pa.compute.equal(made["kind"], kind.value)).select(list(LIGHT))
            store.append_vectors(VECTORS.table(kind), vector_rows(some, vectors(some.num_rows)))
    report = memory.maintain(force=True)
    print(f"built {total} chunks; maintenance {report.seconds:.1f} s, new indexes {report.indexed}")


def timed(run: Callable[[], object], times: int = 60) -> tuple[float, float, float]:
    """Return the median, the 95th percentile and the CPU time of all threads, in milliseconds."""
    for _ in range(5):
        run()
    spent: list[float] = []
    cpu = time.process_time()
    for _ in range(times):
        start = time.perf_counter()
        run()
        spent.append(1_000 * (time.perf_counter() - start))
    cpu = 1_000 * (time.process_time() - cpu) / times
    return float(np.median(spent)), float(np.quantile(spent, 0.95)), cpu


def show(name: str, run: Callable[[], object], times: int = 60) -> float:
    """Print what ``timed`` says; return the 95th percentile."""
    median, high, cpu = timed(run, times)
    print(f"  {name:36} p50 {median:6.1f} ms   p95 {high:6.1f} ms   CPU {cpu:6.1f} ms")
    return high


def measure_search(home: Path, total: int) -> None:
    """Print the time of each arm alone, of the four at once, and of fetching the texts."""
    memory = Memory.open(home, embedder=None)
    store = memory.store
    if store.count_chunks() != total:
        with Memory.open(home, embedder=None, write=True) as writer:
            build(writer, total)
    samples = vectors(500)

    def ask() -> Vectors:
        near: Vectors = samples[_RANDOM.integers(len(samples))] + 0.5 * vectors(1)[0]
        return np.asarray(near / np.linalg.norm(near), dtype=np.float32)

    everything = Filters()

    def four(filters: Filters) -> list[str]:
        terms, vector = question_words(), ask()
        found = store.search(
            TextSearch(Kind.MESSAGE, terms, filters, 200),
            TextSearch(Kind.CONTEXT, terms, filters, 400),
            VectorSearch(Kind.MESSAGE, vector, filters, 200),
            VectorSearch(Kind.CONTEXT, vector, filters, 400),
        )
        return [hit.id for hits in found for hit in hits[:4]]

    print(f"{total} chunks, {size(home) / 1e6:.0f} MB")
    show(
        "full text, messages, 200", lambda: store.search(TextSearch(Kind.MESSAGE, question_words()))
    )
    show(
        "full text, contexts, 400",
        lambda: store.search(TextSearch(Kind.CONTEXT, question_words(), limit=400)),
    )
    show("vectors, messages, 200", lambda: store.search(VectorSearch(Kind.MESSAGE, ask())))
    show(
        "vectors, contexts, 400", lambda: store.search(VectorSearch(Kind.CONTEXT, ask(), limit=400))
    )
    show("four arms at once", lambda: four(everything))
    for name, filters in (
        ("repo", Filters(repos=("repo1",))),
        ("path", Filters(path="src/part7")),
        ("author", Filters(author="author 7")),
        ("since", Filters(since=1_500_000_000 + 60 * (total * 9 // 10))),
    ):
        show(f"four arms at once, by {name}", partial(four, filters), 30)
    ids = four(everything)
    show(f"fetch {len(ids)} texts", lambda: store.fetch(ids))
    show("four arms and 16 texts", lambda: store.fetch(four(everything)))
    show("count of chunks", store.count_chunks)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  peak RSS {peak:.0f} MB")
    memory.close()


def measure_appends(home: Path, commits: int) -> None:
    """Append commits one by one, maintaining when due; print size and search time on the way."""
    with Memory.open(home, embedder=None, write=True) as memory:
        repo = memory.index.add_repo("bench", "/bench/.git", None, None).id
        start, upkeep, step = time.perf_counter(), 0.0, max(1, commits // 5)
        reader = Memory.open(home, embedder=None)
        for number in range(commits):
            commit: Commit = commit_of(repo, number, message=words(12))
            memory.write(repo, [commit], chunks_of(commit, words(60)))
            upkeep += memory.maintain().seconds
            if (number + 1) % step == 0:
                spent = time.perf_counter() - start
                print(
                    f"{number + 1} commits: {1000 * spent / (number + 1):.1f} ms each, of which"
                    f" {1000 * upkeep / (number + 1):.1f} upkeep; store {_megabytes(memory):.1f} MB"
                )
                show(
                    "search",
                    lambda: reader.store.search(TextSearch(Kind.CONTEXT, question_words())),
                )
        before = _megabytes(memory)
        memory.maintain(force=True)
        live = _megabytes(memory)
        print(f"left {before:.1f} MB, compacted {live:.1f} MB: {before / live:.2f} times")
        reader.close()


def _megabytes(memory: Memory) -> float:
    return size(memory.folder / "lance") / 1e6


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["search", "appends"])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--commits", type=int, default=10_000)
    parser.add_argument("--home", type=Path, help="kept and used again; a temporary one otherwise")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        home: Path = chosen.home or Path(temporary)
        if chosen.what == "search":
            measure_search(home, chosen.rows)
        else:
            measure_appends(home, chosen.commits)


if __name__ == "__main__":
    main()
