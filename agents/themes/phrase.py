"""A theme's title by a model: it may stand only if every name, number and word of it is among what
the theme says, else the rule's own title does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from ..brief.columns import harmless
from ..brief.grounded import foreign
from ..commits.grounding import gives_orders
from ..models.protocol import ChatModel, Message, ModelError
from .prompt import (
    ANSWER_TOKENS,
    LONGEST,
    SCHEMA,
    SHORTEST,
    VERSION,
    facts_of,
    messages_for,
    read_answer,
    repair_for,
)
from .records import Page, Theme, Wording


@dataclass(frozen=True, slots=True)
class Phrased:
    """What came of asking a model for a title."""

    wording: Wording | None = None
    """None where the rule's own title stands."""
    problems: tuple[str, ...] = ()
    calls: int = 0
    failure: str = ""
    """Why the model could not be asked, in a line."""


def facts_digest(theme: Theme) -> str:
    """Return what a title was made from, as 32 hexadecimal digits: of other facts, or by another
    prompt, it does not hold."""
    text = "\n".join([VERSION, *facts_of(theme)])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


async def phrase(model: ChatModel, theme: Theme) -> Phrased:
    """Have a model title a theme, and once more if that may not stand. Preempted passes through; a
    ModelError becomes ``failure``."""
    if any(gives_orders(fact) for fact in facts_of(theme)):
        return Phrased(problems=("what it says gives orders",))
    messages = messages_for(theme)
    wrong: list[str] = []
    for calls in (1, 2):
        try:
            answer = await _ask(model, messages)
        except ModelError as error:
            return Phrased(None, tuple(wrong), calls, error.message)
        title = read_answer(answer)
        found = (
            ["it is not the JSON that was asked for"] if title is None else problems(title, theme)
        )
        if title is not None and not found:
            return Phrased(Wording(facts_digest(theme), title, model.name), tuple(wrong), calls)
        wrong += found
        messages = [*messages, *repair_for(answer, found)]
    return Phrased(None, tuple(wrong), 2)


def problems(title: str, theme: Theme) -> list[str]:
    """Return what is wrong with a title, each in a few words; empty: it may stand."""
    if title != harmless(title) or any(mark in title for mark in ("`", "**", "http", "\n")):
        return ["it is not one line of plain text"]
    if not SHORTEST <= len(title) <= LONGEST:
        return [f"it has {len(title)} characters"]
    if gives_orders(title):
        return ["it gives orders"]
    if theme.title.endswith("(taken back)") and "back" not in title:
        return ["it does not say that the work was taken back"]
    return foreign(title, "\n".join(facts_of(theme)))


def with_wordings(page: Page, wordings: Iterable[Wording]) -> Page:
    """Return a page with the titles that hold for what its themes say now."""
    titles = {wording.digest: wording.title for wording in wordings}
    return replace(
        page,
        themes=tuple(
            replace(theme, title=titles.get(facts_digest(theme), theme.title))
            for theme in page.themes
        ),
    )


async def _ask(model: ChatModel, messages: Sequence[Message]) -> str:
    pieces: list[str] = []
    stream = model.stream(messages, max_tokens=ANSWER_TOKENS, schema=SCHEMA)
    async with aclosing(stream) as deltas:
        async for delta in deltas:
            pieces.append(delta.text)
    return "".join(pieces)
