"""Questions about who, when and what came last, answered from the structured index.

Which files or commits a question means comes from the paths it names, else from paths whose words
it uses, else from what recall found; the answer says which.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..memory.index import Index
from ..memory.records import Commit, DatedFact, Filters, Passage, Recollection
from ..memory.records import Kind as ChunkKind
from ..memory.tokens import terms
from .answer_events import GIT, Text, iso_day
from .asking import Asked, Kind
from .deeds import closeness, does, is_aside, names_in
from .evidence import Evidence, Source
from .extractive import MessageOf, what_happened
from .hygiene.ownership import OWNER, areas_of, subject_of
from .reasons import find_reasons
from .subjects import leading_verb
from .words import find_marks, overlap, question_terms

MAX_PEOPLE = 4
MAX_FILES = 5
MAX_NAMED = 3
TOLD = 2
"""Newest deeds that are told after the list of people."""
RECENT_DAYS = 90
_CLOSE_DEED = {"fix": 0.3, "remove": 0.4}
_CLOSE_DEED_ELSE = 0.5
"""How close a subject must be to the topic to tell of the deed asked about, by its family."""
_CLOSE_NOUN = 0.6
"""The same for a subject without a verb, such as "SOCKS support"."""
_MANY = 500
_FEW = 10
_DAY = 86_400
_ASIDE = re.compile(
    r"tests?|spec|docs|docs?/|(?:^|/)(?:build|dist|site|examples?)/|\.(?:md|rst|txt)$|changelog",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|our)\s+", re.IGNORECASE)
_MACHINE = re.compile(r"\[bot\]|^github[ -]actions?$|^dependabot\b|^renovate\b", re.IGNORECASE)
"""Authors that can't be asked."""
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)+/?|\b[\w-]+\.[A-Za-z]\w{0,5}\b")


Find = Callable[[], Recollection]
"""Searches for the topic; asked only where the index alone can't tell."""


@dataclass(frozen=True, slots=True)
class _Meant:
    """The commits a topic stands for, newest first, and in words what was counted."""

    commits: Sequence[Commit]
    what: str
    paths: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class People:
    """Tells who and when, for one question."""

    index: Index
    filters: Filters
    evidence: Evidence
    message_of: MessageOf
    now: int
    """From which "recently" is counted back."""

    def tell(self, asked: Asked, find: Find) -> list[Text] | None:
        """Given a question and a way to search for its topic, return cited sentences, or None when
        the index can't tell."""
        wanted = question_terms(asked.topic)
        if asked.kind is Kind.DID:
            texts = self._did(asked, find(), wanted)
        elif asked.kind is Kind.PERSON:
            texts = self._who_is(asked.topic.lstrip("@"), wanted)
        else:
            meant = self._meant(asked.topic, find)
            if not meant.commits:
                texts = []
            elif asked.kind is Kind.LAST:
                texts = self._last(meant, wanted)
            else:
                texts = self._crowd(asked, meant, wanted)
        return [Text(text, find_marks(text, wanted)) for text in texts] or None

    def _who_is(self, named: str, wanted: frozenset[str]) -> list[str]:
        said = named.casefold()
        authors = self.index.authors_of(self.filters)
        known = {a.name for a in authors if said in (a.name.casefold(), *_addresses(a.email))}
        known = known or {a.name for a in authors if said in a.name.casefold().split()}
        if len(known) != 1:
            return []
        (name,) = known
        count = sum(author.commits for author in authors if author.name == name)
        own = self.index.newest(replace(self.filters, author=name), _MANY)
        own = [commit for commit in own if commit.author == name]
        places = Counter(_place(file.path) for commit in own for file in commit.files)
        where = _listed([place for place, _ in places.most_common(3)])
        commits = f"{count:,} commit{'s' if count != 1 else ''}"
        last = f"the last on {iso_day(own[0].time)} [{self._cite(own[0]).number}]"
        lately = f"of the last {_MANY} " if len(own) == _MANY else ""
        mostly = f", {lately}most to {where}" if where else ""
        return [
            f"{name} has {commits} in memory, {last}{mostly}.",
            self._deed(next((c for c in own if not c.is_merge), own[0]), wanted),
        ]

    def _meant(self, topic: str, find: Find) -> _Meant:
        paths = self._named_paths(topic) or self._paths_like(topic)
        commits: dict[tuple[str, str], Commit] = {}
        for path in paths:
            for commit in self.index.newest(replace(self.filters, path=path), _MANY):
                commits[commit.repo, commit.sha] = commit
        what = _listed(paths)
        if not commits:
            what = f"{topic} (as far as search finds)"
            for repo, shas in self._found(question_terms(topic), find()).items():
                for commit in self.index.commits_for(repo, shas):
                    commits[commit.repo, commit.sha] = commit
        newest_first = self._once(sorted(commits.values(), key=lambda c: (-c.time, c.sha)))
        if paths and commits:
            paths = _living(paths, newest_first)
            what = _listed(_named(paths))
        return _Meant(newest_first, what, paths)

    def _once(self, commits: Sequence[Commit]) -> list[Commit]:
        """The commits without those that another of them stands for: work that was picked onto
        several branches was done once."""
        marks = self.index.marks.of(commit.sha for commit in commits)
        there = {commit.sha for commit in commits}
        folded = {key for key, mark in marks.items() if mark.folded_into in there}
        return [commit for commit in commits if (commit.repo, commit.sha) not in folded]

    @staticmethod
    def _found(wanted: frozenset[str], found: Recollection) -> dict[str, list[str]]:
        """Of what recall found, the commits by repository that hold all words of the topic; where
        none does and recall is sure, the best few."""
        commits = [passage for passage in found.passages if passage.chunk.source == GIT]
        whole = [
            passage
            for passage in commits
            if any(
                overlap(chunk.index_text, wanted) == 1.0 for chunk in (passage.chunk, *passage.also)
            )
        ]
        shas: dict[str, list[str]] = {}
        for passage in whole or commits[: _FEW if found.relevant else 0]:
            shas.setdefault(passage.chunk.repo, []).append(passage.chunk.ref)
        return shas

    def _named_paths(self, topic: str) -> list[str]:
        named = [path.strip("/") for path in _PATH.findall(topic)]
        if not named and topic.endswith("/"):
            named = [topic.strip("/")]
        if not named and _ASIDE.fullmatch(folder := _ARTICLE.sub("", topic)):
            named = [folder]
        there = [path for path in named if self.index.path_exists(path, self.filters.repos)]
        if there:
            return there[:MAX_FILES]
        ends = tuple("/" + name for name in named)
        return [p for p in self.index.paths(self.filters.repos) if p.endswith(ends)][:MAX_FILES]

    def _paths_like(self, topic: str) -> list[str]:
        """Paths that hold all words of the topic ("rate limiter" → src/rate_limiter.py)."""
        wanted = question_terms(topic)
        # A stem may differ from the word in its last letter: "librari".
        parts = [term if term.isdigit() or len(term) < 4 else term[:-1] for term in wanted]
        paths = self.index.paths_holding(parts, self.filters.repos)
        matching = [path for path in paths if overlap(path, wanted) == 1.0]
        if not _ASIDE.search(topic):
            matching = [path for path in matching if not _ASIDE.search(path)]
        # The closest names first: a path with few other words; code before tests and documents.
        matching.sort(
            key=lambda path: (bool(_ASIDE.search(path)), len(frozenset(terms(path))), path)
        )
        return matching[:MAX_FILES]

    def _crowd(self, asked: Asked, meant: _Meant, wanted: frozenset[str]) -> list[str]:
        commits, when, nobody = meant.commits, "", ""
        if asked.recently:
            recent = [c for c in commits if c.time >= self.now - RECENT_DAYS * _DAY]
            if recent:
                commits, when = recent, f" in the last {RECENT_DAYS} days"
            else:
                nobody = f"Nobody has worked on {meant.what} in the last {RECENT_DAYS} days. "
        people: dict[str, list[Commit]] = {}
        for commit in commits:
            people.setdefault(commit.author, []).append(commit)
        hands = {name: own for name, own in people.items() if not _MACHINE.search(name)}
        people = hands or people
        ranked = sorted(people.items(), key=lambda who: (-_weight(asked, who[1], commits), who[0]))
        parts = [self._person(name, own) for name, own in ranked[:MAX_PEOPLE]]
        if len(ranked) > MAX_PEOPLE:
            parts.append(f"{len(ranked) - MAX_PEOPLE} more")
        if asked.kind is Kind.KNOWS:
            rest = f"; then {_listed(parts[1:])}" if parts[1:] else ""
            head = f"Going by commits to {meant.what}, ask {parts[0]}{rest}{when}."
        else:
            crowd = "One person has" if len(ranked) == 1 else f"{len(ranked)} people have"
            head = f"{crowd} worked on {meant.what}{when}: {_listed(parts)}."
            if nobody:
                before = f"{len(ranked)} people" if len(ranked) > 1 else "one person"
                head = f"{nobody}Before, {before} did: {_listed(parts)}."
        deeds = [self._deed(own[0], wanted) for _, own in ranked[:TOLD]]
        return [*(self._owners(meant.paths) if asked.owner else ()), head, *deeds]

    def _owners(self, paths: Sequence[str]) -> list[str]:
        """Who owns the area of the first path that anybody does, since when, and who did before."""
        for path in paths:
            for area in (f"{path.rstrip('/')}/", *reversed(areas_of(path))):
                facts = self.index.facts.of(subject_of(area), self.filters.repos, OWNER)
                cited = [(fact, self.index.commit(fact.repo, fact.ref)) for fact in facts]
                known = [(fact, commit) for fact, commit in cited if commit is not None]
                if known:
                    return [_ownership(area, [(f, self._cite(c).number) for f, c in known])]
        return []

    def _person(self, name: str, own: Sequence[Commit]) -> str:
        count = f"{len(own)} commit{'s' if len(own) != 1 else ''}"
        return f"{name} ({count}, last on {iso_day(own[0].time)} [{self._cite(own[0]).number}])"

    def _last(self, meant: _Meant, wanted: frozenset[str]) -> list[str]:
        commit = meant.commits[0]
        return [f"The last change to {meant.what}: {self._deed(commit, wanted)}"]

    def _deed(self, commit: Commit, wanted: frozenset[str]) -> str:
        source = self._cite(commit)
        return what_happened(source, find_reasons(source.text, wanted))

    def _cite(self, commit: Commit) -> Source:
        message = self.message_of(commit.repo, commit.sha)
        return self.evidence.add_chunk(message) if message else self.evidence.add_commit(commit)

    def _did(self, asked: Asked, found: Recollection, wanted: frozenset[str]) -> list[str]:
        commit = self._deed_on_path(asked) or self._deed_by_subject(asked, found)
        bringing = self._bringing(asked, found) if asked.verb == "add" else None
        if bringing is not None and (commit is None or bringing[0].time < commit.time):
            first, name = bringing
            return [f"The earliest change found that brings in {name}: {self._deed(first, wanted)}"]
        return [self._deed(commit, wanted)] if commit else []

    def _deed_on_path(self, asked: Asked) -> Commit | None:
        """For a file that is named: the commit that added, deleted or renamed it."""
        letter = {"add": "A", "remove": "D", "rename": "R"}.get(asked.verb)
        if letter is None or not _PATH.search(asked.topic):
            return None
        deeds: list[Commit] = []
        for path in self._named_paths(asked.topic):
            for commit in self.index.newest(replace(self.filters, path=path), _MANY):
                for file in commit.files:
                    if file.change == letter and path in (file.path, file.old_path):
                        deeds.append(commit)
        by_time = sorted(deeds, key=lambda commit: commit.time, reverse=asked.verb != "add")
        return by_time[0] if by_time else None

    def _deed_by_subject(self, asked: Asked, found: Recollection) -> Commit | None:
        """Of the commits recall found, the one whose subject tells of the deed.

        What was added or changed is told by the earliest; what else was done, by the closest. A
        subject that holds only part of the topic tells of another thing.
        """
        least = _CLOSE_DEED.get(asked.verb, _CLOSE_DEED_ELSE)
        fitting: list[tuple[float, float, Passage]] = []
        for passage in found.passages:
            title, time = passage.chunk.title, passage.chunk.time
            enough = least if leading_verb(title) else max(least, _CLOSE_NOUN)
            close = closeness(title, asked.topic)
            if is_aside(title, asked.topic) or passage.chunk.source != GIT:
                continue
            if close >= enough and does(title, asked.verb) == 1.0:
                early = asked.verb in ("add", "change")
                fitting.append((-time, close, passage) if early else (close, time, passage))
        if not fitting:
            return None
        chunk = max(fitting, key=lambda entry: entry[:2])[2].chunk
        return self.index.commit(chunk.repo, chunk.ref)

    def _bringing(self, asked: Asked, found: Recollection) -> tuple[Commit, str] | None:
        """The earliest of the changes found that adds a line with the name asked about."""
        for name in names_in(asked.topic)[:1]:
            line = _line_with(name)
            refs = {
                (chunk.time, chunk.repo, chunk.ref)
                for passage in found.passages
                for chunk in (passage.chunk, *passage.also)
                if chunk.kind is not ChunkKind.MESSAGE and line.search(chunk.text)
            }
            if refs:
                _, repo, ref = min(refs)
                commit = self.index.commit(repo, ref)
                return (commit, name) if commit else None
        return None


def _addresses(email: str) -> tuple[str, str]:
    """An address, and the name that it has at its host: ``12+sam@users…`` is sam."""
    email = email.casefold()
    return email, email.partition("@")[0].rpartition("+")[2]


def _line_with(name: str) -> re.Pattern[str]:
    """An added line that holds a name of code or an option, which parsers name without dashes."""
    bare = re.escape(name.lstrip("-"))
    forms = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
    if name.startswith("-"):
        forms += rf"|[\"'`]{bare}[\"'`]"
    return re.compile(rf"^\+.*(?:{forms})", re.MULTILINE)


def _weight(asked: Asked, own: Sequence[Commit], commits: Sequence[Commit]) -> float:
    """How far ahead a person is named: who knows by number, fading with age; else by the last."""
    if asked.kind is not Kind.KNOWS:
        return float(own[0].time)
    newest = commits[0].time
    return sum(math.exp2((commit.time - newest) / (365 * _DAY)) for commit in own)


def _ownership(area: str, facts: Sequence[tuple[DatedFact, int]]) -> str:
    """Given an area's owners in turn, each with its source's number, tell the last two of them."""
    (now, cited), *before = list(reversed(facts))[:2]
    since = f"since {iso_day(now.since)} [{cited}]"
    if now.until is None:
        said = f"Going by who changes it most, {now.value} owns {area} {since}"
    else:
        said = f"Nobody owns {area} now; {now.value} did {since} until {iso_day(now.until)}"
    for fact, number in before:
        said += f"; before, {fact.value} did since {iso_day(fact.since)} [{number}]"
    return f"{said}."


def _living(paths: Sequence[str], commits: Sequence[Commit]) -> list[str]:
    """The paths without those that were renamed or deleted, unless none is left."""
    gone = {f.old_path for c in commits for f in c.files if f.change == "R"}
    last: dict[str, str] = {}
    for commit in commits:
        for file in commit.files:
            last.setdefault(file.path, file.change)
    gone |= {path for path, change in last.items() if change == "D"}
    return [path for path in paths if path not in gone] or list(paths)


def _named(paths: Sequence[str]) -> list[str]:
    """A few of some paths, and how many more there are."""
    if len(paths) <= MAX_NAMED:
        return list(paths)
    return [*paths[:MAX_NAMED], f"{len(paths) - MAX_NAMED} more"]


def _place(path: str) -> str:
    """The folder that a file is told by; the file itself at the top."""
    folders = path.split("/")[:-1]
    return "/".join(folders[:2]) if folders else path


def _listed(items: Sequence[str]) -> str:
    if len(items) < 3:
        return " and ".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
