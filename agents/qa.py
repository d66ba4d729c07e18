"""Questions and answers over memory: recall first, then the structured index, a model or rules.

Whatever the way, each sentence cites, and what a model writes is checked before it is shown.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime

from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..memory.errors import HermesError
from ..memory.memory import Memory
from ..memory.records import Chunk, Filters, Kind, Recollection, chunk_id
from .asking import read_question
from .citations import Verdict, check
from .dialogue import MAX_CALLS, Dialogue
from .events import AnswerEvent, Done, Mode, Notice, SourceRef, Sources, Step, Text
from .evidence import Evidence
from .extractive import compose, message_chunk
from .models.budget import estimate_prompt, estimate_tokens
from .models.protocol import ChatModel, Message, ModelError, ModelState
from .people import People
from .prompt import question_prompt, system_prompt
from .tools.memory import search_memory, who_knows
from .tools.registry import Toolbox
from .tools.repo import git_blame, git_log, git_show, read_file
from .tools.workshop import Workshop

MAX_QUESTION = 2_000
"""Characters of a question that are used; a longer one is cut, and the answer says so."""

TOOLBOX = Toolbox([search_memory, git_show, git_log, git_blame, read_file, who_knows])

_TOPIC_PASSAGES = 60
_WORTH_ASKING = 0.15
"""Confidence from which a model is asked: lower than recall's own floor, since it can look further
and its sentences are checked."""
_SHOWN = 6
"""Commits a model is shown at first; it can look for more."""
_SHOWN_CHANGES = 2

_ROOM_FOR_TOOLS = 3_000
"""Tokens of context below which a model gets no tools: their declarations would leave no room."""
_RESPONSE = 700
"""Most tokens of one tool response."""
_LEAST_RESPONSE = 200
_AROUND_RESPONSES = 250
"""Tokens of the model's own calls and of the tags."""

Recall = Callable[[Memory, str, Filters, int], Recollection]


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
    prompt_tokens: int = 2_900
    """Tokens of instructions and evidence in the first prompt."""
    answer_tokens: int = 320
    deadline: float = 120.0
    """Seconds after which the model is left and the plain answer is given."""


@dataclass(slots=True)
class _Tally:
    """What Done will say."""

    mode: Mode = "extractive"
    model: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    dropped: int = 0
    cited: list[str] = field(default_factory=list[str])
    """The texts shown, for the sources they cite."""


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
        asyncio.to_thread(recall, memory, asked, filters, k), _state(model)
    )
    for note in found.notes:
        yield Notice(note)
    session = _Session(asked, memory, recall, filters, gits, found, now, on_dropped)
    tally = _Tally()
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
                yield Notice(f"{state.detail} This answer is made by rule.", state.hint)
        if tally.mode != "model":
            for text in await asyncio.to_thread(session.by_rule):
                tally.cited.append(text.text)
                yield text
    yield Sources(session.cited(tally.cited))
    yield Done(
        mode=tally.mode,
        confidence=found.confidence,
        relevant=found.relevant or tally.mode != "extractive",
        model=tally.model,
        tokens_in=tally.tokens_in,
        tokens_out=tally.tokens_out,
        seconds=time.monotonic() - started,
        dropped=tally.dropped,
    )


async def _state(model: ChatModel | None) -> ModelState:
    return await model.ready() if model is not None else ModelState(False, False)


@dataclass(slots=True)
class _Session:
    """One question with all that its answer may draw on."""

    question: str
    memory: Memory
    recall: Recall
    filters: Filters
    gits: Mapping[str, Git]
    found: Recollection
    now: datetime
    on_dropped: Callable[[str, str], None]
    evidence: Evidence = field(default_factory=Evidence)

    def by_index(self) -> list[Text] | None:
        asked = read_question(self.question)
        if asked is None:
            return None
        # The topic alone: the words of the asking ("who", "when did we") would only dilute it.
        found = self.recall(self.memory, asked.topic, self.filters, _TOPIC_PASSAGES)
        return self._people().tell(asked, found)

    def by_rule(self) -> list[Text]:
        return compose(self.question, self.found, self._message_of, self.evidence)

    async def by_model(
        self, model: ChatModel, limits: Limits, tally: _Tally
    ) -> AsyncGenerator[AnswerEvent]:
        """The model's checked sentences; ``tally.mode`` says whether any survived."""
        tally.model = model.name
        toolbox = self._toolbox(model)
        messages = await asyncio.to_thread(self._first_messages, model, limits, toolbox)
        room = model.context_tokens - limits.answer_tokens - estimate_prompt(messages)
        dialogue = Dialogue(
            model=model,
            toolbox=toolbox,
            workshop=Workshop(
                memory=self.memory,
                recall=self.recall,
                filters=self.filters,
                gits=self.gits,
                evidence=self.evidence,
                people=self._people(),
                response_tokens=min(_RESPONSE, (room - _AROUND_RESPONSES) // MAX_CALLS),
            ),
            check=await asyncio.to_thread(self._checker),
            on_dropped=self.on_dropped,
            rounds=limits.rounds,
            answer_tokens=limits.answer_tokens,
            deadline=time.monotonic() + limits.deadline,
        )
        yield Step(f"asking {model.name}")
        failure: ModelError | None = None
        try:
            async with aclosing(dialogue.run(messages)) as events:
                async for event in events:
                    if isinstance(event, Text):
                        tally.mode = "model"
                        tally.cited.append(event.text)
                    yield event
        except ModelError as error:
            failure = error
        tally.tokens_in, tally.tokens_out = dialogue.tokens_in, dialogue.tokens_out
        tally.dropped = len(dialogue.dropped)
        for notice in _notices(model.name, dialogue, failure):
            yield notice
        if failure is not None and tally.mode == "model":
            tally.mode = "extractive"  # what commits say follows the broken answer

    def _toolbox(self, model: ChatModel) -> Toolbox:
        if model.context_tokens < _ROOM_FOR_TOOLS:
            return Toolbox([])
        return TOOLBOX if self.gits else Toolbox([search_memory, who_knows])

    def cited(self, texts: Sequence[str]) -> tuple[SourceRef, ...]:
        """The sources that the texts cite."""
        numbers = {
            int(number)
            for text in texts
            for group in re.findall(r"\[([\d,\s;]+)\]", text)
            for number in re.findall(r"\d+", group)
        }
        return tuple(source.ref for source in self.evidence if source.number in numbers)

    def _first_messages(self, model: ChatModel, limits: Limits, toolbox: Toolbox) -> list[Message]:
        instructions = system_prompt(toolbox.declarations())
        reserve = MAX_CALLS * _LEAST_RESPONSE + _AROUND_RESPONSES if toolbox.names else 0
        room = min(limits.prompt_tokens, model.context_tokens - limits.answer_tokens - reserve)
        chunks = self._to_show()
        prompt = question_prompt(
            self.question,
            chunks,
            self.evidence,
            room - estimate_tokens(instructions),
            self.now.date().isoformat(),
        )
        return [Message("system", instructions), Message("user", prompt)]

    def _to_show(self) -> list[Chunk]:
        """The passages a model is shown: messages, which say why, and the best commits' changes."""
        chunks: list[Chunk] = []
        for place, passage in enumerate(self.found.passages[:_SHOWN]):
            message = message_chunk(passage, self._message_of)
            chunks += [message] if message else []
            if place < _SHOWN_CHANGES or message is None:
                chunks += [c for c in (passage.chunk, *passage.also) if c.kind is Kind.CONTEXT][:1]
        return chunks

    def _people(self) -> People:
        now = int(self.now.timestamp())
        return People(self.memory.index, self.filters, self.evidence, self._message_of, now)

    def _message_of(self, repo: str, sha: str) -> Chunk | None:
        wanted = chunk_id(repo, sha, "", 0)
        return self.memory.store.fetch([wanted]).get(wanted)

    def _checker(self) -> Callable[[str, Evidence], Verdict]:
        people = [who.name for who in self.memory.index.authors(self.filters.repos)]

        def judge(sentence: str, evidence: Evidence) -> Verdict:
            return check(
                sentence, evidence, resolves=self._resolves, path_at=self._path_at, people=people
            )

        return judge

    def _resolves(self, repo: str, sha: str) -> bool:
        if self.memory.index.commit(repo, sha) is not None:
            return True
        git = self.gits.get(repo)
        return git is not None and _git_has(git, f"{sha}^{{commit}}")

    def _path_at(self, repo: str, sha: str, path: str) -> bool:
        git = self.gits.get(repo)
        if git is not None:
            return _git_has(git, f"{sha}:{path}")
        return self.memory.index.path_exists(path, (repo,))


def _git_has(git: Git, name: str) -> bool:
    try:
        git.run("cat-file", "-e", name, timeout=10.0)
    except GitError:
        return False
    return True


def _notices(model: str, dialogue: Dialogue, failure: ModelError | None) -> list[Notice]:
    if failure is not None:
        rest = "What follows is" if dialogue.kept else "This answer is"
        return [Notice(f"{failure.message} {rest} made by rule.", failure.hint)]
    if dialogue.not_found and not dialogue.kept:
        return [Notice(f"{model} found no answer in this; here is what the commits say.")]
    if not dialogue.kept:
        return [
            Notice(
                f"Nothing {model} wrote was borne out by the sources, so this answer is made by "
                "rule.",
                "A larger model may do better.",
            )
        ]
    if dialogue.cut:
        return [Notice(f"The answer of {model} reached its length limit.")]
    return []
