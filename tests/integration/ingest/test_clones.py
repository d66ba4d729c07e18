"""Repositories that do not hold everything: shallow, partial, damaged, vanished; and huge commits."""

from __future__ import annotations

import shutil
import time
import zlib
from pathlib import Path

import pytest

from hermes.ingest.git.errors import GitError, NotARepository, PathMissing
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.ingested import Ingested


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    for number in range(6):
        repo.commit(
            {"a.txt": f"{number}\n" * 9, f"only{number}.txt": f"{number}\n"}, f"Change {number}"
        )
    return repo


def lose(repo: RepoBuilder, name: str) -> Path:
    """Return the file of a loose object."""
    sha = repo.git("rev-parse", name)
    return repo.path / ".git/objects" / sha[:2] / sha[2:]


def test_the_edge_of_a_shallow_clone_is_known_by_its_message_only(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    shallow = repo.clone(tmp_path / "shallow", "--depth=3")
    shas = shallow.shas()
    with Ingested(tmp_path / "home", shallow.path) as memory:
        report = memory.run()
        assert memory.known == set(shas)
        assert [len(memory.commit(sha).files) for sha in shas] == [2, 2, 0]
        assert len(memory.chunks(shas[2])) == 1
    (note,) = report.notes
    assert note.startswith("1 commit at the edge of this shallow clone")
    assert "--unshallow" in note


def test_a_partial_clone_is_read_without_ever_asking_its_remote(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.config("uploadpack.allowFilter", "true")
    trace = tmp_path / "asked"
    partial = repo.clone(tmp_path / "partial", "--filter=blob:none")
    # Were the remote asked, this would leave a trace.
    trap = tmp_path / "upload-pack"
    trap.write_text(f'#!/bin/sh\ntouch {trace}\nexec git-upload-pack "$@"\n')
    trap.chmod(0o755)
    partial.config("remote.origin.uploadpack", str(trap))
    partial.config("protocol.file.allow", "always")
    before = sorted(path.name for path in (partial.path / ".git/objects/pack").iterdir())
    shas = partial.shas()
    with Ingested(tmp_path / "home", partial.path) as memory:
        report = memory.run()
        assert memory.known == set(shas)
        # The checkout fetched what the newest commit has; its parent's version never came.
        assert all(memory.commit(sha).files for sha in shas)
        assert [file.path for file in memory.commit(shas[3]).files] == ["a.txt", "only2.txt"]
        assert memory.context(shas[3], "a.txt").index_text == "Change 2\na.txt"
    (note,) = report.notes
    assert "partial clone" in note
    assert not trace.exists()
    assert before == sorted(path.name for path in (partial.path / ".git/objects/pack").iterdir())


def test_commits_of_a_partial_clone_whose_content_is_here_keep_their_diffs(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.config("uploadpack.allowFilter", "true")
    partial = repo.clone(tmp_path / "partial", "--filter=blob:none")
    new = partial.commit({"a.txt": "changed here\n"}, "A commit of my own")
    with Ingested(tmp_path / "home", partial.path) as memory:
        memory.run()
        assert "+changed here" in memory.context(new, "a.txt").text


def test_a_treeless_clone_is_known_by_its_messages(repo: RepoBuilder, tmp_path: Path) -> None:
    repo.config("uploadpack.allowFilter", "true")
    treeless = repo.clone(tmp_path / "treeless", "--filter=tree:0", "--no-checkout")
    with Ingested(tmp_path / "home", treeless.path) as memory:
        report = memory.run()
        assert memory.known == set(treeless.shas())
        assert {memory.message(sha).text for sha in memory.known} == {
            f"Change {number}" for number in range(6)
        }
    assert report.notes


def test_a_missing_blob_costs_one_commit_its_diff_and_nothing_else(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    shas = repo.shas()
    lose(repo, f"{shas[2]}:only3.txt").unlink()
    with Ingested(tmp_path / "home", repo.path) as memory:
        report = memory.run()
        assert memory.known == set(shas)
        assert [file.path for file in memory.commit(shas[2]).files] == ["a.txt", "only3.txt"]
        assert memory.context(shas[2], "only3.txt").text == "only3.txt: file added"
        for sha in (shas[1], shas[3]):
            assert "@@" in memory.context(sha, "a.txt").text
    (note,) = report.notes
    assert note.startswith("1 commit damaged")


def test_a_garbled_blob_and_a_missing_tree_are_stepped_over(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    shas = repo.shas()
    garbled = lose(repo, f"{shas[1]}:only4.txt")
    garbled.chmod(0o644)
    garbled.write_bytes(zlib.compress(b"blob 2\0zz")[:-3])
    lose(repo, f"{shas[4]}^{{tree}}").unlink()
    with Ingested(tmp_path / "home", repo.path) as memory:
        report = memory.run()
        assert memory.known == set(shas)
        assert "@@" in memory.context(shas[0], "a.txt").text
        assert memory.commit(shas[4]).files == ()
        assert memory.message(shas[4]).text == "Change 1"
    assert any("damaged" in note for note in report.notes)


def test_many_damaged_commits_do_not_hide_the_sound_ones_between(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    for n in range(6, 40):
        repo.commit({f"only{n}.txt": f"{n}\n"}, f"Change {n}")
    shas = repo.shas()
    broken = shas[3:30:3]
    for sha in broken:
        name = repo.git("log", "-1", "--format=", "--name-only", sha)
        lose(repo, f"{sha}:{name}").unlink()
    with Ingested(tmp_path / "home", repo.path) as memory:
        report = memory.run()
        assert memory.known == set(shas)
        for sha in set(shas) - set(broken):
            assert "@@" in memory.context(sha, memory.commit(sha).files[-1].path).text
    assert report.notes[0].startswith(f"{len(broken)} commits damaged")


def test_behind_a_missing_commit_the_history_stays_unread_and_nothing_is_forgotten(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    shas = repo.shas()
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        new = repo.commit({"a.txt": "new\n"}, "One more")
        lose(repo, shas[3]).unlink()
        report = memory.run()
        assert memory.known == {new, *shas}
        assert report.orphaned == 0
    with Ingested(tmp_path / "other", repo.path) as memory:
        report = memory.run()
        assert memory.known == {new, *shas[:2]}
        assert "can't be walked" in report.notes[0]


def test_a_branch_whose_newest_commit_is_missing_does_not_hide_the_others(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    shas = repo.shas()
    tip = repo.commit({"b.txt": "1\n"}, "On the side", branch="side")
    with Ingested(tmp_path / "home", repo.path) as memory:
        lose(repo, tip).unlink()
        report = memory.run()
        assert memory.known == set(shas)
        assert "refs/heads/side: the newest commit is missing" in report.notes[0]
        repo.git("update-ref", "-d", "refs/heads/side")
        assert memory.run().notes == ()


def test_a_repository_that_is_gone_says_so(repo: RepoBuilder, tmp_path: Path) -> None:
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        shutil.move(repo.path, tmp_path / "elsewhere")
        with pytest.raises(PathMissing, match="does not exist"):
            memory.run()
        assert len(memory.known) == 6


def test_a_repository_removed_while_it_is_read_is_an_error_and_keeps_what_was_read(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.many_commits(3000)

    def remove_it() -> bool:
        shutil.rmtree(repo.path, ignore_errors=True)
        return False

    with Ingested(tmp_path / "home", repo.path) as memory:
        with pytest.raises(GitError) as caught:
            memory.run(should_stop=remove_it)
        assert isinstance(caught.value, (NotARepository, PathMissing))
        assert 50 <= len(memory.known) < 3006
        assert memory.memory.check() == []


def test_a_commit_of_100_000_files_is_bounded_and_keeps_every_name(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    files = 100_000
    stream = [b"blob\nmark :1\ndata 6\nhello\n\ncommit refs/heads/mass\n"]
    stream.append(b"committer Sam Doe <sam@example.com> 1735722000 +0000\ndata 9\nMass file\n")
    stream += [b"M 100644 :1 tree%d/dir%d/f%d.txt\n" % (n % 9, n % 997, n) for n in range(files)]
    repo.fast_import(b"".join(stream))
    mass = repo.head("mass")
    started = time.monotonic()
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        commit = memory.commit(mass)
        chunks = memory.chunks(mass)
    assert time.monotonic() - started < 60
    assert len(commit.files) == files
    assert len(chunks) == 1 + 300 + 1
    assert chunks[1].text == "… and 99,700 more files in this commit"


def test_a_commit_of_a_huge_diff_keeps_its_beginning_and_all_names(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    files = {f"part{n:02}.txt": f"some words {n}\n" * 60_000 for n in range(50)}
    huge = repo.commit({"first.txt": "1\n", **files, "zlast.txt": "2\n"}, "Huge")
    after = repo.commit({"first.txt": "2\n"}, "After")
    with Ingested(tmp_path / "home", repo.path) as memory:
        memory.run()
        assert len(memory.commit(huge).files) == 52
        assert memory.context(huge, "first.txt").text.endswith("+1")
        assert memory.context(huge, "zlast.txt").text == "zlast.txt: file added"
        assert memory.file(huge, "zlast.txt").added is None
        assert memory.context(after, "first.txt").text.endswith("-1\n+2")
