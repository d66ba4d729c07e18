"""What becomes of commits of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.memory.records import Content
from hermes.tests.builders.git import ALEX, FIRST_COMMIT, RepoBuilder
from hermes.tests.builders.ingested import Ingested
from hermes.tests.builders.secrets import planted, private_key

QUEUE = "import time\n\n\ndef retry(job):\n    for attempt in range(5):\n        job()\n"


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    return RepoBuilder(tmp_path / "shop")


def test_a_commit_becomes_a_message_chunk_and_a_chunk_for_each_file(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.commit({"worker/queue.py": QUEUE, "notes.md": "one\n"}, "Add the queue")
    sha = repo.commit(
        {"worker/queue.py": QUEUE.replace("5", "3"), "notes.md": None},
        "Retry three times only\n\nFive were too many, see #482.\n",
        author=ALEX,
        when=FIRST_COMMIT + 5000,
    )
    with Ingested(tmp_path / "home", repo.path) as memory:
        report = memory.run()
        commit = memory.commit(sha)
        message = memory.message(sha)
        context = memory.context(sha, "worker/queue.py")
        assert len(memory.chunks(sha)) == 3
    assert (report.new_commits, report.chunks, report.authors, report.files) == (2, 6, 2, 2)
    assert (report.oldest, report.newest) == (FIRST_COMMIT, FIRST_COMMIT + 5000)
    assert (commit.author, commit.email) == ("Alex Roe", "alex@example.org")
    assert commit.subject == "Retry three times only"
    assert commit.tickets == ("#482",)
    assert [(f.path, f.change, f.added, f.removed) for f in commit.files] == [
        ("notes.md", "D", 0, 1),
        ("worker/queue.py", "M", 1, 1),
    ]
    assert message.text == "Retry three times only\n\nFive were too many, see #482."
    assert message.index_text == message.text
    assert context.title == "Retry three times only"
    assert context.text.startswith("--- a/worker/queue.py\n+++ b/worker/queue.py\n@@ -2,5 +2,5 @@")
    assert "\n-    for attempt in range(5):\n+    for attempt in range(3):\n" in context.text
    assert context.index_text.splitlines() == [
        "Retry three times only",
        "worker/queue.py",
        "import time",
        "for attempt in range(5):",
        "for attempt in range(3):",
    ]


def test_renames_copies_modes_and_types_are_told(repo: RepoBuilder, tmp_path: Path) -> None:
    body = "".join(f"line {number}\n" for number in range(40))
    repo.commit({"old.txt": body, "run.sh": "echo\n", "link": "plain\n", "model.txt": body * 2})
    repo.write({"old.txt": None, "new.txt": body + "more\n", "link": None})
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "link").symlink_to("new.txt")
    sha = repo.commit({"model.txt": body * 2 + "x\n", "copy.txt": body * 2}, "Move things")
    pure = repo.commit({"new.txt": None, "moved.txt": body + "more\n"}, "Only move")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        files = {file.path: (file.change, file.old_path) for file in memory.commit(sha).files}
        assert files == {
            "new.txt": ("R", "old.txt"),
            "copy.txt": ("C", "model.txt"),
            "model.txt": ("M", None),
            "run.sh": ("M", None),
            "link": ("T", None),
        }
        renamed = memory.context(sha, "new.txt")
        assert renamed.text.startswith("--- a/old.txt\n+++ b/new.txt\n@@")
        assert renamed.index_text.splitlines()[:3] == ["Move things", "new.txt", "old.txt"]
        assert memory.context(sha, "run.sh").text == ("run.sh: file changed, mode 100644 → 100755")
        assert "new.txt" in memory.context(sha, "link").text
        assert memory.context(pure, "moved.txt").text == "moved.txt: file renamed from new.txt"


def test_a_merge_is_recorded_without_repeating_diffs(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.commit({"a": "1\n"})
    for side in ("one", "two", "three"):
        repo.switch("main")
        repo.commit({side: "1\n"}, f"On {side}", branch=side)
    repo.switch("main")
    octopus = repo.merge("one", "two", "three", message="Merge three at once")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        commit = memory.commit(octopus)
        assert len(commit.parents) == 3 + (commit.parents[0] == repo.head("main~1"))
        assert commit.is_merge
        assert commit.files == ()
        assert [chunk.text for chunk in memory.chunks(octopus)] == ["Merge three at once"]


def test_files_that_are_no_reading_matter_leave_a_stub_with_their_path(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    (repo.path / ".hermesignore").write_text("private/\n")
    files: dict[str, str | bytes | None] = {
        ".gitattributes": "schema.ts linguist-generated=true\n",
        "logo.png": b"\x89PNG\r\n\0\0" + b"\x01" * 300,
        "uv.lock": "[[package]]\nname = 'x'\n",
        "vendor/lib.c": "int x;\n",
        "dist/app.js": "x()\n",
        "app.min.js": "x()\n",
        "private/diary.md": "dear diary\n",
        "skipped.cfg": "a=1\n",
        "schema.ts": "export {}\n",
        "gen.py": "# Code generated by protoc. DO NOT EDIT.\nx = 1\n",
        "huge.txt": "some words\n" * 5000,
        "empty": "",
    }
    sha = repo.commit(files, "Add a bit of everything")
    with Ingested(tmp_path / "home", repo.path) as memory:
        report = memory.run(exclude=["*.cfg"], max_file_bytes=20_000)
        kinds = {file.path: file.content for file in memory.commit(sha).files}
        stubs = {path: memory.context(sha, path) for path in kinds}
    assert kinds == {
        ".gitattributes": Content.TEXT,
        ".hermesignore": Content.TEXT,
        "logo.png": Content.BINARY,
        "uv.lock": Content.LOCK,
        "vendor/lib.c": Content.VENDORED,
        "dist/app.js": Content.GENERATED,
        "app.min.js": Content.MINIFIED,
        "private/diary.md": Content.EXCLUDED,
        "skipped.cfg": Content.EXCLUDED,
        "schema.ts": Content.GENERATED,
        "gen.py": Content.GENERATED,
        "huge.txt": Content.LARGE,
        "empty": Content.TEXT,
    }
    assert report.stubs == {
        Content.BINARY: 1,
        Content.LOCK: 1,
        Content.VENDORED: 1,
        Content.GENERATED: 3,
        Content.MINIFIED: 1,
        Content.EXCLUDED: 2,
        Content.LARGE: 1,
        Content.TEXT: 1,
    }
    assert stubs["logo.png"].text == "logo.png: binary file added, 308 bytes"
    assert stubs["uv.lock"].text == "uv.lock: lock file added, +2 -0 lines"
    assert stubs["huge.txt"].text == "huge.txt: large change added, +5000 -0 lines"
    assert stubs["private/diary.md"].index_text == "Add a bit of everything\nprivate/diary.md"
    assert stubs["empty"].text == "empty: file added"


def test_odd_names_and_encodings_are_taken_as_they_are(repo: RepoBuilder, tmp_path: Path) -> None:
    sha = repo.commit(
        {
            b'with "quotes".txt': b"1\n",
            b"tab\there.txt": b"2\n",
            b"new\nline.txt": b"3\n",
            "größe.txt".encode(): "Maß: größer\n".encode("latin-1"),
            b"caf\xe9.txt": b"4\n",
            b"dos.txt": b"one\r\ntwo\r\n",
            b" lead and trail ": b"5\n",
            b"a -> b => c": b"6\n",
        },
        "Größer als zuvor\n\nMit Umlauten.\n",
        encoding="ISO-8859-1",
    )
    plain = repo.commit({"x": "1\n"}, b"caf\xe9 in no declared encoding\n")
    silent = repo.commit({"x": "2\n"}, "")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        assert memory.message(sha).text == "Größer als zuvor\n\nMit Umlauten."
        assert memory.message(plain).text == "café in no declared encoding"
        assert memory.message(silent).text == "(no message)"
        assert {file.path for file in memory.commit(sha).files} == {
            'with "quotes".txt',
            "tab\there.txt",
            "new\nline.txt",
            "größe.txt",
            "caf\\xe9.txt",
            "dos.txt",
            " lead and trail ",
            "a -> b => c",
        }
        assert "+Maß: größer" in memory.context(sha, "größe.txt").text
        assert memory.context(sha, "dos.txt").text.endswith("+one\n+two")
        assert memory.context(sha, "new\nline.txt").text.endswith("+3")
        assert memory.context(sha, "a -> b => c").text.endswith("+6")


def test_content_that_imitates_a_diff_or_a_record_stays_content(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    tricky = "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\n\x01abc\x01\n"
    sha = repo.commit({"a.patch": tricky, "b.txt": "after\n"}, "commit deadbeef\n\ndiff --git a b")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        assert [file.path for file in memory.commit(sha).files] == ["a.patch", "b.txt"]
        assert memory.file(sha, "a.patch").added == 5
        assert "+diff --git a/x b/x\n+@@ -1 +1 @@\n" in memory.context(sha, "a.patch").text
        assert memory.context(sha, "b.txt").text.endswith("+after")


def test_a_long_diff_is_cut_on_a_line_at_8000_characters(repo: RepoBuilder, tmp_path: Path) -> None:
    sha = repo.commit({"long.txt": "".join(f"größe number {n:05}\n" for n in range(2000))}, "Long")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        text = memory.context(sha, "long.txt").text
        assert memory.file(sha, "long.txt").added == 2000
    assert 7_900 < len(text) <= 8_000
    assert text.splitlines()[-1].startswith("+größe number 00")
    assert len(text.splitlines()[-1]) == len("+größe number 00000")


def test_a_secret_reaches_no_chunk_no_title_and_no_path(repo: RepoBuilder, tmp_path: Path) -> None:
    secrets = planted(5)
    token = secrets[2]
    body = "".join(f"{secret.line}\n" for secret in secrets)
    sha = repo.commit(
        {
            "settings.env": body,
            f"keys/{token.secret}.txt": "x\n",
            "deploy.pem": private_key(lines=30),
        },
        f"Deploy with {token.secret}\n\n{secrets[0].line}\n",
    )
    rotated = private_key(lines=30).replace("a", "b", 40)
    later = repo.commit({"deploy.pem": rotated, "settings.env": "# none\n"}, "Rotate")
    with Ingested(tmp_path / "home", repo.path) as memory:
        report = memory.run()
        commits = [memory.commit(sha), memory.commit(later)]
        chunks = memory.chunks(sha) + memory.chunks(later)
    assert report.redacted > len(secrets)
    everything = repr((report, commits, chunks))
    leaked = [secret.kind for secret in secrets if secret.secret in everything]
    assert leaked == []
    for key in (private_key(lines=30), rotated):
        assert not [line for line in key.splitlines()[1:-1] if line in everything]
    assert commits[0].subject == "Deploy with [redacted:github-pat]"
    assert "keys/[redacted:github-pat].txt" in {file.path for file in commits[0].files}


@pytest.mark.parametrize("offset", range(-60, 61, 20))
def test_a_secret_that_lies_across_the_cut_does_not_leak_its_beginning(
    repo: RepoBuilder, tmp_path: Path, offset: int
) -> None:
    token = planted(7)[2]
    filling = 8_000 - len("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,9 @@\n+") + offset
    words = ("some words " * 800)[:filling].rstrip() + " "
    sha = repo.commit({"a.txt": f"{words}{token.line}\n" + "more\n" * 5000}, "Fill")
    key = repo.commit(
        {"b.txt": "".join(f"line {n}\n" for n in range(700 + offset)) + private_key(lines=40)},
        "Key",
    )
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        text = memory.context(sha, "a.txt").text
        other = memory.context(key, "b.txt")
    assert token.secret[:12] not in text
    assert not [line for line in private_key(lines=40).splitlines() if line in other.text]


def test_a_submodule_moves_from_commit_to_commit(repo: RepoBuilder, tmp_path: Path) -> None:
    inner = RepoBuilder(tmp_path / "inner")
    first = inner.commit({"x": "1\n"})
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "libs/x"
    )
    added = repo.commit({}, "Add the submodule")
    second = inner.commit({"x": "2\n"})
    sub = RepoBuilder(repo.path / "libs/x", existing=True)
    sub.git("fetch", "-q")
    sub.git("checkout", "-q", second)
    moved = repo.commit({}, "Move the submodule")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        assert memory.file(moved, "libs/x").content is Content.SUBMODULE
        assert memory.context(added, "libs/x").text == f"libs/x: submodule none → {first[:12]}"
        assert memory.context(moved, "libs/x").text == (
            f"libs/x: submodule {first[:12]} → {second[:12]}"
        )


def test_people_are_named_as_the_mailmap_says(repo: RepoBuilder, tmp_path: Path) -> None:
    sha = repo.commit(
        {".mailmap": "Sam D. Doe <sam@example.com> <old@example.net>\n"},
        author="sam <old@example.net>",
    )
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        assert (memory.commit(sha).author, memory.commit(sha).email) == (
            "Sam D. Doe",
            "sam@example.com",
        )


def test_an_empty_commit_has_a_message_and_no_files(repo: RepoBuilder, tmp_path: Path) -> None:
    sha = repo.commit({}, "Trigger the build")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        assert memory.commit(sha).files == ()
        assert [chunk.text for chunk in memory.chunks(sha)] == ["Trigger the build"]
