"""The snapshot that tests run on: what the worktree has, and nothing that goes back to it."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
import venv
from pathlib import Path

import pytest

from hermes.agents.contract import Hopeless
from hermes.agents.testing import snapshot
from hermes.agents.testing.records import Tree
from hermes.ingest.git.command import Git
from hermes.tests.builders.git import RepoBuilder, git_environment
from hermes.tests.builders.python_project import inodes


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "work")
    repo.commit({"a.py": "A = 1\n", "deep/er/b.txt": "b\n", ".gitignore": "*.log\nbuild/\n"})
    return repo


def take(repo: RepoBuilder) -> Tree:
    return snapshot.take(Git.open(repo.path), repo.path.parent / "ours")


def names(root: Path) -> set[str]:
    """Return files and links below a folder, but those of git."""
    found: set[str] = set()
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        found |= {os.path.relpath(os.path.join(folder, name), root) for name in (*files, *links)}
    return found


def test_it_has_the_files_as_they_are_saved_and_follows_them(repo: RepoBuilder) -> None:
    repo.write({"a.py": "A = 2\n", "new/c.py": "C = 1\n"})
    os.chmod(repo.path / "a.py", 0o755)
    tree = take(repo)
    assert tree.root.name == "work"
    assert names(tree.root) == {"a.py", "deep/er/b.txt", ".gitignore", "new/c.py"}
    assert (tree.root / "a.py").read_text() == "A = 2\n"
    assert (tree.root / "a.py").stat().st_mode & 0o777 == 0o755
    repo.write({"a.py": "A = 3\n", "deep/er/b.txt": None})
    shutil.rmtree(repo.path / "new")
    repo.write({"new": "a file now\n"})
    assert names(take(repo).root) == {"a.py", ".gitignore", "new"}
    assert (tree.root / "a.py").read_text() == "A = 3\n"
    (repo.path / "new").unlink()
    repo.write({"new/d.py": ""})
    assert names(take(repo).root) == {"a.py", ".gitignore", "new/d.py"}


def test_what_did_not_change_is_not_copied_again(repo: RepoBuilder) -> None:
    for path in ("a.py", "deep/er/b.txt", ".gitignore"):
        os.utime(repo.path / path, ns=(10**18, 10**18))
    tree = take(repo)
    before = inodes(tree.root)
    take(repo)
    assert inodes(tree.root) == before


def test_two_saves_within_one_tick_of_the_clock_are_both_seen(repo: RepoBuilder) -> None:
    tree = take(repo)
    # As new as can be, however long this takes.
    stamp = time.time_ns() + 60_000_000_000
    file = repo.path / "a.py"
    for number in range(3, 6):
        file.write_text(f"A = {number}\n")
        os.utime(file, ns=(stamp, stamp))
        take(repo)
        assert (tree.root / "a.py").read_text() == f"A = {number}\n"


def test_what_tests_left_or_changed_there_is_put_right(repo: RepoBuilder) -> None:
    tree = take(repo)
    (tree.root / "a.py").write_text("spoilt, and longer\n")
    (tree.root / "left" / "over").mkdir(parents=True)
    (tree.root / "left" / "over" / "x").touch()
    os.chmod(tree.root / "left" / "over", 0)
    shutil.rmtree(tree.root / "deep")
    (tree.root / "deep").symlink_to(repo.path / "deep")
    before = inodes(repo.path)
    take(repo)
    assert names(tree.root) == {"a.py", "deep/er/b.txt", ".gitignore"}
    assert (tree.root / "a.py").read_text() == "A = 1\n"
    assert not (tree.root / "deep").is_symlink()
    assert inodes(repo.path) == before


def test_links_lead_to_the_snapshot_or_stay_outside(repo: RepoBuilder, tmp_path: Path) -> None:
    (tmp_path / "beside").write_text("outside\n")
    links = {
        "near": "a.py",
        "deep/up": "../a.py",
        "whole": str(repo.path / "deep"),
        "out": "../beside",
        "far": "/dev/null",
        "gone": "nowhere",
        "loop": ".",
    }
    for name, leads_to in links.items():
        (repo.path / name).symlink_to(leads_to)
    root = take(repo).root
    assert os.readlink(root / "near") == "a.py"
    assert (root / "deep/up").resolve() == (root / "a.py").resolve()
    assert os.readlink(root / "whole") == str(root / "deep")
    assert (root / "out").read_text() == "outside\n"
    assert os.readlink(root / "far") == "/dev/null"
    assert os.readlink(root / "gone") == "nowhere"
    assert os.readlink(root / "loop") == "."


def test_names_of_every_kind_come_along(repo: RepoBuilder) -> None:
    odd: list[bytes] = [
        b"\xff\xfe.txt",
        "ä/ö ü.py".encode(),
        b"new\nline",
        b"-dash",
        b"tab\t",
        b"a'\"$x",
    ]
    files: dict[bytes, str | bytes | None] = {name: name for name in odd}
    repo.write(files)
    root = os.fsencode(take(repo).root)
    for name in odd:
        with open(os.path.join(root, name), "rb") as file:
            assert file.read() == name


def test_ignored_files_that_tests_need_come_along_and_environments_do_not(
    repo: RepoBuilder,
) -> None:
    repo.write(
        {
            ".gitignore": "*.so\n_version.py\n.env\ndata/\nbig/\nmany/\n.venv/\nown-name/\n"
            "__pycache__/\n.pytest_cache/\ntarget/\n",
            "pkg/_version.py": "v = 1\n",
            "pkg/fast.so": "\x7fELF",
            ".env": "SECRET=1\n",
            "data/small.csv": "1\n",
            "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
            "target/debug/x": "x",
            "pkg/__pycache__/a.pyc": "x",
            ".pytest_cache/v": "x",
            **{f"many/{n}": "" for n in range(2_001)},
        }
    )
    big = repo.path / "big" / "file.bin"
    big.parent.mkdir()
    with big.open("wb") as file:
        file.truncate(200_000_000)
    venv.create(repo.path / ".venv", with_pip=False, symlinks=True)
    venv.create(repo.path / "own-name", with_pip=False, symlinks=True)
    tree = take(repo)
    assert names(tree.root) == {
        *(".gitignore", "a.py", "deep/er/b.txt"),
        *("pkg/_version.py", "pkg/fast.so", ".env", "data/small.csv"),
    }
    assert sorted(tree.left_out) == ["big/", "many/"]


def test_packages_of_node_are_linked_and_can_not_be_written_beside(repo: RepoBuilder) -> None:
    repo.write(
        {
            ".gitignore": "node_modules/\n",
            "packages/ui/index.js": "1\n",
            "node_modules/left-pad/index.js": "1\n",
            "node_modules/@types/node/index.d.ts": "1\n",
            "node_modules/.vite/cache": "the person's\n",
        }
    )
    modules = repo.path / "node_modules"
    (modules / "ui").symlink_to("../packages/ui")
    (modules / ".bin").mkdir()
    root = take(repo).root
    assert (root / "node_modules/left-pad/index.js").read_text() == "1\n"
    assert (root / "node_modules/@types/node/index.d.ts").read_text() == "1\n"
    assert (root / "node_modules/ui").resolve() == (root / "packages/ui").resolve()
    assert not (root / "node_modules/.vite").exists()
    before = inodes(repo.path)
    (root / "node_modules/.vite").mkdir()
    (root / "node_modules/.vite/cache").write_text("ours\n")
    (root / "node_modules/stray").mkdir()
    assert inodes(repo.path) == before
    shutil.rmtree(modules / "left-pad")
    take(repo)
    assert sorted(os.listdir(root / "node_modules")) == [".bin", ".vite", "@types", "ui"]
    shutil.rmtree(modules)
    take(repo)
    assert not (root / "node_modules").exists()


def test_submodules_come_along_and_repositories_that_are_not_do_not(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    library = RepoBuilder(tmp_path / "library")
    library.commit({"lib.py": "L = 1\n", ".gitignore": "_made.py\n"})
    repo.git(
        *("-c", "protocol.file.allow=always", "submodule", "add", "--quiet"),
        *(str(library.path), "vendor/library"),
    )
    repo.write({"vendor/library/_made.py": "", "vendor/library/new.py": ""})
    RepoBuilder(repo.path / "stranger").commit({"s.py": ""})
    found = names(take(repo).root)
    assert {
        *("vendor/library/lib.py", "vendor/library/_made.py", "vendor/library/new.py"),
    } <= found
    assert not any(name.startswith("stranger") for name in found)


def test_a_file_that_is_written_while_it_is_copied_is_whole(repo: RepoBuilder) -> None:
    file = repo.path / "a.py"
    stop = threading.Event()

    def keep_saving() -> None:
        number = 0
        while not stop.is_set():
            number = (number + 1) % 10
            part = file.with_suffix(".part")
            part.write_text(str(number) * 100_000)
            part.replace(file)

    writer = threading.Thread(target=keep_saving)
    writer.start()
    try:
        for _ in range(5):
            text = (take(repo).root / "a.py").read_text()
            assert text == "A = 1\n" or (len(text) == 100_000 and len(set(text)) == 1)
    finally:
        stop.set()
        writer.join()
    take(repo)
    assert (repo.path.parent / "ours/snapshot/work/a.py").read_bytes() == file.read_bytes()


def test_git_answers_there_as_in_the_worktree_and_what_it_does_stays_there(
    repo: RepoBuilder,
) -> None:
    repo.git("tag", "v1.2")
    repo.write({"a.py": "A = 9\n", "new.py": ""})
    before = inodes(repo.path)
    root = take(repo).root

    def git(*args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=root, env=git_environment(), check=True, capture_output=True
        )
        return done.stdout.decode().strip()

    assert git("describe", "--tags") == "v1.2"
    assert git("rev-parse", "HEAD", "--abbrev-ref", "HEAD").splitlines()[0] == repo.head()
    assert git("status", "--short").splitlines() == ["M a.py", "?? new.py"]
    assert git("remote") == ""
    git("add", "-A")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "theirs")
    git("gc", "--quiet")
    assert inodes(repo.path) == before
    repo.commit({"b.py": ""})
    take(repo)
    assert git("rev-parse", "HEAD") == repo.head()
    assert git("fsck", "--strict", "--no-dangling") == ""


def test_a_worktree_beside_the_main_one_and_a_new_repository_work(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.git("worktree", "add", "--quiet", str(tmp_path / "side"), "-b", "side")
    tree = snapshot.take(Git.open(tmp_path / "side"), tmp_path / "ours-too")
    assert names(tree.root) == {"a.py", "deep/er/b.txt", ".gitignore"}
    empty = RepoBuilder(tmp_path / "empty")
    empty.write({"a.py": ""})
    assert names(snapshot.take(Git.open(empty.path), tmp_path / "e").root) == {"a.py"}


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    bare = RepoBuilder(tmp_path / "bare", bare=True)
    with pytest.raises(Hopeless, match="bare"):
        snapshot.take(Git.open(bare.path), tmp_path / "ours")


def test_in_place_nothing_is_made_in_the_worktree(repo: RepoBuilder, tmp_path: Path) -> None:
    before = inodes(repo.path)
    tree = snapshot.in_place(Git.open(repo.path), tmp_path / "ours")
    assert tree.in_place
    assert tree.scratch.is_dir()
    assert inodes(repo.path) == before
