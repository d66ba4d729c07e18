"""Questions and answers over memory: recall first, then a model or rules, then checked sentences."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..memory.errors import HermesError
from ..memory.records import Chunk, Filters, Recollection, chunk_id
from .events import AnswerEvent, Done, Notice, Sources, Step
from .evidence import Evidence
from .extractive import compose
from .models.protocol import ChatModel

if TYPE_CHECKING:
    from ..ingest.git.command import Git
    from ..memory.memory import Memory

MAX_QUESTION = 2_000
"""Characters of a question that are used; a longer one is cut, and the answer says so."""

Recall = Callable[["Memory", str, Filters, int], Recollection]


class EmptyQuestion(HermesError):
    """There is nothing to answer."""

    code = "empty_question"

    def __init__(self) -> None:
        super().__init__("The question is empty.", hint='Ask one: hermes ask "why did we …?"')


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may take."""

    rounds: int = 8
    """Times the model may call tools."""
    prompt_tokens: int = 3_000
    """Tokens of instructions and evidence in the first prompt."""
    answer_tokens: int = 400
    deadline: float = 120.0
    """Seconds after which the model is left and the plain answer is given."""


async def answer(
    question: str,
    *,
    memory: Memory,
    recall: Recall,
    filters: Filters,
    gits: Mapping[str, Git],
    model: ChatModel | None,
    limits: Limits = Limits(),
    k: int = 12,
) -> AsyncIterator[AnswerEvent]:
    """Given a question, yield its answer as it comes about; the last event is Done.

    ``gits`` has a Git for each repository id that tools may read. Without a model the answer is
    made by rule from what was found; the same happens, with a Notice, when the model fails at any
    point. Raise EmptyQuestion; errors of memory pass through.
    """
    started = time.monotonic()
    asked = " ".join(question.split())
    if not asked:
        raise EmptyQuestion
    if len(asked) > MAX_QUESTION:
        yield Notice(
            f"The question has {len(asked):,} characters; only the first {MAX_QUESTION:,} are used."
        )
        asked = asked[:MAX_QUESTION]
    yield Step("searching memory")
    found = await asyncio.to_thread(recall, memory, asked, filters, k)
    for note in found.notes:
        yield Notice(note)
    evidence = Evidence()
    texts = await asyncio.to_thread(compose, asked, found, _message_of(memory), evidence)
    for text in texts:
        yield text
    yield Sources(tuple(source.ref for source in evidence))
    yield Done(
        mode="extractive",
        confidence=found.confidence,
        relevant=found.relevant,
        seconds=time.monotonic() - started,
    )


def _message_of(memory: Memory) -> Callable[[Chunk], Chunk | None]:
    def message_of(chunk: Chunk) -> Chunk | None:
        wanted = chunk_id(chunk.repo, chunk.ref, "", 0)
        return memory.store.fetch([wanted]).get(wanted)

    return message_of
