"""What was finished: commits, told as pieces of work with the files they are about."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..commits.paths import role_of, scope_of
from .grouping import Group, group
from .look import Done, Look
from .looking import with_looks
from .once import count_once
from .pulls import Pull, pull_of, pulls_of
from .records import Fact, Found, Person, Reference, Scope, Section
from .wording import (
    MOST,
    TITLE,
    USUAL,
    bare_title,
    clause_of,
    commit_ref,
    counted,
    cut,
    files_within,
    lines,
    listed,
    path_ref,
    quoted,
    says_little,
)

APART = 6
"""Pieces of work of one repository that are told one by one."""
SMALL = 40
"""Lines up to which a piece of work is small."""
MOST_PEOPLE = 12
FOR_EACH = 3
"""Pieces of work of one person in a team's brief."""
_FINISHED = "finished “"
_REFERENCES = 3
_DETAILS = 20


def finished(scope: Scope) -> Found:
    """Return what the person finished in the period; in a team's brief, what each did."""
    looks = with_looks(scope).looks or ()
    facts: list[Fact] = []
    for look in looks:
        if scope.everybody or not scope.person.known:
            facts += _by_person(look)
        else:
            facts += of_one(look, scope.person)
    return Found(tuple(facts))


def of_one(look: Look, person: Person) -> list[Fact]:
    """Return what one person finished in a repository."""
    pulls = pulls_of(look.merges, look.graph, look.main)
    once = count_once([done for done in look.own if done.sha not in look.again])
    groups = group(once.commits, pulls, look.branches)
    groups = [each for each in groups if not _told_as_open(look, each)]
    kept, rest = _apart(groups)
    titles = [each for each in kept if _what(each).startswith(_FINISHED)]
    titles = titles if len(titles) > 1 else []
    facts = [_fact(look, each) for each in kept if each not in titles]
    facts += [_titles(look, titles)] if titles else []
    facts += [_rest(look, rest)] if rest else []
    facts += _taken_back(look, once.back)
    facts += _merged(look, person, pulls, {done.sha for done in once.commits})
    return facts


def _told_as_open(look: Look, group: Group) -> bool:
    """Say whether a piece of work is on one branch alone that is told of as half-done."""
    main = look.news.name.rpartition("/")[2]
    there = next((each for each in look.branches if each.name == group.branch != main), None)
    if there is None or not there.ahead:
        return False
    return {done.sha for done in group.commits} <= {done.sha for done in there.commits}


def _titles(look: Look, groups: Sequence[Group]) -> Fact:
    """Tell in one line of what has no more than titles."""
    order = sorted(groups, key=_size, reverse=True)
    text = ""
    for number in range(min(FOR_EACH, len(order)), 0, -1):
        titles = [quoted(_title(each), TITLE // number) for each in order[:number]]
        left = [f"{len(order) - number} more"] if len(order) > number else []
        text = f"{_FINISHED[:-1]}{listed([*titles, *left], FOR_EACH + 1)}"
        if len(text) <= USUAL:
            break
    return Fact(
        key=f"theme:{look.repo.name}:titles",
        section=Section.FINISHED,
        text=cut(text, MOST),
        references=tuple(ref for each in order[:FOR_EACH] for ref in _references(each)[:1]),
        weight=_size(order[0]),
        topic="theme:titles",
        repo=look.repo.id,
        details=tuple(sentence(each) for each in order[:_DETAILS]),
        state=" ".join(done.sha for each in order for done in each.commits[:1]),
    )


def _by_person(look: Look) -> Iterator[Fact]:
    pulls = pulls_of(look.merges, look.graph, look.main)
    people: defaultdict[str, list[Done]] = defaultdict(list)
    for done in look.own:
        if not done.is_merge:
            people[done.email or done.author].append(done)
    most = sorted(people.values(), key=lambda commits: (-len(commits), commits[0].author))
    for commits in [each for each in most if not is_bot(each[0])][:MOST_PEOPLE]:
        once = count_once(commits)
        groups = sorted(group(once.commits, pulls, look.branches), key=_size, reverse=True)
        if not groups:
            continue
        name = commits[0].author
        told = listed([_short(each) for each in groups[:FOR_EACH]], FOR_EACH)
        rest = counted(len(once.commits), "commit")
        yield Fact(
            key=f"team:{look.repo.name}:{commits[0].email or name}",
            section=Section.FINISHED,
            text=cut(f"{name}: {told} ({rest})", MOST),
            references=tuple(ref for each in groups[:FOR_EACH] for ref in _references(each)[:1]),
            weight=min(2.0, 0.5 + math.log10(1 + len(once.commits))),
            topic="team",
            repo=look.repo.id,
            details=tuple(f"{d.short} {d.subject}" for d in once.commits[:_DETAILS]),
            state=f"{once.commits[0].sha} {len(once.commits)}",
        )
    most = [each for each in most if not is_bot(each[0])]
    left = len(most) - MOST_PEOPLE
    if left > 0:
        others = [done for each in most[MOST_PEOPLE:] for done in each]
        yield Fact(
            key=f"team:{look.repo.name}:others",
            section=Section.FINISHED,
            text=f"{counted(left, 'other')} made {counted(len(others), 'commit')}",
            weight=0.4,
            topic="team",
            repo=look.repo.id,
            state=str(len(others)),
        )


def is_bot(done: Done) -> bool:
    """Say whether a commit is a machine's."""
    name, email = done.author.lower(), done.email
    return (
        "[bot]" in name
        or "[bot]" in email
        or name.startswith(
            ("dependabot", "renovate", "pre-commit-ci", "github-actions", "github action")
        )
    )


def _fact(look: Look, group: Group) -> Fact:
    paths = group.paths
    return Fact(
        key=f"theme:{look.repo.name}:{group.key}",
        section=Section.FINISHED,
        text=sentence(group),
        references=_references(group),
        weight=_size(group),
        topic=f"theme:{_topic(group)}",
        repo=look.repo.id,
        details=(
            *(f"{done.short} {done.subject}" for done in group.commits[:_DETAILS]),
            *((f"files: {listed(paths, 6)}",) if len(paths) > 2 else ()),
        ),
        state=f"{group.commits[0].sha} {len(group.commits)}",
    )


def sentence(group: Group) -> str:
    """Return one piece of work in a sentence: what, in which file, how much."""
    what = _what(group)
    size = lines(group.added, group.removed)
    many = counted(len(group.commits), "commit") if len(group.commits) > 1 else ""
    count = ", ".join(part for part in (many, size) if part)
    count = f": {count}" if count else ""
    where = _where(group, what, USUAL - len(what) - len(count))
    if len(what) + len(where) + len(count) > MOST:
        where = ""
    return cut(what, MOST - len(where + count)) + where + count


def _what(group: Group) -> str:
    title = _title(group)
    if title:
        said = clause_of(title)
        return said if not said.startswith("“") else f"{_FINISHED[:-1]}{said}"
    return f"worked on {group.paths[0]}" if group.paths else f"made {group.commits[0].short}"


def _title(group: Group) -> str:
    """Return the title that stands for a piece of work; empty if none says anything."""
    if group.pull is not None and group.pull.title and not says_little(group.pull.title):
        return group.pull.title
    telling = [done for done in group.commits if not says_little(done.subject)]
    if not telling:
        return ""
    squash = [done for done in telling if group.pull and f"({group.pull.key})" in done.subject]
    best = max(squash or telling, key=lambda done: (_code_lines(done), _lines(done), done.at))
    return best.subject


def _code_lines(done: Done) -> int:
    code = [file for file in done.files if role_of(file.path) == "code"]
    # A commit of thousands of lines is a move or a format: it says less than its size.
    return min(400, sum((file.added or 0) + (file.removed or 0) for file in code))


def _lines(done: Done) -> int:
    return min(400, sum((file.added or 0) + (file.removed or 0) for file in done.files))


def _where(group: Group, what: str, room: int) -> str:
    """Say which file it is about, and a second where there is room; none that was named."""
    if any(path in what for path in group.paths):
        return ""
    named = _main_paths(group)
    if not named:
        return ""
    two = f" in {files_within(named)}" if len(named) > 1 else ""
    return two if two and len(two) <= room and "1 more" not in two else f" in {named[0]}"


def _main_paths(group: Group) -> list[str]:
    """Return the file that a piece of work is about, and a second of the same sort."""
    paths = group.paths
    return [path for path in paths[:2] if role_of(path) == role_of(paths[0])]


def _short(group: Group) -> str:
    title = _title(group)
    return cut(clause_of(title), 60) if title else f"worked on {(group.paths or ['it'])[0]}"


def _references(group: Group) -> tuple[Reference, ...]:
    found: list[Reference] = []
    if group.pull is not None:
        found.append(Reference("pull", group.pull.key))
    found += [Reference("ticket", ticket) for ticket in group.tickets]
    if group.branch:
        found.append(Reference("branch", group.branch))
    found += [commit_ref(done.sha) for done in group.commits[:_REFERENCES]]
    found += [path_ref(path) for path in _main_paths(group)[:1]]
    return tuple(found)


def _topic(group: Group) -> str:
    code = [path for path in group.paths if role_of(path) == "code"] or group.paths
    return scope_of(code[:6]) or (code[0] if code else "")


def _size(group: Group) -> float:
    """How much a piece of work matters: by its commits and lines, much of either adding little."""
    changed = group.added + group.removed
    weight = 0.6 + 0.25 * math.log10(1 + changed) + 0.2 * math.log2(len(group.commits))
    aside = group.paths and role_of(group.paths[0]) not in ("code", "test", "docs")
    weight -= 0.4 if aside else 0.0
    return round(max(0.3, min(2.0, weight + (0.2 if group.pull or group.tickets else 0.0))), 2)


def _apart(groups: Sequence[Group]) -> tuple[list[Group], list[Group]]:
    """Return the pieces of work that are told one by one, and of many those that matter less."""
    if len(groups) <= APART:
        return list(groups), []
    order = sorted(range(len(groups)), key=lambda place: -_size(groups[place]))
    told, rest = order[: APART - 1], order[APART - 1 :]
    return [groups[place] for place in sorted(told)], [groups[place] for place in rest]


def _rest(look: Look, small: Sequence[Group]) -> Fact:
    """Tell together of what matters less."""
    paths = [path for each in small for path in each.paths[:1]]
    where = listed(list(dict.fromkeys(_folder(path) for path in paths)), 3)
    commits = [done for each in small for done in each.commits]
    smaller = all(each.added + each.removed <= SMALL for each in small)
    word = "smaller change" if smaller else "other change"
    return Fact(
        key=f"theme:{look.repo.name}:rest",
        section=Section.FINISHED,
        text=cut(f"made {counted(len(small), word)} in {where}", MOST),
        references=tuple(commit_ref(done.sha) for done in commits[:_REFERENCES]),
        weight=0.5,
        topic="theme:rest",
        repo=look.repo.id,
        details=tuple(f"{done.short} {done.subject}" for done in commits[:_DETAILS]),
        state=f"{commits[0].sha} {len(commits)}",
    )


def _folder(path: str) -> str:
    return path.rpartition("/")[0] or path


def _taken_back(look: Look, back: Sequence[tuple[Done, Done]]) -> Iterator[Fact]:
    for done, revert in back:
        yield Fact(
            key=f"revert:{look.repo.name}:{revert.short}",
            section=Section.FINISHED,
            text=f"tried {quoted(done.subject)} and took it back",
            references=(commit_ref(done.sha), commit_ref(revert.sha)),
            weight=0.7,
            topic="revert",
            repo=look.repo.id,
        )


def _merged(look: Look, person: Person, pulls: dict[str, Pull], own: set[str]) -> Iterator[Fact]:
    """Tell of pull requests of others that the person merged."""
    theirs = {pulls[sha].key for sha in own if sha in pulls}
    found: dict[str, Pull] = {}
    for merge in look.merges:
        pull = pull_of(merge)
        if pull is not None and pull.key not in theirs and person.wrote(merge.author, merge.email):
            found.setdefault(pull.key, pull)
    if not found:
        return
    several = list(found.values())
    titles = [quoted(pull.title, 60) for pull in several if pull.title]
    told = f": {listed(titles, 2)}" if titles else ""
    many = (
        "another's pull request" if len(several) == 1 else f"{len(several)} pull requests of others"
    )
    yield Fact(
        key=f"merged:{look.repo.name}:{several[0].key}",
        section=Section.FINISHED,
        text=cut(f"merged {many}{told}", MOST),
        references=tuple(Reference("pull", pull.key) for pull in several[:_REFERENCES]),
        weight=0.8,
        topic="merged",
        repo=look.repo.id,
        details=tuple(f"{pull.key} {bare_title(pull.title)}" for pull in several),
        state=" ".join(found),
    )
