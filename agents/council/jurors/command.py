"""Jurors that are programs: any command that reads a prompt on standard input and prints an answer.

It runs in an empty folder, as the leader of a process group of its own, and all of the group ends with
it, with its time, or with whoever waits for it.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...models.budget import estimate_tokens
from ...models.protocol import Garbage, Message, Missing, ModelError, Refused
from ...testing.process import Output
from .voice import Said

CONTEXT = 32_000
"""Tokens that a program is held to take; what is behind it is not known."""
GRACE = 2.0
"""Seconds in which the last of its output comes through, once all of it has ended."""
MOST_OUTPUT = 1_000_000
"""Bytes of output after which it is ended."""
_ROLES = {"system": "", "user": "", "assistant": "You answered before:\n"}


@dataclass(frozen=True, slots=True)
class CommandVoice:
    """See the module. The time limit is whoever's who waits: cancelled, it is killed."""

    command: str
    """As one would type it; no shell reads it."""
    started: Callable[[int], None] = lambda pid: None
    """Told the id of each process, which leads a group."""
    context_tokens: int = CONTEXT

    async def say(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        schema: Mapping[str, Any] | None = None,
    ) -> Said:
        """See Voice. The form of the answer stands in the prompt."""
        prompt = "\n\n".join(f"{_ROLES[one.role]}{one.content}" for one in messages)
        folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="hermes-juror-"))
        try:
            text = await self._run(self._words(), prompt, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if not text.strip():
            raise Garbage(f"`{self.command}` printed nothing.", hint="Try it by hand.")
        return Said(text, estimate_tokens(prompt), estimate_tokens(text))

    async def absent(self) -> str:
        """See Voice."""
        try:
            self._words()
        except ModelError as error:
            return error.message
        return ""

    def _words(self) -> list[str]:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise Missing(f"`{self.command}` is no command: {error}.") from error
        if not words or shutil.which(os.path.expanduser(words[0])) is None:
            name = words[0] if words else "nothing"
            raise Missing(
                f"there is no program {name}.", hint="Install it, or change council.jurors."
            )
        return [os.path.expanduser(words[0]), *words[1:]]

    async def _run(self, words: Sequence[str], prompt: str, folder: Path) -> str:
        output, complaint = Output(MOST_OUTPUT), Output(MOST_OUTPUT)
        process = await self._start(words, folder, output, complaint)
        assert process.stdin is not None
        writing = asyncio.create_task(_write(process.stdin, prompt))
        leader = asyncio.create_task(process.wait())
        try:
            # What a program leaves running may hold its output open: its own end is enough.
            waiting: set[asyncio.Future[Any]] = {leader, output.flooded}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # The leader may be gone and its children not: the group is what is ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            writing.cancel()
            ending: set[asyncio.Future[Any]] = {leader, writing}
            await asyncio.wait(ending)
            await asyncio.wait({output.ended, complaint.ended}, timeout=GRACE)
            output.stop()
            complaint.stop()
        if output.flooded.done():
            raise Refused(f"`{self.command}` printed more than {MOST_OUTPUT:,} bytes.")
        if process.returncode:
            why = " ".join(complaint.text().split())[-200:]
            said = f": {why}" if why else ""
            raise Refused(f"`{self.command}` ended with {process.returncode}{said}.")
        return output.text()

    async def _start(
        self, words: Sequence[str], folder: Path, output: Output, complaint: Output
    ) -> asyncio.subprocess.Process:
        reading, writing = os.pipe()
        reading_too, writing_too = os.pipe()
        output.follow(reading)
        complaint.follow(reading_too)
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                cwd=folder,
                stdin=asyncio.subprocess.PIPE,
                stdout=writing,
                stderr=writing_too,
                start_new_session=True,
            )
        except OSError as error:
            output.stop()
            complaint.stop()
            raise Missing(f"`{words[0]}` can't be started: {error.strerror}.") from error
        finally:
            os.close(writing)
            os.close(writing_too)
        self.started(process.pid)
        return process


async def _write(stdin: asyncio.StreamWriter, text: str) -> None:
    """Hand the prompt over; a program that does not want all of it may still answer."""
    with suppress(ConnectionError):
        stdin.write(text.encode("utf-8", "replace"))
        await stdin.drain()
        stdin.close()
        await stdin.wait_closed()
