"""How much of what a made-up company's questions rest on is found, in memory and by way of its exports.

python -m hermes.tests.bench.company [--misses]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean

from hermes.ingest.sources.docs import open_source as open_docs
from hermes.ingest.sources.docs import options as of_docs
from hermes.ingest.sources.github import open_source as open_github
from hermes.ingest.sources.github import options as of_github
from hermes.ingest.sources.linear import open_source as open_linear
from hermes.ingest.sources.linear import options as of_linear
from hermes.ingest.sources.slack import open_source as open_slack
from hermes.ingest.sources.slack import options as of_slack
from hermes.ingest.sources.sync import sync
from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.memory import Memory
from hermes.tests.builders.company.asking import asked
from hermes.tests.builders.company.build import company
from hermes.tests.builders.company.files import write
from hermes.tests.builders.company.questions import QUESTIONS
from hermes.tests.builders.ingested import Ingested


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--misses", action="store_true", help="list what was not found")
    options = parser.parse_args()
    print(
        f"{len(QUESTIONS)} questions\n{'':20}{'recall@3':>9}{'recall@5':>9}{'recall@10':>10}{'MRR':>7}"
    )
    with tempfile.TemporaryDirectory() as folder:
        with company(Path(folder) / "items", StaticEmbedder()) as built:
            report("in memory", built.memory, options.misses)
        with exported(Path(folder) / "files") as memory:
            report("from its exports", memory, options.misses)


@contextmanager
def exported(folder: Path) -> Generator[Memory]:
    """Read its exports with the sources themselves."""
    folder.mkdir()
    files = write(folder)
    with Ingested(folder / "memory", files.repository, StaticEmbedder()) as ingested:
        ingested.run()
        memory, repos = ingested.memory, [ingested.repo]
        docs = of_docs({"patterns": ["."], "root": str(files.repository)})
        chat = of_slack({"export": str(files.chat)})
        tickets = of_linear({"csv": str(files.tickets)})
        pulls = of_github({"export": str(files.pulls)})
        for kind, given, source in (
            ("docs", docs, open_docs(docs, None, repos)),
            ("slack", chat, open_slack(chat, None, repos)),
            ("linear", tickets, open_linear(tickets, None, repos)),
            ("github", pulls, open_github(pulls, None, repos)),
        ):
            memory.index.sources.add(kind, kind, json.loads(json.dumps(given)), 1)
            sync(memory, memory.index.sources.get(kind), source, lambda: False)
        memory.fill_vectors()
        yield memory


def report(name: str, memory: Memory, misses: bool) -> None:
    """Ask everything and print the figures."""
    outcomes = list(asked(memory))
    shares = [mean(each.share(k) for each in outcomes) for k in (3, 5, 10)]
    firsts = [min((p for p in each.places if p), default=0) for each in outcomes]
    mrr = mean(1 / first if first else 0.0 for first in firsts)
    print(f"{name:20}{shares[0]:9.3f}{shares[1]:9.3f}{shares[2]:10.3f}{mrr:7.3f}")
    for each in outcomes if misses else ():
        if each.share() < 1:
            where = zip(each.evidence, each.places, strict=True)
            told = ", ".join(f"{what} {place or 'not found'}" for what, place in where)
            print(f"    {each.question}: {told}")


if __name__ == "__main__":
    main()
