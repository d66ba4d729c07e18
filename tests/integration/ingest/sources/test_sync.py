"""A source read into memory: page by page, from where it was left, nothing lost and nothing twice."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from traceback import format_exception
from urllib.parse import quote

import pytest

from hermes.ingest.sources.contract import Page, SourceAway, SourceBroken, SourceRefused
from hermes.ingest.sources.sync import MOST_NOTES, SyncReport, sync
from hermes.memory.errors import HermesError
from hermes.memory.forgetting_rules import RuleKind
from hermes.memory.memory import Memory
from hermes.memory.recall import recall
from hermes.memory.records import Item
from hermes.memory.tables import CHUNKS
from hermes.tests.builders.items import thread
from hermes.tests.builders.scripted_source import Scripted, page

SECRET = "xoxb-1/23"
ONE, TWO, THREE = thread(1), thread(2), thread(3)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with the source ``slack``, which nothing was read of yet."""
    with Memory.open(tmp_path / "memory", embedder=None, write=True) as opened:
        opened.index.sources.add("slack", "slack", {"token": "env:SLACK_TOKEN"}, 1)
        yield opened


def read(
    memory: Memory, source: Scripted, name: str = "slack", pages: int = 99, secret: str = ""
) -> SyncReport:
    """Sync a source and stop after so many pages."""
    told: list[int] = []
    return sync(
        memory,
        memory.index.sources.get(name),
        source,
        lambda: len(told) >= pages,
        lambda phase, done, total: told.append(done),
        secret=secret,
    )


def newer(item: Item, seconds: int, text: str) -> Item:
    return replace(item, text=text, changed=item.changed + seconds)


def there(memory: Memory) -> list[str]:
    """The references of all items; each has its chunks, once."""
    assert memory.check() == []
    ids: list[str] = memory.store.column(CHUNKS, "id").to_pylist()
    assert len(ids) == len(set(ids)) == memory.index.items.chunks()
    return memory.index.items.refs()


def test_what_a_source_has_is_found_and_how_it_went_is_told(memory: Memory) -> None:
    phases: list[tuple[str, int, int]] = []

    def tell(phase: str, done: int, total: int) -> None:
        phases.append((phase, done, total))

    report = sync(
        memory,
        memory.index.sources.get("slack"),
        Scripted([page(ONE), page(TWO, THREE, notes=["2 messages of bots"])]),
        lambda: False,
        tell,
    )
    assert there(memory) == [ONE.ref, TWO.ref, THREE.ref]
    assert (report.items, report.news, report.finished) == (3, 3, True)
    assert report.notes == ["2 messages of bots"]
    assert phases == [("slack messages", 1, 2), ("slack messages", 2, 2)]
    assert recall(memory, "number2").passages[0].chunk.ref == TWO.ref
    row = memory.index.sources.get("slack")
    assert (row.items, row.notes) == (3, ("2 messages of bots",))
    assert row.synced is not None and row.tried is not None and row.fault is None


def test_a_sync_that_was_stopped_goes_on_behind_its_last_page(memory: Memory) -> None:
    source = Scripted([page(ONE), page(TWO), page(THREE)])
    report = read(memory, source, pages=2)
    assert not report.finished
    assert there(memory) == [ONE.ref, TWO.ref]
    assert memory.index.sources.get("slack").synced is None
    again = read(memory, source)
    assert (again.items, again.news, again.finished) == (1, 1, True)
    assert source.given == ["", "2"]
    assert there(memory) == [ONE.ref, TWO.ref, THREE.ref]


def test_a_page_that_comes_twice_is_there_once(memory: Memory) -> None:
    read(memory, Scripted([page(ONE, TWO)]))
    memory.index.sources.read_again()
    again = read(memory, Scripted([page(ONE, TWO)]))
    assert (again.items, again.news) == (2, 0)
    assert there(memory) == [ONE.ref, TWO.ref]


def test_what_is_edited_says_the_new_and_what_is_gone_is_not_found(memory: Memory) -> None:
    edited = newer(ONE, 60, "now about the zebra")
    read(memory, Scripted([page(ONE, TWO), page(edited, gone=[TWO.ref])]))
    assert there(memory) == [ONE.ref]
    assert recall(memory, "zebra").passages[0].chunk.ref == ONE.ref
    assert memory.index.sources.get("slack").items == 1


def test_a_source_that_keeps_no_names_is_asked_what_of_its_own_is_gone(memory: Memory) -> None:
    memory.index.sources.add("other", "slack", {"export": "/tmp/export.zip"}, 1)
    asked: list[str] = []

    def is_gone(ref: str) -> bool:
        asked.append(ref)
        return ref == TWO.ref

    read(memory, Scripted([replace(page(), is_gone=is_gone)]), "other")
    assert asked == []
    report = read(memory, Scripted([page(ONE, TWO), replace(page(), is_gone=is_gone)]))
    assert asked == [ONE.ref, TWO.ref]
    assert report.gone == 1
    assert there(memory) == [ONE.ref]


def test_the_same_from_an_export_and_from_the_place_itself_is_one_item(memory: Memory) -> None:
    memory.index.sources.add("old", "slack", {"export": "/tmp/export.zip"}, 1)
    live = newer(ONE, 600, "what was said since the export")
    read(memory, Scripted([page(live)]))
    report = read(memory, Scripted([page(ONE, TWO)], hosts=()), "old")
    assert (report.items, report.older, report.news) == (2, 1, 1)
    assert there(memory) == [ONE.ref, TWO.ref]
    kept = memory.index.items.get(ONE.ref)
    assert kept is not None and kept.text == live.text
    assert [memory.index.sources.get(name).items for name in ("slack", "old")] == [1, 2]
    report = read(memory, Scripted([page(live), page(newer(ONE, 900, "still newer"))]), "slack")
    kept = memory.index.items.get(ONE.ref)
    assert kept is not None and kept.text == "still newer"


def test_what_is_not_in_a_file_any_more_stays_while_another_source_has_it(memory: Memory) -> None:
    memory.index.sources.add("old", "slack", {"export": "/tmp/export.zip"}, 1)
    read(memory, Scripted([page(ONE)]))
    read(memory, Scripted([page(ONE, TWO), page(gone=[ONE.ref, TWO.ref])], hosts=()), "old")
    assert there(memory) == [ONE.ref]
    assert memory.index.sources.get("old").items == 0
    read(memory, Scripted([page(ONE), page(gone=[ONE.ref])]))
    assert there(memory) == []


@pytest.mark.parametrize(
    ("error", "waits"),
    [
        (SourceRefused("slack refuses the token", hint="name another one"), False),
        (SourceBroken("users.json ends in the middle"), False),
        (SourceAway("slack does not answer"), False),
        (SourceAway("slack asks for patience", after=3_600.0), True),
    ],
)
def test_a_source_that_fails_keeps_what_came_before_and_says_why(
    memory: Memory, error: HermesError, waits: bool
) -> None:
    with pytest.raises(type(error), match=error.message):
        read(memory, Scripted([page(ONE)], raises=error))
    row = memory.index.sources.get("slack")
    assert row.fault == (error.code, error.message, error.hint)
    assert (row.cursor, row.synced) == ("1", None)
    assert (row.waits_until > time.time() + 3_000) == waits
    assert there(memory) == [ONE.ref]
    read(memory, Scripted([page(ONE), page(TWO)]))
    row = memory.index.sources.get("slack")
    assert (row.fault, row.waits_until, row.items) == (None, 0, 2)


@pytest.mark.parametrize(
    "error",
    [
        SourceRefused(
            f"no access with {SECRET}", hint=f"GET https://a.example?t={quote(SECRET, safe='')}"
        ),
        ValueError(f"{SECRET} is no number"),
    ],
)
def test_no_error_says_the_token(memory: Memory, error: Exception) -> None:
    def failing() -> Page:
        raise error

    with pytest.raises((SourceRefused, RuntimeError)) as raised:
        read(memory, Scripted([failing]), secret=SECRET)
    told = "".join(format_exception(raised.value))
    told += getattr(raised.value, "message", "") + getattr(raised.value, "hint", "")
    told += " ".join(memory.index.sources.get("slack").fault or ())
    assert "[token]" in told
    assert SECRET not in told
    assert quote(SECRET, safe="") not in told


def test_many_things_left_out_are_told_by_a_few_and_their_number(memory: Memory) -> None:
    notes = [f"file{number} is not text" for number in range(MOST_NOTES + 5)]
    report = read(memory, Scripted([page(notes=notes), page(notes=notes[:3])]))
    assert (len(report.notes), report.more_notes) == (MOST_NOTES, 5)


def test_a_forgotten_source_brings_nothing_and_says_so(memory: Memory) -> None:
    memory.index.withheld.add(RuleKind.SOURCE, "slack")
    with pytest.raises(SourceRefused, match="slack is forgotten"):
        read(memory, Scripted([page(ONE)]))
    assert there(memory) == []


def test_a_source_that_is_removed_meanwhile_is_not_read_on(memory: Memory) -> None:
    def removing() -> Page:
        memory.index.sources.remove("slack")
        return page(TWO)

    with pytest.raises(HermesError, match="there is no source slack"):
        read(memory, Scripted([page(ONE), removing, page(THREE)]))
    assert there(memory) == [ONE.ref]


KILLED = """
    import sys
    from pathlib import Path

    from hermes.ingest.sources.sync import sync
    from hermes.memory.memory import Memory
    from hermes.tests.builders.items import thread
    from hermes.tests.builders.scripted_source import Scripted, page

    pages = [page(*(thread(n) for n in range(p * 100, p * 100 + 100))) for p in range(50)]

    def tell(phase, done, total):
        print(done, flush=True)

    with Memory.open(Path(sys.argv[1]), embedder=None, write=True, wait=20) as memory:
        row = memory.index.sources.get("slack")
        sync(memory, row, Scripted(pages), lambda: False, tell)
    print("end", flush=True)
"""


def test_a_sync_of_5000_items_that_is_killed_again_and_again_brings_each_of_them_once(
    memory: Memory, tmp_path: Path
) -> None:
    memory.close()
    folder = tmp_path / "memory"
    ended = False
    kills = 0
    while not ended:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(KILLED), str(folder)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        with process.stdout as said:
            for number, line in enumerate(said):
                ended = line == "end\n"
                if number == 7 and kills < 4:
                    # Somewhere in the middle of the page that comes next.
                    time.sleep(0.01 * kills)
                    process.kill()
                    kills += 1
                    break
        process.wait()
    assert kills == 4
    with Memory.open(folder, embedder=None, write=True) as again:
        assert len(there(again)) == 5_000
        row = again.index.sources.get("slack")
        assert (row.items, row.cursor) == (5_000, "50")
        assert row.synced is not None
