"""Pages of themes: one day, or one week, of one repository, from its evidence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from datetime import date, timedelta, tzinfo

from ...memory.records import Repo
from ..commits.paths import role_of, scope_of
from .evidence import ordered, start_of
from .group import Piece, group, size_of
from .noise import Sort
from .records import Evidence, Page, State, Theme
from .state import state_of
from .telling import lines_of, people_of, reasons_of
from .title import title_of, topic_of

RULES = 3
"""Changes when the same evidence makes another page."""
MOST_PATHS = 5
MOST_PEOPLE = 12
_FIELDS = tuple(field.name for field in fields_of(Evidence))


def day_page(repo: Repo | None, evidence: Sequence[Evidence], day: date, zone: tzinfo) -> Page:
    """Given a repository (None for what belongs to none) and what happened, return the page of a
    day of a zone. Evidence of other days is left out, so all may be given."""
    return _page(repo, evidence, day, day, zone)


def week_page(repo: Repo | None, evidence: Sequence[Evidence], day: date, zone: tzinfo) -> Page:
    """Return the page of the week, Monday to Sunday, that a day is in; made from its evidence, not
    from the pages of its days."""
    monday = day - timedelta(day.weekday())
    return _page(repo, evidence, monday, monday + timedelta(6), zone)


def digest_of(
    repo: Repo | None, evidence: Sequence[Evidence], first: date, last: date, zone: tzinfo
) -> str:
    """Return what a page's digest would be: 32 hexadecimal digits, for the evidence as the page
    sees it, its days and the rules."""
    return _digest(repo, _within(evidence, first, last, zone), first, last)


def _within(evidence: Sequence[Evidence], first: date, last: date, zone: tzinfo) -> list[Evidence]:
    """Return the evidence of some days, as it stood at their end."""
    since, until = start_of(first, zone), start_of(last + timedelta(1), zone)
    return [
        replace(each, landed=0) if each.landed >= until else each
        for each in ordered(evidence)
        if since <= each.at < until
    ]


def _digest(repo: Repo | None, evidence: Sequence[Evidence], first: date, last: date) -> str:
    # Not the zone: of whoever travels, only the pages change that something falls into or out of.
    whose = ["", ""] if repo is None else [repo.id, repo.name]
    said = [RULES, whose, first.isoformat(), last.isoformat()]
    fields = [[getattr(each, name) for name in _FIELDS] for each in evidence]
    text = json.dumps([said, fields], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _page(
    repo: Repo | None, evidence: Sequence[Evidence], first: date, last: date, zone: tzinfo
) -> Page:
    within = _within(evidence, first, last, zone)
    pieces, rest = group(within)
    total = sum(piece.size for piece in pieces) + size_of(rest)
    week = first != last
    themes: dict[str, Theme] = {}
    for piece in pieces:
        theme = _theme(piece, total, zone, week=week)
        if theme.key in themes:
            theme = replace(theme, key=f"{theme.key}+{theme.references[0][:12]}")
        themes[theme.key] = theme
    return Page(
        repo="" if repo is None else repo.id,
        name="" if repo is None else repo.name,
        first=first,
        last=last,
        themes=tuple(themes.values()),
        digest=_digest(repo, within, first, last),
        more=len({each.ref for each in rest}),
    )


def _theme(piece: Piece, total: float, zone: tzinfo, *, week: bool) -> Theme:
    evidence = piece.evidence
    tickets = dict.fromkeys(
        key for part in piece.parts for each in part for key in (*each.tickets, each.pull) if key
    )
    return Theme(
        key=key_of(piece),
        title=title_of(piece),
        state=_state(piece),
        what=lines_of(piece, zone, week=week),
        why=reasons_of(piece),
        people=people_of(piece)[:MOST_PEOPLE],
        paths=_paths(piece),
        tickets=tuple(tickets),
        references=tuple(dict.fromkeys(each.ref for each in evidence)),
        since=evidence[0].at,
        until=evidence[-1].at,
        weight=round(piece.size / total, 3) if total else 0.0,
    )


def _state(piece: Piece) -> State:
    # Nobody waits for upkeep: what landed of it is what there is to tell.
    landed = [each for each in piece.evidence if each.landed]
    if piece.sort is not Sort.WORK and landed:
        return State.DONE
    return state_of(piece.evidence)


def key_of(piece: Piece) -> str:
    """Return what stays the same of a theme from page to page: its ticket, its pull request, its
    branch, else the part of the project that it is in."""
    lead = piece.parts[0]
    if piece.left_over or piece.stalled:
        return "others" if piece.left_over else "stalled"
    if piece.sort is not Sort.WORK:
        return f"upkeep:{piece.sort.value}"
    if piece.area:
        return f"scope:{piece.area}"
    for each in lead:
        if each.tickets:
            return f"ticket:{each.tickets[0]}"
    for each in lead:
        if each.pull:
            return f"pull:{each.pull}"
    for each in lead:
        if each.branch:
            return f"branch:{each.branch}"
    topic = topic_of(piece)
    if topic:
        return f"topic:{topic.lower()}"
    code = [path for each in lead for path in each.paths if role_of(path) == "code"]
    scope = scope_of(list(dict.fromkeys(code))[:6]) if code else ""
    return f"scope:{scope}" if scope else f"one:{lead[0].ref[:12]}"


def _paths(piece: Piece) -> tuple[str, ...]:
    shares: dict[str, float] = {}
    for each in piece.evidence:
        for place, path in enumerate(each.paths):
            shares[path] = shares.get(path, 0.0) + size_of([each]) / (place + 1)
    code_first = ("code", "test", "docs", "config", "manifest", "ci", "asset", "aside")
    order = sorted(
        shares, key=lambda path: (code_first.index(role_of(path)), -round(shares[path], 6), path)
    )
    return tuple(order[:MOST_PATHS])
