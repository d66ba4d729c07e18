"""A pull request as something to judge: what was said on it, and its change as this repository has it."""

from __future__ import annotations

from ..agents.brief.refs import read_refs
from ..agents.council.packet import Document
from ..ingest.git.command import Git
from ..ingest.git.errors import GitError
from ..memory.errors import HermesError
from ..memory.memory import Memory
from ..memory.records import Item, ItemKind, LinkKind

SECONDS = 20.0


class NoSuchPull(HermesError):
    """Memory has no pull request by that number."""

    code = "no_such_pull"


class PullNotHere(HermesError):
    """The repository has none of the commits of a pull request."""

    code = "pull_not_here"


def pull_of(memory: Memory, repo: str, number: int) -> Item:
    """Return a pull request of a repository. Raise NoSuchPull. Blocking."""
    found = memory.index.items.by_key(f"#{number}", (repo,))
    for item in found:
        if item.kind is ItemKind.PULL:
            return item
    if found:
        raise NoSuchPull(f"#{number} is no pull request", hint="--diff names a change of yours")
    raise NoSuchPull(
        f"memory has no pull request #{number} of this repository",
        hint="hermes sources add github reads them; hermes sources sync github the newest",
    )


def document_of(item: Item) -> Document:
    """Return what is known of a pull request beside its change: how it stands, and its discussion."""
    reviews = [change.value for change in item.changes if change.field == "review"]
    checks = [change.value for change in item.changes if change.field == "checks"][-1:]
    lines = [
        f"Pull request {item.key} {item.title}",
        f"It is {item.state}. Its author is {item.author or 'not known any more'}.",
        *([f"Reviews: {'; '.join(reviews)}."] if reviews else []),
        *(f"Checks: {value}." for value in checks),
    ]
    return Document(item.ref, "\n".join(lines) + f"\n\n{item.text}")


def change_of(git: Git, item: Item) -> str:
    """Return the difference that a pull request makes, as git names it: of a merged one what its merge
    brought, else from where it left the main branch to its head. Raise GitError, PullNotHere. Blocking.
    """
    merges = _targets(item, LinkKind.MERGED_AS)
    for sha in merges:
        if _is_here(git, f"{sha}^1"):
            return f"{sha}^1..{sha}"
    heads = _targets(item, LinkKind.COMMIT)[-1:]
    mains = read_refs(git).main()
    if not merges and heads and mains and _is_here(git, heads[0]):
        return f"{mains[0].sha}...{heads[0]}"
    number = item.key.lstrip("#")
    raise PullNotHere(
        f"the commits of {item.key} are not in this repository, and hermes never fetches",
        hint="git fetch origin" if merges else f"git fetch origin pull/{number}/head",
    )


def _targets(item: Item, kind: LinkKind) -> list[str]:
    return [link.target for link in item.links if link.kind is kind]


def _is_here(git: Git, name: str) -> bool:
    try:
        git.run("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}", timeout=SECONDS)
    except GitError:
        return False
    return True
