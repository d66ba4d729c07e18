"""A brief as lines: for terminals of any width, for chat, for reading aloud."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, tzinfo

from .columns import as_ascii, cut, harmless, width_of, wrap
from .records import Brief, Fact, Reference, Section

NARROWEST = 30
LABELS = {
    Section.FINISHED: "Done",
    Section.HALF_DONE: "Open",
    Section.OVERNIGHT: "New",
    Section.HERMES: "hermes",
    Section.FIRST_MOVE: "Start",
}
_MARGIN = 7
_MOST_REFERENCES = 3
_WIDE = 60
"""From so many columns on a fact takes at most two lines; below three. Where there is room for all,
one more."""
_DANGLING = re.compile(r"(?:[ ,]+(?:and|or|in|of|by|to|on|with|for|the|a|an|that|which|its))+$")
"""Words that nothing may be cut behind."""
_WHOLE = 12
"""Lines that a fact may take for whoever asks for all."""
_BOLD, _DIM, _CYAN, _YELLOW, _END = "\x1b[1m", "\x1b[2m", "\x1b[36m", "\x1b[33m", "\x1b[0m"


def shown(reference: Reference) -> str:
    """Return a reference in its one form: ``[3f2a9c1]``, ``(#482)``, ``shop/cart.py``."""
    text = harmless(reference.text)
    match reference.kind:
        case "commit":
            return f"[{text}]"
        case "ticket" | "pull":
            return f"({text})"
        case _:
            return text


def references_of(fact: Fact, said: str) -> list[str]:
    """Return the references of a fact that its sentence does not name already, in their forms."""
    found: list[str] = []
    for reference in fact.references:
        form = shown(reference)
        if form not in found and not _names(said, reference.text):
            found.append(form)
    return found[:_MOST_REFERENCES]


def _names(said: str, name: str) -> bool:
    return re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/])", said) is not None


def sentence_of(brief: Brief, fact: Fact) -> str:
    """Return a fact as it is told: as a model put it, else by rule."""
    return harmless(brief.sentences.get(fact.key, fact.text))


def fact_lines(fact: Fact, said: str, width: int, most: int = 0) -> list[str]:
    """Return the lines of a fact, without number and head: at most ``most``, or as many as is usual
    at this width. The last references give way first, then the end of the sentence."""
    room = max(width, NARROWEST) - _MARGIN - 3
    most = most or usual_lines(width)
    forms = references_of(fact, said)
    for number in range(len(forms), 0, -1):
        lines = wrap(" ".join([said, *forms[:number]]), room)
        if len(lines) <= most:
            return lines
    tail = cut(forms[0], room) if forms else ""
    left = min(width_of(said), most * room - width_of(tail) + 4)
    lines = wrap(f"{said} {tail}", room)
    while len(lines) > most and left > 8:
        lines = wrap(f"{shortened(said, left)} {tail}", room)
        left -= 3
    return lines[:most]


def shortened(said: str, width: int) -> str:
    """Return the beginning of a sentence, in at most so many columns, cut between words; a quotation
    that was opened is closed, and one without words is left out."""
    if width_of(said) <= width:
        return said
    head = cut(said, width - 1, "").rstrip(" :;,.-–(“")
    if not said.startswith(f"{head} "):
        head = head.rpartition(" ")[0] or head
    head = _DANGLING.sub("", head.rstrip(" :;,.-–(“"))
    return head + ("…”" if head.count("“") > head.count("”") else "…")


def usual_lines(width: int) -> int:
    """Return how many lines a fact may take at a width."""
    return 2 if width >= _WIDE else 3


def cost(width: int, sentences: dict[str, str] | None = None) -> Cost:
    """Return what says how many lines a fact takes at a width."""
    return Cost(width, sentences or {})


class Cost:
    """Says how many lines a fact takes."""

    def __init__(self, width: int, sentences: dict[str, str]) -> None:
        self._width = width
        self._sentences = sentences

    def __call__(self, fact: Fact) -> int:
        """Return the number of lines."""
        said = harmless(self._sentences.get(fact.key, fact.text))
        return len(fact_lines(fact, said, self._width))


def numbered(brief: Brief) -> list[tuple[int, Fact]]:
    """Return every fact with its number: what is told, then the rest."""
    return list(enumerate([*brief.facts, *brief.rest], start=1))


def lines_of(
    brief: Brief,
    width: int,
    *,
    most: int = 0,
    whole: bool = False,
    ascii_only: bool = False,
    colours: bool = False,
    zone: tzinfo | None = None,
) -> list[str]:
    """Return a brief as the lines of a terminal of ``width`` columns, at most ``most`` of them (0:
    any number). ``whole``: with what found no room, and details."""
    width = max(width, NARROWEST)
    numbers = {fact.key: number for number, fact in numbered(brief)}
    facts, more = list(brief.facts), brief.more
    if whole:
        facts, more = sorted([*facts, *brief.rest], key=_section), 0
    last: list[str] = []
    if brief.unreadable:
        last.append(cut(f"Not read: {'; '.join(map(harmless, brief.unreadable))}", width))
    if most and not whole:
        facts = fitting(brief, width, most)
        more += len(brief.facts) - len(facts)
    if more:
        last.append(cut(f"{more} more: hermes brief --all", width))
    paint = _Paint(colours)
    room = 0 if whole or not most else most - 1 - len(last)
    limits = _limits(brief, facts, width, room)
    body = [
        line
        for fact in _with_heads(facts)
        for line in _of_fact(brief, fact, numbers, width, paint, limits, whole=whole)
    ]
    lines = [_header(brief, width, zone, paint), *body, *(paint.dim(line) for line in last)]
    return [as_ascii(line) for line in lines] if ascii_only else lines


def fitting(brief: Brief, width: int, most: int) -> list[Fact]:
    """Return the facts of a brief that find room on ``most`` lines of a terminal's width."""
    from .choose import within

    room = most - 1 - bool(brief.unreadable) - 1
    return within(brief.facts, room, cost(max(width, NARROWEST), brief.sentences))[0]


def _limits(brief: Brief, facts: Sequence[Fact], width: int, room: int) -> dict[str, int]:
    """Return how many lines each fact may take: the usual number, and one more, as long as there is
    room, for the heaviest of those that would be cut. ``room`` of 0: as many as they need."""
    usual = usual_lines(width)
    if not room:
        return {fact.key: _WHOLE for fact in facts}
    taken = {f.key: len(fact_lines(f, sentence_of(brief, f), width, usual)) for f in facts}
    left = room - sum(taken.values())
    limits = dict.fromkeys(taken, usual)
    for fact in sorted(facts, key=lambda each: -each.weight):
        longer = len(fact_lines(fact, sentence_of(brief, fact), width, usual + 1))
        if longer > taken[fact.key] and left > 0:
            limits[fact.key] += 1
            left -= 1
    return limits


def _section(fact: Fact) -> int:
    return list(Section).index(fact.section)


def _with_heads(facts: Sequence[Fact]) -> Iterator[tuple[str, Fact]]:
    before: Section | None = None
    for fact in facts:
        yield ("" if fact.section is before else LABELS[fact.section]), fact
        before = fact.section


class _Paint:
    """Colours, or none."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def _in(self, style: str, text: str) -> str:
        return f"{style}{text}{_END}" if self._on and text.strip() else text

    def bold(self, text: str) -> str:
        return self._in(_BOLD, text)

    def dim(self, text: str) -> str:
        return self._in(_DIM, text)

    def head(self, text: str) -> str:
        return self._in(_CYAN, text)

    def marked(self, line: str, forms: Sequence[str]) -> str:
        """Colour the references that stand whole on a line."""
        if not self._on or not forms:
            return line
        order = sorted(forms, key=len, reverse=True)
        either = "|".join(re.escape(form) for form in order)
        return re.sub(
            rf"(?<!\S)(?:{either})(?!\S)", lambda found: f"{_YELLOW}{found[0]}{_END}", line
        )


def _of_fact(
    brief: Brief,
    item: tuple[str, Fact],
    numbers: dict[str, int],
    width: int,
    paint: _Paint,
    limits: dict[str, int],
    *,
    whole: bool,
) -> Iterator[str]:
    head, fact = item
    said = sentence_of(brief, fact)
    forms = references_of(fact, said)
    number = f"{numbers[fact.key]:>2} "
    margin = " " * (_MARGIN + 3)
    for place, line in enumerate(fact_lines(fact, said, width, limits[fact.key])):
        text = paint.marked(line, forms)
        if place:
            yield margin + text
        else:
            yield f"{paint.head(head.ljust(_MARGIN))}{paint.dim(number)}{text}"
    for detail in fact.details if whole else ():
        for line in wrap(f"- {harmless(detail)}", width - len(margin)):
            yield margin + paint.dim(line)


def _header(brief: Brief, width: int, zone: tzinfo | None, paint: _Paint) -> str:
    """Return the first line: the day, since when, and how fresh it is."""
    words = harmless(brief.words)
    stamp = stamp_of(brief, zone)
    for day in (long_day(brief.day), short_day(brief.day)):
        left = f"{day}, {words}" if words else day
        gap = width - width_of(left) - width_of(stamp)
        if gap >= 2:
            return paint.bold(left) + " " * gap + paint.dim(stamp)
    return paint.bold(cut(f"{short_day(brief.day)} {stamp.removeprefix('made ')}, {words}", width))


def stamp_of(brief: Brief, zone: tzinfo | None = None) -> str:
    """Return when a brief was made: ``made 08:31``, with the day if it was another."""
    made = datetime.fromtimestamp(brief.made, zone)
    clock = made.strftime("%H:%M")
    return f"made {clock}" if made.date() == brief.day else f"made {short_day(made.date())} {clock}"


def long_day(day: date) -> str:
    """Return ``Tuesday 1 December``."""
    return f"{day.strftime('%A')} {day.day} {day.strftime('%B')}"


def short_day(day: date) -> str:
    """Return ``Tue 1 Dec``."""
    return f"{day.strftime('%a')} {day.day} {day.strftime('%b')}"


# For chat.


def markdown_of(brief: Brief, *, whole: bool = False, zone: tzinfo | None = None) -> list[str]:
    """Return a brief as Markdown, to be pasted: plain references, no numbers."""
    words = f", {harmless(brief.words)}" if brief.words else ""
    lines = [f"**{long_day(brief.day)}**{_escaped(words)} ({stamp_of(brief, zone)})"]
    facts = sorted([*brief.facts, *brief.rest], key=_section) if whole else list(brief.facts)
    for head, fact in _with_heads(facts):
        if head:
            lines += ["", f"**{_TITLES[fact.section]}**", ""]
        said = sentence_of(brief, fact)
        forms = [_in_markdown(form) for form in references_of(fact, said)]
        lines.append(" ".join([f"- {_escaped(said)}", *forms]))
        lines += [f"  - {_escaped(harmless(detail))}" for detail in fact.details if whole]
    if brief.unreadable:
        lines += ["", f"Not read: {_escaped('; '.join(map(harmless, brief.unreadable)))}"]
    return lines


_TITLES = {
    Section.FINISHED: "Done",
    Section.HALF_DONE: "Open",
    Section.OVERNIGHT: "New",
    Section.HERMES: "From hermes",
    Section.FIRST_MOVE: "First",
}


def _escaped(text: str) -> str:
    """Take the meaning out of what Markdown and chats would read as more than text."""
    text = re.sub(r"([\\`*\[\]<>|~])", r"\\\1", text)
    text = re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)
    return re.sub(r"(?<!\w)@(?=\w)", "@\u2060", text)  # nobody is called by a commit's subject


def _in_markdown(form: str) -> str:
    if form.startswith("("):
        return form
    return f"`{form.strip('[]').replace('`', chr(39))}`"


# For reading aloud.

_INTRODUCED = {
    Section.FINISHED: "You finished.",
    Section.HALF_DONE: "Still open.",
    Section.OVERNIGHT: "New.",
    Section.HERMES: "From hermes.",
    Section.FIRST_MOVE: "To begin with.",
}
_SHA = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")


def spoken_of(brief: Brief, *, whole: bool = False) -> list[str]:
    """Return a brief as sentences to be read aloud: no symbols, no shas."""
    lines = [spoken(f"{long_day(brief.day)}, {brief.words}.")]
    facts = sorted([*brief.facts, *brief.rest], key=_section) if whole else list(brief.facts)
    for head, fact in _with_heads(facts):
        if head:
            lines.append(_INTRODUCED[fact.section])
        said = sentence_of(brief, fact)
        named = [
            each.text
            for each in fact.references
            if each.kind in ("ticket", "pull") and not _names(said, each.text)
        ]
        tail = f", see {' and '.join(named[:2])}" if named else ""
        lines.append(_ended(spoken(said.rstrip(".") + tail)))
    if brief.more and not whole:
        lines.append(f"There {'is' if brief.more == 1 else 'are'} {brief.more} more.")
    for each in brief.unreadable:
        lines.append(_ended(spoken(f"This could not be read: {each}")))
    return lines


def spoken(text: str) -> str:
    """Return text without what is not said: brackets, slashes, shas."""
    text = _SHA.sub(" ", harmless(text))
    text = re.sub(r"\S*/(\S+)", r"\1", text)  # of a path its last name
    text = re.sub(r"#(\d+)", r"number \1", text)
    text = re.sub(r"(\w)\.(?=\w)", r"\1 dot ", text)
    text = re.sub(r"\+(?=\d)", "plus ", text).replace("&", " and ").replace("%", " percent")
    text = re.sub(r"[^\w\s.,:;?!']|_", " ", text)
    return re.sub(r"\s+([.,:;?!])", r"\1", " ".join(text.split()))


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text + "."
