"""A brief put into words, and order, by a model: each sentence checked against its fact, those that
fail asked for once more, and the rule's own words for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from ..commits.grounding import gives_orders
from ..models.protocol import ChatModel, Message, ModelError
from .choose import STILL_OPEN
from .grounded import problems
from .prompt import TOKENS_A_LINE, messages_for, read_answer, repair_for, schema_for
from .records import Brief, Fact, Section


@dataclass(frozen=True, slots=True)
class Phrased:
    """What came of asking a model."""

    sentences: dict[str, str] = field(default_factory=dict[str, str])
    """By a fact's key: what may stand."""
    order: tuple[Fact, ...] = ()
    """The facts as the model ordered them inside their sections; empty if it did not."""
    asked: int = 0
    """Facts that it was shown."""
    first: int = 0
    """Sentences that passed without a repair."""
    problems: tuple[str, ...] = ()
    calls: int = 0
    failure: str = ""
    """Why the model could not be asked, in a line."""


async def phrase(model: ChatModel, brief: Brief) -> Phrased:
    """Have a model word a brief. Preempted passes through; a ModelError becomes ``failure``."""
    facts = {
        number: fact
        for number, fact in enumerate(brief.facts, start=1)
        if fact.key != STILL_OPEN and not gives_orders(fact.text)
    }
    if not facts:
        return Phrased()
    sentences: dict[int, str] = {}
    order: list[int] = []
    said: list[str] = []
    first = 0
    messages = messages_for(facts)
    open_ = dict(facts)
    for calls in (1, 2):
        try:
            answer = await _ask(model, messages, list(open_))
        except ModelError as error:
            return _phrased(brief, facts, sentences, order, first, said, calls, error.message)
        lines = read_answer(answer)
        wrong = _check(lines, open_, sentences)
        if calls == 1:
            order = [number for number, _ in lines or () if number in facts]
            first = len(sentences)
        said += [f"{number}: {'; '.join(why)}" for number, why in wrong.items()]
        if not wrong:
            break
        open_ = {number: open_[number] for number in wrong}
        messages = [*messages, *repair_for(answer, wrong)]
    return _phrased(brief, facts, sentences, order, first, said, calls, "")


def _check(
    lines: Sequence[tuple[int, str]] | None, facts: Mapping[int, Fact], sentences: dict[int, str]
) -> dict[int, list[str]]:
    """Put what may stand into ``sentences``; return what is wrong with the others."""
    wrong: dict[int, list[str]] = {}
    if lines is None:
        return {number: ["the answer is not the JSON that was asked for"] for number in facts}
    answers: dict[int, str] = {}
    for number, text in lines:
        answers.setdefault(number, " ".join(text.split()))
    for number, fact in facts.items():
        said = answers.get(number, "")
        found = problems(said, fact) if said else ["it is missing"]
        if found:
            wrong[number] = found
        else:
            sentences[number] = said
    return wrong


def _phrased(
    brief: Brief,
    facts: Mapping[int, Fact],
    sentences: Mapping[int, str],
    order: Sequence[int],
    first: int,
    said: Sequence[str],
    calls: int,
    failure: str,
) -> Phrased:
    return Phrased(
        {facts[number].key: text for number, text in sentences.items()},
        _ordered(brief, list(dict.fromkeys(order))) if sentences else (),
        len(facts),
        first,
        tuple(said),
        calls,
        failure,
    )


def _ordered(brief: Brief, order: Sequence[int]) -> tuple[Fact, ...]:
    """Return the facts by section, inside of each as the model has them; what it left out, and the
    one line for what is still open, come last."""
    places = {number: place for place, number in enumerate(order)}
    last = len(places)
    sections = list(Section)
    numbered = enumerate(brief.facts, start=1)
    found = sorted(
        numbered,
        key=lambda item: (sections.index(item[1].section), places.get(item[0], last), item[0]),
    )
    return tuple(fact for _, fact in found)


async def _ask(model: ChatModel, messages: Sequence[Message], numbers: Sequence[int]) -> str:
    pieces: list[str] = []
    stream = model.stream(
        messages, max_tokens=80 + TOKENS_A_LINE * len(numbers), schema=schema_for(numbers)
    )
    async with aclosing(stream) as deltas:
        async for delta in deltas:
            pieces.append(delta.text)
    return "".join(pieces)
