"""Fixes by a model, for what no rule can put right. It is shown the sentences that are wrong and
what is known of the change, and writes those lines anew; what it writes is checked, asked for once
more if need be, and left out if it can't stand."""

from __future__ import annotations

import asyncio
import logging
import re
import textwrap
from collections.abc import Callable
from contextlib import aclosing

from ...ingest.git.command import DIFF_OPTIONS, Git
from ...ingest.git.errors import GitError
from ...ingest.redaction import redact
from ..models.protocol import ChatModel, Message, ModelError
from .checks import problems
from .documents import read
from .edits import lines_of
from .fix import Wrong
from .prompt import MAX_SHOWN, SCHEMA, Told, messages_for, read_answer, repair_for
from .proposing import section_of
from .records import Fix, Thing, Tier
from .wording import complaints

MOST_ASKED = 5
"""Fixes that a model is asked for in one run."""
SECONDS = 90.0
"""That a fix may take, with its repair."""
MOST_LINES = 12
TOO_LARGE = 200_000
"""Bytes of a diff that is not looked through."""

_ASKABLE = frozenset(
    {Thing.FLAG, Thing.VARIABLE, Thing.SETTING, Thing.COMMAND, Thing.SYMBOL, Thing.PATH}
    | {Thing.SIGNATURE, Thing.DEFAULT}
)
_BREAK = re.compile(r"^\s*(?:$|[-*+]\s|\d+[.)]\s|#{1,6}\s|\||>|```|~~~|\.\. |[=\-~^]{3,}\s*$)")

logger = logging.getLogger(__name__)


class Phrasing:
    """Asks a model for the fixes of one run. Without a model there are none."""

    def __init__(self, git: Git, model: ChatModel | None, exists: Callable[[str], bool]) -> None:
        self._git = git
        self._model = model
        self._exists = exists
        self._asked = 0

    async def fix(self, wrong: Wrong, text: str) -> Fix | None:
        """Given what is wrong in a document and its text, return a fix; None where there is none
        that can stand. Raise Preempted as the model does."""
        model = self._model
        if model is None or self._asked >= MOST_ASKED or not _is_askable(wrong):
            return None
        lines = lines_of(text)
        span = sentence_around(lines, wrong.lines)
        if span is None:
            return None
        old = _joined(lines, span)
        if len(old) > MAX_SHOWN or redact(old)[1]:
            return None
        if self._asked == 0 and not (await model.ready()).ready:
            self._model = None  # not there: no use in asking for each of them
            return None
        self._asked += 1
        told = await asyncio.to_thread(self._told, wrong, text, old)
        try:
            async with asyncio.timeout(SECONDS):
                return await self._phrased(model, wrong, text, span, told)
        except TimeoutError:
            logger.info("%s took longer than %g s for a document", model.name, SECONDS)
        except ModelError as error:
            logger.info("%s could not phrase a document: %s", model.name, error.message)
            self._model = None
        return None

    async def _phrased(
        self, model: ChatModel, wrong: Wrong, text: str, span: range, told: Told
    ) -> Fix | None:
        messages = messages_for(told)
        for attempt in range(2):
            said = await _say(model, messages, len(told.lines))
            made = read_answer(said)
            after, wrongs = (
                (None, ["the answer has no text"])
                if made is None
                else await asyncio.to_thread(self._checked, wrong, text, span, told, made)
            )
            if after is not None and not wrongs:
                note = f"{told.reason}: said anew"
                return Fix(wrong.first.document, text, after, model.name, note)
            logger.debug("a document, attempt %d: %s", attempt + 1, "; ".join(wrongs))
            messages = [*messages, *repair_for(said, wrongs)]
        return None

    def _checked(
        self, wrong: Wrong, text: str, span: range, told: Told, made: str
    ) -> tuple[str | None, list[str]]:
        """Return the text with what a model wrote in it, and what speaks against that."""
        first, old = wrong.first, told.lines
        new = rewrapped(old, made.replace("\r\n", "\n").rstrip("\n"))
        facts = "\n".join((told.reason, told.message, told.diff, first.replacement or ""))
        found = complaints(
            old,
            new,
            facts,
            name=first.name,
            thing=first.thing,
            tier=first.tier,
            replacement=first.replacement,
        )
        if found:
            return None, found
        lines = lines_of(text)
        end = "\r\n" if lines[span.start].endswith("\r\n") else "\n"
        last = lines[span.stop - 1]
        tail = last[len(last.rstrip("\r\n")) :]
        after = "".join([*lines[: span.start], new.replace("\n", end) + tail, *lines[span.stop :]])
        allowed = range(span.start + 1, span.stop + 1)
        return after, problems(
            first.document,
            text,
            after,
            lines=allowed,
            name=first.name,
            read=read,
            exists=self._exists,
        )

    def _told(self, wrong: Wrong, text: str, old: str) -> Told:
        first = wrong.first
        message = diff = ""
        if first.commit is not None:
            try:
                message = redact(message_of(self._git, first.commit))[0]
                diff = redact(changed_lines(self._git, first.commit, first.name))[0]
            except GitError as error:
                logger.info("%s can't be shown: %s", first.commit, error.message)
        return Told(
            first.document,
            redact(section_of(text, first.line))[0],
            redact(first.reason)[0],
            old,
            message,
            diff,
        )


def _is_askable(wrong: Wrong) -> bool:
    first = wrong.first
    return first.line > 0 and first.thing in _ASKABLE and first.tier is not Tier.POSSIBLE


async def _say(model: ChatModel, messages: list[Message], length: int) -> str:
    pieces: list[str] = []
    stream = model.stream(messages, max_tokens=100 + length, schema=SCHEMA)
    async with aclosing(stream) as deltas:
        async for delta in deltas:
            pieces.append(delta.text)
    return "".join(pieces)


def _joined(lines: list[str], span: range) -> str:
    return "".join(lines[span.start : span.stop]).replace("\r\n", "\n").rstrip("\n")


def sentence_around(lines: list[str], wrong: frozenset[int]) -> range | None:
    """Given a document's lines and those that are wrong (from 1), return the indexes of the lines
    that hold their sentences; None where they are not near each other."""
    first, last = min(wrong) - 1, max(wrong) - 1
    if first < 0 or last >= len(lines) or last - first >= MOST_LINES:
        return None
    if any(not line.strip() for line in lines[first : last + 1]):
        return None  # of several paragraphs
    if _inside_fence(lines, first):
        return range(first, last + 1)
    while first > 0 and last - first < MOST_LINES and _goes_on(lines[first - 1], lines[first]):
        first -= 1
    while (
        last + 1 < len(lines)
        and last - first < MOST_LINES
        and _goes_on(lines[last], lines[last + 1])
    ):
        last += 1
    return range(first, last + 1)


def _goes_on(line: str, following: str) -> bool:
    """Say whether a sentence may go on from a line to the next."""
    if _BREAK.match(following) or not line.strip() or line.lstrip().startswith(("|", "#", "```")):
        return False
    return not line.rstrip().endswith((".", "!", "?", ":", '"""'))


def _inside_fence(lines: list[str], index: int) -> bool:
    marks = sum(line.lstrip().startswith(("```", "~~~")) for line in lines[:index])
    return marks % 2 == 1


def rewrapped(old: str, new: str) -> str:
    """Return lines that a model ran together broken as the old ones are."""
    width = max(len(line) for line in old.split("\n"))
    lines = new.split("\n")
    if "\n" not in old or all(len(line) <= width + 8 for line in lines):
        return new
    second = old.split("\n")[1]
    indent = second[: len(second) - len(second.lstrip())]
    return "\n".join(
        part
        for line in lines
        for part in textwrap.wrap(
            line,
            max(width, 40),
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def message_of(git: Git, sha: str) -> str:
    """Return a commit's message. Raise a GitError."""
    said = git.run("show", "-s", "--no-show-signature", "--format=%B", sha, timeout=10.0)
    return said.decode("utf-8", "replace").strip()[:2_000]


def changed_lines(git: Git, sha: str, name: str) -> str:
    """Return the lines of a commit's diff that name a thing, with their sign. Raise a GitError."""
    base = name.removesuffix("()").rpartition(".")[2].lstrip("-")
    told = git.run(
        *("diff-tree", "-r", "-p", "--root", "--no-commit-id", "-M", *DIFF_OPTIONS, "-U0"),
        *((f"-G{base}",) if re.fullmatch(r"[\w-]+", base) else ()),
        sha,
        timeout=10.0,
    )[:TOO_LARGE]
    found = [
        line[:200]
        for line in told.decode("utf-8", "replace").split("\n")
        if base in line and line.startswith(("+", "-")) and not line.startswith(("+++", "---"))
    ]
    return "\n".join(found[:12])
