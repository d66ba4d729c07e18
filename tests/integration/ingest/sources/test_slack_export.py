"""Slack's export archive, hand-built by its public format, read from disk."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from hermes.ingest.sources.contract import Page, Source, SourceBroken
from hermes.ingest.sources.slack import open_source, options
from hermes.memory.errors import HermesError
from hermes.memory.records import Item
from hermes.tests.builders.slack import (
    BEGUN,
    HOST,
    Workspace,
    as_bytes,
    file,
    write_folder,
    write_zip,
)


class Talk:
    """A small workspace, and what is to be known of it."""

    def __init__(self) -> None:
        self.workspace = space = Workspace()
        self.kim = space.member("Kim Noor")
        self.sam = space.member("Sam Ito", display="sam")
        self.eng = space.place("eng-platform", members=[self.kim, self.sam])
        self.root = space.say(self.eng, self.kim, "Why redis for the limiter?", at=100)
        space.say(self.eng, self.sam, "TTL for each key, memcached has none", thread=self.root)
        space.say(self.eng, self.kim, "That settles it", thread=self.root, at=5 * 86_400)
        self.lunch = space.say(self.eng, self.sam, "anyone at lunch?", at=9_000)
        space.say(self.eng, self.kim, "yes, in five minutes")


@pytest.fixture
def talk() -> Talk:
    return Talk()


def never() -> bool:
    return False


def source(path: Path, *channels: str, direct: bool = False) -> Source:
    said = {"export": str(path), "channels": list(channels), "direct": direct}
    return open_source(options(said), None, ())


def pages(path: Path, *channels: str, cursor: str = "", direct: bool = False) -> list[Page]:
    return list(source(path, *channels, direct=direct).fetch(cursor, never))


def items(found: list[Page]) -> dict[str, Item]:
    """All items by what they are called; none comes twice."""
    listed = [item for page in found for item in page.items]
    by_ref = {item.ref: item for item in listed}
    assert len(by_ref) == len(listed)
    return by_ref


def titles(found: list[Page]) -> list[str]:
    return [item.title for page in found for item in page.items]


def notes(found: list[Page]) -> str:
    return "\n".join(note for page in found for note in page.notes)


@pytest.mark.parametrize("write", [write_zip, write_folder])
def test_threads_and_what_stands_alone_are_discussions(
    write: Callable[[dict[str, Any], Path], Path], talk: Talk, tmp_path: Path
) -> None:
    found = items(pages(write(talk.workspace.files(), tmp_path / "export")))
    thread = found[f"slack:{talk.eng}/{talk.root}"]
    assert thread.title == "#eng-platform: Why redis for the limiter?"
    assert thread.text == (
        "Kim Noor (29 November 2024 09:08): Why redis for the limiter?\n\n"
        "Sam Ito (29 November 2024 09:10): TTL for each key, memcached has none\n\n"
        "Kim Noor (4 December 2024 09:07): That settles it"
    )
    assert (thread.author, thread.email) == ("Kim Noor", "kim@example.org")
    assert thread.people == (("Kim Noor", "kim@example.org"), ("Sam Ito", "sam@example.org"))
    assert (thread.time, thread.changed) == (BEGUN + 100, BEGUN + 5 * 86_400)
    alone = found[f"slack:{talk.eng}/{talk.lunch}"]
    assert alone.text.count("\n\n") == 1
    assert len(found) == 2


def test_a_file_is_told_by_its_name_and_gives_the_workspaces_address(
    talk: Talk, tmp_path: Path
) -> None:
    ts = talk.workspace.say(
        talk.eng, talk.kim, "", files=file("trace.log"), subtype="file_share", at=50_000
    )
    found = items(pages(write_zip(talk.workspace.files(), tmp_path / "e.zip")))
    shared = found[f"slack:{talk.eng}/{ts}"]
    assert shared.text.endswith(": [file: trace.log]")
    assert shared.url == f"https://{HOST}/archives/{talk.eng}/p{ts.replace('.', '')}"


def test_programs_and_notices_are_left_out_unless_people_answered(
    talk: Talk, tmp_path: Path
) -> None:
    space = talk.workspace
    space.notice(talk.eng, "channel_join", "<@U00000001> has joined", user=talk.kim)
    space.notice(talk.eng, "bot_message", "build 17 passed", bot_id="B1", username="builds")
    deploys = space.member("Deploys", bot=True)
    space.say(talk.eng, deploys, "deployed 1.2", bot_id="B2")
    alert = space.notice(
        talk.eng, "bot_message", "limiter at 900 ms", bot_id="B1", username="alerts", at=70_000
    )
    space.say(talk.eng, talk.sam, "that is the failover", thread=alert)
    found = items(pages(write_zip(space.files(), tmp_path / "e.zip")))
    text = "\n".join(item.text for item in found.values())
    assert "joined" not in text and "build 17" not in text and "deployed" not in text
    answered = found[f"slack:{talk.eng}/{alert}"]
    assert answered.title == "#eng-platform: limiter at 900 ms"
    assert answered.author == "Sam Ito"
    assert answered.people == (("Sam Ito", "sam@example.org"),)


def test_an_answer_sent_to_the_channel_stands_in_its_thread_only(
    talk: Talk, tmp_path: Path
) -> None:
    talk.workspace.broadcast(talk.eng, talk.sam, "merged, by the way", talk.root, at=20_000)
    found = items(pages(write_zip(talk.workspace.files(), tmp_path / "e.zip")))
    assert sum("merged, by the way" in item.text for item in found.values()) == 1
    assert "merged, by the way" in found[f"slack:{talk.eng}/{talk.root}"].text


def test_answers_stay_where_their_question_was_deleted(talk: Talk, tmp_path: Path) -> None:
    talk.workspace.delete(talk.eng, talk.root)
    found = items(pages(write_zip(talk.workspace.files(), tmp_path / "e.zip")))
    left = found[f"slack:{talk.eng}/{talk.root}"]
    assert left.title == "#eng-platform: TTL for each key, memcached has none"
    assert "redis" not in left.text and "deleted" not in left.text


def test_answers_stay_where_their_question_is_in_no_file(talk: Talk, tmp_path: Path) -> None:
    files = talk.workspace.files()
    day = files["eng-platform/2024-11-29.json"]
    files["eng-platform/2024-11-29.json"] = [each for each in day if each["ts"] != talk.root]
    found = items(pages(write_zip(files, tmp_path / "e.zip")))
    assert found[f"slack:{talk.eng}/{talk.root}"].author == "Sam Ito"


def test_of_a_message_that_stands_there_in_several_states_the_last_one_counts(
    talk: Talk, tmp_path: Path
) -> None:
    space = talk.workspace
    old = dict(space.places[talk.eng].find(talk.lunch))
    space.edit(talk.eng, talk.lunch, "anyone at dinner?", after=600)
    files = space.files()
    new = space.places[talk.eng].find(talk.lunch)
    log = {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "ts": f"{BEGUN + 9_600}.000100",
        "message": new,
        "original": old,
        "editor_id": talk.sam,
    }
    files["eng-platform/2024-11-30.json"] = [old]  # days may come in any order
    files["eng-platform/2024-11-28.json"] = [log]
    found = items(pages(write_zip(files, tmp_path / "e.zip")))
    alone = found[f"slack:{talk.eng}/{talk.lunch}"]
    assert "dinner" in alone.text and "lunch" not in alone.text
    assert alone.changed == BEGUN + 9_600


def test_private_talk_is_not_even_opened_unless_it_is_named(talk: Talk, tmp_path: Path) -> None:
    space = talk.workspace
    secret = space.place("salaries", "group", [talk.kim])
    direct = space.place("", "im", [talk.kim, talk.sam])
    several = space.place("mpdm-kim--sam-1", "mpim", [talk.kim, talk.sam])
    for place in (secret, direct, several):
        space.say(place, talk.kim, f"hushed in {place}", at=10)
    files = space.files()
    broken = {
        name: b"" if name.startswith(("salaries/", direct)) else files[name] for name in files
    }
    assert "hushed" not in str(pages(write_zip(broken, tmp_path / "b.zip")))
    path = write_zip(files, tmp_path / "e.zip")
    assert "hushed" not in str(pages(path))
    assert titles(pages(path, "salaries")) == [f"#salaries: hushed in {secret}"]
    private = titles(pages(path, "eng-platform", direct=True))
    assert sorted(each for each in private if "hushed" in each) == [
        f"direct message: hushed in {direct}",
        f"direct message: hushed in {several}",
    ]
    told = {each.name: each for each in source(path).discover()}
    assert told["#eng-platform"].wanted
    assert not told["#salaries"].wanted and "--channels" in told["#salaries"].why
    assert not told["Kim Noor, Sam Ito"].wanted and "--direct" in told["Kim Noor, Sam Ito"].why


def test_a_channel_that_is_not_there_is_said(talk: Talk, tmp_path: Path) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    found = pages(path, "eng-platform", "pyaments")
    assert "#pyaments" in notes(found)
    assert len(items(found)) == 2


def test_whom_no_list_names_is_called_as_the_message_says_or_by_the_id(
    talk: Talk, tmp_path: Path
) -> None:
    ts = talk.workspace.say(talk.eng, "U0STRANGER", "hello from afar", at=80_000)
    files = talk.workspace.files()
    files["users.json"] = []
    found = items(pages(write_zip(files, tmp_path / "e.zip")))
    assert found[f"slack:{talk.eng}/{talk.root}"].author == "Kim Noor"
    assert found[f"slack:{talk.eng}/{ts}"].author == "U0STRANGER"


def test_stopped_or_killed_it_goes_on_behind_the_last_page(talk: Talk, tmp_path: Path) -> None:
    space = talk.workspace
    ops = space.place("ops")
    for number in range(450):
        for place in (talk.eng, ops):
            root = space.say(place, talk.kim, f"number {number}", at=100_000 + number * 3_000)
            if number % 3 == 0:
                space.say(place, talk.sam, "answered", thread=root, at=100_000 + number * 9_000)
    gone = space.say(ops, talk.kim, "will be deleted", at=99_000)
    space.say(ops, talk.sam, "lone", thread=gone, at=99_100)
    space.delete(ops, gone)
    path = write_zip(space.files(), tmp_path / "e.zip")
    whole = items(pages(path))
    assert len(whole) > 900
    cursor, met, rounds = "", dict[str, Item](), 0
    while True:
        rounds += 1
        page = next((each for each in source(path).fetch(cursor, never) if each.cursor), None)
        if page is None:
            break
        assert not met.keys() & {item.ref for item in page.items}
        assert page.cursor != cursor
        met.update((item.ref, item) for item in page.items)
        assert page.unit == "messages" and page.total is not None
        assert 0 < page.done <= page.total
        cursor = page.cursor or ""
    assert met == whole
    assert rounds > 4
    stopped = list(source(path).fetch("", lambda: True))
    assert all(page.cursor is None for page in stopped)


def test_an_export_that_is_as_it_was_is_not_read_again_and_another_one_is(
    talk: Talk, tmp_path: Path
) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    cursor = pages(path)[-1].cursor or ""
    assert pages(path, cursor=cursor) == []
    talk.workspace.say(talk.eng, talk.kim, "one more", at=90_000)
    write_zip(talk.workspace.files(), path)
    assert len(items(pages(path, cursor=cursor))) == 3


@pytest.mark.parametrize("cursor", ["nonsense", "[]", '{"export": 7}', '{"channels": {}}'])
def test_a_cursor_of_another_kind_means_from_the_beginning(
    cursor: str, talk: Talk, tmp_path: Path
) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    assert len(items(pages(path, cursor=cursor))) == 2


def test_the_days_that_are_damaged_are_said_and_the_others_read(talk: Talk, tmp_path: Path) -> None:
    files = talk.workspace.files()
    files["eng-platform/2024-11-30.json"] = b'[{"type": "message", "user": "U'
    files["eng-platform/2024-12-01.json"] = {"not": "a list"}
    files["eng-platform/2024-12-02.json"] = [{"type": "message"}, 7, {"ts": "soon", "text": "x"}]
    files["eng-platform/canvas_in_the_conversation.json"] = b"what is this"
    found = pages(write_zip(files, tmp_path / "e.zip"))
    assert len(items(found)) == 2
    told = notes(found)
    assert "eng-platform/2024-11-30.json: the rest of the day is left out: it breaks off" in told
    assert "eng-platform/2024-12-01.json: the rest of the day is left out: it is no list" in told
    assert "2 entries that are no messages, or have no time" in told
    assert "canvas" not in told


def test_one_file_of_the_archive_that_is_damaged_costs_only_itself(
    talk: Talk, tmp_path: Path
) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    with zipfile.ZipFile(path) as packed:
        entry = packed.getinfo("eng-platform/2024-12-04.json")
    data = bytearray(path.read_bytes())
    start = entry.header_offset + 30 + len(entry.filename) + 20
    data[start : start + 20] = b"\xff" * 20
    path.write_bytes(data)
    found = pages(path)
    assert "eng-platform/2024-12-04.json: the rest of the day is left out" in notes(found)
    assert len(items(found)) == 2


def test_a_clock_that_went_ahead_is_said(talk: Talk, tmp_path: Path) -> None:
    talk.workspace.say(talk.eng, talk.kim, "from 2096", at=2_250_000_000)
    found = pages(write_zip(talk.workspace.files(), tmp_path / "e.zip"))
    assert "1 messages are dated in the future" in notes(found)
    assert len(items(found)) == 3


def test_an_archive_that_leads_out_of_itself_is_read_without_that(
    talk: Talk, tmp_path: Path
) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    day = as_bytes([{"type": "message", "user": talk.kim, "text": "evil", "ts": f"{BEGUN}.000000"}])
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("../evil/2024-01-01.json", day)
        packed.writestr("/etc/2024-01-01.json", day)
        packed.writestr("eng-platform/../x/2024-01-01.json", day)
        packed.writestr("C:\\eng-platform\\2024-01-01.json", day)
        link = zipfile.ZipInfo("eng-platform/2024-01-02.json")
        link.external_attr = 0o120777 << 16
        packed.writestr(link, "/etc/passwd")
    found = pages(path)
    assert "evil" not in str(found)
    assert "5 files of the export with a name or a link that leads elsewhere" in notes(found)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["e.zip"]


def test_a_folder_with_links_is_read_without_them(talk: Talk, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_bytes(
        as_bytes([{"type": "message", "user": talk.kim, "text": "evil", "ts": f"{BEGUN}.000000"}])
    )
    path = write_folder(talk.workspace.files(), tmp_path / "export")
    (path / "eng-platform" / "2024-01-01.json").symlink_to(outside)
    (path / "linked").symlink_to(tmp_path)
    found = pages(path)
    assert "evil" not in str(found)
    assert "2 files of the export" in notes(found)


def test_a_zip_bomb_is_refused_before_anything_is_read(talk: Talk, tmp_path: Path) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    with (
        zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed,
        packed.open("eng-platform/2024-01-01.json", "w") as inside,
    ):
        for _ in range(300):
            inside.write(b" " * 1024 * 1024)
    with pytest.raises(SourceBroken, match="that is no export"):
        pages(path)


def test_a_table_of_contents_that_would_fill_memory_is_refused(talk: Talk, tmp_path: Path) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, data.rfind(b"PK\x05\x06") + 12, 0xFFFFFF00)
    path.write_bytes(data)
    with pytest.raises(SourceBroken, match="lists more files than an export has"):
        pages(path)


@pytest.mark.parametrize(
    ("share", "instead", "said"),
    [
        (0.5, b"", "is not whole: its end is missing"),
        (0.0, b"", "is empty"),
        (0.0, b"<html>Sign in to Slack</html>", "is no zip archive"),
    ],
)
def test_what_is_no_whole_archive_gets_one_line_and_what_to_do(
    share: float, instead: bytes, said: str, talk: Talk, tmp_path: Path
) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)] + instead)
    for ask in (lambda: pages(path), lambda: source(path).discover()):
        with pytest.raises(SourceBroken) as broken:
            ask()
        assert said in broken.value.message and "\n" not in broken.value.message
        assert broken.value.hint


def test_an_archive_of_something_else_is_refused_and_an_empty_export_is_not(
    tmp_path: Path,
) -> None:
    with pytest.raises(SourceBroken, match=r"no channels\.json"):
        pages(write_zip({"photos/a.json": []}, tmp_path / "photos.zip"))
    assert titles(pages(write_zip(Workspace().files(), tmp_path / "empty.zip"))) == []


def test_an_export_that_is_not_there_any_more_is_said(talk: Talk, tmp_path: Path) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    gone = source(path)
    path.unlink()
    with pytest.raises(HermesError) as broken:
        list(gone.fetch("", never))
    assert "e.zip" in broken.value.message


def test_a_folder_around_the_export_does_not_matter(talk: Talk, tmp_path: Path) -> None:
    packed = write_zip(talk.workspace.files(), tmp_path / "e.zip", inside="Acme export/")
    with zipfile.ZipFile(packed, "a") as added:
        added.writestr("__MACOSX/Acme export/._channels.json", b"\0\1")
    assert len(items(pages(packed))) == 2


def test_an_export_of_an_organisation_names_its_people_in_another_file(
    talk: Talk, tmp_path: Path
) -> None:
    files = talk.workspace.files()
    files["org_users.json"] = files.pop("users.json")
    found = items(pages(write_zip(files, tmp_path / "e.zip")))
    assert found[f"slack:{talk.eng}/{talk.root}"].email == "kim@example.org"


def test_it_contacts_nobody(talk: Talk, tmp_path: Path) -> None:
    path = write_zip(talk.workspace.files(), tmp_path / "e.zip")
    assert source(path).contacts() == ()
    assert json.loads(pages(path)[-1].cursor or "")["channel"] == "done"


def gone(path: Path, cursor: str, refs: Iterable[str]) -> set[str]:
    """Which of some references are said to be gone while it is read."""
    found: set[str] = set()
    for page in source(path).fetch(cursor, never):
        found |= {ref for ref in refs if page.is_gone is not None and page.is_gone(ref)}
    return found


def test_what_a_newer_export_lacks_between_its_days_is_gone(talk: Talk, tmp_path: Path) -> None:
    space, path = talk.workspace, tmp_path / "export.zip"
    alone = space.say(talk.eng, talk.kim, "a secret plan", at=40_000)
    space.say(talk.eng, talk.sam, "good night", at=6 * 86_400)
    write_zip(space.files(), path)
    before = pages(path)
    earlier = f"slack:{talk.eng}/{BEGUN - 86_400}.000000"
    refs = [*items(before), earlier, f"slack:C0ELSE/{alone}", "linear:ENG-1"]
    assert gone(path, "", refs[:-3]) == set()

    space.delete(talk.eng, alone)
    write_zip(space.files(), path)
    is_gone = {f"slack:{talk.eng}/{alone}"}
    assert gone(path, before[-1].cursor or "", refs) == is_gone
    half = next(page.cursor for page in pages(path) if page.cursor)
    assert gone(path, half, refs) == is_gone


def test_of_a_channel_that_is_not_whole_nothing_is_gone(talk: Talk, tmp_path: Path) -> None:
    files, path = talk.workspace.files(), tmp_path / "export.zip"
    write_zip(files, path)
    refs = items(pages(path))
    [first] = [name for name in files if name.endswith("2024-11-29.json")]
    write_zip(files | {first: b"[{"}, path)
    assert gone(path, "", refs) == set()
