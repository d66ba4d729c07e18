"""One question with all that its answer may draw on, and the three ways to make it."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime

from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..memory.memory import Memory
from ..memory.records import Chunk, Filters, Kind, Recollection, chunk_id
from ..memory.standing import said_of
from .answer_events import AnswerEvent, Mode, Notice, SourceRef, Step, Text
from .asking import read_question
from .citations import Verdict, check
from .dialogue import MAX_CALLS, Dialogue
from .evidence import Evidence
from .extractive import compose, message_chunk, tell_taken_back, tells_deed
from .models.budget import estimate_prompt, estimate_tokens
from .models.protocol import ChatModel, Message, ModelError
from .people import People
from .prompt import question_prompt, system_prompt
from .reviews import read_of_pulls, tell_pulls
from .tools.registry import Toolbox
from .tools.toolbox import EMPTY, MEMORY_ONLY, TOOLBOX
from .tools.workshop import Workshop

_TOPIC_PASSAGES = 100
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
class Tally:
    """What Done will say."""

    mode: Mode = "extractive"
    model: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    dropped: int = 0
    cited: list[str] = field(default_factory=list[str])
    """The texts shown, for the sources they cite."""


@dataclass(slots=True)
class Session:
    """See the module. Methods that are not coroutines take milliseconds and belong in a thread."""

    question: str
    memory: Memory
    recall: Recall
    filters: Filters
    gits: Mapping[str, Git]
    found: Recollection
    now: datetime
    on_dropped: Callable[[str, str], None]
    evidence: Evidence = field(default_factory=Evidence)

    def __post_init__(self) -> None:
        self.evidence.said_of = self._said_of

    def by_index(self) -> list[Text] | None:
        """Who, when and what came last, from the structured index; None when it is not asked that
        or the index can't tell."""
        of_pulls = read_of_pulls(self.question)
        if of_pulls is not None:
            return tell_pulls(
                of_pulls, self.memory, self.filters.repos, self.found.passages, self.evidence
            )
        asked = read_question(self.question)
        if asked is None:
            return None

        def find() -> Recollection:
            # The topic alone: the words of the asking ("who", "when did we") would only dilute it.
            return self.recall(self.memory, asked.topic, self.filters, _TOPIC_PASSAGES)

        return self._people().tell(asked, find)

    def by_rule(self) -> list[Text]:
        """What the commits that were found say."""
        if tells_deed(self.question, self.found.passages):
            self.found = replace(self.found, relevant=True)
        return compose(self.question, self.found, self._message_of, self.evidence)

    async def by_model(
        self, model: ChatModel, limits: Limits, tally: Tally
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
            return EMPTY
        return TOOLBOX if self.gits else MEMORY_ONLY

    def cited(self, texts: Sequence[str]) -> tuple[SourceRef, ...]:
        """The sources that the texts cite."""
        numbers = {
            int(number)
            for text in texts
            for group in re.findall(r"\[([\d,\s;]+)\]", text)
            for number in re.findall(r"\d+", group)
        }
        return tuple(source.ref for source in self.evidence if source.number in numbers)

    def taken_back(self, texts: Sequence[str]) -> list[Text]:
        """Of what the texts cite, say what does not hold any more, unless they tell of it."""
        cited = self.cited(texts)
        marks = self.memory.index.marks.of({ref.sha for ref in cited})
        told = {ref.sha for ref in cited}
        back: dict[tuple[str, str], list[int]] = {}
        for ref in cited:
            mark = marks.get((ref.repo, ref.sha))
            if mark is not None and is_sha(mark.ended_by) and mark.ended_by not in told:
                back.setdefault((ref.repo, mark.ended_by), []).append(ref.number)
        sentences: list[Text] = []
        for (repo, sha), numbers in back.items():
            message = self._message_of(repo, sha)
            if message is not None:  # else it left the history since the last night
                sentences.append(Text(tell_taken_back(self.evidence.add_chunk(message), numbers)))
        return sentences

    def _said_of(self, repo: str, ref: str) -> str:
        marks = self.memory.index.marks
        twins = marks.folded_into((ref,)).get((repo, ref), ())
        return said_of(marks.of((ref,)).get((repo, ref)), twins)

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
        if self.memory.index.commit(repo, sha) or self.memory.index.items.get(sha):
            return True
        git = self.gits.get(repo)
        return git is not None and is_sha(sha) and _git_has(git, f"{sha}^{{commit}}")

    def _path_at(self, repo: str, sha: str, path: str) -> bool:
        git = self.gits.get(repo)
        if git is not None:
            return is_sha(sha) and _git_has(git, f"{sha}:{path}")
        return self.memory.index.path_exists(path, (repo,))


def is_sha(ref: str) -> bool:
    """Whether a reference is a commit's, and none that git would have to make something of."""
    return re.fullmatch(r"[0-9a-f]{40,64}", ref) is not None


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
