"""The doc keeper on real repositories: what it proposes after commits, and what becomes of that."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.contract import Assignment, Done, Lane, Level, Nothing, Outcome
from hermes.agents.doc_keeper import DocKeeper
from hermes.agents.documents import printed
from hermes.agents.documents.accept import stage
from hermes.agents.events import Committed, Requested
from hermes.agents.models.scripted import ScriptedModel
from hermes.agents.project_settings import read_project
from hermes.ingest.git.command import Git
from hermes.memory.drift import Proposal, State
from hermes.memory.memory import Memory
from hermes.memory.trust import Trust
from hermes.memory.work import Work
from hermes.tests.builders.around import Around
from hermes.tests.builders.git import RepoBuilder

README = """\
# Shop

## Config

- `max_items`: how many things a cart holds
- `cache_ttl`: seconds

A cart forgets after `cache_ttl` seconds.
"""
SETTINGS = "max_items = 10\ncache_ttl = 60\n"
CODE = 'def forget(settings):\n    return settings.get("cache_ttl")\n'


class Kept:
    """A repository whose documents are kept in step."""

    def __init__(self, path: Path, work: Work) -> None:
        self.repo = RepoBuilder(path)
        self.repo.config("user.name", "Sam Doe")
        self.repo.config("user.email", "sam@example.com")
        self.proposals = work.proposals
        self.now = 100.0
        self.around = Around()
        self.keeper = DocKeeper(
            work, _no_memory, self._git_of, read_project, clock=lambda: self.now
        )

    def _git_of(self, repo: str | None) -> Git:
        return Git.open(self.repo.path)

    @property
    def git(self) -> Git:
        return Git.open(self.repo.path)

    async def run(self, subject: str = "check", **more: Any) -> Outcome:
        self.now += 10
        return await self.keeper.handle(
            Assignment(1, "doc_keeper", subject, Lane.REACTIVE, "r1", **more), self.around
        )

    async def done(self, subject: str = "check", **more: Any) -> Done:
        outcome = await self.run(subject, **more)
        assert isinstance(outcome, Done), outcome
        return outcome

    def open(self) -> list[Proposal]:
        return self.proposals.find("r1", [State.OPEN])

    def states(self) -> list[State]:
        found = self.proposals.find("r1", list(State))
        return [each.state for each in sorted(found, key=lambda each: each.id)]

    async def begin(self) -> None:
        """One commit that is in step, and was looked at; then a setting is renamed."""
        self.repo.commit({"README.md": README, "shop.toml": SETTINGS, "shop.py": CODE}, "Sell")
        await self.run()
        self.rename()

    def rename(self, old: str = "cache_ttl", new: str = "cache_age", **more: Any) -> str:
        files = {
            name: (self.repo.path / name).read_text().replace(old, new)
            for name in ("shop.toml", "shop.py")
        }
        return self.repo.commit(files, f"Rename {old} to {new}", **more)


async def _no_memory() -> Memory:
    raise AssertionError("memory is not needed for this")


@pytest.fixture
def kept(tmp_path: Path) -> Generator[Kept]:
    work = Work(tmp_path / "work.db")
    yield Kept(tmp_path / "shop", work)
    work.close()


async def test_a_renamed_setting_is_one_finding_with_one_fix(kept: Kept) -> None:
    await kept.begin()
    done = await kept.done()
    (finding,) = done.findings
    assert finding.title == "README config section drifted: draft fix ready"
    assert finding.next_step == "hermes docs show D1"
    assert (finding.level, finding.recovered) == (Level.GLANCE, False)
    (proposal,) = kept.open()
    assert proposal.found.lines == (6, 8)
    assert proposal.found.commit == kept.repo.head()
    assert proposal.found.edits[0].new == ("- `cache_age`: seconds\n",)
    assert kept.around.written == ["D1"]


async def test_what_was_checked_is_not_checked_again(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    assert await kept.run() == Nothing("it was checked before")


async def test_a_commit_that_touches_no_document_says_nothing(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    kept.repo.commit({"other.py": "x = 1\n"}, "Add a thing")
    assert isinstance(await kept.run(), Nothing)
    assert len(kept.open()) == 1


async def test_a_trial_stores_nothing(kept: Kept) -> None:
    await kept.begin()
    done = await kept.done(dry_run=True)
    assert done.report["places"] == ["README.md:6"]
    assert kept.states() == []
    await kept.done()


async def test_a_document_that_the_person_fixes_is_over_and_said_so(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    kept.repo.commit({"README.md": README.replace("cache_ttl", "cache_age")}, "Fix the README")
    done = await kept.done()
    (finding,) = done.findings
    assert finding.recovered
    assert finding.cause == "docs:r1:README.md"
    assert kept.states() == [State.GONE]


async def test_code_that_comes_back_closes_it_too(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    kept.rename("cache_age", "cache_ttl")
    done = await kept.done()
    assert [finding.recovered for finding in done.findings] == [True]
    assert kept.states() == [State.GONE]


async def test_what_was_dismissed_stays_so_until_the_text_or_the_code_changes(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    kept.proposals.dismiss(1, kept.now, "it is an example")
    kept.repo.commit({"other.py": "x = 1\n"}, "Add a thing")
    await kept.run()
    await kept.run("scan")
    assert kept.states() == [State.DISMISSED]
    text = (kept.repo.path / "README.md").read_text()
    kept.repo.commit({"README.md": text.replace("A cart forgets", "It forgets")}, "Say it shorter")
    await kept.run("scan")
    assert kept.states() == [State.DISMISSED, State.OPEN]
    assert kept.open()[0].found.lines == (8,)


async def test_at_most_five_are_open_and_the_next_moves_up(kept: Kept) -> None:
    names = [f"limit_{word}" for word in ("one", "two", "three", "four", "five", "six", "seven")]
    files = {f"docs/{name}.md": f"# Limits\n\nSet `{name}` to a number.\n" for name in names}
    settings = "".join(f"{name} = 1\n" for name in names)
    kept.repo.commit(files | {"shop.toml": settings})
    await kept.run()
    kept.repo.commit({"shop.toml": "other = 2\n"}, "Drop all limits")
    done = await kept.done()
    assert len(kept.open()) == 5
    assert done.report["held"] == 2
    assert "4 other places" in done.findings[0].title
    first = kept.open()[0]
    kept.proposals.dismiss(first.id, kept.now)
    assert len(kept.open()) == 5
    assert len(kept.proposals.find("r1", [State.HELD])) == 1


async def test_an_amended_commit_is_looked_at_anew(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    first = kept.open()[0].found.commit
    kept.repo.commit({"other.py": "x = 1\n"}, "Rename it better", amend=True)
    await kept.run()
    assert kept.states() == [State.OPEN]
    assert kept.open()[0].found.commit == kept.repo.head() != first


async def test_a_commit_that_is_taken_out_of_history_takes_its_proposal_with_it(
    kept: Kept,
) -> None:
    await kept.begin()
    await kept.run()
    kept.repo.git("reset", "--hard", "--quiet", "HEAD~1")
    kept.repo.commit({"other.py": "x = 1\n"}, "Go on without it")
    await kept.run()
    assert kept.states() == [State.GONE]
    assert "in no branch any more" in kept.proposals.get(1).why


async def test_another_branch_has_nothing_to_say_of_it(kept: Kept) -> None:
    await kept.begin()
    kept.repo.git("branch", "side", "HEAD~1")
    await kept.run()
    kept.repo.commit({"other.py": "x = 1\n"}, "Work aside", branch="side")
    assert isinstance(await kept.run(), Nothing)
    assert kept.states() == [State.OPEN]


async def test_commits_that_were_not_told_of_are_caught_up_with(kept: Kept) -> None:
    await kept.begin()
    for number in range(3):
        kept.repo.commit({f"a{number}.py": "x = 1\n"}, "Go on")
    event = Committed(at=1.0, source="hook", old=kept.repo.head("HEAD~1"), new=kept.repo.head())
    await kept.done(events=(event,))
    assert kept.open()[0].found.commit == kept.repo.head("HEAD~3")


async def test_an_accepted_fix_is_over_once_it_is_committed(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    stage(kept.git, kept.open()[0])
    kept.proposals.close(1, State.ACCEPTED, kept.now)
    kept.repo.git("commit", "-q", "-m", "Rename cache_ttl in README.md")
    done = await kept.done()
    assert done.report["committed"] == ["D1"]
    assert [finding.recovered for finding in done.findings] == [True]
    assert kept.proposals.get(1).why == "committed"


async def test_an_accepted_fix_that_is_taken_back_is_open_again(kept: Kept) -> None:
    await kept.begin()
    await kept.run()
    undo = stage(kept.git, kept.open()[0]).undo
    kept.proposals.close(1, State.ACCEPTED, kept.now)
    kept.repo.git(*undo.split()[1:])
    kept.repo.commit({"other.py": "x = 1\n"}, "Do something else")
    await kept.run()
    assert kept.states() == [State.OPEN]


async def test_a_scan_finds_what_no_commit_told_and_closes_what_is_over(kept: Kept) -> None:
    kept.repo.commit({"README.md": "# Shop\n\nSee [how](docs/how.md).\n", "docs/how.md": "# How\n"})
    kept.repo.commit({"docs/how.md": None}, "Drop the manual")
    done = await kept.done("scan")
    assert done.report["new"] == ["D1 README.md:3"]
    assert kept.open()[0].found.name == "docs/how.md"
    assert isinstance(await kept.run("scan"), Nothing)
    kept.repo.commit({"docs/how.md": "# How\n"}, "Bring it back")
    await kept.run("scan")
    assert kept.states() == [State.GONE]


async def test_a_request_in_ones_own_words_looks_at_everything(kept: Kept) -> None:
    kept.repo.commit({"README.md": "# Shop\n\nSee [how](docs/how.md).\n", "docs/how.md": "# How\n"})
    kept.repo.commit({"docs/how.md": None}, "Drop the manual")
    event = Requested(at=1.0, source="api", text="are the docs right?")
    await kept.done(events=(event,))
    assert kept.states() == [State.OPEN]


async def test_a_project_can_turn_it_off(kept: Kept) -> None:
    await kept.begin()
    kept.repo.commit({".hermes.toml": "[documents]\nenabled = false\n"})
    assert await kept.run() == Nothing("its .hermes.toml turns this off")


async def test_a_repository_without_a_commit_is_nothing_to_check(kept: Kept) -> None:
    assert await kept.run() == Nothing("there is no commit yet")
    assert await kept.run("scan") == Nothing("there is no commit yet")


REMOVED = "def forget(settings):\n    return 60\n"
SAID = '{"text": "A cart forgets after 60 seconds."}'


async def _remove(kept: Kept, *answers: str) -> Proposal:
    text = "# Shop\n\nA cart forgets after `cache_ttl` seconds.\n"
    kept.repo.commit({"README.md": text, "shop.toml": SETTINGS, "shop.py": CODE}, "Sell")
    await kept.run()
    kept.repo.commit(
        {"shop.toml": "max_items = 10\n", "shop.py": REMOVED}, "Forget after 60 seconds, always"
    )
    kept.around.chat = ScriptedModel(*answers)
    await kept.run()
    return kept.open()[0]


async def test_a_model_words_what_no_rule_can_put_right(kept: Kept) -> None:
    found = (await _remove(kept, SAID)).found
    assert found.edits[0].new == ("A cart forgets after 60 seconds.\n",)
    assert found.by == "scripted"


async def test_a_bad_wording_is_asked_for_once_more(kept: Kept) -> None:
    bad = '{"text": "A cart forgets after 90 seconds, see `forget_all`."}'
    found = (await _remove(kept, bad, SAID)).found
    assert found.edits[0].new == ("A cart forgets after 60 seconds.\n",)


async def test_two_bad_wordings_leave_a_finding_without_a_fix(kept: Kept) -> None:
    bad = '{"text": "Here is the text: `cache_ttl` was removed."}'
    found = (await _remove(kept, bad, bad)).found
    assert (found.edits, found.by) == ((), "")


async def test_a_secret_beside_it_is_neither_stored_nor_shown_to_a_model(kept: Kept) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"[:36]
    text = f"# Shop\n\nSet `cache_ttl` and the token {secret}.\n"
    kept.repo.commit({"README.md": text, "shop.toml": SETTINGS, "shop.py": CODE}, "Sell")
    await kept.run()
    kept.rename()
    await kept.run()
    found = kept.open()[0].found
    assert found.edits == ()
    assert secret not in repr(found)


PROGRAM = """\
import argparse, pathlib

pathlib.Path("ran").touch()
parser = argparse.ArgumentParser(prog="shop")
parser.add_argument("--fast", help="go fast")
parser.parse_args()
"""
SETTLED = '[documents.help]\nshop = ["python3", "shop.py"]\n'


class Helped(Kept):
    """One whose README shows what its program prints for --help."""

    async def start(self, trust: Trust | None) -> None:
        shown = (
            "$ shop --help\nusage: shop [-h] [--fast FAST]\n\noptions:\n  --fast FAST  go fast\n"
        )
        self.repo.commit(
            {
                ".hermes.toml": SETTLED,
                ".gitignore": "ran\n",
                "shop.py": PROGRAM,
                "README.md": f"# Shop\n\n```\n{shown}```\n",
            },
            "Sell",
        )
        if trust is not None:
            trust.give("r1", self.repo.path, 1.0)
        await self.run()

    @property
    def ran(self) -> bool:
        return (self.repo.path / "ran").exists()

    def help_lines(self) -> list[tuple[int, ...]]:
        return [each.found.lines for each in self.open() if each.found.thing == "help"]


@pytest.fixture
def helped(tmp_path: Path) -> Generator[tuple[Helped, Trust]]:
    work = Work(tmp_path / "work.db")
    yield Helped(tmp_path / "shop", work), work.trust
    work.close()


async def test_what_a_program_prints_is_held_against_the_help_that_documents_show(
    helped: tuple[Helped, Trust],
) -> None:
    kept, trust = helped
    await kept.start(trust)
    assert kept.ran
    assert kept.help_lines() == []
    other = PROGRAM.replace("go fast", "be quick")
    kept.repo.commit({"shop.py": other}, "Say it better")
    await kept.done()
    assert kept.help_lines() == [(8,)]
    (proposal,) = kept.open()
    assert proposal.found.reason == "shop --help prints otherwise: this line is not in it"
    # A look that could not ask the program says nothing about it.
    (kept.repo.path / "shop.py").write_text(PROGRAM)
    await kept.run("scan")
    assert kept.help_lines() == [(8,)]
    kept.repo.commit({"shop.py": PROGRAM}, "Say it as before")
    await kept.done()
    assert kept.help_lines() == []


async def test_a_repository_that_nobody_trusts_has_nothing_run(
    helped: tuple[Helped, Trust],
) -> None:
    kept, _ = helped
    await kept.start(None)
    kept.repo.commit({"shop.py": PROGRAM.replace("go fast", "be quick")}, "Say it better")
    await kept.run()
    await kept.run("scan")
    assert not kept.ran
    assert kept.help_lines() == []


async def test_a_program_that_does_not_end_is_ended_and_nothing_is_said(
    helped: tuple[Helped, Trust], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printed, "SECONDS", 0.3)
    kept, trust = helped
    await kept.start(trust)
    kept.repo.commit({"shop.py": "import time\ntime.sleep(600)\n"}, "Hang")
    await kept.run()
    assert kept.help_lines() == []


async def test_what_is_only_possible_is_in_the_list_and_nobody_is_told(kept: Kept) -> None:
    for number in range(6):
        kept.repo.commit({"x.py": f"A = {number}\n", "docs/x.md": f"It is {number}.\n"}, "Count")
    await kept.run()
    kept.repo.commit({"x.py": "A = 100\n"}, "Count on")
    done = await kept.done()
    assert [each.found.tier for each in kept.open()] == ["possible"]
    assert list(done.findings) == []
