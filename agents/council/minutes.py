"""Councils as memory keeps them: what was decided and why, to be found and cited like a discussion."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from ...ingest.items import take_in
from ...memory.council_records import SOURCE, Council
from ...memory.memory import Memory
from ...memory.records import Item, ItemKind
from ...memory.work import Work
from .codec import NotARecord, from_json
from .docket import Docket
from .records import Case, Verdict, Vote
from .report import Minutes, probability_words, state_words

AUTHOR = "council"
MOST_ASKED = 300


def minutes_of(work: Work, council: Council) -> Minutes | None:
    """Return all of a council that has a verdict; None if it has none. Raise NotARecord."""
    decided = work.councils.verdict(council.id)
    if decided is None:
        return None
    return Minutes(
        council,
        from_json(Docket, council.packet),
        from_json(Case, decided.case),
        from_json(Verdict, decided.verdict),
        tuple(work.councils.opinions(council.id)),
        work.lessons.outcome(council.id),
    )


def remember(
    memory: Memory, work: Work, should_stop: Callable[[], bool] = lambda: False
) -> dict[str, int]:
    """Put verdicts into memory that are not there yet, or whose outcome came since; return how many.
    Needs a memory that is open for writing."""
    items: list[Item] = []
    known = {item.ref: item for item in memory.index.items.find(sources=(SOURCE,))}
    damaged = 0
    for council in work.councils.find(limit=-1):
        try:
            minutes = minutes_of(work, council)
        except NotARecord:
            damaged += 1
            continue
        item = to_item(minutes) if minutes is not None else None
        if item is None:
            continue
        before = known.get(item.ref)
        # Two outcomes may be told within one second.
        if before is None or (before.changed, before.text) != (item.changed, item.text):
            items.append(item)
    report = take_in(memory, items, should_stop)
    return {"taken": report.news, "damaged": damaged}


def to_item(minutes: Minutes) -> Item:
    """Return a council as a discussion that can be found: the verdict first, then who said what."""
    council, verdict = minutes.council, minutes.verdict
    ended = int(council.ended or council.asked)
    # Told within the second of its end, it is a change all the same.
    changed = max(ended + 1, int(minutes.outcome.at)) if minutes.outcome is not None else ended
    return Item(
        source=SOURCE,
        ref=f"{SOURCE}:{council.id}",
        kind=ItemKind.THREAD,
        repo=council.repo,
        title=f"Council: {' '.join(council.question.split())[:200]}",
        text="\n".join(_lines(minutes)),
        author=AUTHOR,
        email="",
        time=int(council.asked),
        changed=changed,
        state=str(verdict.state),
        closed=ended,
    )


def _lines(minutes: Minutes) -> list[str]:
    verdict = minutes.verdict
    models = sorted({one.juror.model for one in minutes.opinions if not one.juror.is_rule})
    who = ", ".join(models) if models else "rules alone"
    agreement = verdict.agreement
    day = datetime.fromtimestamp(minutes.council.asked).date().isoformat()
    asked = " ".join(minutes.council.question.split())[:MOST_ASKED]
    said = state_words(verdict)
    if verdict.side not in ("", str(verdict.state)):
        said = f"{verdict.side} ({said})"
    what = verdict.decision.rstrip(".")
    decision = f" {what[0].upper()}{what[1:]}." if what and what != verdict.side else ""
    lines = [
        f"The council decided on {day}, asked “{asked}”: {said}.{decision}",
        f"{agreement.agreeing} of {agreement.of} agreed ({who}).",
        f"Probability of being right: {probability_words(verdict.probability)}.",
        f"Why: {'; '.join(verdict.why)}.",
    ]
    if minutes.outcome is not None:
        note = f": {minutes.outcome.note}" if minutes.outcome.note else ""
        lines.append(f"It turned out {minutes.outcome.result}{note}.")
    for one in minutes.opinions:
        reason = one.insight or next(iter(one.reasons), "")
        if one.vote is not Vote.ABSTAIN:
            position = f", “{one.position}”" if one.position != str(one.vote) else ""
            lines.append(f"{one.juror.seat} said {one.vote}{position}: {reason.rstrip('.')}.")
    for raised in verdict.findings:
        finding = raised.finding
        cited = f" ({', '.join(finding.evidence)})" if finding.evidence else ""
        lines.append(f"Finding, {finding.severity}: {finding.title}{cited}.")
    return lines
