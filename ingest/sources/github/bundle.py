"""All that is known of one issue or pull request, sorted by what it is, from API or export alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .fields import Json, inner, many, number, text

_LONGEST_NAME = 140
_OF_PULLS = frozenset(
    [
        *("pull_request", "head", "base", "merged_at"),
        *("headRefName", "baseRefName", "mergeCommit", "isDraft", "mergedAt"),
        *("reviews", "reviewDecision"),
    ]
)
"""Fields that no issue has."""


@dataclass(frozen=True, slots=True)
class Place:
    """A repository on GitHub, and the one here that it is."""

    name: str
    """``acme/shop``, as GitHub spells it."""
    host: str = "github.com"
    repo: str = ""
    """The local repository's id; empty where there is none."""

    def ref(self, number: int) -> str:
        """Return what an issue or a pull request of it is cited by."""
        return f"github:{self.name}#{number}"

    def url(self, number: int, kind: str) -> str:
        """Return its page; ``kind`` is ``pull`` or ``issues``."""
        return f"https://{self.host}/{self.name}/{kind}/{number}"


@dataclass(slots=True)
class Bundle:
    """One issue or pull request with everything on it, as JSON objects."""

    data: Json = field(default_factory=dict[str, object])
    comments: list[Json] = field(default_factory=list[Json])
    """Of the conversation."""
    reviews: list[Json] = field(default_factory=list[Json])
    remarks: list[Json] = field(default_factory=list[Json])
    """Review comments: each on a line of the diff."""
    events: list[Json] = field(default_factory=list[Json])
    """What became of it: ``assigned``, ``closed``, ``cross-referenced``."""
    commits: list[Json] = field(default_factory=list[Json])
    checks: list[Json] = field(default_factory=list[Json])
    """Check runs and statuses of its head."""

    @property
    def number(self) -> int:
        """Return its number; 0 where it has none."""
        return number(self.data, "number") or 0

    @property
    def is_pull(self) -> bool:
        """Whether it is a pull request: those are listed among the issues too, with a mark."""
        return not _OF_PULLS.isdisjoint(self.data) or "/pull/" in page_of(self.data)

    def take_timeline(self, entries: Iterable[Json]) -> None:
        """Sort the timeline's entries in."""
        places = {
            "commented": self.comments,
            "reviewed": self.reviews,
            "committed": self.commits,
        }
        for entry in entries:
            places.get(text(entry, "event"), self.events).append(entry)

    def take_nested(self) -> None:
        """Sort in what the command line prints inside of the record itself."""
        for names, there in (
            (("comments",), self.comments),
            (("reviews", "latestReviews"), self.reviews),
            (("reviewThreads",), self.remarks),
            (("commits",), self.commits),
            (("statusCheckRollup",), self.checks),
        ):
            for each in many(self.data, *names):
                there += many(each, "comments") or [each] if there is self.remarks else [each]


def page_of(data: Json) -> str:
    """Return the address of a record's page, for a browser."""
    page = text(data, "html_url") or text(data, "url")
    return page if page.startswith(("https://", "http://")) else ""


def repository_of(data: Json) -> tuple[str, str]:
    """Return the host and the ``owner/name`` that a record's addresses tell; empty if none do."""
    named = text(inner(data, "repository"), "full_name", "nameWithOwner")
    for page in (text(data, "html_url"), text(data, "url")):
        scheme, _, rest = page.partition("://")
        parts = rest.split("/")
        if scheme in ("https", "http") and len(parts) >= 5 and parts[3] in ("pull", "issues"):
            name = f"{parts[1]}/{parts[2]}"
            if len(name) <= _LONGEST_NAME:
                return parts[0], named or name
    return "", named
