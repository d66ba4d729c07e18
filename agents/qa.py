"""Questions and answers over memory: recall first, then the structured index, a model or rules.

Whatever the way, each sentence cites, and what a model writes is checked before it is shown.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from datetime import datetime

from ..ingest.git.command import Git
from ..memory.errors import HermesError
from ..memory.memory import Memory
from ..memory.records import Filters
from .answer_events import AnswerEvent, Done, Notice, Sources, Step, Text
from .decided import decided_first
from .leads import split_notes
from .models.protocol import ChatModel, ModelState
from .session import Limits, Recall, Session, Tally

__all__ = ["EmptyQuestion", "Limits", "answer"]

MAX_QUESTION = 2_000
"""Characters of a question that are used; a longer one is cut, and the answer says so."""

_WORTH_ASKING = 0.15
"""Confidence from which a model is asked: lower than recall's own floor, since it can look further
and its sentences are checked."""


_POOL = 40
"""Passages that the answer by rule chooses from; a model is shown the first few."""


class EmptyQuestion(HermesError):
    """There is nothing to answer."""

    code = "empty_question"

    def __init__(self) -> None:
        super().__init__("The question is empty.", hint='Ask one: hermes ask "why did we …?"')


async def answer(
    question: str,
    *,
    memory: Memory,
    recall: Recall,
    filters: Filters,
    gits: Mapping[str, Git],
    model: ChatModel | None,
    limits: Limits | None = None,
    k: int = 12,
    now: datetime | None = None,
    on_dropped: Callable[[str, str], None] = lambda sentence, reason: None,
) -> AsyncGenerator[AnswerEvent]:
    """Given a question, yield its answer as it comes about; the last event is Done.

    ``gits`` has a Git for each repository id that tools may read. Without a model the answer is
    made by rule from what was found; the same happens, with a Notice, when the model is not there
    or fails at any point. Questions of who and when are answered from the structured index in any
    case. ``on_dropped`` hears each sentence of the model that was dropped, and why, for the log.
    Raise EmptyQuestion; errors of memory pass through.
    """
    started = time.monotonic()
    now = now or datetime.now()
    limits = limits or Limits()
    asked = " ".join(question.split())
    if not asked:
        raise EmptyQuestion
    if len(asked) > MAX_QUESTION:
        yield Notice(
            f"The question has {len(asked):,} characters; only the first {MAX_QUESTION:,} are used."
        )
        asked = asked[:MAX_QUESTION]
    yield Step("searching memory")
    found, state = await asyncio.gather(
        asyncio.to_thread(recall, memory, asked, filters, max(k, _POOL)), _state(model)
    )
    found = decided_first(asked, found)
    leads, notes = split_notes(found.notes)
    for note in notes:
        yield Notice(note)
    for lead in leads:
        yield Text(lead)
    session = Session(asked, memory, recall, filters, gits, found, now, on_dropped)
    tally = Tally()
    texts = await asyncio.to_thread(session.by_index)
    if texts:
        tally.mode = "index"
        for text in texts:
            tally.cited.append(text.text)
            yield text
    else:
        if model is not None and found.confidence >= _WORTH_ASKING:
            if state.ready:
                async with aclosing(session.by_model(model, limits, tally)) as events:
                    async for event in events:
                        yield event
            else:
                yield Notice(
                    f"{state.detail} So this answer quotes commits, without a model.", state.hint
                )
        if tally.mode != "model":
            for text in await asyncio.to_thread(session.by_rule):
                tally.cited.append(text.text)
                yield text
    for text in await asyncio.to_thread(session.taken_back, tally.cited):
        tally.cited.append(text.text)
        yield text
    yield Sources(session.cited(tally.cited))
    yield Done(
        mode=tally.mode,
        confidence=found.confidence,
        relevant=session.found.relevant or tally.mode != "extractive",
        model=tally.model,
        tokens_in=tally.tokens_in,
        tokens_out=tally.tokens_out,
        seconds=time.monotonic() - started,
        dropped=tally.dropped,
    )


async def _state(model: ChatModel | None) -> ModelState:
    return await model.ready() if model is not None else ModelState(False, False)
