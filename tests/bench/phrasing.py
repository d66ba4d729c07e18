"""What a real model makes of real commits: how many of its messages may stand, and how they read.

Run: ``python -m hermes.tests.bench.phrasing REPO … [--count N] [--model NAME] [--url URL]``. Of each
repository the newest commits are taken that are no merge; the style is learnt from what came
before each. Prints the messages beside those by rule and the real ones, then the shares that stood
at once, after a repair, and not at all, and the time of a message.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections import Counter
from pathlib import Path

from hermes.agents.commits import staged
from hermes.agents.commits.compose import Styles, compose
from hermes.agents.commits.phrasing import phrase
from hermes.agents.commits.prompt import messages_for
from hermes.agents.models.budget import estimate_prompt
from hermes.agents.models.openai import OpenAIModel
from hermes.agents.models.timing import Timeouts
from hermes.agents.project_settings import ProjectCommits
from hermes.ingest.git.command import Git


async def measure(repos: list[Path], count: int, model: OpenAIModel, skip: int) -> None:
    """Measure and print."""
    ends: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    seconds: list[float] = []
    tokens: list[int] = []
    for repo in repos:
        git, styles = Git.open(repo), Styles()
        shas = git.run("rev-list", "--no-merges", f"--skip={skip}", f"-n{count}", "HEAD")
        for sha in shas.decode().split():
            change = await asyncio.to_thread(staged.read_commit, git, sha)
            if change.empty:
                continue
            composed = await asyncio.to_thread(
                compose, git, change, ProjectCommits(), styles, 1, rev=change.head or "HEAD"
            )
            rule = composed.drafts[0] if composed.drafts else None
            prompt = messages_for(change, composed.facts, composed.style, composed.sources, rule)
            tokens.append(estimate_prompt(prompt))
            began = time.monotonic()
            found = await phrase(model, composed)
            seconds.append(time.monotonic() - began)
            end = ("at once", "repaired")[found.calls - 1] if found.draft else "fell back"
            end = f"failed: {found.failure}" if found.failure else end
            ends[end] += 1
            rules.update({problem.partition(":")[0] for problem in found.problems})
            real = git.run("log", "-1", "--format=%s", sha).decode(errors="replace").strip()
            print(f"{sha[:8]} {seconds[-1]:5.1f} s  {end}")
            print(f"   real   {real}")
            print(f"   rule   {rule.text.strip() if rule else '-'}".replace("\n", "\n          "))
            text = found.draft.text.strip() if found.draft else "-"
            print(f"   model  {text}".replace("\n", "\n          "))
            for problem in found.problems:
                print(f"          ({problem})")
    print(dict(ends), dict(rules))
    print(f"{statistics.median(seconds):.1f} s median, {max(tokens):,} tokens at most")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repos", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--model", default="qwen")
    parser.add_argument("--url", default="http://127.0.0.1:8090/v1")
    asked = parser.parse_args()
    timeouts = Timeouts(connect=5, first=600, between=600, total=900)
    model = OpenAIModel(asked.model, url=asked.url, timeouts=timeouts)
    asyncio.run(measure(asked.repos, asked.count, model, asked.skip))


if __name__ == "__main__":
    main()
