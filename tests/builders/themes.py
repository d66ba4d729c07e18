"""Evidence of themes, made up: what happened in a week of a small shop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo

from hermes.agents.themes.commit_evidence import MOST_TICKETS
from hermes.agents.themes.compose import day_page, week_page
from hermes.agents.themes.records import Evidence, EvidenceKind, Page
from hermes.ingest.git.tickets import tickets
from hermes.memory.records import Repo

SHOP = Repo("5h0p5h0p5h0p5h0p", "shop", "/shop/.git", "/shop", None, 0)
MONDAY = int(datetime(2026, 11, 30, tzinfo=UTC).timestamp())
"""The first second of 2026-W49."""
HOUR, DAY = 3_600, 86_400


def sha_of(number: int) -> str:
    """Return the sha of commit number so and so."""
    return f"{number:07x}" + "0" * 33


class Happenings:
    """Makes evidence, an hour apart from Monday 09:00 on unless told otherwise."""

    def __init__(self) -> None:
        self.made: list[Evidence] = []

    def commit(
        self,
        title: str,
        *paths: str,
        author: str = "Sam Doe",
        lines: int = 20,
        at: int | None = None,
        landed: int | None = None,
        pull: str = "",
        branch: str = "",
        state: str = "",
        why: str = "",
        undoes: str = "",
        called: str = "",
        about: Sequence[str] = (),
        others: Sequence[str] = (),
    ) -> Evidence:
        """Add a commit; it landed at once unless ``landed`` says when, or 0 for not yet."""
        when = self._at(at)
        own = [key for key in tickets(title) if key != pull]
        return self._add(
            Evidence(
                kind=EvidenceKind.COMMIT,
                ref=sha_of(len(self.made) + 1),
                at=when,
                title=title,
                author=author,
                email=f"{author.partition(' ')[0].lower()}@shop.example",
                paths=paths,
                tickets=tuple(own) if len(own) <= MOST_TICKETS else (),
                pull=pull,
                called=called,
                branch=branch,
                why=why,
                state=state,
                lines=lines,
                files=len(paths),
                landed=when if landed is None else landed,
                undoes=undoes,
                about=tuple(about),
                others=tuple(others),
            )
        )

    def merge(
        self, title: str, pull: str, *brought: Evidence, author: str = "Kim Noor"
    ) -> Evidence:
        """Add the merge of a pull request that brought commits."""
        return self.commit(
            title,
            *dict.fromkeys(path for each in brought for path in each.paths),
            author=author,
            lines=sum(each.lines for each in brought),
            pull=pull,
            branch="shop/topic",
            state="merged",
            about=[each.ref for each in brought],
            others=[each.author for each in brought],
        )

    def ticket(
        self, key: str, title: str, state: str, note: str, *, at: int | None = None, why: str = ""
    ) -> Evidence:
        """Add something that happened to a ticket."""
        return self._add(
            Evidence(
                kind=EvidenceKind.TICKET,
                ref=f"linear:{key}",
                at=self._at(at),
                title=title,
                author="Kim Noor",
                tickets=(key,),
                state=state,
                note=note,
                why=why,
            )
        )

    def thread(self, title: str, *keys: str, others: Sequence[str] = ("Kim Noor",)) -> Evidence:
        """Add a discussion that Sam began."""
        return self._add(
            Evidence(
                kind=EvidenceKind.THREAD,
                ref=f"slack:C1/{len(self.made) + 1}",
                at=self._at(None),
                title=title,
                author="Sam Doe",
                tickets=keys,
                note="was begun",
                others=tuple(others),
            )
        )

    def test(self, test: str, state: str, *paths: str, at: int | None = None) -> Evidence:
        """Add a test that turned red or green."""
        return self._add(
            Evidence(
                kind=EvidenceKind.TEST,
                ref=f"test:{test}@1",
                at=self._at(at),
                title=test,
                paths=(test.partition("::")[0], *paths),
                state=state,
                note="fails (KeyError)" if state == "red" else "passes again",
            )
        )

    def drift(self, number: int, document: str, state: str, *, commit: str = "") -> Evidence:
        """Add a document that was left behind, or what became of it."""
        return self._add(
            Evidence(
                kind=EvidenceKind.DRIFT,
                ref=f"D{number}",
                at=self._at(None),
                title=f"{document}: retry_limit",
                paths=(document,),
                state=state,
                note="was left behind by the code" if state == "open" else "was put right",
                about=(commit,) if commit else (),
            )
        )

    def _at(self, at: int | None) -> int:
        return MONDAY + 9 * HOUR + len(self.made) * HOUR if at is None else at

    def _add(self, evidence: Evidence) -> Evidence:
        self.made.append(evidence)
        return evidence


def pages_between(
    repo: Repo | None, evidence: Sequence[Evidence], first: date, last: date, zone: tzinfo
) -> Iterator[Page]:
    """Yield the pages of all days on which something happened, and after each Sunday, or the last
    day, its week's. ``evidence`` must reach over whole weeks."""
    for number in range((last - first).days + 1):
        day = first + timedelta(number)
        pages = [day_page(repo, evidence, day, zone)]
        if day.weekday() == 6 or day == last:
            pages.append(week_page(repo, evidence, day, zone))
        yield from (page for page in pages if page.themes or page.more)
