"""One thing and everything around it, over a company's whole memory."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

import pytest

from hermes.agents.overview.gather import gather
from hermes.agents.overview.meant import meant, nearest
from hermes.agents.overview.records import Overview, Sort
from hermes.ingest.items import take_in
from hermes.memory.memory import Memory
from hermes.memory.test_records import Why
from hermes.memory.work import Work
from hermes.tests.builders.company.build import company, items, refs_of
from hermes.tests.builders.company.people import moment
from hermes.tests.builders.items import thread
from hermes.tests.builders.runs import failed, passed, record

TEST = "tests/test_limits.py::test_burst"


@dataclass
class Harbor:
    """The company, and what agents found out there."""

    memory: Memory
    work: Work
    repo: str
    refs: dict[str, str]

    def of(self, ref: str) -> Overview:
        """What is told of the one thing that a reference means."""
        [subject] = meant(self.memory, self.work, ref, ())
        return gather(self.memory, self.work, subject)


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> Generator[Harbor]:
    """The company with a test that failed for a day, and a discussion that names it."""
    folder = tmp_path_factory.mktemp("company")
    with company(folder) as built, closing(Work(folder / "work.db")) as work:
        repo = built.repo.id
        take_in(
            built.memory,
            [thread(7, f"{TEST} is red, see limits/counter.py", time=moment("2025-03-25 10:00"))],
        )
        at = moment("2025-03-25 09:00")
        why = Why("TimeoutError", "redis did not answer", "limits/counter.py", 3, "")
        record(work.runs, *failed(TEST, why=why), at=at, repo=repo)
        record(work.runs, *passed(TEST), at=at + 86_400, repo=repo)
        yield Harbor(built.memory, work, repo, refs_of(built.memory))


def near(told: Overview, sort: Sort) -> dict[str, str]:
    """A thing's neighbours of one sort, each with how it belongs."""
    return {each.subject.name: each.how for each in told.near if each.subject.sort is sort}


def test_a_pull_request_is_told_with_its_commit_its_ticket_and_what_it_took_the_place_of(
    harbor: Harbor,
) -> None:
    told = harbor.of("#219")
    assert dict(told.facts)["state"] == "merged"
    assert "MULTI can't branch" in told.text
    assert near(told, Sort.PULL) == {"#212": "named in it"}
    assert near(told, Sort.TICKET) == {"ENG-12": "named in it, and closed by now"}
    assert list(near(told, Sort.COMMIT).values()) == ["merged as"]
    whats = [(moment.name, moment.what.partition(":")[0]) for moment in told.timeline]
    assert whats[:3] == [("ENG-12", "ticket"), ("#212", "pull request"), ("", "begun by Kim Noor")]
    assert ("", "merged") in whats
    assert list(told.timeline) == sorted(told.timeline, key=lambda moment: moment.at)


def test_a_ticket_is_told_with_what_became_of_it(harbor: Harbor) -> None:
    told = harbor.of("eng-17")
    assert dict(told.facts)["assignee"] == "Sam Ito"
    assert near(told, Sort.PULL) == {"#231": "names it"}
    assert near(told, Sort.DOCUMENT) == {"docs/postmortems/2025-04-double-charges.md": "names it"}
    assert [moment.what for moment in told.timeline if not moment.name] == [
        "begun by Jonas Falk",
        "assignee: Sam Ito",
        "state: Done",
    ]


def test_a_superseded_record_names_the_one_that_took_its_place(harbor: Harbor) -> None:
    told = harbor.of("docs/adr/0002-signed-cookies.md")
    assert dict(told.facts)["state"] == "superseded by ADR 9"
    assert near(told, Sort.DOCUMENT) == {"ADR-9": "takes its place"}
    assert near(harbor.of("ADR-9"), Sort.DOCUMENT)["ADR-2"] == "it takes the place of"


def test_a_commit_leads_to_the_discussion_of_its_pull_request(harbor: Harbor) -> None:
    [sha] = [
        each.subject.ref for each in harbor.of("#219").near if each.subject.sort is Sort.COMMIT
    ]
    told = harbor.of(sha[:9])
    assert told.subject.title == "Count requests in Redis instead of Memcached (#219)"
    assert near(told, Sort.PULL)["#219"] == "it was merged as this"


def test_a_file_is_told_by_who_changed_it_and_who_speaks_of_it(harbor: Harbor) -> None:
    told = harbor.of("limits/counter.py")
    assert list(near(told, Sort.COMMIT).values()) == ["changed it"]
    assert list(near(told, Sort.DISCUSSION).values()) == ["names it"]
    [subject] = meant(harbor.memory, harbor.work, "limits/counter.py:2", ())
    [sha] = [each.subject.ref for each in told.near if each.subject.sort is Sort.COMMIT]
    blamed = gather(harbor.memory, harbor.work, subject, lambda repo, path, line: (sha, " x = 1"))
    assert dict(blamed.facts)["line 2"] == "x = 1"
    assert near(blamed, Sort.COMMIT) == {sha[:10]: "wrote line 2"}
    assert "#219" in near(blamed, Sort.PULL)


def test_a_test_is_told_by_its_failures_and_who_speaks_of_it(harbor: Harbor) -> None:
    told = harbor.of(TEST)
    assert dict(told.facts)["stands"].startswith("green, since 2025-03-26")
    assert list(near(told, Sort.DISCUSSION).values()) == ["names it"]
    assert [moment.what for moment in told.timeline if not moment.name] == [
        "began to fail: TimeoutError",
        "fails no more: passed",
    ]


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("#219", "#219"),
        ("219", "#219"),
        ("GH-219", "#219"),
        ("harbor/harbor#219", "#219"),
        ("Harbor/Harbor#219", "#219"),
        ("https://github.com/harbor/harbor/pull/219/files", "#219"),
        ("github:harbor/harbor#219", "#219"),
        ("https://linear.app/harbor/issue/ENG-12/partners", "ENG-12"),
        ("ADR-7", "ADR-7"),
        ("adr 0007", "ADR-7"),
        ("docs/adr/0007-redis-for-rate-limits.md", "ADR-7"),
        ("./README.md", "README.md"),
        ("limits/window.lua", "limits/window.lua"),
        ("limits", "limits"),
        ("ENG-0", ""),
        ("0219", ""),
        ("nothing/here.py", ""),
        ("council 12", ""),
        ("what about the Azores", ""),
        ("*", ""),
    ],
)
def test_a_reference_means_one_thing_however_it_is_written(
    harbor: Harbor, ref: str, name: str
) -> None:
    found = meant(harbor.memory, harbor.work, ref, ())
    assert [subject.name for subject in found] == ([name] if name else [])


def test_a_discussion_is_meant_by_its_address(harbor: Harbor) -> None:
    ref = harbor.refs["chat:limiter"]
    stamp = ref.rpartition("/")[2].replace(".", "")
    told = harbor.of(f"https://harbor.slack.com/archives/C0ENGPLAT/p{stamp}")
    assert told.subject.ref == ref
    assert near(told, Sort.DOCUMENT) == {"ADR-7": "named in it"}


def test_what_means_nothing_is_answered_with_what_comes_nearest(harbor: Harbor) -> None:
    def near_to(ref: str) -> list[str]:
        return nearest(harbor.memory, harbor.work, ref, ())

    assert near_to("ENG-18") == ["ENG-17", "ENG-23", "ENG-12"]
    assert near_to("#218") == ["#219", "#212", "#231"]
    assert near_to("counter.py") == ["limits/counter.py"]
    assert near_to("limits/coutner.py")[0] == "limits/counter.py"
    assert near_to("tests/test_burst.py::test_burst") == [TEST]
    assert near_to("zzz") == []


def test_a_ticket_that_only_others_name_is_told_by_them(harbor: Harbor) -> None:
    take_in(harbor.memory, [thread(8, "as OPS-4 says", tickets=("OPS-4",))])
    told = harbor.of("ops-4")
    assert not told.subject.known
    assert list(near(told, Sort.DISCUSSION).values()) == ["names it"]


def test_one_number_of_two_repositories_may_mean_both(harbor: Harbor) -> None:
    [other] = [item for item in items("elsewhere", {}) if item.key == "#290"]
    take_in(harbor.memory, [replace(other, ref="github:else/where#290")])
    assert len(meant(harbor.memory, harbor.work, "#290", ())) == 2
    assert len(meant(harbor.memory, harbor.work, "#290", (harbor.repo,))) == 1
