"""An event in a few words, from what it carries."""

from __future__ import annotations

import time

from .text import count, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Event = dict[str, Any]

SOURCES = {
    "watch": "the file watch",
    "hook": "a git hook",
    "spool": "the spool folder",
    "cron": "the schedule",
    "webhook": "a webhook",
    "api": "you",
    "rescan": "a look at everything",
    "daemon": "hermes itself",
}
"""Who brought an event, as a person would say."""
FIRST = 3
"""Names listed before the rest is counted."""


def happened(event: Event) -> str:
    """Given an event as the API tells it, return what it says, in one line; often nothing."""
    match event["kind"]:
        case "committed" | "head_moved":
            tips = " → ".join(tip[:10] for tip in (event["old"], event["new"]) if tip)
            on = f"on {event['branch']}" if event["branch"] else ""
            cause = "" if event["cause"] == "unknown" else event["cause"]
            text = " ".join(part for part in (cause, tips, on) if part)
        case "refs_moved":
            text = some([ref.removeprefix("refs/") for ref in event["refs"]], "branch", "branches")
        case "files_changed" if event["whole"]:
            text = "the whole worktree"
        case "files_changed":
            names = [*(f"{folder}/" for folder in event["folders"]), *event["paths"]]
            text = some(names, "file")
        case "scheduled":
            due = time.strftime("%H:%M", time.localtime(event["due"]))
            missed = f", {count(event['missed'], 'run')} missed before" if event["missed"] else ""
            text = f"{event['job']}, due {due}{missed}"
        case "run_asked":
            text = f"{event['agent']} {event['subject']} {event['text']}".strip()
            text += " (dry run)" if event["dry_run"] else ""
        case "requested":
            text = f"“{event['text']}”"
        case "delivered":
            text = f"{event['provider']} {event['what']} {event.get('place', '')}".rstrip()
            text += f": {event['title']}" if event["title"] else ""
        case "noted":
            text = f"“{event['title']}”"
        case "repo_gone" if event["back"]:
            text = "its folder is there again"
        case _:
            text = ""
    return one_line(text)


def some(names: Sequence[str], one: str, many: str = "") -> str:
    """Return the first names, and how many more there are."""
    if len(names) <= FIRST + 1:
        return ", ".join(names)
    rest = count(len(names) - FIRST, one, many)
    return f"{', '.join(names[:FIRST])} and {rest} more"
