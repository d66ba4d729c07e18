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
from .voice import Said

CONTEXT = 32_000
"""Tokens that a program is held to take; what is behind it is not known."""
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
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                cwd=folder,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise Missing(f"`{words[0]}` can't be started: {error.strerror}.") from error
        self.started(process.pid)
        assert (
            process.stdin is not None and process.stdout is not None and process.stderr is not None
        )
        writing = asyncio.create_task(_write(process.stdin, prompt))
        complaint = asyncio.create_task(_read(process.stderr))
        try:
            output = await _read(process.stdout)
            if len(output) > MOST_OUTPUT:
                raise Refused(f"`{self.command}` printed more than {MOST_OUTPUT:,} bytes.")
            code = await process.wait()
            said = (await complaint).decode("utf-8", "replace")
        finally:
            writing.cancel()
            complaint.cancel()
            # The leader may be gone and its children not: the group is what is ended.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if code:
            why = " ".join(said.split())[-200:]
            raise Refused(f"`{self.command}` ended with {code}{f': {why}' if why else ''}.")
        return output.decode("utf-8", "replace")


async def _write(stdin: asyncio.StreamWriter, text: str) -> None:
    """Hand the prompt over; a program that does not want all of it may still answer."""
    with suppress(ConnectionError):
        stdin.write(text.encode("utf-8", "replace"))
        await stdin.drain()
        stdin.close()
        await stdin.wait_closed()


async def _read(stream: asyncio.StreamReader) -> bytes:
    """Return what comes until its end, or until it is too much."""
    kept = bytearray()
    while len(kept) <= MOST_OUTPUT and (piece := await stream.read(65_536)):
        kept += piece
    return bytes(kept)
