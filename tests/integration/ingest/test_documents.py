"""Documents of a real repository and of plain folders, as they are edited, renamed and removed."""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from hermes.ingest.items import take_in
from hermes.ingest.sources.contract import Page, SourceAway
from hermes.ingest.sources.docs import Documents, open_source, options
from hermes.ingest.sources.docs.source import PAGE_FILES
from hermes.memory.errors import HermesError
from hermes.memory.memory import Memory
from hermes.memory.records import Item, Kind, Link, LinkKind, Repo
from hermes.tests.builders.git import ALEX, FIRST_COMMIT, RepoBuilder
from hermes.tests.builders.rights import bound_by_permissions
from hermes.tests.builders.secrets import planted
from hermes.tests.builders.words import WordEmbedder

REDIS = """# 7. Redis for rate limits

Date: 2026-03-12

## Status

Accepted

Supersedes [3. Memcached for rate limits](0003-memcached.md)

## Decision

Redis, for its counters expire by themselves.
"""
MEMCACHED = """# 3. Memcached for rate limits

Date: 2025-02-01

## Status

Superseded by [7. Redis for rate limits](0007-redis.md)

## Decision

Memcached, since it is there.
"""
GONE_BY_DISK = """# Postmortem: the disk of the queue ran full

Date: 12 March 2026

## Root cause

Nothing rotated the log of the worker.
"""


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit(
        {
            "README.md": "# Shop\n\nSells things.\n",
            "docs/adr/0003-memcached.md": MEMCACHED,
            "docs/adr/0007-redis.md": REDIS,
            "docs/guide.rst": "Guide\n=====\n\nRead me.\n\nInstall\n-------\n\nRun it.\n",
            "src/main.py": "print()\n",
        },
        "Add documents",
    )
    return repo


def known(shop: RepoBuilder) -> Repo:
    return Repo("R1", "shop", str(shop.path / ".git"), str(shop.path), None, 0)


def documents(root: Path, *patterns: str, repos: Sequence[Repo] = ()) -> Documents:
    return open_source(options({"patterns": list(patterns), "root": str(root)}), None, repos)


class Synced:
    """What a source has brought so far, page by page."""

    def __init__(self, source: Documents) -> None:
        self.source = source
        self.cursor = ""
        self.items: dict[str, Item] = {}
        self.notes: list[str] = []

    def sync(self) -> tuple[set[str], set[str]]:
        """Go on; return the references that came and those that went."""
        came: set[str] = set()
        went: set[str] = set()
        self.notes = []
        for page in self.pages():
            came |= {item.ref for item in page.items}
            gone = {ref for ref in self.items if page.is_gone is not None and page.is_gone(ref)}
            went |= gone
            for ref in gone:
                del self.items[ref]
            self.items |= {item.ref: item for item in page.items}
            self.notes += page.notes
        return came, went

    def pages(self) -> Iterator[Page]:
        for page in self.source.fetch(self.cursor, lambda: False):
            self.cursor = page.cursor if page.cursor is not None else self.cursor
            yield page


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def touch(path: Path, seconds: int) -> None:
    """Give a file another time, as an editor does that saves."""
    os.utime(path, (seconds, seconds))


# What is read


def test_documents_of_a_repository_are_items_with_what_they_say_of_themselves(
    shop: RepoBuilder,
) -> None:
    synced = Synced(documents(shop.path, "docs", "README.md", repos=[known(shop)]))
    came, went = synced.sync()
    assert came == {
        "docs:R1/README.md",
        "docs:R1/docs/adr/0003-memcached.md",
        "docs:R1/docs/adr/0007-redis.md",
        "docs:R1/docs/guide.rst",
    }
    assert went == set()
    redis = synced.items["docs:R1/docs/adr/0007-redis.md"]
    assert (redis.key, redis.title, redis.state) == (
        "ADR-7",
        "ADR 7: Redis for rate limits",
        "accepted",
    )
    assert (redis.repo, redis.path) == ("R1", "docs/adr/0007-redis.md")
    assert (redis.author, redis.email) == ("Sam Doe", "sam@example.com")
    assert redis.time == 1_773_316_800
    assert redis.links == (Link(LinkKind.SUPERSEDES, "docs:R1/docs/adr/0003-memcached.md"),)
    assert synced.items["docs:R1/docs/adr/0003-memcached.md"].state == "superseded by ADR 7"
    assert synced.items["docs:R1/README.md"].time == FIRST_COMMIT


def test_who_began_a_document_is_its_author_under_a_new_name_too(shop: RepoBuilder) -> None:
    shop.git("mv", "docs/guide.rst", "docs/manual.rst")
    shop.commit(message="Rename the guide", author=ALEX, when=FIRST_COMMIT + 9000)
    synced = Synced(documents(shop.path, "docs", repos=[known(shop)]))
    synced.sync()
    manual = synced.items["docs:R1/docs/manual.rst"]
    assert (manual.author, manual.time) == ("Sam Doe", FIRST_COMMIT)
    assert manual.changed == FIRST_COMMIT + 9000
    assert [name for name, _ in manual.people] == ["Sam Doe", "Alex Roe"]


def test_what_is_not_committed_yet_is_read_as_it_lies_there(shop: RepoBuilder) -> None:
    write(shop.path, {"docs/new.md": "# New\n", "README.md": "# Shop\n\nSells all.\n"})
    for name in ("docs/new.md", "README.md"):
        touch(shop.path / name, FIRST_COMMIT + 50_000)
    synced = Synced(documents(shop.path, "docs", "README.md", repos=[known(shop)]))
    synced.sync()
    new, readme = synced.items["docs:R1/docs/new.md"], synced.items["docs:R1/README.md"]
    assert (new.author, new.time, new.changed) == ("", FIRST_COMMIT + 50_000, FIRST_COMMIT + 50_000)
    assert (readme.time, readme.changed) == (FIRST_COMMIT, FIRST_COMMIT + 50_000)
    assert "Sells all." in readme.text


def test_a_folder_of_no_repository_is_read_by_its_paths(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    write(notes, {"disk.md": GONE_BY_DISK, "deep/cafe.txt": b"caf\xe9\r\n", "x.py": "no\n"})
    synced = Synced(documents(tmp_path, "notes"))
    came, _ = synced.sync()
    assert came == {f"docs:{notes}/disk.md", f"docs:{notes}/deep/cafe.txt"}
    cafe = synced.items[f"docs:{notes}/deep/cafe.txt"]
    assert (cafe.title, cafe.text, cafe.repo, cafe.path) == (
        "cafe",
        "café",
        "",
        f"{notes}/deep/cafe.txt",
    )
    assert synced.notes == [f"read as Latin-1: {notes}/deep/cafe.txt"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("docs/**/*.md", {"docs/adr/0003-memcached.md", "docs/adr/0007-redis.md"}),
        ("docs/*.rst", {"docs/guide.rst"}),
        ("docs/adr/000[0-5]*", {"docs/adr/0003-memcached.md"}),
        ("*.md", {"README.md"}),
        ("docs/guide.rst", {"docs/guide.rst"}),
        ("src/*", set[str]()),
        ("src/main.py", {"src/main.py"}),  # named itself, it is text
    ],
)
def test_globs_folders_and_files_are_meant_as_in_a_shell(
    shop: RepoBuilder, pattern: str, names: set[str]
) -> None:
    came, _ = Synced(documents(shop.path, pattern, repos=[known(shop)])).sync()
    assert came == {f"docs:R1/{name}" for name in names}


def test_a_tilde_is_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path, {"notes/a.md": "# A\n"})
    came, _ = Synced(documents(Path("/"), "~/notes")).sync()
    assert came == {f"docs:{tmp_path}/notes/a.md"}


@pytest.mark.parametrize("patterns", [[], None, "docs", [""], [7], ["nowhere.md"], ["a\0b"]])
def test_what_can_be_no_place_of_documents_is_refused(tmp_path: Path, patterns: object) -> None:
    with pytest.raises(HermesError) as error:
        options({"patterns": patterns, "root": str(tmp_path)})
    assert error.value.code == "usage"
    assert error.value.hint


# What is left out


def test_what_is_left_out_is_said_with_its_reason(shop: RepoBuilder, tmp_path: Path) -> None:
    write(tmp_path, {"outside.md": "# Outside\n"})
    write(
        shop.path,
        {
            ".gitignore": "docs/drafts/\n",
            ".hermesignore": "docs/secret.md\n",
            "docs/drafts/a.md": "# Draft\n",
            "docs/secret.md": "# Secret\n",
            "docs/big.txt": "x" * 1_000_001,
            "docs/binary.md": b"\x89PNG\0\0",
            "docs/broken.ipynb": "{",
            "docs/scan.pdf": b"%PDF-1.7",
            "docs/scan.png": b"\x89PNG",
            "docs/node_modules/left-pad/README.md": "# Pad\n",
            "docs/.venv/README.md": "# Env\n",
        },
    )
    (shop.path / "docs/link.md").symlink_to(tmp_path / "outside.md")
    (shop.path / "docs/twice.md").symlink_to(shop.path / "docs/guide.rst")
    (shop.path / "docs/dead.md").symlink_to("nothing.md")
    (shop.path / "docs/loop").symlink_to(shop.path / "docs")
    source = documents(shop.path, "docs", repos=[known(shop)])
    synced = Synced(source)
    came, _ = synced.sync()
    assert {ref.rpartition("/")[2] for ref in came} == {
        *("0003-memcached.md", "0007-redis.md", "guide.rst")
    }
    docs = shop.path / "docs"
    why = {each.name: each.why for each in source.discover() if not each.wanted}
    assert why == {
        f"{docs}/drafts/a.md": "ignored by git",
        f"{docs}/secret.md": "kept out by .hermesignore",
        f"{docs}/big.txt": "too big: 1.0 MB",
        f"{docs}/link.md": "a link out of the folder",
        f"{docs}/dead.md": "a link to nothing",
        f"{docs}/binary.md": "binary",
        f"{docs}/scan.pdf": "PDF and word processors' files are not read",
    }
    assert f"left out, ignored by git: {docs}/drafts/a.md" in synced.notes
    assert f"left out, binary: {docs}/binary.md" in synced.notes
    assert f"left out, no notebook, or a broken one: {docs}/broken.ipynb" in synced.notes


def test_a_file_that_is_named_is_read_though_git_ignores_it(shop: RepoBuilder) -> None:
    write(shop.path, {".gitignore": "TODO.md\n", "TODO.md": "# Mine\n"})
    came, _ = Synced(documents(shop.path, "TODO.md", repos=[known(shop)])).sync()
    assert came == {"docs:R1/TODO.md"}


def test_a_file_that_may_not_be_read_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"notes/a.md": "# A\n", "notes/b.md": "# B\n"})
    (tmp_path / "notes/a.md").chmod(0)
    synced = Synced(documents(tmp_path, "notes"))
    with bound_by_permissions():
        came, _ = synced.sync()
    assert came == {f"docs:{tmp_path}/notes/b.md"}
    assert synced.notes == [f"left out, can't be read: Permission denied: {tmp_path}/notes/a.md"]


def test_a_pipe_is_no_document(tmp_path: Path) -> None:
    write(tmp_path, {"notes/b.md": "# B\n"})
    os.mkfifo(tmp_path / "notes/a.md")
    came, _ = Synced(documents(tmp_path, "notes")).sync()
    assert came == {f"docs:{tmp_path}/notes/b.md"}


# What becomes of it


def test_what_did_not_change_comes_no_second_time(shop: RepoBuilder) -> None:
    synced = Synced(documents(shop.path, "docs", repos=[known(shop)]))
    synced.sync()
    assert synced.sync() == (set(), set())
    touch(shop.path / "docs/guide.rst", FIRST_COMMIT + 70_000)
    assert synced.sync() == (set(), set())


def test_edited_renamed_and_removed_documents_are_followed(shop: RepoBuilder) -> None:
    synced = Synced(documents(shop.path, "docs", repos=[known(shop)]))
    synced.sync()
    write(shop.path, {"docs/guide.rst": "Guide\n=====\n\nRead on.\n"})
    assert synced.sync() == ({"docs:R1/docs/guide.rst"}, set())
    (shop.path / "docs/guide.rst").rename(shop.path / "docs/manual.rst")
    assert synced.sync() == ({"docs:R1/docs/manual.rst"}, {"docs:R1/docs/guide.rst"})
    (shop.path / "docs/manual.rst").unlink()
    assert synced.sync() == (set(), {"docs:R1/docs/manual.rst"})


def test_a_document_that_is_no_text_any_more_is_gone(shop: RepoBuilder) -> None:
    synced = Synced(documents(shop.path, "docs", repos=[known(shop)]))
    synced.sync()
    write(shop.path, {"docs/guide.rst": b"\0\0"})
    assert synced.sync() == (set(), {"docs:R1/docs/guide.rst"})
    assert synced.sync() == (set(), set())
    write(shop.path, {"docs/guide.rst": "Guide\n=====\n\nRead me.\n"})
    assert synced.sync() == ({"docs:R1/docs/guide.rst"}, set())


def test_another_branch_has_other_documents(shop: RepoBuilder) -> None:
    shop.switch("bare")
    shop.commit({"docs/adr/0003-memcached.md": None, "docs/guide.rst": None}, "Remove documents")
    shop.commit({"docs/adr/0007-redis.md": None}, "Remove the last")
    shop.switch("main")
    synced = Synced(documents(shop.path, "docs", repos=[known(shop)]))
    came, _ = synced.sync()
    shop.switch("bare")
    assert synced.sync() == (set(), came)
    shop.switch("main")
    assert synced.sync() == (came, set())


def test_a_folder_that_is_away_takes_nothing_along(tmp_path: Path) -> None:
    write(tmp_path, {"disk/notes/a.md": "# A\n"})
    synced = Synced(documents(tmp_path, "disk/notes"))
    synced.sync()
    (tmp_path / "disk").rename(tmp_path / "unplugged")
    with pytest.raises(SourceAway):
        synced.sync()
    (tmp_path / "unplugged").rename(tmp_path / "disk")
    assert synced.sync() == (set(), set())


def test_what_was_read_is_remembered_without_the_names_of_files(shop: RepoBuilder) -> None:
    synced = Synced(documents(shop.path, "docs", repos=[known(shop)]))
    synced.sync()
    kept = zlib.decompress(base64.b85decode(synced.cursor))
    assert b"redis" not in kept
    assert b"docs" not in kept
    (shop.path / "docs/adr/0007-redis.md").unlink()
    assert synced.sync() == (set(), {"docs:R1/docs/adr/0007-redis.md"})


def test_a_cursor_that_is_damaged_reads_everything_again(shop: RepoBuilder) -> None:
    synced = Synced(documents(shop.path, "docs", repos=[known(shop)]))
    came, _ = synced.sync()
    synced.cursor = "no cursor"
    assert synced.sync() == (came, set())


def test_two_thousand_files_come_in_pages_and_a_second_sync_opens_none(tmp_path: Path) -> None:
    write(tmp_path, {f"notes/{n % 40}/{n}.md": f"# Note {n}\n\n{n}\n" for n in range(2_000)})
    synced = Synced(documents(tmp_path, "notes"))
    pages = list(synced.pages())
    assert len(pages) == 10
    assert max(len(page.items) for page in pages) == PAGE_FILES
    assert [page.done for page in pages[-2:]] == [1_800, 2_000]
    assert {(page.total, page.unit) for page in pages} == {(2_000, "files")}
    assert len(synced.cursor) < 200_000
    for path in (tmp_path / "notes").rglob("*.md"):  # whoever opened one would see another text
        before = path.stat()
        path.write_text(path.read_text().replace("Note", "Nota"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [(page.items, page.is_gone) for page in synced.pages()] == [((), None)]


def test_a_sync_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    write(tmp_path, {f"notes/{n}.md": f"# Note {n}\n" for n in range(450)})
    source = documents(tmp_path, "notes")
    pages: list[Page] = []
    pages.extend(source.fetch("", lambda: bool(pages)))
    assert [len(page.items) for page in pages] == [200]
    cursor = pages[0].cursor
    assert cursor is not None
    rest = [item.ref for page in source.fetch(cursor, lambda: False) for item in page.items]
    assert len(rest) == 250
    assert not set(rest) & {item.ref for item in pages[0].items}


# In memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "memory", embedder=WordEmbedder(), write=True) as opened:
        yield opened


def ids(memory: Memory) -> set[str]:
    rows = memory.store.select(("id",))
    return set(rows["id"].to_pylist())


def test_sections_around_an_edited_one_keep_their_vectors(memory: Memory, tmp_path: Path) -> None:
    said = {name: f"{name} says: {'a line of words. ' * 20}" for name in ("above", *"ABC")}
    text = f"# Manual\n\n{said['above']}\n\n" + "".join(
        f"## {name}\n\n{said[name]}\n\n" for name in "ABC"
    )
    write(tmp_path, {"notes/manual.md": text})
    synced = Synced(documents(tmp_path, "notes"))
    synced.sync()
    take_in(memory, list(synced.items.values()))
    memory.fill_vectors()
    before = ids(memory)
    new = f"## New\n\n{'zero. ' * 60}\n\n## B"
    edited = text.replace("## B", new).replace("B says:", "B now says:")
    write(tmp_path, {"notes/manual.md": edited})
    synced.sync()
    take_in(memory, list(synced.items.values()))
    assert len(before) == 4
    assert len(ids(memory)) == 5
    assert len(before & ids(memory)) == 3
    assert memory.fill_vectors() == 2
    assert memory.check() == []


def test_a_chunk_says_which_section_it_is(memory: Memory, shop: RepoBuilder) -> None:
    repo = memory.index.add_repo("shop", str(shop.path / ".git"), str(shop.path), None)
    words = "a line of words. " * 20
    text = f"# The queue\n\n{words}\n## Retries\n\n{words}\n### At night\n\n{words}\n"
    write(shop.path, {"docs/queue.md": text})
    synced = Synced(documents(shop.path, "docs", repos=[repo]))
    synced.sync()
    take_in(memory, list(synced.items.values()))
    chunks = memory.store.fetch(ids(memory)).values()
    [chunk] = [chunk for chunk in chunks if chunk.ref.endswith("0007-redis.md")]
    assert chunk.title == "ADR 7: Redis for rate limits"
    assert "Decision\n\nRedis, for" in chunk.text  # one of little is not parted
    titles = {chunk.title for chunk in chunks if chunk.ref.endswith("queue.md")}
    assert titles == {"The queue", "The queue › Retries", "The queue › Retries › At night"}
    assert {chunk.kind for chunk in chunks} == {Kind.MESSAGE}


def test_neither_secrets_nor_private_parts_reach_memory(memory: Memory, tmp_path: Path) -> None:
    secret = planted()[0]
    text = (
        f"# Keys\n\n{secret.line}\n\n<private>my salary</private>\n\n## More\n\n<private>\nmy boss"
    )
    write(tmp_path, {"notes/keys.md": text})
    synced = Synced(documents(tmp_path, "notes"))
    synced.sync()
    take_in(memory, list(synced.items.values()))
    [item] = memory.index.items.find()
    held = item.text + "".join(chunk.text for chunk in memory.store.fetch(ids(memory)).values())
    assert "my salary" not in held
    assert "my boss" not in held
    assert secret.secret not in held
