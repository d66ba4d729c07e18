"""Q&A as an agent: a question that nobody waits for at a terminal, answered into its job's report."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from .contract import Assignment, Context, Done, Hopeless, Nothing, Outcome
from .models.protocol import ChatModel

Fields = dict[str, Any]
Ask = Callable[[str, str | None, ChatModel | None], AsyncGenerator[Fields]]
"""Given a question, a repository's id and a model, yields the answer's events as objects."""

MAX_SUMMARY = 200
"""Characters of an answer that stand for it in a list of jobs."""


class Answering:
    """Answers ``text``; the report holds ``answer``, ``sources`` and ``done``, as the API has it."""

    name = "qa"

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Answer the question. Raise Hopeless when there is none."""
        question = assignment.text.strip()
        if not question:
            raise Hopeless("there is no question to answer", hint='hermes run qa "why did we …?"')
        if assignment.dry_run:
            return Done("would answer the question from memory")
        texts: list[str] = []
        notices: list[str] = []
        sources: list[Fields] = []
        done: Fields = {}
        async with aclosing(self._ask(question, assignment.repo, context.model())) as events:
            async for event in events:
                match event["type"]:
                    case "step":
                        context.progress(str(event["text"]), 0, 0)
                    case "text":
                        texts.append(str(event["text"]))
                    case "notice":
                        notices.append(str(event["text"]))
                    case "sources":
                        sources = event["sources"]
                    case "done":
                        done = event
                    case _:
                        pass
        for source in sources:
            context.read(f"{source['repo']}:{source['sha']}:{source['path']}".strip(":"))
        if not done.get("relevant", False):
            return Nothing("nothing in memory clearly answers this")
        answer = " ".join(texts)
        report = {"answer": answer, "notices": notices, "sources": sources, "done": done}
        return Done(answer[:MAX_SUMMARY], report)
