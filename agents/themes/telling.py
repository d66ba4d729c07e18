"""What happened in a theme, in a few sentences, each with what it rests on; and why."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, tzinfo

from ...memory.dates import WEEKDAYS
from ..brief.wording import counted, cut, files_within, listed, quoted, says_little
from ..commits.paths import role_of
from ..subjects import past_clause
from .group import Piece, size_of
from .noise import Sort, is_bot
from .records import Evidence, EvidenceKind, Line
from .taken_back import undone
from .telling_upkeep import LONGEST, releases, upkeep
from .title import begun, fitting, lowered, names_of, plain, telling

MOST = 5
"""Sentences of a theme."""
MOST_REASONS = 2
USUAL = 0.6
"""Share of a theme that one person did, from which on sentences name only the others."""
_CLAUSE = 120
FIRST = 2
"""Sentences about commits that come before those about tickets, talk, tests and documents."""
_NOTES = 3
_NAMES = 3
_GERUND = re.compile(
    r"^\w+ing\b.*\b(?:does|do|is|are|was|were|can|could|should|must|will|has|now)\b", re.IGNORECASE
)
"""It says what is so, not what was done: "setting X does not restrict Y"."""
_TAIL = re.compile(r"(?: \([^()]*\))?(?:, \d+ commits)?: [\d,]+ lines? in \S.*$| \([^()]*\)$")
"""What a sentence says after what was done: tickets, size and files."""
_REVERT = re.compile(r'^Revert "(?P<what>.+)"(?P<rest>[^"]*)$')


def lines_of(piece: Piece, zone: tzinfo, *, week: bool) -> tuple[Line, ...]:
    """Return what happened, the most important first, in at most five sentences."""
    if piece.sort is Sort.RELEASE:
        return tuple(releases(piece))
    if piece.sort is Sort.DEPENDENCY or _is_upkeep(piece):
        return tuple(upkeep(piece))
    teller = _Teller(piece, zone, week)
    return tuple(teller.lines())


def reasons_of(piece: Piece) -> tuple[Line, ...]:
    """Return why, as those who did it wrote it, of the largest parts first."""
    found: dict[str, str] = {}
    for part in piece.parts if piece.sort is Sort.WORK else ():
        by_size = sorted(part, key=lambda e: (e.kind is not EvidenceKind.COMMIT, -e.lines, e.at))
        for each in by_size:
            if each.why and each.why not in found and not each.undoes:
                found[each.why] = each.ref
                break
    lines = [Line(why, (ref,)) for why, ref in found.items()]
    back = [Line(e.why, (e.ref,)) for e in piece.evidence if e.undoes and e.why]
    return tuple([*back, *lines][:MOST_REASONS])


def people_of(piece: Piece) -> tuple[str, ...]:
    """Return who had a part in it, who did most first; machines only where nobody else did."""
    sizes: dict[str, float] = {}
    for each in piece.evidence:
        brought = each.state == "merged"
        for place, name in enumerate((each.author, *each.others)):
            if name:
                does = place if brought else not place
                sizes[name] = sizes.get(name, 0.0) + (size_of([each]) if does else 0.0)
    order = sorted(sizes, key=lambda name: (-round(sizes[name], 6), name))
    people = [name for name in order if not is_bot(name)]
    return tuple(people or order)


class _Teller:
    """Tells one theme."""

    def __init__(self, piece: Piece, zone: tzinfo, week: bool) -> None:
        self._piece = piece
        self._zone = zone
        self._week = week
        self._usual = _usual(piece)
        self._names = names_of(piece.evidence)
        # Sentences of one theme are all in the past, or all as their authors wrote them.
        titles = [e.title for e in piece.evidence if e.kind is EvidenceKind.COMMIT and not e.undoes]
        self._past = all(_clause(title) for title in titles)

    def lines(self) -> list[Line]:
        parts = [self._part(part) for part in self._piece.parts]
        # Of each part the first sentence, before any has a second one.
        most = max(len(lines) for lines in parts)
        order = [lines[place] for place in range(most) for lines in parts if place < len(lines)]
        return _at_most(order, people_of(self._piece))

    def _part(self, part: Sequence[Evidence]) -> list[Line]:
        """Return one piece of work in sentences."""
        lines = list(self._taken_back(part))
        told = {ref for line in lines for ref in line.references}
        commits = [e for e in part if e.kind is EvidenceKind.COMMIT and e.ref not in told]
        work = list(self._work(part, commits))
        told |= {ref for line in work for ref in line.references}
        around = [*self._items(part, told), *self._tests(part), *self._drift(part)]
        return [*lines, *work[:FIRST], *around, *work[FIRST:]]

    def _taken_back(self, part: Sequence[Evidence]) -> Iterator[Line]:
        by_ref = {each.ref: each for each in part}
        gone = undone(part)
        for each in part:
            if not each.undoes:
                continue
            target = by_ref.get(each.undoes)
            when = self._when(each.at)
            if target is not None and target.undoes:
                first = by_ref.get(target.undoes)
                refs = (
                    [target.ref, each.ref] if first is None else [first.ref, target.ref, each.ref]
                )
                named = quoted(plain((first or target).title))
                said = f"took back {named} and put it in again{when}"
                yield Line(self._by(said, "", [each.author]), tuple(refs))
            elif gone.get(each.undoes) != each.ref:
                continue  # told with what put it in again
            elif target is None:
                what = _REVERT.match(each.title)
                named = quoted(plain(what["what"] if what is not None else each.title))
                said = f"took back {named}{when}"
                yield Line(self._by(said, "", [each.author]), (each.ref,))
            else:
                said = f"tried {quoted(plain(target.title))} and took it back{when}"
                yield Line(self._by(said, "", [target.author]), (target.ref, each.ref))

    def _work(self, part: Sequence[Evidence], commits: Sequence[Evidence]) -> Iterator[Line]:
        """Tell of commits: one sentence for what came together, else one each."""
        merges = [each for each in commits if each.state == "merged"]
        single = [each for each in commits if each.state != "merged"]
        covered = {ref for each in commits for ref in each.about}
        squashes = [each for each in single if each.about]
        whole = merges[:1] or squashes[:1]
        if whole:
            lead = whole[0]
            inside = [e for e in single if e.ref != lead.ref and e.ref in covered]
            rest = [e for e in single if e.ref != lead.ref and e.ref not in covered]
            pulls = dict.fromkeys(e.ref for e in part if _is_merged_pull(e, lead.pull))
            refs = (lead.ref, *(e.ref for e in merges[1:]), *(e.ref for e in inside), *pulls)
            yield Line(self._sentence(lead, part, inside), refs)
            telling = [e for e in inside if plain(e.title) != plain(lead.title)]
            if len(telling) > 1:
                yield from self._each(telling)
            yield from self._each(rest)
        else:
            yield from self._each(single)

    def _each(self, commits: Sequence[Evidence]) -> Iterator[Line]:
        order = sorted(commits, key=telling, reverse=True)
        same: dict[str, list[Evidence]] = {}
        for each in order:
            same.setdefault(plain(each.title), []).append(each)
        for several in same.values():
            yield Line(
                self._sentence(several[0], several, several[1:]), tuple(e.ref for e in several)
            )

    def _sentence(
        self, lead: Evidence, part: Sequence[Evidence], inside: Sequence[Evidence]
    ) -> str:
        said = self._by(_clause(lead.title), lead.title, _authors(lead, inside))
        keys = [lead.pull, *lead.tickets] if lead.pull else list(lead.tickets)
        keys = [key for key in dict.fromkeys(keys) if key and key not in said][:2]
        if lead.branch and lead.state != "merged":
            keys.append(f"on {lead.branch}")
        tail = f" ({', '.join(keys)})" if keys else ""
        lines = max(lead.lines, sum(each.lines for each in inside))
        if len(inside) > 1:
            tail += f", {counted(len(inside), 'commit')}"
        where = _where(lead)
        if where and not any(path in said for path in lead.paths[:1]):
            tail += f": {counted(lines, 'line')} in {where}" if lines else f": {where}"
        return cut(said, LONGEST - len(tail)) + tail

    def _by(self, clause: str, title: str, authors: Sequence[str]) -> str:
        """Return who did what, where it was not the usual person: a clause, else the title."""
        written = begun(cut(plain(title), _CLAUSE), self._names)
        if not any(authors) or list(authors) == [self._usual]:
            in_past = clause and (self._past or not title)
            return begun(clause, self._names) if in_past else written
        who = listed(authors, _NAMES)
        return f"{who} {clause}" if clause else f"{who}: {written}"

    def _items(self, part: Sequence[Evidence], told: Collection[str]) -> Iterator[Line]:
        kinds = (EvidenceKind.TICKET, EvidenceKind.PULL, EvidenceKind.THREAD)
        by_ref: dict[str, list[Evidence]] = {}
        for each in part:
            if each.kind in kinds and each.ref not in told:
                by_ref.setdefault(each.ref, []).append(each)
        for ref, events in by_ref.items():
            one = events[0]
            if one.kind is EvidenceKind.THREAD:
                names = [name for name in (one.author, *one.others) if name]
                who = f"{listed(names, _NAMES)} discussed" if names else "Discussed:"
                yield Line(cut(f"{who} {quoted(one.title)}", LONGEST), (ref,))
                continue
            key = one.pull or (one.tickets[0] if one.tickets else "")
            name = f"{key} {quoted(one.title)}".strip()
            notes = list(dict.fromkeys(event.note for event in events))
            notes = [*notes[:1], *notes[-_NOTES:]] if len(notes) > _NOTES + 1 else notes
            when = "" if events[-1].state == "stalled" else self._when(events[-1].at)
            yield Line(cut(f"{name} {listed(notes, len(notes))}{when}", LONGEST), (ref,))

    def _tests(self, part: Sequence[Evidence]) -> Iterator[Line]:
        events = [each for each in part if each.kind is EvidenceKind.TEST]
        by_test: dict[str, list[Evidence]] = {}
        for each in events:
            by_test.setdefault(each.title, []).append(each)
        if len(by_test) > 2:
            red = [test for test, several in by_test.items() if several[-1].state == "red"]
            green = len(by_test) - len(red)
            said = [f"{counted(len(red), 'test')} began to fail"] if red else []
            said += [f"{counted(green, 'test')} {_pass(green)} again"] if green else []
            refs = tuple(dict.fromkeys(each.ref for each in events))
            yield Line(cut(f"{listed(said)}, such as {next(iter(by_test))}", LONGEST), refs)
            return
        for test, several in by_test.items():
            refs = tuple(dict.fromkeys(each.ref for each in several))
            yield Line(cut(f"{test} {self._turned(several)}", LONGEST), refs)

    def _drift(self, part: Sequence[Evidence]) -> Iterator[Line]:
        by_ref: dict[str, list[Evidence]] = {}
        for each in part:
            if each.kind is EvidenceKind.DRIFT:
                by_ref.setdefault(each.ref, []).append(each)
        for ref, events in by_ref.items():
            notes = list(dict.fromkeys(event.note for event in events))
            yield Line(cut(f"{events[0].title} {listed(notes)}", LONGEST), (ref,))

    def _when(self, at: int) -> str:
        return f" on {self._day(at)}" if self._week else ""

    def _turned(self, events: Sequence[Evidence]) -> str:
        """Return from when to when a test failed: ``fails (KeyError) since Tuesday``."""
        first, last = events[0], events[-1]
        if first.state == last.state:
            return f"{last.note} since {self._moment(first.at)}"
        begin, end = self._moment(first.at), self._moment(last.at)
        if last.state == "red":
            return f"{first.note} for a while, and {last.note} since {end}"
        what = first.note.replace("fails", "failed")
        if begin == end:
            return f"{what} for a while on {begin}"
        return f"{what} from {begin} to {end}"

    def _moment(self, at: int) -> str:
        if self._week:
            return self._day(at)
        return f"{datetime.fromtimestamp(at, self._zone):%H:%M}"

    def _day(self, at: int) -> str:
        return WEEKDAYS[datetime.fromtimestamp(at, self._zone).weekday()].capitalize()


def _is_merged_pull(each: Evidence, key: str) -> bool:
    return each.kind is EvidenceKind.PULL and each.pull == key


def _usual(piece: Piece) -> str:
    """Return who did most of it, of whom the sentences need not speak; empty if nobody did."""
    sizes: dict[str, float] = {}
    for each in piece.evidence:
        if each.kind is EvidenceKind.COMMIT and each.state != "merged":
            sizes[each.author] = sizes.get(each.author, 0.0) + size_of([each])
    best = max(sorted(sizes), key=lambda name: round(sizes[name], 6), default="")
    return best if best and sizes[best] >= USUAL * sum(sizes.values()) else ""


def _authors(lead: Evidence, inside: Sequence[Evidence]) -> list[str]:
    names = dict.fromkeys(each.author for each in inside if each.author)
    if not names and lead.state == "merged":
        names = dict.fromkeys(lead.others)
    people = [name for name in names if not is_bot(name)]
    return people or list(names) or [lead.author]


def _clause(title: str) -> str:
    """Return what was done as a clause that can follow a name; empty where the title is none."""
    bare = plain(title)
    if _GERUND.match(bare) or "->" in bare or ": " in bare:
        return ""
    clause = past_clause(bare)
    return clause if clause is not None and len(clause) <= _CLAUSE else ""


def _where(lead: Evidence) -> str:
    """Name one file, or two of the same part of the project, and how many more there are."""
    if not lead.paths:
        return ""
    same = [path for path in lead.paths[:2] if role_of(path) == role_of(lead.paths[0])]
    names = files_within(same) if len(same) > 1 else same[0]
    if " more" in names:  # there is no room for two
        same, names = same[:1], same[0]
    left = max(lead.files, len(lead.paths)) - len(same)
    if left <= 0:
        return names
    return f"{names.replace(' and ', ', ')} and {left} more"


def _pass(number: int) -> str:
    return "passes" if number == 1 else "pass"


def _is_upkeep(piece: Piece) -> bool:
    return piece.sort is Sort.UPKEEP and len(piece.parts) > 2


def _at_most(lines: Sequence[Line], people: tuple[str, ...]) -> list[Line]:
    """Return at most five sentences: of more, the last says what it stands for. ``people``: who may
    begin one."""
    if len(lines) <= MOST:
        return list(lines)
    rest = lines[MOST - 1 :]
    refs = tuple(dict.fromkeys(ref for line in rest for ref in line.references))
    heads = list(dict.fromkeys(_TAIL.sub("", line.text) for line in rest))
    heads = [head for head in heads if not says_little(head)] or heads
    rest_of = [head if head.startswith(people) else lowered(head) for head in heads[1:]]
    heads = [*heads[:1], *rest_of]
    return [*lines[: MOST - 1], Line(f"Also: {fitting(heads, LONGEST - len('Also: '))}", refs)]
