"""One thing with everything around it, gathered by rule."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from ...memory.links import Neighbour
from ...memory.marks import Key
from ...memory.memory import Memory
from ...memory.records import Commit, Filters, Item, ItemKind, LinkKind, chunk_id, is_item
from ...memory.standing import said_of, short
from ...memory.work import Work
from .meant import of_commit, of_item
from .records import Moment, Near, Overview, Sort, Subject

TEXT_LIMIT = 1_600
"""Characters of a text that are told, up to the end of a paragraph."""
MOST_NEAR = 40
MOST_MOMENTS = 60
_COMMITS_OF_A_FILE = 15
_TURN = re.compile(
    r"^[^\n:()]{1,80} \(\d{1,2} [A-Z][a-z]+ \d{4} \d\d:\d\d[^\n)]*\): ", re.MULTILINE
)

Blame = Callable[[str, str, int], tuple[str, str] | None]
"""(repository, path, line) → the sha that wrote it, and the line; None where git can't say."""


def gather(
    memory: Memory,
    work: Work | None,
    subject: Subject,
    blame: Blame = lambda repo, path, line: None,
) -> Overview:
    """Return all that is told of something that `meant` found."""
    match subject.sort:
        case Sort.COMMIT:
            commit = memory.index.commit(subject.repo, subject.ref)
            assert commit is not None
            return _of_commit(memory, work, subject, commit)
        case Sort.FILE:
            return _of_file(memory, work, subject, blame)
        case Sort.TEST:
            return _of_test(memory, work, subject)
        case Sort.COUNCIL:
            return _of_council(work, subject)
        case _:
            item = memory.index.items.get(subject.ref) if subject.known else None
            if item is None:
                return _of_key(memory, work, subject)
            return _of_item(memory, work, subject, item)


def _of_commit(memory: Memory, work: Work | None, subject: Subject, commit: Commit) -> Overview:
    chunk = chunk_id(commit.repo, commit.sha, "", 0)
    message = memory.store.fetch([chunk]).get(chunk)
    facts = [("by", f"{commit.author} <{commit.email}>".removesuffix(" <>"))]
    facts.append(("on", _moment(commit.time)))
    if commit.files:
        facts.append(("changed", _some([file.path for file in commit.files], "file")))
    mark = memory.index.marks.of([commit.sha]).get((commit.repo, commit.sha))
    twins = memory.index.marks.folded_into([commit.sha]).get((commit.repo, commit.sha), [])
    facts.append(("known", said_of(mark, twins)))
    near = _around(memory, (commit.repo, commit.sha))
    near += _documents_changed(memory, commit)
    near += _tests_broken_by(work, commit)
    near += _councils(work, commit.repo, [commit.sha[:7]])
    text = "" if message is None else _body(message.text, commit.subject)
    begun = [Moment(commit.time, f"committed by {commit.author}")]
    if mark is not None and mark.ended is not None:
        begun.append(Moment(mark.ended, said_of(mark)))
    return _overview(replace(subject, title=commit.subject), facts, text, near, begun)


def _of_item(memory: Memory, work: Work | None, subject: Subject, item: Item) -> Overview:
    mark = memory.index.marks.of([item.ref]).get((item.repo, item.ref))
    facts = [
        ("state", item.state),
        ("assignee", item.assignee),
        ("by", item.author),
        (
            "with",
            _some([name for name, _ in item.people if name and name != item.author], "person"),
        ),
        ("begun", _moment(item.time)),
        ("changed", _moment(item.changed) if item.changed != item.time else ""),
        ("closed", "" if item.closed is None else _moment(item.closed)),
        ("branch", ", ".join(l.target for l in item.links if l.kind is LinkKind.BRANCH)),
        ("path", item.path),
        ("known", said_of(mark)),
        ("at", item.url),
    ]
    near = _around(memory, (item.repo, item.ref))
    if item.path:
        near += _commits_on(memory, item.repo, item.path)
    near += _tests_named(work, item)
    near += _councils(work, item.repo or None, [item.key] if item.key else [])
    text = item.text if not item.text.startswith(item.title) else item.text[len(item.title) :]
    return _overview(subject, facts, text, near, list(_moments(item)))


def _of_key(memory: Memory, work: Work | None, subject: Subject) -> Overview:
    repos = (subject.repo,) if subject.repo else ()
    commits = memory.index.commits_by_ticket(subject.ref, repos)
    items = memory.index.items.find(ticket=subject.ref, repos=(*repos, "") if repos else ())
    near = [Near(of_commit(commit), "names it") for commit in commits]
    near += [Near(of_item(item), "names it") for item in items]
    near += _councils(work, subject.repo or None, [subject.ref])
    facts = [("known", "from what others say of it; memory does not hold it itself")]
    return _overview(subject, facts, "", near, [])


def _of_file(memory: Memory, work: Work | None, subject: Subject, blame: Blame) -> Overview:
    repo, path = subject.repo, subject.ref
    near = _commits_on(memory, repo, path)
    filters = Filters(repos=(repo,), path=path)
    facts = [("commits", f"{len(memory.index.shas(filters)):,}")]
    if subject.line and (told := blame(repo, path, subject.line)) is not None:
        sha, line = told
        facts.append((f"line {subject.line}", line.strip()))
        if (commit := memory.index.commit(repo, sha)) is not None:
            near = [Near(of_commit(commit), f"wrote line {subject.line}"), *near]
            near += [
                Near(each.subject, f"with {short(sha)}") for each in _around(memory, (repo, sha))
            ]
    items = memory.index.items
    there = items.get_all(items.at_path(path, (repo,)))
    near += [Near(of_item(item), "lies there") for item in there.values()]
    naming = memory.index.links.naming(LinkKind.PATH, path, (repo,))
    near += _described(
        memory, [Neighbour(*key, LinkKind.PATH, path, inward=True) for key in naming]
    )
    if work is not None:
        near += [
            Near(
                Subject(Sort.TEST, repo, each.test, each.test, time=int(each.since)), str(each.mark)
            )
            for each in work.runs.find(repo, f"{path}::", 10)
        ]
    near += _councils(work, repo, [path])
    return _overview(subject, facts, "", near, [])


def _of_test(memory: Memory, work: Work | None, subject: Subject) -> Overview:
    assert work is not None
    standing = work.runs.standing(subject.repo, subject.ref)
    facts: list[tuple[str, str]] = []
    near: list[Near] = []
    moments: list[Moment] = []
    text = ""
    if standing is not None:
        facts.append(("stands", f"{standing.mark}, since {_moment(int(standing.since))}"))
        facts.append(("flaky", f"{standing.flaky_count} times" if standing.flaky_count else ""))
        if (why := standing.failure) is not None:
            facts.append(("failed with", f"{why.exception}: {why.message}".strip(": ")))
        text = standing.note
        facts.append(("note from", standing.reference))
        near += _one_named(memory, subject.repo, standing.first_bad, "it fails since")
        near += _one_named(memory, subject.repo, standing.reference, "its note is from")
    for episode in work.runs.episodes(subject.repo, test=subject.ref, limit=10):
        moments.append(
            Moment(int(episode.began), f"began to fail: {episode.exception or 'no reason'}")
        )
        if episode.ended:
            moments.append(Moment(int(episode.ended), f"fails no more: {episode.how}"))
        near += _one_named(memory, subject.repo, episode.first_bad, "it failed since")
        near += _one_named(memory, subject.repo, episode.reference, "told of a failure")
    naming = memory.index.links.naming(LinkKind.TEST, subject.ref, (subject.repo,))
    near += _described(
        memory, [Neighbour(*key, LinkKind.TEST, subject.ref, inward=True) for key in naming]
    )
    path = subject.ref.partition("::")[0]
    near += _commits_on(memory, subject.repo, path)
    return _overview(subject, facts, text, near, moments)


def _of_council(work: Work | None, subject: Subject) -> Overview:
    assert work is not None
    number = int(subject.ref)
    decided = work.councils.verdict(number)
    council = work.councils.get(number)
    facts = [("asked", _moment(int(council.asked))), ("mode", council.mode)]
    moments = [Moment(int(council.asked), "asked")]
    if decided is not None:
        facts.append(("verdict", decided.state))
        moments.append(Moment(int(decided.at), f"decided: {decided.state}"))
    else:
        facts.append(("verdict", "none yet"))
    return _overview(subject, facts, "", [], moments)


def _overview(
    subject: Subject,
    facts: Sequence[tuple[str, str]],
    text: str,
    near: Sequence[Near],
    begun: Sequence[Moment],
) -> Overview:
    """Put it together: each neighbour once, and what happened in order."""
    once: dict[tuple[Sort, str, str], Near] = {}
    for each in near:
        once.setdefault((each.subject.sort, each.subject.repo, each.subject.ref), each)
    once.pop((subject.sort, subject.repo, subject.ref), None)
    order = list(Sort)
    kept = sorted(
        list(once.values())[:MOST_NEAR],
        key=lambda each: (order.index(each.subject.sort), -each.subject.time),
    )
    moments = [*begun]
    moments += [
        Moment(each.subject.time, _begun(each.subject), each.subject.name)
        for each in kept
        if each.subject.time and each.subject.sort is not Sort.TEST
    ]
    moments.sort(key=lambda moment: moment.at)
    shown, left = _shortened(text.strip())
    return Overview(
        subject,
        tuple((name, value) for name, value in facts if value),
        shown,
        left,
        tuple(kept),
        tuple(moments[-MOST_MOMENTS:]),
    )


def _begun(subject: Subject) -> str:
    if subject.sort is Sort.COMMIT:
        return f"commit: {subject.title}"
    return f"{subject.sort}: {subject.title}" if subject.title else str(subject.sort)


def _moments(item: Item) -> Iterator[Moment]:
    """What became of an item: begun, each change, what was said, its end."""
    yield Moment(item.time, f"begun by {item.author}" if item.author else "begun")
    told: set[tuple[int, str]] = set()
    for change in item.changes:
        told.add((change.at, change.value.casefold()))
        what = f"{change.field}: {change.value}" if change.value else f"no {change.field} any more"
        yield Moment(change.at, what)
    turns = len(_TURN.findall(item.text))
    ends = {item.closed, *(change.at for change in item.changes)}
    if turns > 1 and item.changed != item.time and item.changed not in ends:
        yield Moment(item.changed, f"last of {turns} messages")
    if item.closed is not None and (item.closed, item.state.casefold()) not in told:
        yield Moment(item.closed, item.state.casefold() or "closed")


def _around(memory: Memory, key: Key) -> list[Near]:
    return _described(memory, memory.index.links.around([key]).get(key, ()))


def _described(memory: Memory, neighbours: Iterable[Neighbour]) -> list[Near]:
    """Return neighbours as what they are, in their order."""
    wanted = list(neighbours)
    items = memory.index.items.get_all([each.ref for each in wanted if is_item(each.ref)])
    commits: dict[Key, Commit] = {}
    for repo in {each.repo for each in wanted if not is_item(each.ref)}:
        for known in memory.index.commits_for(repo, [e.ref for e in wanted if e.repo == repo]):
            commits[repo, known.sha] = known
    found: list[Near] = []
    for each in wanted:
        if (item := items.get(each.ref)) is not None:
            found.append(Near(of_item(item), _how(each, item)))
        elif (commit := commits.get(each.key)) is not None:
            found.append(Near(of_commit(commit), _how(each, None)))
    return found


def _how(near: Neighbour, item: Item | None) -> str:
    match near.kind, near.inward:
        case LinkKind.MERGED_AS, True:
            return "it was merged as this"
        case LinkKind.MERGED_AS, False:
            return "merged as"
        case LinkKind.SUPERSEDES, True:
            return "takes its place"
        case LinkKind.SUPERSEDES, False:
            return "it takes the place of"
        case LinkKind.BRANCH, _:
            return f"branch {near.name}"
        case _, True:
            return "names it"
        case _:
            closes = item is not None and item.kind is ItemKind.TICKET and item.closed is not None
            return "named in it, and closed by now" if closes else "named in it"


def _commits_on(memory: Memory, repo: str, path: str) -> list[Near]:
    commits = memory.index.touching(path, (repo,), limit=_COMMITS_OF_A_FILE)
    return [Near(of_commit(commit), "changed it") for commit in commits]


def _documents_changed(memory: Memory, commit: Commit) -> list[Near]:
    items = memory.index.items
    refs = [
        ref for file in commit.files[:MOST_NEAR] for ref in items.at_path(file.path, (commit.repo,))
    ]
    found = items.get_all(refs)
    return [Near(of_item(found[ref]), "changed by it") for ref in refs if ref in found]


def _tests_named(work: Work | None, item: Item) -> list[Near]:
    found: list[Near] = []
    for link in item.links:
        if link.kind is LinkKind.TEST:
            standing = work.runs.standing(item.repo, link.target) if work and item.repo else None
            how = "named in it" if standing is None else f"named in it, {standing.mark}"
            since = 0 if standing is None else int(standing.since)
            found.append(
                Near(Subject(Sort.TEST, item.repo, link.target, link.target, time=since), how)
            )
    return found


def _tests_broken_by(work: Work | None, commit: Commit) -> list[Near]:
    if work is None:
        return []
    return [
        Near(
            Subject(Sort.TEST, commit.repo, e.test, e.test, time=int(e.began)), "failed since then"
        )
        for e in work.runs.episodes(commit.repo)
        if e.first_bad == commit.sha
    ]


def _councils(work: Work | None, repo: str | None, words: Sequence[str]) -> list[Near]:
    if work is None:
        return []
    found = [each for word in words for each in work.councils.find(repo, word, 5)]
    return [
        Near(
            Subject(
                Sort.COUNCIL,
                each.repo,
                str(each.id),
                f"council {each.id}",
                each.question,
                int(each.asked),
            ),
            "asked about it",
        )
        for each in found
    ]


def _one_named(memory: Memory, repo: str, ref: str, how: str) -> list[Near]:
    """The one commit or item that a test's record names, where memory holds it."""
    if not ref:
        return []
    if (item := memory.index.items.get(ref)) is not None:
        return [Near(of_item(item), how)]
    commits = memory.index.resolve_sha(ref.partition(":")[0], (repo,))
    return [Near(of_commit(commits[0]), how)] if len(commits) == 1 else []


def _body(message: str, subject: str) -> str:
    return message.removeprefix(subject).strip()


def _shortened(text: str) -> tuple[str, int]:
    if len(text) <= TEXT_LIMIT:
        return text, 0
    end = max(text.rfind("\n\n", 1, TEXT_LIMIT), text.rfind("\n", TEXT_LIMIT // 2, TEXT_LIMIT))
    kept = text[: end if end > 0 else TEXT_LIMIT].rstrip()
    return kept, len(text) - len(kept)


def _some(names: Sequence[str], one: str) -> str:
    unique = list(dict.fromkeys(names))
    if len(unique) <= 4:
        return ", ".join(unique)
    many = "people" if one == "person" else f"{one}s"
    return f"{', '.join(unique[:3])} and {len(unique) - 3} more {many}"


def _moment(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(at))
