"""What commits made wrong in documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ...ingest.git.command import Git
from ..project_settings import ProjectDocuments
from .altered import altered
from .broken import bad_samples, dead_links
from .changes import Change, changes
from .cochange import left_behind
from .documents import load_tree
from .present import line_of
from .records import Document, Drift, Thing, Tier
from .removed import removed
from .tree import Tree

MAX_ASKED = 40
"""Names of which the commit is looked for, of a range of several."""
_ORDER = {Tier.CERTAIN: 0, Tier.LIKELY: 1, Tier.POSSIBLE: 2}


def after(git: Git, old: str | None, new: str, project: ProjectDocuments) -> list[Drift]:
    """Return what the commits ``old..new`` made wrong in documents as they are at ``new``.

    Without ``old``, the first parent of ``new``; the first commit of all makes nothing wrong.
    Surest first. Raise a GitError subclass if a revision is not there.
    """
    new = _commit(git, new)
    parents = git.run("rev-list", "--parents", "-n1", new).split()[1:]
    if old is None:
        if not parents:
            return []
        old = parents[0].decode()
    else:
        old = _commit(git, old)
    if old == new:
        return []
    before, now = Tree.at(git, old), Tree.at(git, new)
    change = changes(git, before, now)
    documents = load_tree(now, project)
    found = [
        *removed(change, documents, new),
        *altered(change, documents, new),
        *_in_changed(change, documents, project, new),
    ]
    touched = change.documents | {path for path in before.entries if path not in now.entries}
    behind = left_behind(git, old, new, touched, documents)
    if behind is not None and behind.document not in {drift.document for drift in found}:
        found.append(behind)
    found = in_order(found)
    if found and [parent.decode() for parent in parents] != [old]:
        found = _attributed(git, old, new, found)
    return found


def in_order(found: Iterable[Drift]) -> list[Drift]:
    """Return each finding once, the surest for a name on a line, in order of how sure they are."""
    return sorted(_once(found), key=lambda one: (_ORDER[one.tier], one.document, one.line))


def _commit(git: Git, rev: str) -> str:
    named = git.run("rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}")
    return named.decode().strip()


def _in_changed(
    change: Change, documents: Mapping[str, Document], project: ProjectDocuments, commit: str
) -> Iterator[Drift]:
    """Yield what is dead in documents that the commits changed, and was not before."""
    mine = {path: documents[path] for path in change.documents if path in documents}
    moved = {new: old for old, new in change.renamed.items()}
    targets = set(change.documents) | set(change.renamed)
    former: dict[str, Document] | None = None
    for document in documents.values():
        linked = document.path in mine or any(
            "#" in link.name and link.name.partition("#")[0].rpartition("/")[2]
            in {path.rpartition("/")[2] for path in targets}
            for link in document.links
        )  # fmt: skip
        if not linked:
            continue
        dead = list(dead_links(document, change.new, documents))
        bad = list(bad_samples(document)) if document.path in mine else []
        if not dead and not bad:
            continue
        if former is None:
            former = load_tree(change.old, project)
        earlier = former.get(moved.get(document.path, document.path))
        was_dead: set[str] = set()
        was_bad: set[str] = set()
        if earlier is not None:
            was_dead = {link.name for link, _ in dead_links(earlier, change.old, former)}
            was_bad = {sample.text for sample, _, _ in bad_samples(earlier)}
        for link, missing in dead:
            if link.name not in was_dead:
                thing = Thing.ANCHOR if "heading" in missing else Thing.LINK
                yield Drift(
                    document.path, link.line, line_of(document, link.line), thing, link.name,
                    Tier.CERTAIN, f"{missing} since {commit[:7]}", commit,
                )  # fmt: skip
        for sample, number, said in bad:
            if sample.text not in was_bad:
                yield Drift(
                    document.path, number, line_of(document, number), Thing.SAMPLE,
                    sample.language, Tier.CERTAIN, f"{said}, since {commit[:7]}", commit,
                )  # fmt: skip


def _once(found: Iterable[Drift]) -> Iterator[Drift]:
    """Yield one finding for a name on a line, the surest."""
    seen: set[tuple[str, int, str]] = set()
    for drift in sorted(found, key=lambda one: _ORDER[one.tier]):
        key = (drift.document, drift.line, drift.name)
        if key not in seen:
            seen.add(key)
            yield drift


def _attributed(git: Git, old: str, new: str, found: list[Drift]) -> list[Drift]:
    """Name the commit of the range that took each name away; the last one where it can't be told."""
    commits: dict[str, str] = {}
    for drift in found:
        name = drift.name.removesuffix("()").split()[-1].rpartition(".")[2] or drift.name
        if (
            drift.thing in (Thing.DOCUMENT, Thing.SAMPLE)
            or len(commits) >= MAX_ASKED
            or git.is_partial
        ):
            continue
        if drift.name in commits:
            continue
        asked = [f"{old}..{new}", "--"]
        if drift.thing in (Thing.PATH, Thing.LINK, Thing.ANCHOR):
            asked = ["--diff-filter=D", "--no-renames", *asked, drift.reason.split(" ", 1)[0]]
        else:
            asked = [f"-S{name}", "--no-ext-diff", "--no-textconv", *asked, "."]
            asked += [f":(exclude,icase)*{end}" for end in (".md", ".rst")]
        said = git.run("log", "--format=%H", "--max-count=1", *asked).decode().strip()
        if said:
            commits[drift.name] = said
    return [
        replace(drift, commit=commits[drift.name],
                reason=drift.reason.replace(new[:7], commits[drift.name][:7]))
        if drift.name in commits else drift
        for drift in found
    ]  # fmt: skip
