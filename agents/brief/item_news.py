"""What came in on one item since the person last worked, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from ...ingest.sources.transcript import Turn
from .item_done import GIVEN_UP
from .reading import Reading, asks, file_of, people_of, references, words_of
from .records import Fact, Section
from .wording import MOST, counted, cut, listed, with_title

_TELLING = 120
"""Characters of what somebody said, among the details."""
_DETAILS = 20
_LITTLE = 4
"""Words below which an answer says little: ``thanks``, ``yes, agreed``."""
_SAME = 40
"""Characters of a discussion's title by which its first message is known."""


def news_of(one: Reading) -> Fact | None:
    """Return what is new of an item for the person; None where nothing is, or nothing is theirs."""
    if one.is_pull and one.written:
        return _mine(one)
    said = one.fresh
    called = one.calling(said)
    answers = [each for each in said if each in one.turns]
    heads = _handed(one)
    if called:
        asked = asks(called)
        topic, weight = ("question", 1.7) if asked else ("mention", 1.4)
        what = f"{listed(people_of(called), 2)} {'asks you' if asked else 'mentioned you'} in"
        if asked and len(people_of(called)) > 1:
            what = f"{listed(people_of(called), 2)} ask you in"
        heads.append((topic, weight, f"{what} {one.name}", f"answer {_who(called)} in {one.name}"))
    elif answers and (one.answered or one.held):
        verb = "commented on" if one.item.key else "answered in"
        weight = 1.1 if any(len(words_of(each).split()) >= _LITTLE for each in answers) else 0.6
        heads.append(("answer", weight, f"{listed(people_of(answers), 2)} {verb} {one.name}", ""))
    if not heads:
        return None
    topic, weight, text, move = heads[0]
    if len(heads) > 1:
        text = f"{text}; {heads[1][2].replace(f' {one.name}', ' it')}"
        weight = max(weight, heads[1][1])
    told = called or (answers if heads[-1][0] == "answer" else [])
    words = words_of(told[-1]) if told else ""
    if words and not words.startswith(one.item.title.partition(": ")[2][:_SAME] or "\0"):
        text = with_title(text, words)
    return _fact(one, topic, text, weight, told, move if one.item.closed is None else "")


def _handed(one: Reading) -> list[tuple[str, float, str, str]]:
    """Return topic, weight, sentence and move for what was asked of, or given to, the person, and
    where what they hold was moved to."""
    found: list[tuple[str, float, str, str]] = []
    asked = one.asked()
    if asked is not None and one.new(asked.at):
        who = one.item.author or "somebody"
        text = f"{who} asks for your review of {one.name}"
        found.append(("asked", 1.7, text, f"review {one.name}: {who} waits for it"))
    if one.is_pull or not one.held:
        return found
    # A table tells no history: what was opened meanwhile for the person was given to them.
    begun = one.new(one.item.time) and not one.written
    given = [change for change in one.item.changes if change.field == "assignee"]
    told = given[-1].at if given else one.item.time if begun else None
    is_given = told is not None and one.new(told) and not (one.written and told == one.item.time)
    if is_given and one.item.closed is None:
        move = f"look at {one.name}: it was assigned to you"
        found.append(("assigned", 1.6, f"{one.name} was assigned to you", move))
    moved = one.changes("state")
    closed = one.item.closed is not None
    if moved and not is_given and (not closed or GIVEN_UP.search(one.item.state)):
        states = [change.value for change in one.item.changes if change.field == "state"]
        before = states[-len(moved) - 1 : -len(moved)]
        way = f"from {before[0]} to {moved[-1].value}" if before else f"to {moved[-1].value}"
        found.append(("closed" if closed else "moved", 1.0, f"{one.name} was moved {way}", ""))
    return found


def _mine(one: Reading) -> Fact | None:
    """Tell what came in on the person's own pull request: verdicts, comments, checks, its end."""
    said = one.fresh
    verdicts = {who: what for who, (what, at) in one.verdicts().items() if one.new(at)}
    changes = [who for who, what in verdicts.items() if what == "changes requested"]
    approved = [who for who, what in verdicts.items() if what == "approved"]
    failed = one.failed if any(one.new(change.at) for change in one.changes("checks")) else ""
    ended = one.changes("state") if one.item.closed is not None else []
    if not (said or verdicts or failed or ended):
        return None
    comments = counted(len(said), "comment")
    file = file_of(said)
    first = f", first in {file}" if file and len(said) > 1 else f" in {file}" if file else ""
    parts: list[str] = []
    move = ""
    if ended:
        topic, weight, head = "merged", 1.0, f"your {one.name} was {ended[-1].value}"
        parts += [f"{listed(approved, 2)} approved it"] if approved else []
        parts += [f"{comments}{first}"] if said else []
    elif changes:
        who = listed(changes, 2)
        topic, weight, head = "review", 1.9, f"{who} asked for changes on your {one.name}"
        parts += [f"{listed(approved, 2)} approved"] if approved else []
        parts += [f"{comments}{first}"] if said else []
        about = f" in {file}" if file else ""
        move = f"answer {_possessive(changes[0])} review of {one.name}: changes requested{about}"
    elif approved and not asks(said):
        topic, weight, head = "approved", 1.5, f"{listed(approved, 2)} approved your {one.name}"
        parts += [f"{comments}{first}"] if said else []
        move = f"merge {one.name}: {listed(approved, 2)} approved it" if not one.failed else ""
    elif said:
        topic, weight = "review", 1.7 if asks(said) else 1.5
        head = f"{listed(people_of(said), 2)} left {comments} on your {one.name}"
        head += first if not first.startswith(" in ") else f",{first}"
        parts += [f"{listed(approved, 2)} approved"] if approved else []
        waits = f"{comments}{first}"
        move = f"answer {_who(said)} on {one.name}: {waits}"
    else:
        topic, weight, head = "checks", 1.6, f"checks of your {one.name} failed: {failed}"
        move = f"see why {failed} failed on {one.name}"
    parts += [f"checks failed: {failed}"] if failed and topic != "checks" else []
    text = "; ".join([head, *parts])
    if said:
        text = with_title(text, words_of(said[0]))
    return _fact(one, topic, text, weight, said, move, f"{verdicts} {failed} {one.item.state}")


def _who(said: Sequence[Turn]) -> str:
    return people_of(said)[-1]


def _possessive(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _fact(
    one: Reading,
    topic: str,
    text: str,
    weight: float,
    said: Sequence[Turn],
    move: str,
    state: str = "",
) -> Fact:
    last = max((each.at or 0 for each in said), default=0)
    return Fact(
        key=f"item:{one.item.ref}",
        section=Section.OVERNIGHT,
        text=cut(text, MOST),
        references=references(one, said),
        weight=weight,
        topic=topic,
        repo=one.item.repo or None,
        details=tuple(_detail(each) for each in said[:_DETAILS]),
        move=cut(move, MOST) if one.item.closed is None else "",
        state=f"{topic} {len(said)} {last} {state}".rstrip(),
    )


def _detail(each: Turn) -> str:
    where = f" ({each.where})" if each.where else ""
    return f"{each.who}{where}: {cut(words_of(each), _TELLING)}"
