"""Fetches one issue or pull request, with everything on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....memory.records import Item
from .accounts import Naming
from .api import MOST_PAGES, Answer, Api, Forbidden, Gone
from .bundle import Bundle, Place
from .cursor import Watched
from .fields import Json, as_object, inner, many, number, text
from .history import CLOSED, MERGED, state_of
from .issues import issue_item
from .links import SHA
from .pulls import pull_item


@dataclass(slots=True)
class Reader:
    """Fetches from one repository."""

    api: Api
    place: Place
    name: Naming
    notes: list[str] = field(default_factory=list[str])
    """What could not be read, and why."""

    @property
    def _base(self) -> str:
        return f"/repos/{self.place.name}"

    def item(self, listed: Json) -> tuple[Item, Watched | None] | None:
        """Return what a list named, and how to see whether its checks change; None if it is not
        there any more."""
        bundle = Bundle(listed)
        which = bundle.number
        try:
            if not bundle.is_pull:
                self._timeline(bundle)
                return issue_item(bundle, self.place, self.name), None
            bundle.data = as_object(self.api.get(f"{self._base}/pulls/{which}").value)
            self._timeline(bundle)
            if number(bundle.data, "review_comments") != 0:
                bundle.remarks += self.api.all(f"{self._base}/pulls/{which}/comments")
        except Gone as error:
            if self.listed(which) is None:
                return None
            # What may not be seen is said to be not there.
            raise Forbidden(f"#{which} is listed, and its details are not shown") from error
        watched = self._checks(bundle)
        return pull_item(bundle, self.place, self.name), watched

    def _timeline(self, bundle: Bundle) -> None:
        entries = self.api.all(f"{self._base}/issues/{bundle.number}/timeline")
        bundle.take_timeline(entries)
        if len(entries) >= MOST_PAGES * 100:
            self._note(
                f"#{bundle.number} is longer than what is read of it: {len(entries)} entries"
            )

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def listed(self, number: int) -> Json | None:
        """Return an issue or pull request as a list would name it; None if it is not there any
        more, or is another repository's now."""
        try:
            data = as_object(self.api.get(f"{self._base}/issues/{number}").value)
        except Gone:
            return None
        home = text(data, "repository_url").lower()
        moved = bool(home) and not home.endswith(f"/{self.place.name.lower()}")
        return None if moved or data.get("number") != number else data

    def unchanged(self, watched: Watched) -> bool:
        """Whether a pull request's checks are still as they were."""
        return all(
            not etag or self._checked(f"{self._base}/commits/{watched.sha}/{what}", etag).unchanged
            for what, etag in (("check-runs", watched.runs), ("status", watched.status))
        )

    def _checks(self, bundle: Bundle) -> Watched | None:
        """Take in how the checks of an open pull request stand; those of others are history."""
        sha = text(inner(bundle.data, "head"), "sha")
        if not SHA.fullmatch(sha) or state_of(bundle) in (MERGED, CLOSED):
            return None
        runs = self._checked(f"{self._base}/commits/{sha}/check-runs")
        status = self._checked(f"{self._base}/commits/{sha}/status")
        bundle.checks += many(as_object(runs.value), "check_runs")
        bundle.checks += many(as_object(status.value), "statuses")
        return Watched(sha, runs.etag, status.etag)

    def _checked(self, address: str, etag: str = "") -> Answer:
        try:
            query = {"per_page": 100}
            return self.api.get(address, query, etag=etag)
        except Forbidden:
            self._note("checks are not read: the token may not (Checks and Commit statuses: read)")
        except Gone:
            pass  # its head is not there any more
        return Answer({}, "", "")
