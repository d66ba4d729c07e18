"""How good a model's answers are over a real memory: asked by hand, read by a person.

    python -m hermes.tests.bench.answers --memory ~/.local/share/hermes-ambient/memory \\
        --repo sqlite-utils --questions questions.txt --model qwen --url http://127.0.0.1:8080/v1

One question a line. For each the answer is printed, what was dropped and why, and at the end the
totals: sentences kept and dropped, answers by the model and by rule, tokens and seconds.
``--ollama`` takes the URL as an Ollama server's; without ``--model`` answers are made by rule.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from pathlib import Path

from hermes.agents.answer_events import AnswerEvent, Done, Notice, Sources, Text
from hermes.agents.models.ollama import OllamaModel
from hermes.agents.models.openai import OpenAIModel
from hermes.agents.models.protocol import ChatModel
from hermes.agents.models.timing import Timeouts
from hermes.agents.qa import Limits, answer
from hermes.ingest.git.command import Git
from hermes.memory.embedders.choose import choose
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Filters


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="ask a model many questions over a real memory")
    parser.add_argument("--memory", type=Path, required=True, help="a memory folder, filled")
    parser.add_argument("--repo", required=True, help="name of a repository in it")
    parser.add_argument("--questions", type=Path, required=True, help="a file, one question a line")
    parser.add_argument("--model", help="the model's name; without it answers are made by rule")
    parser.add_argument("--url", default="http://127.0.0.1:8080/v1")
    parser.add_argument("--ollama", action="store_true", help="the URL is an Ollama server's")
    parser.add_argument("--context", type=int, default=4_096, help="tokens of context")
    parser.add_argument("--deadline", type=float, default=600.0, help="seconds for one answer")
    return parser.parse_args()


def model_of(given: argparse.Namespace) -> ChatModel | None:
    """Return the model that the arguments name."""
    if given.model is None:
        return None
    patient = Timeouts(first=given.deadline, between=given.deadline, total=given.deadline)
    kind = OllamaModel if given.ollama else OpenAIModel
    return kind(given.model, url=given.url, context_tokens=given.context, timeouts=patient)


def show(event: AnswerEvent) -> None:
    """Print one event."""
    match event:
        case Text(text):
            print(f"   {text}", flush=True)
        case Notice(text):
            print(f"   ! {text}")
        case Sources(sources):
            for source in sources:
                where = f" {source.path}" if source.path else ""
                print(
                    f"     [{source.number}] {source.sha[:8]} {source.date} {source.author}{where}"
                )
        case Done():
            print(
                f"     {event.mode}, confidence {event.confidence:.2f}, {event.tokens_in} in, "
                f"{event.tokens_out} out, {event.dropped} dropped, {event.seconds:.1f} s"
            )
        case _:
            pass


async def main() -> None:
    """Ask all questions and print the totals."""
    given = read_arguments()
    totals: Counter[str] = Counter()
    seconds = 0.0
    with Memory.open(given.memory, embedder=choose("static")) as memory:
        repo = next(repo for repo in memory.index.repos() if repo.name == given.repo)
        for question in filter(None, map(str.strip, given.questions.read_text().splitlines())):
            print(f"\n## {question}", flush=True)
            events = answer(
                question,
                memory=memory,
                recall=recall,
                filters=Filters(repos=(repo.id,)),
                gits={repo.id: Git.open(repo.path)},
                model=model_of(given),
                limits=Limits(deadline=given.deadline),
                on_dropped=lambda sentence, reason: print(f"   x {sentence}  ({reason})"),
            )
            sentences = 0
            async for event in events:
                show(event)
                sentences += isinstance(event, Text)
                if isinstance(event, Done):
                    totals[
                        f"answers: {event.mode}{'' if event.relevant else ', nothing found'}"
                    ] += 1
                    totals["sentences kept (model)"] += sentences if event.mode == "model" else 0
                    totals["sentences dropped"] += event.dropped
                    totals["tokens in"] += event.tokens_in
                    totals["tokens out"] += event.tokens_out
                    seconds += event.seconds
    print(f"\n{given.model or 'no model'} on {given.repo}: {seconds:.0f} s")
    for what, count in sorted(totals.items()):
        print(f"  {what:32} {count:7}")


if __name__ == "__main__":
    asyncio.run(main())
