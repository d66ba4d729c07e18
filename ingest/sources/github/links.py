"""Where a pull request or an issue leads to, by what GitHub itself knows of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....memory.records import Link, LinkKind
from .bundle import Bundle, Place, repository_of
from .fields import Json, inner, many, number, text
from .history import MERGED, state_of

SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_CLOSES = re.compile(
    r"(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+"
    r"(?:(?P<name>[\w.-]+/[\w.-]+)?\#|https?://[^\s/]+/(?P<path>[\w.-]+/[\w.-]+)/issues/|GH-)"
    r"(?P<number>[1-9]\d{0,8})(?![\w-])",
    re.IGNORECASE,
)
"""GitHub's keywords, which close an issue when the pull request is merged."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
MOST_COMMITS = 250
"""As many as GitHub lists of a pull request."""


def links_of_pull(bundle: Bundle, place: Place) -> tuple[Link, ...]:
    """Return the merge, the commits, the branch, the issues it closes, and the files remarked on."""
    data, found = bundle.data, list[Link]()
    merge = text(data, "merge_commit_sha") or text(inner(data, "mergeCommit"), "oid")
    if state_of(bundle) == MERGED and SHA.fullmatch(merge):
        found.append(Link(LinkKind.MERGED_AS, merge))
    shas = [text(each, "sha", "oid") for each in bundle.commits[:MOST_COMMITS]]
    shas.append(text(inner(data, "head"), "sha") or text(data, "headRefOid"))
    found += [Link(LinkKind.COMMIT, sha) for sha in shas if SHA.fullmatch(sha)]
    branch = text(inner(data, "head"), "ref") or text(data, "headRefName")
    found += [Link(LinkKind.BRANCH, branch)] if branch else []
    found += [Link(LinkKind.ITEM, ref) for ref in closed_by(text(data, "body"), place)]
    found += _linked_issues(data, place)
    found += _referenced(bundle, place)
    paths = dict.fromkeys(text(remark, "path") for remark in bundle.remarks)
    return (*found, *(Link(LinkKind.PATH, path) for path in paths if path))


def links_of_issue(bundle: Bundle, place: Place) -> tuple[Link, ...]:
    """Return what closed it, and what referred to it: pull requests, issues and commits."""
    found = [
        Link(LinkKind.COMMIT, sha)
        for event in bundle.events
        if text(event, "event") in ("closed", "referenced")
        and SHA.fullmatch(sha := text(event, "commit_id"))
    ]
    found += _referenced(bundle, place)
    for pull in many(bundle.data, "closedByPullRequestsReferences"):
        found += _item(pull, place)
    return tuple(found)


def closed_by(said: str, place: Place) -> list[str]:
    """Return the references of the issues that a description says it closes."""
    refs: list[str] = []
    for match in _CLOSES.finditer(_CODE.sub(" ", said)):
        name = match["name"] or match["path"] or place.name
        name = place.name if name.lower() == place.name.lower() else name
        refs.append(f"github:{name}#{match['number']}")
    return list(dict.fromkeys(refs))


def _linked_issues(data: Json, place: Place) -> Iterator[Link]:
    for issue in many(data, "closingIssuesReferences"):
        yield from _item(issue, place)


def _referenced(bundle: Bundle, place: Place) -> Iterator[Link]:
    for event in bundle.events:
        if text(event, "event") == "cross-referenced":
            yield from _item(inner(inner(event, "source"), "issue"), place)


def _item(data: Json, place: Place) -> list[Link]:
    which = number(data, "number")
    name = repository_of(data)[1] or place.name
    return [Link(LinkKind.ITEM, f"github:{name}#{which}")] if which else []
