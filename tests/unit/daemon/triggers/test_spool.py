"""What files in the spool folder become, one step at a time."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from hermes.agents.events import Committed, Event, FilesChanged, HeadMoved, Noted
from hermes.daemon.triggers.drops import Drop, Malformed, Unfinished, read_door, read_hook
from hermes.daemon.triggers.spool import FIRST_DELAY, Spool
from hermes.daemon.triggers.spool_folder import FORGOTTEN, MOST_REFUSED, SETTLING
from hermes.memory.errors import HermesError, NoSpace, ReadOnly

OLD = "1" * 40
NEW = "2" * 40


def hook(name: str, first: str = "", second: str = "", cwd: str = "/src/shop") -> bytes:
    """Return what a hook writes."""
    fields = ["hermes-hook=1", f"hook={name}", "git-dir=", f"cwd={cwd}", "pid=7"]
    fields += [f"1={first}", f"2={second}", "end="]
    return b"".join(os.fsencode(field) + b"\0" for field in fields)


class Ledger:
    """Accepts events as the real one does: the same key twice is the same event."""

    def __init__(self) -> None:
        self.events: dict[str, Event] = {}
        self.refused: list[tuple[str, str]] = []
        self.fails: HermesError | None = None
        self.asked = 0

    async def accept(self, event: Event, key: str | None) -> int:
        self.asked += 1
        assert key is not None
        if self.fails is not None:
            raise self.fails
        self.events.setdefault(key, event)
        return len(self.events)

    async def refuse(self, name: str, reason: str) -> None:
        self.refused.append((name, reason))

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events.values()]


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def spool(ledger: Ledger, folder: Path) -> Spool:
    return Spool(ledger.accept, folder, refuse=ledger.refuse, repo_of=repo_of)


def repo_of(git_dir: str, cwd: str) -> str | None:
    """Only the shop is in memory."""
    return "shop" if (git_dir or cwd).startswith("/src/shop") else None


async def drain(spool: Spool, now: float | None = None) -> float:
    """Step until there is nothing left to do at once; return the seconds until the next."""
    while not (wait := await spool.step(time.time() if now is None else now)):
        pass
    return wait


def drop(folder: Path, name: str, content: bytes | str | dict[str, Any], age: float = 60) -> Path:
    """Put a file there, of so many seconds ago."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content)
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    moment = time.time() - age
    os.utime(file, (moment, moment))
    return file


def files(folder: Path) -> list[str]:
    """Return everything that lies anywhere in the folder, but the folders themselves."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (hook("post-commit"), {"kind": "committed", "cause": "commit"}),
        (hook("post-merge", "0"), {"kind": "committed", "cause": "merge"}),
        (
            hook("post-checkout", OLD, NEW),
            {"kind": "head_moved", "cause": "checkout", "old": OLD, "new": NEW},
        ),
        (
            hook("post-checkout", "0" * 40, NEW),
            {"kind": "head_moved", "cause": "checkout", "old": None, "new": NEW},
        ),
        (hook("post-rewrite", "rebase"), {"kind": "head_moved", "cause": "rebase"}),
        (hook("post-rewrite", "amend"), {"kind": "head_moved", "cause": "amend"}),
        (hook("post-rewrite", "something new"), {"kind": "head_moved", "cause": "unknown"}),
    ],
)
def test_a_hooks_file_says_what_happened(content: bytes, said: dict[str, Any]) -> None:
    found = read_hook(content)
    assert found == Drop(said, "hook", "", "/src/shop")
    assert found.event("shop", 5.0).at == 5.0


def test_any_path_comes_through() -> None:
    cwd = '/src/it\'s a "shop"\n\udcff=x'
    assert read_hook(hook("post-commit", cwd=cwd)).cwd == cwd


def test_a_git_directory_may_be_relative_to_where_the_hook_ran() -> None:
    content = hook("post-commit").replace(b"git-dir=", b"git-dir=../shop.git")
    assert read_hook(content).git_dir == "/src/shop.git"


@pytest.mark.parametrize("length", range(1, len(hook("post-commit"))))
def test_a_hooks_file_that_is_cut_anywhere_is_unfinished(length: int) -> None:
    with pytest.raises(Unfinished):
        read_hook(hook("post-commit")[:length])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x00\xff\x00", "does not start"),
        (hook("pre-push"), "no hook called pre-push"),
        (hook("post-commit", cwd="shop"), "where it was written"),
        (hook("post-commit").replace(b"hook=1", b"hook=9"), "another version"),
        (hook("post-commit").replace(b"pid=7", b"pid"), "has no name"),
    ],
)
def test_a_strange_hooks_file_is_malformed(content: bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        read_hook(content)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[]", "not a JSON object"),
        ("{}", "has no kind"),
        ({"kind": "committed"}, "is of kind committed; a script may drop"),
        ({"kind": ["noted"]}, "is of kind"),
        ({"kind": "noted", "title": "x", "at": 1}, "at is not for a script"),
        ({"kind": "noted", "title": "x", "source": "api"}, "source is not for a script"),
        ({"kind": "noted", "title": "x", "repo": "shop"}, "not the whole path"),
        ({"kind": "noted", "title": "x", "repo": "/src\0shop"}, "not the whole path"),
        ({"kind": "noted", "title": "x", "repo": 7}, "not the whole path"),
        ({"kind": "noted", "title": "\ud800"}, "half a character"),
        ({"kind": "files_changed", "paths": ["a"]}, "needs repo"),
    ],
)
def test_what_a_script_may_not_say_is_malformed(content: str | dict[str, Any], reason: str) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    with pytest.raises(Malformed, match=reason) as raised:
        read_door(text.encode())
    assert not isinstance(raised.value, Unfinished)


@pytest.mark.parametrize("text", ["", "{", '{"kind": "noted"', "[" * 50_000, "\xff", "nonsense"])
def test_what_is_no_json_may_still_become_it(text: str) -> None:
    with pytest.raises(Unfinished):
        read_door(text.encode("latin-1"))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kind": "noted"}, "title: Field required"),
        ({"kind": "noted", "title": "x", "colour": "red"}, "colour: Extra inputs"),
        ({"kind": "requested", "text": "x" * 20_001}, "at most 20000"),
        ({"kind": "run_asked", "agent": "Not a name"}, "agent: "),
    ],
)
def test_fields_that_do_not_fit_are_named(fields: dict[str, Any], reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        read_door(json.dumps(fields).encode()).event(None, 0.0)


async def test_hooks_and_notes_become_events_in_order(
    spool: Spool, ledger: Ledger, folder: Path
) -> None:
    drop(folder, "z.json", {"kind": "noted", "title": "Deployed", "repo": "/src/shop/api"}, 50)
    drop(folder, "post-commit.:src:shop.hook", hook("post-commit"), age=40)
    drop(folder, "a.json", {"kind": "files_changed", "repo": "/src/shop", "paths": ["a.py"]}, 30)
    before = time.time()
    await drain(spool)
    noted, committed, changed = ledger.events.values()
    assert isinstance(noted, Noted)
    assert (noted.repo, noted.source, noted.title) == ("shop", "spool", "Deployed")
    assert isinstance(committed, Committed)
    assert (committed.repo, committed.source, committed.cause) == ("shop", "hook", "commit")
    assert before - 41 < committed.at < before - 39
    assert isinstance(changed, FilesChanged)
    assert files(folder) == []
    assert spool.state()["state"] == "ok"
    assert spool.state()["accepted"] == 3


async def test_a_file_is_deleted_only_after_its_event_is_on_disk(
    folder: Path, ledger: Ledger
) -> None:
    async def accept(event: Event, key: str | None) -> int:
        assert [file for file in files(folder) if file.startswith("taking/")]
        return await ledger.accept(event, key)

    spool = Spool(accept, folder, refuse=ledger.refuse, repo_of=repo_of)
    drop(folder, "x.hook", hook("post-commit"))
    await drain(spool)
    assert ledger.kinds == ["committed"]
    assert files(folder) == []


async def test_a_kill_after_the_event_was_accepted_makes_no_second_one(
    folder: Path, ledger: Ledger
) -> None:
    class Killed(BaseException):
        """Nothing cleans up after this."""

    async def accept(event: Event, key: str | None) -> int:
        await ledger.accept(event, key)
        raise Killed

    drop(folder, "x.hook", hook("post-commit"))
    with pytest.raises(Killed):
        await Spool(accept, folder, refuse=ledger.refuse, repo_of=repo_of).step(time.time())
    assert len(files(folder)) == 1
    again = Spool(ledger.accept, folder, refuse=ledger.refuse, repo_of=repo_of)
    await drain(again)
    assert ledger.asked == 2
    assert ledger.kinds == ["committed"]
    assert files(folder) == []


async def test_a_hook_that_writes_while_its_last_file_is_in_hand_is_not_overlooked(
    folder: Path, ledger: Ledger
) -> None:
    async def accept(event: Event, key: str | None) -> int:
        if not ledger.events:
            drop(folder, "x.hook", hook("post-merge"))
        return await ledger.accept(event, key)

    drop(folder, "x.hook", hook("post-commit"))
    await drain(Spool(accept, folder, refuse=ledger.refuse, repo_of=repo_of))
    causes = [event.cause for event in ledger.events.values() if isinstance(event, Committed)]
    assert causes == ["commit", "merge"]


@pytest.mark.parametrize("error", [NoSpace("here"), ReadOnly("here")])
async def test_a_disk_that_refuses_loses_nothing_and_is_tried_later_each_time(
    spool: Spool, ledger: Ledger, folder: Path, error: HermesError
) -> None:
    drop(folder, "x.hook", hook("post-commit"), age=20)
    drop(folder, "y.hook", hook("post-merge"), age=10)
    ledger.fails = error
    waits = [await spool.step(time.time()) for _ in range(6)]
    assert waits == [FIRST_DELAY, 10, 20, 40, 60, 60]
    assert ledger.asked == 6
    assert spool.state()["state"] == "degraded"
    assert spool.state()["detail"] == error.message
    assert len(files(folder)) == 2
    ledger.fails = None
    await drain(spool)
    causes = [event.cause for event in ledger.events.values() if isinstance(event, Committed)]
    assert causes == ["commit", "merge"]
    assert files(folder) == []
    assert spool.state()["state"] == "ok"


async def test_a_file_on_which_we_fail_ourselves_does_not_stop_the_others_for_ever(
    ledger: Ledger, folder: Path
) -> None:
    async def accept(event: Event, key: str | None) -> int:
        if event.kind == "noted":
            raise RuntimeError("a fault of ours")
        return await ledger.accept(event, key)

    spool = Spool(accept, folder, refuse=ledger.refuse, repo_of=repo_of)
    drop(folder, "bad.json", {"kind": "noted", "title": "x"}, age=20)
    drop(folder, "x.hook", hook("post-commit"), age=10)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            await spool.step(time.time())
    await drain(spool)
    assert ledger.kinds == ["committed"]
    assert [reason for _, reason in ledger.refused] == [
        "hermes fails on it, which the log says more about"
    ]


async def test_a_folder_that_can_not_be_looked_at_is_in_no_repository(
    ledger: Ledger, folder: Path
) -> None:
    def denied(git_dir: str, cwd: str) -> str | None:
        raise PermissionError(13, "Permission denied")

    drop(folder, "x.hook", hook("post-commit"))
    await drain(Spool(ledger.accept, folder, refuse=ledger.refuse, repo_of=denied))
    assert len(ledger.refused) == 1
    assert files(folder) == []


async def test_something_else_in_the_folders_place_is_said_until_it_is_gone(
    spool: Spool, ledger: Ledger, folder: Path, tmp_path: Path
) -> None:
    place = drop(tmp_path, folder.name, "no folder")
    assert await spool.step(time.time()) == FIRST_DELAY
    assert str(folder) in spool.state()["detail"]
    os.unlink(place)
    await drain(spool)
    assert spool.state()["state"] == "ok"


async def test_a_hook_of_an_unknown_repository_is_dropped_and_said_once(
    spool: Spool, ledger: Ledger, folder: Path
) -> None:
    for name in ("post-commit", "post-merge"):
        drop(folder, f"{name}.hook", hook(name, cwd="/src/other\udcff"))
    await drain(spool)
    assert ledger.kinds == []
    assert files(folder) == []
    assert ledger.refused == [
        ("post-commit.hook", "no repository in memory is at /src/other\N{REPLACEMENT CHARACTER}")
    ]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.json", "nonsense", "it is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("x.json", b"\x00\x01\xff", "it is not JSON: "),
        ("x.json", "", "it is empty"),
        ("x.json", '{"kind": "noted", "title": "' + "x" * 70_000 + '"}', "more than 65,536 bytes"),
        ("x.json", {"kind": "noted", "title": "x", "repo": "/src/other"}, "no repository in mem"),
        ("x.json", {"kind": "noted", "title": ""}, "title: String should have at least 1"),
        ("x.hook", b"nonsense", "does not start as a hook's file does"),
        ("x.hook", hook("post-commit")[:-5], "its end is missing"),
        ("\udcff\n" + "x" * 240 + ".json", "nonsense", "it is not JSON"),
    ],
)
async def test_a_bad_file_is_set_aside_with_the_reason_and_never_tried_again(
    spool: Spool, ledger: Ledger, folder: Path, name: str, content: Any, reason: str
) -> None:
    drop(folder, name, content)
    await drain(spool)
    kept = [file for file in files(folder) if not file.endswith(".reason")]
    assert [Path(file).parent.name for file in kept] == ["refused"]
    assert reason in (folder / (kept[0] + ".reason")).read_text()
    assert [why for _, why in ledger.refused if reason in why]
    await drain(spool)
    assert len(ledger.refused) == 1
    assert spool.state()["refused"] == 1


async def test_what_is_no_file_is_never_opened(
    spool: Spool, ledger: Ledger, folder: Path, tmp_path: Path
) -> None:
    drop(folder / "folder.json", "inside", "kept")
    os.mkfifo(folder / "fifo.json")
    target = drop(tmp_path / "elsewhere", "x.json", {"kind": "noted", "title": "x"})
    (folder / "link.json").symlink_to(target)
    (folder / "broken.hook").symlink_to("nowhere")
    await drain(spool)
    assert {reason for _, reason in ledger.refused} == {"it is not a plain file"}
    assert len(ledger.refused) == 4
    assert ledger.kinds == []
    assert target.exists()
    assert (folder / "refused" / "folder.json" / "inside").exists()


async def test_bad_files_are_kept_up_to_a_number(
    spool: Spool, folder: Path, ledger: Ledger
) -> None:
    for number in range(MOST_REFUSED + 20):
        drop(folder, f"{number}.json", "nonsense", age=1_000 - number)
    await drain(spool)
    kept = files(folder / "refused")
    assert len(kept) == 2 * MOST_REFUSED
    assert "119.json" in kept
    assert "0.json" not in kept
    assert len(ledger.refused) == MOST_REFUSED + 20


async def test_a_huge_file_is_not_kept_but_its_reason_is(spool: Spool, folder: Path) -> None:
    drop(folder, "huge.json", b" " * 2_000_000)
    await drain(spool)
    assert files(folder) == ["refused/huge.json.reason"]


async def test_a_file_that_is_still_being_written_is_left_until_it_is_whole(
    spool: Spool, ledger: Ledger, folder: Path
) -> None:
    file = drop(folder, "x.json", '{"kind": "noted", ', age=0)
    now = time.time()
    assert 0 < await drain(spool, now) <= SETTLING
    assert files(folder) == ["x.json"]
    with file.open("a") as opened:
        opened.write('"title": "Deployed"}')
    await drain(spool, now + 1)
    assert ledger.kinds == ["noted"]
    assert ledger.refused == []


async def test_a_file_that_stays_unfinished_is_set_aside(
    spool: Spool, ledger: Ledger, folder: Path
) -> None:
    drop(folder, "x.json", '{"kind": "noted", ', age=0)
    await drain(spool, time.time() + SETTLING + 1)
    assert len(ledger.refused) == 1


async def test_a_clock_that_was_set_back_keeps_no_file_waiting(
    spool: Spool, ledger: Ledger, folder: Path
) -> None:
    drop(folder, "bad.json", "nonsense", age=-86_400)
    drop(folder, "x.hook", hook("post-commit"), age=-86_400)
    now = time.time()
    await drain(spool, now)
    assert [event.at for event in ledger.events.values()] == [now]
    assert len(ledger.refused) == 1


async def test_a_temporary_name_is_given_an_hour(
    spool: Spool, ledger: Ledger, folder: Path
) -> None:
    drop(folder, "note.json.part", "{}", age=5)
    drop(folder, ".post-commit.:src:shop.77", hook("post-commit"), age=5)
    now = time.time()
    await drain(spool, now)
    assert len(files(folder)) == 2
    await drain(spool, now + FORGOTTEN)
    assert ledger.refused == [("note.json.part", "its name ends neither in .json nor in .hook")]
    assert files(folder) == ["refused/note.json.part", "refused/note.json.part.reason"]
    assert ledger.kinds == []


async def test_what_is_in_hand_goes_first_after_a_restart(ledger: Ledger, folder: Path) -> None:
    first = Spool(ledger.accept, folder, refuse=ledger.refuse, repo_of=repo_of)
    drop(folder, "x.hook", hook("post-checkout", OLD, NEW), age=100)
    ledger.fails = NoSpace("here")
    await first.step(time.time())
    ledger.fails = None
    drop(folder, "x.hook", hook("post-checkout", NEW, OLD), age=10)
    await drain(Spool(ledger.accept, folder, refuse=ledger.refuse, repo_of=repo_of))
    moved = [event.new for event in ledger.events.values() if isinstance(event, HeadMoved)]
    assert moved == [NEW, OLD]
