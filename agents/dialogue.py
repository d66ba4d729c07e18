"""The conversation with a model about one question: tool rounds, then checked sentences."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from .answer_events import Step, Text
from .citations import Verdict, attribute
from .evidence import Evidence
from .fence import neutral, tool_response
from .models.budget import estimate_prompt, fit
from .models.protocol import ChatModel, Message, TimedOut, Usage
from .models.timing import Timeouts, limited
from .prompt import LAST_ROUND, NOT_FOUND, REPAIR
from .sentences import SentenceSplitter
from .tools.calls import BadCall, CallParser, Said, ToolCall
from .tools.registry import CallRefused, Toolbox
from .tools.workshop import Workshop

MAX_CALLS = 2
"""Calls of one message that are carried out."""
MAX_SENTENCES = 6
MAX_REPEATS = 3
"""Sentences said again after which a model is stopped."""

_POINTING = re.compile(
    r"(?:this|that|these|those|such|the (?:former|latter|same))\b", re.IGNORECASE
)
_LEFT_OUT = "\n(Earlier tool results were left out to make room; their sources may still be cited.)"

Check = Callable[[str, Evidence], Verdict]
"""May ask the index and git, so it is called in a thread."""


@dataclass(slots=True)
class Dialogue:
    """One conversation. After ``run`` the counts say how it went."""

    model: ChatModel
    toolbox: Toolbox
    workshop: Workshop
    check: Check
    on_dropped: Callable[[str, str], None]
    rounds: int
    answer_tokens: int
    deadline: float
    """By time.monotonic()."""
    kept: int = 0
    dropped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Sentences that were not borne out, and why."""
    not_found: bool = False
    """The model said that the sources do not answer."""
    cut: bool = False
    """The answer ran into its token limit."""
    tokens_in: int = 0
    tokens_out: int = 0
    _called: set[str] = field(default_factory=set[str])
    _seen: set[str] = field(default_factory=set[str])
    _repeats: int = 0
    _fell: bool = False
    """Whether the sentence before was dropped."""

    async def run(self, messages: list[Message]) -> AsyncGenerator[Step | Text]:
        """Given the first messages, yield steps and checked sentences. Raise a ModelError."""
        repaired = False
        for turn in range(self.rounds + 2):
            self._make_room(messages)
            said: list[str] = []
            calls: list[ToolCall | BadCall] = []
            before = self.kept
            async with aclosing(self._turn(messages, said, calls)) as texts:
                async for text in texts:
                    yield text
            if calls and turn < self.rounds:
                messages.append(Message("assistant", "".join(said)))
                responses: list[str] = []
                for call in calls[:MAX_CALLS]:
                    yield Step(_describe(call))
                    responses.append(await self._respond(call))
                if turn + 1 == self.rounds:
                    responses.append(LAST_ROUND)
                messages.append(Message("user", "\n".join(responses)))
                continue
            if self.kept > before or self.not_found or repaired or not self.dropped:
                return
            repaired = True
            messages.append(Message("assistant", "".join(said)))
            reasons = "; ".join(dict.fromkeys(reason for _, reason in self.dropped[-3:]))
            messages.append(Message("user", REPAIR.format(reasons=reasons)))

    async def _turn(
        self, messages: Sequence[Message], said: list[str], calls: list[ToolCall | BadCall]
    ) -> AsyncGenerator[Text]:
        """One answer of the model: its text into ``said``, its calls into ``calls``."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimedOut(
                f"{self.model.name} did not finish in time.",
                hint="Use a smaller model, or allow answers more time in the settings.",
            )
        parser, splitter = CallParser(self.toolbox.names), SentenceSplitter()
        stream = self.model.stream(messages, max_tokens=self.answer_tokens)
        patience = Timeouts(first=left + 1, between=left + 1, total=left)
        usage: Usage | None = None
        async with aclosing(limited(stream, patience, self.model.name)) as deltas:
            async for delta in deltas:
                said.append(delta.text)
                usage = delta.usage or usage
                for sentence in _sentences(parser.feed(delta.text), splitter, calls):
                    if text := await self._judge(sentence, bool(calls)):
                        yield text
                if self._repeats >= MAX_REPEATS:  # small models fall into loops
                    return
        if usage is not None:
            self.tokens_in += usage.tokens_in
            self.tokens_out += usage.tokens_out
            self.cut = self.cut or usage.cut
        rest = [*_sentences(parser.finish(), splitter, calls), splitter.finish()]
        if usage is not None and usage.cut:
            rest = rest[:-1]  # half a sentence claims half a thing
        for sentence in filter(None, rest):
            if text := await self._judge(sentence, bool(calls)):
                yield text

    async def _judge(self, sentence: str, calling: bool) -> Text | None:
        """Given a sentence, return it if its sources bear it out; else count it as dropped."""
        if NOT_FOUND in sentence.upper():
            self.not_found = True
            return None
        if self.kept >= MAX_SENTENCES or not any(map(str.isalpha, sentence)):
            return None
        if sentence in self._seen:
            self._repeats += 1
            return None
        self._seen.add(sentence)
        verdict = await asyncio.to_thread(self.check, sentence, self.workshop.evidence)
        if not verdict.supported and not verdict.numbers:
            number = attribute(sentence, self.workshop.evidence)
            if number is not None:
                sentence = f"{sentence} [{number}]"
                verdict = await asyncio.to_thread(self.check, sentence, self.workshop.evidence)
        if verdict.supported and self._fell and _POINTING.match(sentence):
            verdict = Verdict(False, "it points back to a sentence that was dropped")
        self._fell = not verdict.supported
        if verdict.supported:
            self.kept += 1
            return Text(sentence)
        if not calling:  # "I will look that up" is no claim
            self.dropped.append((sentence, verdict.reason))
            self.on_dropped(sentence, verdict.reason)
        return None

    async def _respond(self, call: ToolCall | BadCall) -> str:
        if isinstance(call, BadCall):
            shape = '{"name": "…", "arguments": {…}}'
            return tool_response("error", f"that call is not JSON of the form {shape}")
        key = f"{call.name} {json.dumps(call.arguments, sort_keys=True, default=str)}"
        if key in self._called:
            return tool_response(call.name, "This was called before, see above. Answer now.")
        self._called.add(key)
        try:
            text = await asyncio.to_thread(
                self.toolbox.call, call.name, call.arguments, self.workshop
            )
        except CallRefused as refusal:
            return tool_response("error", neutral(refusal.message))
        return tool_response(call.name, fit(text, self.workshop.response_tokens + 60).text)

    def _make_room(self, messages: list[Message]) -> None:
        """Leave out the oldest tool rounds, saying so, until prompt and answer fit."""
        room = self.model.context_tokens - self.answer_tokens
        first_round = 2  # after the instructions and the question
        while estimate_prompt(messages) > room and len(messages) > first_round + 2:
            del messages[first_round : first_round + 2]
            question = messages[first_round - 1].content
            if not question.endswith(_LEFT_OUT):
                messages[first_round - 1] = Message("user", question + _LEFT_OUT)


def _sentences(
    parsed: Iterator[Said | ToolCall | BadCall],
    splitter: SentenceSplitter,
    calls: list[ToolCall | BadCall],
) -> Iterator[str]:
    for part in parsed:
        if isinstance(part, Said):
            yield from splitter.feed(part.text)
        else:
            calls.append(part)


def _describe(call: ToolCall | BadCall) -> str:
    if isinstance(call, BadCall):
        return "asking again for a call that could not be read"
    values = " ".join(str(value) for value in call.arguments.values())
    return f"{call.name} {' '.join(values.split())[:80]}".strip()
