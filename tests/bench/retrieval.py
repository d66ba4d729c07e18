"""How well recall finds the commits that changelog lines are about: each arm, rank fusion, and ours.

    python -m hermes.tests.bench.retrieval REPO QUERIES [REPO QUERIES …] [--embedder static]

REPO is a local repository, QUERIES a JSON-lines file with ``query`` and ``truth`` (shas) on each line.
A ``.meta.json`` beside it may name the ``head`` the set was made at and the ``changelog`` to leave out.
With several pairs, every question is also asked of the other repositories: abstention, as AUROC.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, quantiles

from hermes.ingest.git.command import Git
from hermes.ingest.git.ingest import ingest
from hermes.memory.embedders.choose import choose
from hermes.memory.fusion import scaled
from hermes.memory.memory import Memory
from hermes.memory.recall import FLOOR, recall
from hermes.memory.records import Recollection

EVERYTHING = 1_000
"""Passages asked for: more than the arms bring, so that MRR is over the full ranking."""


@dataclass(frozen=True)
class Question:
    """One line of a question set."""

    text: str
    truth: frozenset[str]
    same_commit: bool
    verbatim: bool


@dataclass(frozen=True)
class Asked:
    """What recall made of a question."""

    question: Question
    found: Recollection
    seconds: float


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("pairs", nargs="+", metavar="REPO QUERIES")
    parser.add_argument("--embedder", default="static")
    parser.add_argument("--embedder-folder", type=Path, default=None)
    parser.add_argument("--keep", type=Path, help="keep the stores here and use them again")
    options = parser.parse_args()
    pairs = list(zip(options.pairs[::2], options.pairs[1::2], strict=True))
    with tempfile.TemporaryDirectory() as scratch:
        base = options.keep or Path(scratch)
        sets = [
            (Path(queries).name.split(".")[0], *prepare(Path(repo), Path(queries), base, options))
            for repo, queries in pairs
        ]
        report(sets)


def prepare(
    repo: Path, queries: Path, base: Path, options: argparse.Namespace
) -> tuple[Memory, list[Question]]:
    """Take ``repo`` into a memory of its own, as the question set was made, and read the set."""
    name = queries.name.split(".")[0]
    meta_file = queries.with_name(f"{name}.meta.json")
    meta: dict[str, str] = json.loads(meta_file.read_text()) if meta_file.exists() else {}
    work = base / f"{name}-{options.embedder}"
    embedder = choose(options.embedder, minilm_folder=options.embedder_folder)
    if not (work / "memory.db").exists():
        clone = base / f"{name}.git"
        if not clone.exists():
            subprocess.run(
                ["git", "clone", "-q", "--bare", "--no-local", str(repo), str(clone)], check=True
            )
            keep_only(clone, meta.get("head") or "HEAD")
        with Memory.open(work, embedder=embedder, write=True) as memory:
            git = Git.open(clone)
            row = memory.index.add_repo(name, str(git.common_dir), None, None)
            ingest(
                git,
                memory,
                row,
                exclude=[meta["changelog"]] if "changelog" in meta else [],
            )
            memory.fill_vectors()
            memory.maintain(force=True)
    lines = [json.loads(line) for line in queries.read_text().splitlines()]
    questions = [
        Question(
            line["query"],
            frozenset(line["truth"]),
            bool(line.get("same_commit")),
            bool(line.get("verbatim_in_message")),
        )
        for line in lines
    ]
    return Memory.open(work, embedder=embedder), questions


def keep_only(clone: Path, head: str) -> None:
    """Leave one branch, at ``head``: only commits reachable from it count."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(clone), *words], check=True, capture_output=True, text=True
        ).stdout

    sha = git("rev-parse", f"{head}^{{commit}}").strip()
    git("update-ref", "--no-deref", "HEAD", sha)
    for ref in git("for-each-ref", "--format=%(refname)", "refs/heads").split():
        git("update-ref", "-d", ref)
    git("update-ref", "refs/heads/bench", sha)
    git("symbolic-ref", "HEAD", "refs/heads/bench")


def ask(memory: Memory, question: Question) -> Asked:
    """Ask one question and time it."""
    start = time.perf_counter()
    found = recall(memory, question.text, k=EVERYTHING)
    return Asked(question, found, time.perf_counter() - start)


def rankings(asked: Asked) -> dict[str, list[str]]:
    """Return each way of ranking the commits that were found."""
    arms: dict[str, dict[str, float]] = {}
    for passage in asked.found.passages:
        for arm, share in passage.arms.items():
            arms.setdefault(arm, {})[passage.chunk.ref] = share
    ranked = {arm: _best_first(scores) for arm, scores in arms.items()}
    ranked["rrf"] = _best_first(_reciprocal_ranks(ranked))
    ranked["two full-text fields"] = _best_first(
        _sum(scaled(arms.get("message", {})), scaled(arms.get("context", {})))
    )
    ranked["hermes"] = [passage.chunk.ref for passage in asked.found.passages]
    return ranked


def _best_first(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda ref: -scores[ref])


def _reciprocal_ranks(ranked: Mapping[str, Sequence[str]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for arm in ("message", "context", "vector_message", "vector_context"):
        for rank, ref in enumerate(ranked.get(arm, ()), 1):
            total[ref] = total.get(ref, 0.0) + 1 / (60 + rank)
    return total


def _sum(*parts: Mapping[str, float]) -> dict[str, float]:
    total: dict[str, float] = {}
    for part in parts:
        for ref, share in part.items():
            total[ref] = total.get(ref, 0.0) + share
    return total


def report(sets: Sequence[tuple[str, Memory, list[Question]]]) -> None:
    """Ask everything and print the figures."""
    confidence: dict[bool, list[float]] = {True: [], False: []}
    for name, memory, questions in sets:
        asked = [ask(memory, question) for question in questions]
        confidence[True] += [a.found.confidence for a in asked]
        stats = memory.stats()
        print(
            f"\n{name}: {len(questions)} questions, {stats.commits} commits, {stats.chunks} chunks"
        )
        print(f"{'':24}{'hit@1':>7}{'hit@5':>7}{'hit@10':>7}{'rec@10':>7}{'MRR':>7}")
        for way in (
            "message",
            "context",
            "vector_message",
            "vector_context",
            "rrf",
            "two full-text fields",
            "hermes",
        ):
            _line(way, [(rankings(a).get(way, []), a.question.truth) for a in asked])
        hard = [a for a in asked if not a.question.same_commit and not a.question.verbatim]
        _line("hermes, hard ones only", [(rankings(a)["hermes"], a.question.truth) for a in hard])
        times = sorted(a.seconds for a in asked)
        print(f"recall, all passages fetched: p95 {quantiles(times, n=20)[-1] * 1000:.0f} ms")
        for other, _, foreign in sets:
            if other != name:
                found = [recall(memory, question.text, k=1) for question in foreign]
                confidence[False] += [one.confidence for one in found]
    if confidence[False]:
        kept = mean(c >= FLOOR for c in confidence[True])
        wrong = mean(c >= FLOOR for c in confidence[False])
        print(
            f"\nabstention: AUROC {auroc(confidence[True], confidence[False]):.3f}; at the floor"
            f" {kept:.0%} of own questions answered, {wrong:.0%} of foreign ones"
        )


def _line(way: str, results: Sequence[tuple[Sequence[str], frozenset[str]]]) -> None:
    firsts = [
        next((rank for rank, ref in enumerate(ranking, 1) if ref in truth), 0)
        for ranking, truth in results
    ]
    recalled = mean(len(truth & set(ranking[:10])) / len(truth) for ranking, truth in results)
    hits = [mean(0 < first <= k for first in firsts) for k in (1, 5, 10)]
    mrr = mean(1 / first if first else 0.0 for first in firsts)
    print(f"{way:24}" + "".join(f"{value:7.3f}" for value in (*hits, recalled, mrr)))


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """The chance that a right one scores above a wrong one; ties count half."""
    marked = sorted([(score, 1) for score in right] + [(score, 0) for score in wrong])
    rank_sum, start = 0.0, 0
    while start < len(marked):
        end = start
        while end < len(marked) and marked[end][0] == marked[start][0]:
            end += 1
        rank_sum += (start + end + 1) / 2 * sum(side for _, side in marked[start:end])
        start = end
    return (rank_sum - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong))


if __name__ == "__main__":
    main()
