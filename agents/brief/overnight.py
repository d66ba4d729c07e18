"""What others did meanwhile: on the main branch, and to the files that the person works on."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...ingest.git.classify import by_path
from ...memory.records import Content
from ..commits.paths import is_changelog, role_of
from .finished import is_bot
from .grouping import group
from .look import Done, Look
from .looking import with_looks
from .once import count_once
from .pulls import pulls_of, squashed
from .records import Fact, Found, Reference, Scope, Section
from .wording import (
    MOST,
    TITLE,
    clause_of,
    commit_ref,
    counted,
    cut,
    files_within,
    listed,
    path_ref,
    quoted,
    says_little,
    with_title,
)

ONE_BY_ONE = 3
"""People whose work is told each for itself."""


@dataclass(frozen=True, slots=True)
class Mine:
    """Why a file is the person's concern."""

    what: str
    """The branch or working tree that has the work; ``lately`` where it is what was done."""
    words: str
    topic: str
    weight: float
    move: str = ""
    """What to do before going on; ``{who}``, ``{sha}`` and ``{path}`` are filled in."""


def overnight(scope: Scope) -> Found:
    """Return what came in from others by git."""
    facts: list[Fact] = []
    for look in with_looks(scope).looks or ():
        if look.failed:
            continue
        mine = concerns(look)
        touching = list(_touching(look, mine))
        facts += _forced(look)
        facts += touching
        facts += _main(look, {ref.target for fact in touching for ref in fact.references})
        facts += _branches(look, mine)
    return Found(tuple(facts))


def concerns(look: Look) -> dict[str, Mine]:
    """Return the files that the person has open work in, by path, and why each is theirs."""
    found: dict[str, Mine] = {}
    for path in look.lately:
        found[path] = Mine("lately", "which you changed lately", "touched", 0.9)
    for branch in look.branches:
        if branch.name == look.news.name.rpartition("/")[2] or not branch.commits:
            continue
        move = f"rebase {branch.name} before you go on: {{who}} changed {{path}} in {{sha}}"
        for path in branch.paths:
            found[path] = Mine(
                branch.name, f"which {branch.name} changes too", "touched_branch", 1.4, move
            )
    for tree in look.trees:
        at = f"bring {tree.branch or 'your work'} up to date before you go on: "
        move = at + "{who} changed {path} in {sha}"
        for one in tree.changed:
            if any(edit != "new" for edit in one.edits):
                words = "where you have uncommitted work"
                found[one.path] = Mine(f"in {tree.path.name}", words, "touched_open", 1.9, move)
    return {path: why for path, why in found.items() if _tells(path)}


def _tells(path: str) -> bool:
    """Leave out files that everybody touches with everything."""
    return not is_changelog(path) and by_path(path) is Content.TEXT


def _touching(look: Look, mine: dict[str, Mine]) -> Iterator[Fact]:
    """Tell of the person's files that others changed: once for each piece of open work."""
    files: defaultdict[Mine, dict[str, list[Done]]] = defaultdict(dict)
    for done in look.news.commits:
        for file in done.files:
            concern = mine.get(file.path)
            if concern and (concern.topic != "touched" or role_of(file.path) == "code"):
                files[concern].setdefault(file.path, []).append(done)
    # Beside open work, what was only worked on lately is told by who has what on the main branch.
    strong = [why for why in files if why.topic != "touched"]
    for why in sorted(strong or files, key=lambda why: (-why.weight, why.what)):
        order = sorted(
            files[why], key=lambda path: (role_of(path) != "code", -len(files[why][path]))
        )
        commits = {done.sha: done for path in order for done in files[why][path]}
        yield _touched(look, order, why, sorted(commits.values(), key=lambda done: -done.at))


def _touched(look: Look, paths: Sequence[str], why: Mine, commits: Sequence[Done]) -> Fact:
    newest = commits[0]
    who = listed(list(dict.fromkeys(done.author for done in commits)), 2)
    files = files_within(paths)
    shown = next((done for done in commits if not says_little(done.subject)), newest)
    text = f"{who} changed {files} on {look.news.name}, {why.words}"
    return Fact(
        key=f"touched:{look.repo.name}:{why.what}",
        section=Section.OVERNIGHT,
        text=cut(with_title(text, shown.subject), MOST),
        references=(*(commit_ref(done.sha) for done in commits[:2]), path_ref(paths[0])),
        weight=why.weight,
        topic=why.topic,
        repo=look.repo.id,
        details=tuple(f"{done.short} {done.author}: {done.subject}" for done in commits[:20]),
        move=cut(why.move.format(who=who, sha=newest.short, path=files), MOST) if why.move else "",
        state=f"{newest.sha} {' '.join(sorted(paths))}",
    )


def _main(look: Look, told: set[str]) -> Iterator[Fact]:
    """Tell who did what on the main branch, beside what was ``told`` of it already."""
    news = look.news
    plain = [done for done in news.commits if not done.is_merge]
    people = [done for done in plain if not is_bot(done)]
    bots = len(plain) - len(people)
    if not people:
        if bots:
            yield _bots(look, plain)
        return
    authors: defaultdict[str, list[Done]] = defaultdict(list)
    for done in people:
        authors[done.email or done.author].append(done)
    if len(authors) <= ONE_BY_ONE:
        yield from _authors(look, authors, told)
        return
    names = listed([commits[0].author for commits in _most(authors)], 3)
    fresh = [done for done in people if done.sha not in told] or people
    titles = [quoted(each, 50) for each in _titles(look, fresh)[:2]]
    places = listed(_places(people)[:2])
    text = f"{counted(len(people), 'commit')} on {news.name} by {names}, mostly in {places}"
    yield Fact(
        key=f"main:{look.repo.name}",
        section=Section.OVERNIGHT,
        text=cut(f"{text}: {listed(titles)}", MOST),
        references=tuple(commit_ref(done.sha) for done in people[:3]),
        weight=min(1.2, 0.6 + 0.2 * math.log10(len(people))),
        topic="main",
        repo=look.repo.id,
        details=tuple(f"{d.short} {d.author}: {d.subject}" for d in people[:40]),
        state=people[0].sha,
    )


def _most(authors: dict[str, list[Done]]) -> list[list[Done]]:
    return sorted(authors.values(), key=lambda commits: (-len(commits), commits[0].author))


def _titles(look: Look, commits: Sequence[Done]) -> list[str]:
    """Return titles of the largest pieces of work."""
    pulls = pulls_of(look.merges or look.news.commits, look.graph or _graph(look), look.main)
    groups = group(count_once(commits).commits, pulls, ())
    groups.sort(key=lambda each: -sum(len(done.files) + 1 for done in each.commits))
    found: list[str] = []
    for each in groups:
        told = each.pull.title if each.pull is not None else ""
        subjects = [done.subject for done in each.commits if not says_little(done.subject)]
        if told and not says_little(told):
            found.append(told)
        elif subjects:
            found.append(max(subjects, key=lambda subject: (bool(squashed(subject)), len(subject))))
    return found


def _graph(look: Look) -> dict[str, tuple[str, ...]]:
    return {done.sha: done.parents for done in look.news.commits}


def _authors(look: Look, authors: dict[str, list[Done]], told: set[str]) -> Iterator[Fact]:
    """Tell who did what, those with one commit together."""
    left = {email: [d for d in commits if d.sha not in told] for email, commits in authors.items()}
    once = [commits[0] for commits in left.values() if len(commits) == 1]
    once = once if len(once) > 1 else []
    for email, commits in authors.items():
        fact = (
            None
            if left[email][:1] and left[email][0] in once
            else _author(look, email, commits, told)
        )
        if fact is not None:
            yield fact
    if once:
        yield _once(look, once)


def _once(look: Look, commits: Sequence[Done]) -> Fact:
    said = [clause_of(done.subject) for done in commits]
    if any(what.startswith("“") for what in said):
        pieces = [f"{quoted(done.subject, TITLE // 2)} by {done.author}" for done in commits]
        text = f"on {look.news.name} {listed(pieces)}"
    else:
        pieces = [
            f"{d.author} {cut(what, TITLE // 2)}" for d, what in zip(commits, said, strict=True)
        ]
        text = f"{listed(pieces)} on {look.news.name}"
    return Fact(
        key=f"main:{look.repo.name}:once",
        section=Section.OVERNIGHT,
        text=cut(text, MOST),
        references=(
            *(Reference("pull", key) for key in _pulls(commits)[:2]),
            *(commit_ref(done.sha) for done in commits[:3]),
        ),
        weight=0.7 if _about_code(commits) else 0.3,
        topic="main",
        repo=look.repo.id,
        details=tuple(f"{done.short} {done.author}: {done.subject}" for done in commits),
        state=" ".join(done.sha for done in commits),
    )


def _author(look: Look, email: str, commits: Sequence[Done], told: set[str]) -> Fact | None:
    left = [done for done in commits if done.sha not in told]
    if not left:
        return None
    titles = _titles(look, left)
    said = [clause_of(title) for title in titles[:2]]
    said = said if len(listed(said)) <= TITLE else said[:1]
    many = counted(len(left), "other commit" if len(left) < len(commits) else "commit")
    places = _places(left)
    where = f"in {places[0]}" if len(places) == 1 else f"mostly in {places[0]}"
    name = commits[0].author
    if said and not any(one.startswith("“") for one in said):
        text = f"{name} {listed(said)} on {look.news.name}"
        text += f" ({many}, {where})" if len(left) > 1 else ""
    else:
        text = f"{name} has {many} on {look.news.name}, {where}"
        text += f": {listed([quoted(title, 50) for title in titles[:2]])}" if titles else ""
    return Fact(
        key=f"main:{look.repo.name}:{email}",
        section=Section.OVERNIGHT,
        text=cut(text, MOST),
        references=(
            *(Reference("pull", key) for key in _pulls(left)[:2]),
            *(commit_ref(done.sha) for done in left[:3]),
        ),
        weight=min(1.1, 0.6 + 0.1 * math.log2(1 + len(left))) if _about_code(left) else 0.3,
        topic="main",
        repo=look.repo.id,
        details=tuple(f"{done.short} {done.subject}" for done in left[:20]),
        state=left[0].sha,
    )


def _about_code(commits: Sequence[Done]) -> bool:
    return any(_tells(file.path) for done in commits for file in done.files)


def _pulls(commits: Sequence[Done]) -> list[str]:
    return list(dict.fromkeys(key for done in commits if (key := squashed(done.subject))))


def _bots(look: Look, commits: Sequence[Done]) -> Fact:
    return Fact(
        key=f"main:{look.repo.name}:bots",
        section=Section.OVERNIGHT,
        text=cut(
            f"only machines committed to {look.news.name}: {counted(len(commits), 'commit')} by"
            f" {listed(list(dict.fromkeys(done.author for done in commits)), 2)}",
            MOST,
        ),
        references=tuple(commit_ref(done.sha) for done in commits[:2]),
        weight=0.2,
        topic="bots",
        repo=look.repo.id,
        details=tuple(f"{done.short} {done.subject}" for done in commits[:20]),
        state=commits[0].sha,
    )


def _places(commits: Sequence[Done]) -> list[str]:
    """Return the folders that commits touch most."""
    counts: Counter[str] = Counter()
    for done in commits:
        folders = {_folder(file.path) for file in done.files if _tells(file.path)}
        counts.update(folders or {_folder(file.path) for file in done.files})
    return [folder for folder, _ in counts.most_common(3)] or ["no files"]


def _folder(path: str) -> str:
    parts = path.split("/")[:-1]
    return "/".join(parts[:2]) + "/" if parts else path


def _forced(look: Look) -> Iterator[Fact]:
    if look.news.forced is None:
        return
    old, new = look.news.forced
    yield Fact(
        key=f"forced:{look.repo.name}",
        section=Section.OVERNIGHT,
        text=cut(
            f"{look.news.name} was force-pushed: {old[:7]} gave way to {new[:7]}",
            MOST,
        ),
        references=(commit_ref(old), commit_ref(new)),
        weight=1.7,
        topic="forced",
        repo=look.repo.id,
        move=f"see what the force-push of {look.news.name} took away before you rebase:"
        f" git log {new[:7]}..{old[:7]}",
        state=new,
    )


def _branches(look: Look, mine: dict[str, Mine]) -> Iterator[Fact]:
    """Tell of new branches of others that touch the person's files."""
    for name, commits in look.news.branches:
        paths = [f.path for done in commits for f in done.files if f.path in mine]
        if not paths or all(is_bot(done) for done in commits):
            continue
        files = list(dict.fromkeys(paths))
        newest = commits[0]
        yield Fact(
            key=f"branch:{look.repo.name}:{name}",
            section=Section.OVERNIGHT,
            text=cut(
                with_title(
                    f"{newest.author} works on {name}, which changes {files_within(files)} too",
                    newest.subject,
                ),
                MOST,
            ),
            references=(Reference("branch", name), commit_ref(newest.sha), path_ref(files[0])),
            weight=0.9,
            topic="others_branch",
            repo=look.repo.id,
            details=tuple(f"{done.short} {done.subject}" for done in commits[:20]),
            state=newest.sha,
        )
