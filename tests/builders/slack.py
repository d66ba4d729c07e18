"""A made-up workspace, as Slack's export and Web API would tell of it.

The objects have the fields of the public documentation (docs.slack.dev/reference/objects, "How to
read Slack data exports"); people and texts are invented.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

TEAM = "T0HERMES1"
HOST = "acme.slack.com"
BEGUN = 1_732_871_234
"""Friday, 29 November 2024, 09:07:14 UTC."""

Json = dict[str, Any]


@dataclass
class Place:
    """A channel, a private one (``group``), or direct messages (``im``, ``mpim``)."""

    id: str
    name: str
    kind: str = "channel"
    members: tuple[str, ...] = ()
    joined: bool = True
    said: list[Json] = field(default_factory=list[Json])
    """Messages, as they are now."""

    def find(self, ts: str) -> Json:
        return next(message for message in self.said if message["ts"] == ts)

    def answers(self, ts: str) -> list[Json]:
        """The answers in a thread, oldest first."""
        found = [each for each in self.said if each.get("thread_ts") == ts and each["ts"] != ts]
        return sorted(found, key=lambda message: message["ts"])

    def seen(self) -> list[Json]:
        """All messages with what Slack counts for threads, oldest first."""
        return [self._counted(each) for each in sorted(self.said, key=lambda each: each["ts"])]

    def _counted(self, message: Json) -> Json:
        answers = self.answers(message["ts"])
        if not answers:
            return message
        users = list(dict.fromkeys(each.get("user", "") for each in answers))
        return {
            **message,
            "thread_ts": message["ts"],
            "reply_count": len(answers),
            "reply_users_count": len(users),
            "latest_reply": answers[-1]["ts"],
            "reply_users": users,
            "replies": [{"user": each.get("user", ""), "ts": each["ts"]} for each in answers],
            "is_locked": False,
            "subscribed": False,
        }


class Workspace:
    """Members, places and what was said there."""

    def __init__(self) -> None:
        self.members: dict[str, Json] = {}
        self.places: dict[str, Place] = {}
        self._last = 0

    # Who and where

    def member(
        self, name: str, *, display: str = "", email: str | None = None, bot: bool = False
    ) -> str:
        """Add somebody; return the id."""
        number = f"U0{len(self.members) + 1:07}"
        handle = name.split()[0].lower()
        profile = {
            "title": "",
            "real_name": name,
            "real_name_normalized": name,
            "display_name": display,
            "display_name_normalized": display,
            "status_text": "",
            "avatar_hash": "ge3b51ca72de",
            "team": TEAM,
        }
        if email is None and not bot:
            profile["email"] = f"{handle}@example.org"
        elif email:
            profile["email"] = email
        self.members[number] = {
            "id": number,
            "team_id": TEAM,
            "name": handle,
            "deleted": False,
            "color": "9f69e7",
            "real_name": name,
            "tz": "Europe/Amsterdam",
            "profile": profile,
            "is_admin": False,
            "is_bot": bot,
            "is_app_user": False,
            "updated": BEGUN,
        }
        return number

    def place(
        self, name: str, kind: str = "channel", members: Iterable[str] = (), joined: bool = True
    ) -> str:
        """Add a channel; return the id."""
        letter = {"channel": "C", "group": "G", "im": "D", "mpim": "G"}[kind]
        number = f"{letter}0{len(self.places) + 1:07}"
        self.places[number] = Place(number, name, kind, tuple(members), joined)
        return number

    # What is said

    def say(
        self,
        place: str,
        user: str,
        text: str,
        *,
        at: float | None = None,
        thread: str | None = None,
        **more: Any,
    ) -> str:
        """Write a message ``at`` seconds after BEGUN (by default two minutes after the last one);
        return its ts."""
        moment = self._last + 120 if at is None else at
        self._last = int(moment)
        ts = f"{BEGUN + int(moment)}.{len(self.places[place].said) % 10_000 * 100:06}"
        message: Json = {
            "client_msg_id": hashlib.md5(f"{place}{ts}".encode()).hexdigest(),
            "type": "message",
            "user": user,
            "text": text,
            "ts": ts,
            "blocks": [{"type": "rich_text", "block_id": "qTg", "elements": []}],
            "team": TEAM,
        }
        if thread is not None:
            message["thread_ts"] = thread
            parent = [each for each in self.places[place].said if each["ts"] == thread]
            message["parent_user_id"] = parent[0]["user"] if parent else user
        self.places[place].said.append(message | more)
        return ts

    def notice(self, place: str, subtype: str, text: str, **more: Any) -> str:
        """Write what no person says: who joined, what a program tells."""
        return self.say(place, more.pop("user", ""), text, subtype=subtype, **more)

    def broadcast(self, place: str, user: str, text: str, thread: str, **more: Any) -> str:
        """Answer in a thread, and send the answer to the channel too."""
        root = dict(self.places[place].find(thread))
        return self.say(
            place, user, text, thread=thread, subtype="thread_broadcast", root=root, **more
        )

    def edit(self, place: str, ts: str, text: str, after: int = 60) -> None:
        """Change a message, so many seconds after it was sent."""
        message = self.places[place].find(ts)
        when = f"{int(float(ts)) + after}.000000"
        message.update(text=text, edited={"user": message["user"], "ts": when})

    def delete(self, place: str, ts: str) -> None:
        """Delete a message; one that was answered leaves a tombstone."""
        there = self.places[place]
        if there.answers(ts):
            message = there.find(ts)
            kept = {name: message[name] for name in ("ts", "type")}
            message.clear()
            message.update(
                kept,
                subtype="tombstone",
                text="This message was deleted.",
                user="USLACKBOT",
                hidden=True,
                thread_ts=ts,
            )
        else:
            there.said.remove(there.find(ts))

    # The export

    def files(self) -> dict[str, Any]:
        """The export's files, by name, as JSON values."""
        kinds = {"channel": "channels", "group": "groups", "im": "dms", "mpim": "mpims"}
        lists: dict[str, list[Json]] = {"channels.json": []}
        days: dict[str, list[Json]] = defaultdict(list)
        for place in self.places.values():
            listed = self._listed(place)
            lists.setdefault(f"{kinds[place.kind]}.json", []).append(listed)
            folder = place.id if place.kind == "im" else place.name
            for message in place.seen():
                day = datetime.fromtimestamp(float(message["ts"]), UTC).date()
                days[f"{folder}/{day}.json"].append(self._exported(message))
        return {
            "users.json": list(self.members.values()),
            **lists,
            "integration_logs.json": [],
            **days,
        }

    @staticmethod
    def _listed(place: Place) -> Json:
        if place.kind == "im":
            return {"id": place.id, "created": BEGUN, "members": list(place.members)}
        return {
            "id": place.id,
            "name": place.name,
            "created": BEGUN,
            "creator": "U00000001",
            "is_archived": False,
            "is_general": place.name == "general",
            "members": list(place.members),
            "topic": {"value": "", "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }

    def _exported(self, message: Json) -> Json:
        member = self.members.get(message.get("user", ""))
        if member is None:
            return message
        profile = member["profile"]
        return {
            **message,
            "user_team": TEAM,
            "source_team": TEAM,
            "user_profile": {
                "avatar_hash": profile["avatar_hash"],
                "first_name": member["real_name"].split()[0],
                "real_name": member["real_name"],
                "display_name": profile["display_name"],
                "team": TEAM,
                "name": member["name"],
                "is_restricted": False,
            },
        }


def write_folder(files: Mapping[str, Any], path: Path) -> Path:
    """Write an export as the folder that it is unpacked to."""
    for name, value in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(as_bytes(value))
    return path


def write_zip(files: Mapping[str, Any], path: Path, inside: str = "") -> Path:
    """Write an export as the archive that Slack gives; ``inside`` a folder, as other tools do."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, value in files.items():
            packed.writestr(f"{inside}{name}", as_bytes(value))
    return path


def as_bytes(value: Any) -> bytes:
    """A file's bytes: bytes as they are, all else as JSON."""
    if isinstance(value, bytes):
        return value
    return json.dumps(value, ensure_ascii=False, indent=4).encode("utf-8", "surrogatepass")


def file(name: str) -> list[Json]:
    """The ``files`` of a message that shares one."""
    return [
        {
            "id": "F0000001",
            "name": name,
            "title": name,
            "mimetype": "text/plain",
            "mode": "hosted",
            "url_private": f"https://files.slack.com/files-pri/{TEAM}-F0000001/{name}",
            "permalink": f"https://{HOST}/files/U00000001/F0000001/{name}",
        }
    ]
