"""How one juror is asked: once, a repair if its answer can't be counted, once more from the beginning."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...models.protocol import (
    Garbage,
    Interrupted,
    KeyRefused,
    Message,
    ModelError,
    Refused,
    Throttled,
)
from ..answers import Unread, read_answer
from ..prompt import ANSWER_TOKENS, REPAIR, schema_for
from ..records import Juror, Opinion, Packet
from .voice import Said, Voice

AGAIN = 0.5
"""Temperature of the second try: at 0 it would say the same."""
MOST_QUOTED = 1_500
"""Characters of an answer that its writer is shown when it is to repair it."""
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds after which one that takes no more calls is asked again, where it does not say itself."""
_WORTH_AGAIN = (Interrupted, Garbage, Refused)
"""Failures that may be over a moment later."""
_FINAL = (KeyRefused, Throttled)
"""Refusals that are not: of the last it was waited for already."""


class Silent(Exception):
    """A juror gave no opinion; the text says why."""


@dataclass(slots=True)
class Turn:
    """One juror's turn in one round, and what it took."""

    voice: Voice
    juror: Juror
    packet: Packet
    round: int
    tell: Callable[[str], None] = lambda what: None
    """Told what goes on: that it is asked to repair, or once more."""
    tokens_in: int = field(default=0, init=False)
    tokens_out: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)
    _until: float = field(default=0.0, init=False)

    async def ask(self, messages: Sequence[Message], limit: float) -> Opinion:
        """Return its opinion. Raise Silent, at the latest after ``limit`` seconds."""
        begun = time.monotonic()
        self._until = begun + limit
        try:
            async with asyncio.timeout(limit):
                return await self._ask(messages)
        except TimeoutError:
            raise Silent(f"no answer within {limit:g} s") from None
        finally:
            self.seconds = time.monotonic() - begun

    async def _ask(self, messages: Sequence[Message]) -> Opinion:
        why = ""
        for temperature in (0.0, AGAIN):
            if why:
                self.tell(f"asked once more: {why}")
            try:
                return await self._answer(messages, temperature)
            except Unread as unread:
                why = str(unread)
            except ModelError as error:
                why = error.message.rstrip(".")
                if not isinstance(error, _WORTH_AGAIN) or isinstance(error, _FINAL):
                    break
        raise Silent(why)

    async def _answer(self, messages: Sequence[Message], temperature: float) -> Opinion:
        said = await self._say(messages, temperature)
        prompt = messages[-1].content
        try:
            return read_answer(said.text, self.juror, self.packet, prompt, self.round)
        except Unread as unread:
            why = f"it was cut off after {said.tokens_out:,} tokens" if said.cut else str(unread)
            self.tell(f"asked to repair its answer: {why}")
            quoted = said.text[:MOST_QUOTED].strip() or "(nothing)"
            wanted = REPAIR.format(why=f"{why}; be brief" if said.cut else why)
        repair = [*messages, Message("assistant", quoted), Message("user", wanted)]
        again = await self._say(repair, temperature)
        shown = f"{prompt}\n{wanted}"
        return read_answer(again.text, self.juror, self.packet, shown, self.round)

    async def _say(self, messages: Sequence[Message], temperature: float) -> Said:
        """Return what it says. One that takes no more calls for now is waited for as long as it asks,
        within its time."""
        for pause in PAUSES:
            try:
                return await self._say_once(messages, temperature)
            except Throttled as error:
                wait = pause if error.after is None else error.after
                if time.monotonic() + wait >= self._until:
                    raise
                self.tell(f"{error.message.rstrip('.')}: asked again in {wait:g} s")
                await asyncio.sleep(wait)
        return await self._say_once(messages, temperature)

    async def _say_once(self, messages: Sequence[Message], temperature: float) -> Said:
        said = await self.voice.say(
            messages,
            max_tokens=ANSWER_TOKENS,
            temperature=temperature,
            schema=schema_for(self.packet),
        )
        self.tokens_in += said.tokens_in
        self.tokens_out += said.tokens_out
        return said
