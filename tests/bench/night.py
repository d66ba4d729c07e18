"""Measure nights over a made-up month: what they cost, what they get right, what forgetting leaves.

    python tests/bench/night.py
    python tests/bench/night.py --events 1000 --embedder static

The life has planted truths (tests/builders/life.py): reverts, cherry-picks, rebased twins, bumps by a
robot, "+1" talk, copies, tickets that are reassigned, reopened and closed, a renamed area, secrets, and
a person who is forgotten in the end, through a real daemon and its command line.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from hermes.memory.embedders.static import StaticEmbedder
from hermes.memory.upkeep import size
from hermes.tests.builders.daemon import COMMAND, LIGHT, Daemon, running
from hermes.tests.builders.life import build_life
from hermes.tests.builders.life_records import FORGOTTEN, FORGOTTEN_WORDS, Life
from hermes.tests.builders.nights import Likes, Living
from hermes.tests.builders.searching import where_is

QUESTIONS = 100
TOKENS = 0
"""What the worker's night asks of models: nothing of it does."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure nights over a made-up month.")
    parser.add_argument("--events", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--embedder", choices=("none", "static"), default="none")
    args = parser.parse_args()
    for events in args.events:
        with tempfile.TemporaryDirectory(prefix="night") as folder:
            place = Path(folder)
            started = time.monotonic()
            life = build_life(
                place / "shop",
                days=args.days,
                people=args.people,
                events=events,
                seed=args.seed,
            )
            show(f"{events:,} events", f"built in {time.monotonic() - started:.1f} s", "")
            measure(life, place / "home", args.embedder)
            forget(place / "home", args.embedder)
            print()


def show(what: str, value: str, wanted: str) -> None:
    """Print a line of the table."""
    print(f"{what:<42} {value:<34} {wanted}".rstrip(), flush=True)


def measure(life: Life, home: Path, embedder: str) -> None:
    """Take a life in, do nights, and print what they cost and come to."""
    living = Living(life, home, StaticEmbedder() if embedder == "static" else None)
    try:
        started = time.monotonic()
        living.take_in()
        stats = living.memory.stats()
        items = sum(living.memory.index.items.counts().values())
        taken = f"{stats.commits:,} commits, {items:,} items, {stats.chunks:,} chunks"
        show("taken in", f"{time.monotonic() - started:.1f} s", taken)
        nights(living)
        truths(living)
    finally:
        living.close()


def nights(living: Living) -> None:
    """Do a night and a second one, and print their time."""
    started, busy = time.monotonic(), _cpu()
    first = living.night()
    seconds, cpu = time.monotonic() - started, _cpu() - busy
    steps = ", ".join(f"{step.name} {step.seconds:.1f}" for step in first.steps)
    show("a night", f"{seconds:.1f} s, {cpu:.1f} s of CPU", steps)
    show("tokens of a night", f"{TOKENS:,}", "")
    pages = living.pages()
    lines = sum(len(theme.what) + len(theme.why) for page in pages for theme in page.themes)
    themes = sum(len(page.themes) for page in pages)
    show("pages", f"{len(pages)} with {themes:,} themes", f"{lines:,} lines")
    before = living.files()
    started = time.monotonic()
    again = living.night()
    changed = sum(step.counts.get("changed", 0) for step in again.steps)
    same = again.night is None and living.files() == before and not changed
    show("second night changes nothing", _yes(same), f"{time.monotonic() - started:.1f} s")
    problems = len(first.problems) + len(again.problems)
    show("problems found in memory", f"{problems}", "0")
    show("on disk", f"{size(living.home) / 1e6:,.1f} MB", "")


def truths(living: Living) -> None:
    """Print what the nights got right."""
    told = living.life.truths
    titles = [ticket.title for ticket in living.life.tickets[:QUESTIONS]]
    show("references that lead nowhere", f"{len(living.unresolved())}", "0")
    show("lines that rest on nothing", f"{len(living.unfounded())}", "0")
    show("self-derived", f"{len(living.self_derived())}", "0")
    in_pages, found = living.repeated_in_pages(), living.repeated_in_recall(titles)
    robots = living.repeated_in_recall(["bump httpx", "deploy of shop to production", "thanks"])
    show("duplicates in themes, in recall", f"{in_pages.exact}, {found.exact}", "0, 0")
    show("near duplicates in themes", _rate(in_pages), "under 2 %")
    show("near duplicates in recall", _rate(found), "under 2 %")
    show("  of what only robots and chatter say", _rate(robots), "asked for by name")
    closed = 1 - len(living.not_closed()) / len(told.superseded)
    show("superseded facts closed", f"{closed:.1%} of {len(told.superseded):,}", "at least 95 %")
    folded = living.folded()
    picks = sum(folded.get(sha) == into for sha, into in told.picks.items())
    copies = sum(ref in folded for ref in told.copies)
    show("picks and twins folded", f"{picks} of {len(told.picks)}", "all")
    show("copied discussions folded", f"{copies} of {len(told.copies)}", "all")
    marks = living.memory.index.marks.of(told.again)
    wrong = sum(mark.ended is not None for mark in marks.values())
    show("applied again, yet called taken back", f"{wrong} of {len(told.again)}", "0")
    faded = living.memory.index.marks.of([*told.chatter, *told.alerts, *told.bumps])
    lowered = {mark.ref for mark in faded.values() if mark.weight < 1 or mark.folded_into}
    small = len(told.chatter) + len(told.alerts) + len(told.bumps)
    show("small talk and robots faded or folded", f"{len(lowered)} of {small}", "")
    secrets = where_is(living.home, *told.secrets)
    show("files with a secret", f"{len(secrets)}", "0")


def forget(home: Path, embedder: str) -> None:
    """Forget the person, as a user does, and search all of hermes's files."""
    sought = (*FORGOTTEN, *FORGOTTEN_WORDS)
    before = where_is(home, *sought)
    settings = LIGHT | {"HERMES_AMBIENT_EMBEDDER__PROVIDER": embedder}
    with running(home, settings) as daemon:
        started = time.monotonic()
        done = run(daemon, "forget", "--person", FORGOTTEN[0], "-y")
        seconds = time.monotonic() - started
        daemon.settle(600)
        again = run(daemon, "consolidate")
        daemon.settle(600)
    left = where_is(home, *sought)
    show("forgetting a person", f"{seconds:.1f} s, exit {done.returncode}", _last(done.stdout))
    show("files that name them, before", f"{len(before)}", "")
    show("after, with another night", f"{len(left)} (exit {again.returncode})", "0")
    for place in left[:10]:
        print(f"    {place}")


def run(daemon: Daemon, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line, which may take its time."""
    return subprocess.run(
        [*COMMAND, *words],
        check=False,
        env=daemon.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=3_600,
    )


def _last(printed: str) -> str:
    lines: Sequence[str] = printed.strip().splitlines()
    return lines[-1].strip()[:80] if lines else ""


def _rate(likes: Likes) -> str:
    return f"{likes.near_rate:.2%} of {likes.texts:,}"


def _yes(so: bool) -> str:
    return "yes" if so else "NO"


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
