"""Issues, pull requests and what is on them, as GitHub's REST API and its command line print them.

The fields are those of the public API description; all people and texts are made up.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]

NAME = "acme/shop"
API = "https://api.github.com"
WEB = "https://github.com"
BEGUN = 1_773_309_600
"""12 March 2026 10:00 UTC."""
MERGE = "4f1c2d9a0b3e5f60718293a4b5c6d7e8f9012345"
HEAD = "9a8b7c6d5e4f30211203f4e5d6c7b8a9f0e1d2c3"
HUNK = (
    "@@ -36,6 +36,9 @@ class Limiter:\n"
    "     def __init__(self, settings: Settings) -> None:\n"
    "         self.window = settings.window\n"
    "+        self.client = Redis.from_url(settings.redis_url)\n"
    "+        self.script = self.client.register_script(TAKE)"
)


def at(seconds: float) -> str:
    """Return a time as GitHub writes it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def user(login: str, *, kind: str = "User", number: int = 0) -> Json:
    """Return a simple user."""
    here = f"{API}/users/{login}"
    return {
        "login": login,
        "id": number or 1000 + sum(login.encode()),
        "node_id": f"U_{login}",
        "avatar_url": f"https://avatars.githubusercontent.com/{login}",
        "gravatar_id": "",
        "url": here,
        "html_url": f"{WEB}/{login}",
        "followers_url": f"{here}/followers",
        "following_url": f"{here}/following{{/other_user}}",
        "gists_url": f"{here}/gists{{/gist_id}}",
        "starred_url": f"{here}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{here}/subscriptions",
        "organizations_url": f"{here}/orgs",
        "repos_url": f"{here}/repos",
        "events_url": f"{here}/events{{/privacy}}",
        "received_events_url": f"{here}/received_events",
        "type": kind,
        "user_view_type": "public",
        "site_admin": False,
    }


SAM, KIM, ALEX = user("sam-ito"), user("kimnoor"), user("alexroe")
BOT = user("renovate[bot]", kind="Bot")


def repository(name: str = NAME, *, web: str = WEB) -> Json:
    """Return a repository, without most of its addresses."""
    owner, _, short = name.partition("/")
    return {
        "id": 1296269,
        "node_id": "R_1296269",
        "name": short,
        "full_name": name,
        "private": True,
        "owner": user(owner, kind="Organization"),
        "html_url": f"{web}/{name}",
        "description": "The shop",
        "fork": False,
        "url": f"{API}/repos/{name}",
        "clone_url": f"{web}/{name}.git",
        "ssh_url": f"git@{web.partition('://')[2]}:{name}.git",
        "default_branch": "main",
        "has_issues": True,
        "archived": False,
        "open_issues_count": 3,
    }


def reactions(of: str) -> Json:
    """Return that nobody has reacted."""
    kinds = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
    return {"url": f"{of}/reactions", "total_count": 0} | dict.fromkeys(kinds, 0)


def label(name: str) -> Json:
    """Return a label."""
    return {
        "id": 208045946,
        "node_id": f"LA_{name}",
        "url": f"{API}/repos/{NAME}/labels/{name}",
        "name": name,
        "description": None,
        "color": "f29513",
        "default": False,
    }


def issue(
    number: int,
    title: str = "",
    body: str | None = "",
    *,
    by: Json | None = SAM,
    opened: int = BEGUN,
    updated: int | None = None,
    closed: int | None = None,
    reason: str | None = None,
    assignees: Sequence[Json] = (),
    labels: Sequence[str] = (),
    pull: bool = False,
    merged: int | None = None,
    draft: bool = False,
    comments: int = 0,
    association: str = "MEMBER",
    name: str = NAME,
) -> Json:
    """Return an issue as a list of issues has it; with ``pull``, a pull request as that has it."""
    here, page = f"{API}/repos/{name}/issues/{number}", f"{WEB}/{name}/issues/{number}"
    found: Json = {
        "url": here,
        "repository_url": f"{API}/repos/{name}",
        "labels_url": f"{here}/labels{{/name}}",
        "comments_url": f"{here}/comments",
        "events_url": f"{here}/events",
        "html_url": page,
        "id": 10_000 + number,
        "node_id": f"I_{number}",
        "number": number,
        "title": title or f"Issue number {number}",
        "user": by,
        "labels": [label(each) for each in labels],
        "state": "open" if closed is None else "closed",
        "locked": False,
        "assignee": assignees[0] if assignees else None,
        "assignees": list(assignees),
        "milestone": None,
        "comments": comments,
        "created_at": at(opened),
        "updated_at": at(max(opened, closed or 0) if updated is None else updated),
        "closed_at": None if closed is None else at(closed),
        "author_association": association,
        "active_lock_reason": None,
        "body": body,
        "closed_by": None,
        "reactions": reactions(here),
        "timeline_url": f"{here}/timeline",
        "performed_via_github_app": None,
        "state_reason": reason,
    }
    if pull:
        place = f"{API}/repos/{name}/pulls/{number}"
        page = f"{WEB}/{name}/pull/{number}"
        found["html_url"] = page
        found["draft"] = draft
        found["pull_request"] = {
            "url": place,
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": None if merged is None else at(merged),
        }
    return found


def pull(
    number: int,
    title: str = "",
    body: str | None = "",
    *,
    by: Json | None = SAM,
    opened: int = BEGUN,
    updated: int | None = None,
    closed: int | None = None,
    merged: int | None = None,
    merge: str | None = None,
    head: str = HEAD,
    branch: str = "rate-limit",
    draft: bool = False,
    reviewers: Sequence[Json] = (),
    teams: Sequence[str] = (),
    assignees: Sequence[Json] = (),
    labels: Sequence[str] = (),
    remarks: int = 0,
    association: str = "MEMBER",
    name: str = NAME,
) -> Json:
    """Return a pull request in full."""
    closed = merged if closed is None else closed
    here, page = f"{API}/repos/{name}/pulls/{number}", f"{WEB}/{name}/pull/{number}"
    owner = name.partition("/")[0]
    return {
        "url": here,
        "id": 20_000 + number,
        "node_id": f"PR_{number}",
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": f"{API}/repos/{name}/issues/{number}",
        "number": number,
        "state": "open" if closed is None else "closed",
        "locked": False,
        "title": title or f"Pull request number {number}",
        "user": by,
        "body": body,
        "created_at": at(opened),
        "updated_at": at(max(opened, closed or 0) if updated is None else updated),
        "closed_at": None if closed is None else at(closed),
        "merged_at": None if merged is None else at(merged),
        # Of an open one, the merge that was only tried.
        "merge_commit_sha": merge or (MERGE if merged is not None else "e" * 40),
        "assignee": assignees[0] if assignees else None,
        "assignees": list(assignees),
        "requested_reviewers": list(reviewers),
        "requested_teams": [{"id": 1, "name": each, "slug": each.lower()} for each in teams],
        "labels": [label(each) for each in labels],
        "milestone": None,
        "draft": draft,
        "commits_url": f"{here}/commits",
        "review_comments_url": f"{here}/comments",
        "review_comment_url": f"{API}/repos/{name}/pulls/comments{{/number}}",
        "comments_url": f"{API}/repos/{name}/issues/{number}/comments",
        "statuses_url": f"{API}/repos/{name}/statuses/{head}",
        "head": {
            "label": f"{owner}:{branch}",
            "ref": branch,
            "sha": head,
            "user": user(owner, kind="Organization"),
            "repo": repository(name),
        },
        "base": {
            "label": f"{owner}:main",
            "ref": "main",
            "sha": "b" * 40,
            "user": user(owner, kind="Organization"),
            "repo": repository(name),
        },
        "_links": {"self": {"href": here}, "html": {"href": page}},
        "author_association": association,
        "auto_merge": None,
        "active_lock_reason": None,
        "merged": merged is not None,
        "mergeable": True if closed is None else None,
        "rebaseable": None,
        "mergeable_state": "clean",
        "merged_by": KIM if merged is not None else None,
        "comments": 0,
        "review_comments": remarks,
        "maintainer_can_modify": False,
        "commits": 1,
        "additions": 42,
        "deletions": 7,
        "changed_files": 3,
    }


def comment(
    number: int,
    body: str,
    *,
    by: Json | None = KIM,
    when: int = BEGUN + 600,
    edited: int | None = None,
    id: int = 0,
    association: str = "MEMBER",
    name: str = NAME,
) -> Json:
    """Return a comment on an issue or in a pull request's conversation."""
    which = id or 5_000 + when - BEGUN
    return {
        "url": f"{API}/repos/{name}/issues/comments/{which}",
        "html_url": f"{WEB}/{name}/issues/{number}#issuecomment-{which}",
        "issue_url": f"{API}/repos/{name}/issues/{number}",
        "id": which,
        "node_id": f"IC_{which}",
        "user": by,
        "created_at": at(when),
        "updated_at": at(when if edited is None else edited),
        "author_association": association,
        "body": body,
        "reactions": reactions(f"{API}/repos/{name}/issues/comments/{which}"),
        "performed_via_github_app": None,
    }


def review(
    number: int,
    state: str,
    body: str | None = "",
    *,
    by: Json | None = KIM,
    when: int | None = BEGUN + 1200,
    association: str = "MEMBER",
    name: str = NAME,
) -> Json:
    """Return a review: APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING."""
    page, here = f"{WEB}/{name}/pull/{number}", f"{API}/repos/{name}/pulls/{number}"
    found: Json = {
        "id": 80,
        "node_id": "PRR_80",
        "user": by,
        "body": body,
        "state": state,
        "html_url": f"{page}#pullrequestreview-80",
        "pull_request_url": here,
        "author_association": association,
        "_links": {"html": {"href": page}, "pull_request": {"href": here}},
        "commit_id": HEAD,
    }
    return found if when is None else found | {"submitted_at": at(when)}


def remark(
    number: int,
    body: str,
    *,
    by: Json | None = KIM,
    when: int = BEGUN + 1100,
    edited: int | None = None,
    path: str = "shop/limiter.py",
    line: int | None = 39,
    original: int | None = 39,
    start: int | None = None,
    hunk: str = HUNK,
    reply_to: int | None = None,
    id: int = 0,
    association: str = "MEMBER",
    name: str = NAME,
) -> Json:
    """Return a review comment; ``line`` is None where what it is on has changed since."""
    which = id or 7_000 + when - BEGUN
    here, page = f"{API}/repos/{name}/pulls", f"{WEB}/{name}/pull/{number}"
    found: Json = {
        "url": f"{here}/comments/{which}",
        "pull_request_review_id": 80,
        "id": which,
        "node_id": f"PRRC_{which}",
        "diff_hunk": hunk,
        "path": path,
        "position": 4 if line is not None else None,
        "original_position": 4,
        "commit_id": HEAD,
        "original_commit_id": HEAD,
        "user": by,
        "body": body,
        "created_at": at(when),
        "updated_at": at(when if edited is None else edited),
        "html_url": f"{page}#discussion_r{which}",
        "pull_request_url": f"{here}/{number}",
        "author_association": association,
        "_links": {
            "self": {"href": f"{here}/comments/{which}"},
            "html": {"href": page},
            "pull_request": {"href": f"{here}/{number}"},
        },
        "reactions": reactions(f"{here}/comments/{which}"),
        "start_line": start,
        "original_start_line": start,
        "start_side": None if start is None else "RIGHT",
        "line": line,
        "original_line": original,
        "side": "RIGHT",
        "subject_type": "file" if original is None else "line",
    }
    return found if reply_to is None else found | {"in_reply_to_id": reply_to}


def event(what: str, when: int, *, by: Json | None = SAM, **more: Any) -> Json:
    """Return an entry of the timeline: ``event("assigned", when, assignee=KIM)``."""
    which = 90_000 + when - BEGUN
    return {
        "id": which,
        "node_id": f"EV_{which}",
        "url": f"{API}/repos/{NAME}/issues/events/{which}",
        "actor": by,
        "event": what,
        "commit_id": None,
        "commit_url": None,
        "created_at": at(when),
        "performed_via_github_app": None,
    } | more


def commented(said: Json) -> Json:
    """Return a comment as the timeline has it."""
    return said | {"event": "commented", "actor": said["user"]}


def reviewed(said: Json) -> Json:
    """Return a review as the timeline has it: its state in small letters."""
    return said | {"event": "reviewed", "state": said["state"].lower()}


def committed(
    sha: str, subject: str, *, by: tuple[str, str] = ("Sam Ito", "sam@acme.example")
) -> Json:
    """Return a commit as the timeline has it."""
    who = {"name": by[0], "email": by[1], "date": at(BEGUN)}
    return {
        "sha": sha,
        "node_id": f"C_{sha[:8]}",
        "url": f"{API}/repos/{NAME}/git/commits/{sha}",
        "html_url": f"{WEB}/{NAME}/commit/{sha}",
        "author": who,
        "committer": who,
        "message": subject,
        "tree": {"sha": "c" * 40, "url": f"{API}/repos/{NAME}/git/trees/{'c' * 40}"},
        "parents": [],
        "verification": {
            "verified": False,
            "reason": "unsigned",
            "signature": None,
            "payload": None,
            "verified_at": None,
        },
        "event": "committed",
    }


def referenced_by(other: Json, when: int) -> Json:
    """Return the entry of a timeline that tells where something was named."""
    return {
        "actor": other["user"],
        "created_at": at(when),
        "updated_at": at(when),
        "source": {"type": "issue", "issue": other},
        "event": "cross-referenced",
    }


def check_run(name: str, conclusion: str | None = "success", *, when: int = BEGUN + 900) -> Json:
    """Return a check run; without a conclusion it is running."""
    return {
        "id": 4,
        "head_sha": HEAD,
        "node_id": "CR_4",
        "external_id": "",
        "url": f"{API}/repos/{NAME}/check-runs/4",
        "html_url": f"{WEB}/{NAME}/runs/4",
        "details_url": f"{WEB}/{NAME}/runs/4",
        "status": "in_progress" if conclusion is None else "completed",
        "conclusion": conclusion,
        "started_at": at(when - 60),
        "completed_at": None if conclusion is None else at(when),
        "output": {
            "title": None,
            "summary": None,
            "text": None,
            "annotations_count": 0,
            "annotations_url": f"{API}/repos/{NAME}/check-runs/4/annotations",
        },
        "name": name,
        "check_suite": {"id": 5},
        "app": None,
        "pull_requests": [],
    }


def status(context: str, state: str = "success", *, when: int = BEGUN + 900) -> Json:
    """Return a commit status."""
    return {
        "url": f"{API}/repos/{NAME}/statuses/{HEAD}",
        "avatar_url": None,
        "id": 1,
        "node_id": "S_1",
        "state": state,
        "description": None,
        "target_url": None,
        "context": context,
        "created_at": at(when),
        "updated_at": at(when),
    }


def commit(login: str, name: str, email: str) -> Json:
    """Return a commit as a list of commits has it: its author by git, and the account."""
    who = {"name": name, "email": email, "date": at(BEGUN)}
    return {
        "sha": "d" * 40,
        "commit": {"author": who, "committer": who, "message": "Start"},
        "author": user(login),
        "committer": user(login),
        "parents": [],
    }


def printed_pull(number: int, title: str, **more: Any) -> Json:
    """Return a pull request as ``gh pr list --json`` prints it."""
    found: Json = {
        "assignees": [],
        "author": {"id": "U_1", "is_bot": False, "login": "sam-ito", "name": "Sam Ito"},
        "baseRefName": "main",
        "body": "",
        "closedAt": None,
        "closingIssuesReferences": [],
        "comments": [],
        "commits": [],
        "createdAt": at(BEGUN),
        "headRefName": "rate-limit",
        "headRefOid": HEAD,
        "isDraft": False,
        "labels": [],
        "mergeCommit": None,
        "mergedAt": None,
        "number": number,
        "reviewDecision": "",
        "reviewRequests": [],
        "reviews": [],
        "state": "OPEN",
        "statusCheckRollup": [],
        "title": title,
        "updatedAt": at(BEGUN),
        "url": f"{WEB}/{NAME}/pull/{number}",
    }
    return found | more


def printed_issue(number: int, title: str, **more: Any) -> Json:
    """Return an issue as ``gh issue list --json`` prints it."""
    found: Json = {
        "assignees": [],
        "author": {"id": "U_1", "is_bot": False, "login": "sam-ito", "name": "Sam Ito"},
        "body": "",
        "closedAt": None,
        "comments": [],
        "createdAt": at(BEGUN),
        "labels": [],
        "number": number,
        "state": "OPEN",
        "stateReason": "",
        "title": title,
        "updatedAt": at(BEGUN),
        "url": f"{WEB}/{NAME}/issues/{number}",
    }
    return found | more


def printed_comment(login: str, body: str, when: int) -> Json:
    """Return a comment as the command line prints it."""
    return {
        "id": "IC_1",
        "author": {"login": login},
        "authorAssociation": "MEMBER",
        "body": body,
        "createdAt": at(when),
        "includesCreatedEdit": False,
        "isMinimized": False,
        "minimizedReason": "",
        "reactionGroups": [],
        "url": f"{WEB}/{NAME}/issues/1#issuecomment-1",
        "viewerDidAuthor": False,
    }


def printed_review(login: str, state: str, body: str, when: int) -> Json:
    """Return a review as the command line prints it."""
    return {
        "id": "PRR_1",
        "author": {"login": login},
        "authorAssociation": "MEMBER",
        "body": body,
        "submittedAt": at(when),
        "includesCreatedEdit": False,
        "reactionGroups": [],
        "state": state,
        "commit": {"oid": HEAD},
    }
