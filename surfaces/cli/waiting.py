"""Tells after an answer what it could not have known yet: memory empty, or still being read."""

from __future__ import annotations

import os

from .text import listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..client import Client
    from .output import Output

    Repo = dict[str, Any]


def say_how_far(client: Client, body: dict[str, Any], out: Output) -> None:
    """After a question, say what memory has not read yet. Asked last: the answer goes first."""
    if out.as_json:
        return
    repos: list[Repo] = client.call("GET", "/v1/repos")["repos"]
    if not repos:
        out.say(empty(bool(client.call("GET", "/v1/sources")["sources"])), "yellow")
        return
    meant = [repo for repo in repos if _is_meant(repo, body)]
    behind = [part for repo in meant if (part := how_far(repo))]
    if behind:
        out.say(f"still being read, newest first: {listing(behind)}", "yellow")
    if waiting := [repo["name"] for repo in meant if waits(repo)]:
        out.say(
            f"the latest changes of {listing(waiting)} wait to be read; `hermes status` says why",
            "yellow",
        )


def empty(sources: bool) -> str:
    """Return what to say where no repository is in memory; with ``sources``, other things are."""
    what = "no repository is in memory" if sources else "memory is empty"
    return f"{what}: `hermes up` in a repository takes it in"


def how_far(repo: Repo) -> str:
    """Return e.g. ``shop 45 % (1,200 of 2,700 commits)`` while its history is read, else nothing."""
    job = repo["job"]
    if job is None or job["state"] not in ("queued", "running"):
        return "" if repo["commits"] else f"{repo['name']} (nothing read yet)"
    if not job["total"]:
        return f"{repo['name']} (about to begin)" if not repo["commits"] else ""
    share = 100 * job["done"] // job["total"]
    return f"{repo['name']} {share} % ({job['done']:,} of {job['total']:,} commits)"


def waits(repo: Repo) -> bool:
    """Say whether changes of a repository that was read before wait for their turn."""
    job = repo["job"]
    return job is not None and job["state"] == "queued" and bool(repo["commits"])


def _is_meant(repo: Repo, body: dict[str, Any]) -> bool:
    named = body["filters"].get("repos")
    if named:
        return not {repo["id"], repo["name"], repo["path"], repo["worktree"]}.isdisjoint(named)
    cwd, worktree = body.get("cwd"), repo["worktree"]
    return not cwd or not worktree or (cwd + os.sep).startswith(worktree + os.sep)
