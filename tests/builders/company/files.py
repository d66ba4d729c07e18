"""The company as a person has it: a repository, and what chat, tracker and GitHub export of it."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from .. import github as gh
from .. import slack
from ..git import RepoBuilder
from .build import PLACE, make_repository
from .chat import CHANNELS, everything_said, stamp_of
from .people import BY_NAME, EVERY, moment
from .pulls import PULLS, Pull
from .tickets import TICKETS, Ticket

_REMARK = re.compile(r"(?P<path>[\w/.]+):(?P<line>\d+): (?P<said>.*)", re.DOTALL)
_COLUMNS = (
    *("ID", "Team", "Title", "Description", "Status", "Priority", "Creator", "Assignee"),
    *("Labels", "Created", "Updated", "Started", "Completed", "Canceled", "Parent issue"),
)


@dataclass(frozen=True)
class Files:
    """Where each of it is."""

    repository: Path
    chat: Path
    tickets: Path
    pulls: Path


def write(folder: Path) -> Files:
    """Write all of it into a folder."""
    files = Files(
        folder / "harbor", folder / "chat.zip", folder / "tickets.csv", folder / "pulls.json"
    )
    shas = make_repository(files.repository)
    RepoBuilder(files.repository).git("remote", "add", "origin", f"git@github.com:{PLACE}.git")
    slack.write_zip(workspace().files(), files.chat)
    write_tickets(files.tickets)
    records = [each for pull in PULLS for each in printed(pull, shas.get(pull.number, ""))]
    files.pulls.write_text(json.dumps(records, indent=2, ensure_ascii=False), encoding="utf-8")
    return files


def workspace() -> slack.Workspace:
    """Return its chat."""
    space = slack.Workspace()
    people = {first: space.member(name, email=at) for first, (name, at) in BY_NAME.items()}
    for channel, name in CHANNELS.items():
        space.places[channel] = slack.Place(
            channel, name.removeprefix("#"), members=tuple(people.values())
        )
    for thread in everything_said():
        root = stamp_of(thread)
        began, micro = root.split(".")
        for number, (who, words) in enumerate(thread.said):
            space.say(
                thread.channel,
                people[who],
                words,
                thread=root if number else None,
                ts=f"{int(began) + number * EVERY}.{micro}",
            )
    return space


def write_tickets(path: Path) -> None:
    """Write its tickets as the tracker exports them, which is without what was said on them."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, _COLUMNS, restval="", quoting=csv.QUOTE_ALL)
        table.writeheader()
        table.writerows(_row(ticket) for ticket in TICKETS)


def _row(ticket: Ticket) -> dict[str, str]:
    closed = _spelt(ticket.closed) if ticket.closed else ""
    return {
        "ID": ticket.key,
        "Team": "Engineering",
        "Title": ticket.title,
        "Description": ticket.text,
        "Status": ticket.state,
        "Priority": "No priority",
        "Creator": BY_NAME[ticket.by][1],
        "Assignee": BY_NAME[ticket.assignee][1] if ticket.assignee else "",
        "Created": _spelt(ticket.opened),
        "Updated": closed or _spelt(ticket.opened),
        "Completed": closed,
    }


def _spelt(when: str) -> str:
    at = datetime.fromtimestamp(moment(when), UTC)
    return f"{at:%a %b %d %Y %H:%M:%S} GMT+0000 (GMT)"


def printed(pull: Pull, sha: str) -> list[gh.Json]:
    """Return a pull request as ``gh pr list`` prints it, and the remarks on its lines as the API does."""
    opened, end = moment(pull.opened), pull.merged or pull.closed
    closed = gh.at(moment(end)) if end else None
    last = opened + 3600 + EVERY * len(pull.said)
    name, email = BY_NAME[pull.by]
    author = {"id": f"U_{pull.by}", "is_bot": False, "login": login(pull.by), "name": name}
    conversation: list[gh.Json] = []
    remarks: list[gh.Json] = []
    for number, (who, words) in enumerate(pull.said):
        when = opened + 3600 + number * EVERY
        on_line = _REMARK.fullmatch(words)
        if on_line is None:
            conversation.append(gh.printed_comment(login(who), words, when))
            continue
        line = int(on_line["line"])
        remarks.append(
            gh.remark(
                pull.number,
                on_line["said"],
                by=gh.user(login(who)),
                when=when,
                path=on_line["path"],
                line=line,
                original=line,
                hunk=f"@@ -0,0 +{line},1 @@",
                id=pull.number * 100 + number,
                name=PLACE,
            )
        )
    whole = gh.printed_pull(
        pull.number,
        pull.title,
        author=author,
        body=pull.text,
        createdAt=gh.at(opened),
        updatedAt=closed or gh.at(last),
        closedAt=closed,
        mergedAt=closed if pull.merged else None,
        mergeCommit={"oid": sha} if sha else None,
        state="MERGED" if pull.merged else "CLOSED" if pull.closed else "OPEN",
        headRefName=pull.branch,
        url=f"{gh.WEB}/{PLACE}/pull/{pull.number}",
        comments=conversation,
        commits=[
            {
                "oid": f"{pull.number:040x}",
                "messageHeadline": pull.title,
                "messageBody": "",
                "authoredDate": gh.at(opened),
                "committedDate": gh.at(opened),
                "authors": [{"email": email, "id": "", "login": login(pull.by), "name": name}],
            }
        ],
    )
    return [whole, *remarks]


def login(first: str) -> str:
    """Return the account of somebody, of whom a first name is given."""
    name, _ = BY_NAME[first]
    return name.lower().replace(" ", "-").replace("á", "a")
