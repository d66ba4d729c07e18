from __future__ import annotations

import os
from pathlib import Path

import pytest

from hermes.agents.commits import staged
from hermes.ingest.git.command import Git
from hermes.ingest.git.errors import GitError
from hermes.memory.records import Content
from hermes.tests.builders.git import RepoBuilder

CART = "class Cart:\n    def add(self, item):\n        self.items.append(item)\n"


def snapshot(folder: Path) -> dict[str, bytes]:
    """All files of a git directory, to see that nothing is written."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(params=["sha1", "sha256"])
def repo(tmp_path: Path, request: pytest.FixtureRequest) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "repo", object_format=request.param)
    repo.commit(
        {"cart.py": CART, "README.md": "# Cart\n", "run.sh": "echo\n", "old.txt": "a\n" * 9}
    )
    return repo


@pytest.fixture
def plain(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit({"cart.py": CART, "README.md": "# Cart\n", "old.txt": "a\n" * 9})
    return repo


def test_only_the_staged_half_of_a_file_counts(repo: RepoBuilder) -> None:
    repo.write({"cart.py": CART + "STAGED = 1\n"})
    repo.git("add", "cart.py")
    repo.write({"cart.py": CART + "STAGED = 1\nUNSTAGED = 2\n", "README.md": "changed\n"})

    change = staged.read_staged(Git.open(repo.path))

    (file,) = change.files
    assert (file.path, file.kind, file.added, file.removed) == ("cart.py", "changed", 1, 0)
    assert [line for hunk in file.hunks for line in hunk.lines if line[0] != " "] == ["+STAGED = 1"]
    assert (change.branch, change.head, change.cut) == ("main", repo.head(), False)


def test_an_empty_index_is_an_empty_change(repo: RepoBuilder) -> None:
    change = staged.read_staged(Git.open(repo.path))

    assert change.empty
    assert change.conflicts == ()


def test_the_first_commit_is_compared_with_nothing(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    git = Git.open(repo.path)
    assert staged.key(git) == (None, staged.EMPTY_TREE["sha1"])
    repo.write({"a.py": "x = 1\n"})
    repo.git("add", "a.py")

    change = staged.read_staged(git)

    assert change.head is None
    assert [(file.path, file.kind) for file in change.files] == [("a.py", "added")]
    assert staged.key(git) == (None, repo.git("write-tree"))


def test_modes_types_names_and_binaries_are_told_apart(repo: RepoBuilder) -> None:
    repo.write({"new.bin": b"\0\1\2" * 99, "uv.lock": b"x = 1\n"})
    os.chmod(repo.path / "run.sh", 0o755)
    repo.git("mv", "old.txt", "moved.txt")
    (repo.path / "README.md").unlink()
    (repo.path / "README.md").symlink_to("cart.py")
    repo.write({b"caf\xe9.txt": b"caf\xe9\n"})
    repo.git("add", "--all")

    files = {file.path: file for file in staged.read_staged(Git.open(repo.path)).files}

    assert files["run.sh"].kind == "mode"
    assert (files["run.sh"].old_mode, files["run.sh"].mode) == ("100644", "100755")
    assert files["moved.txt"].kind == "renamed"
    assert (files["moved.txt"].old_path, files["moved.txt"].similarity) == ("old.txt", 100)
    assert files["README.md"].kind == "type"
    assert files["new.bin"].binary
    assert files["new.bin"].content is Content.BINARY
    assert files["uv.lock"].content is Content.LOCK
    assert files["uv.lock"].hunks == ()
    assert files["uv.lock"].added == 1
    assert files["caf\\xe9.txt"].hunks[0].lines == ("+café",)


def test_a_submodule_names_its_commits(plain: RepoBuilder) -> None:
    first, second = "1" * 40, "2" * 40
    plain.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib")
    plain.config("user.name", "Sam")
    plain.config("user.email", "sam@example.com")
    plain.git("commit", "--quiet", "-m", "Add lib")
    plain.git("update-index", "--cacheinfo", f"160000,{second},lib")

    (file,) = staged.read_staged(Git.open(plain.path)).files

    assert (file.kind, file.old_id, file.new_id) == ("submodule", first, second)
    assert file.content is Content.SUBMODULE


def test_a_file_only_meant_to_be_added_is_not_staged(plain: RepoBuilder) -> None:
    plain.write({"later.py": "x = 1\n"})
    plain.git("add", "--intent-to-add", "later.py")
    git = Git.open(plain.path)

    assert staged.read_staged(git).empty
    assert staged.key(git)[1] == plain.git("rev-parse", "HEAD^{tree}")


def test_a_conflict_leaves_nothing_to_draft(plain: RepoBuilder) -> None:
    plain.commit({"cart.py": "x = 1\n"}, branch="side")
    plain.switch("main")
    plain.commit({"cart.py": "x = 2\n"})
    with pytest.raises(AssertionError):
        plain.merge("side")
    git = Git.open(plain.path)

    change = staged.read_staged(git)

    assert change.empty
    assert change.conflicts == ("cart.py",)
    with pytest.raises(staged.Unmerged, match="unmerged"):
        staged.key(git)


def test_of_a_huge_change_the_counts_are_right(plain: RepoBuilder) -> None:
    huge = "".join(f"line {number}\n" for number in range(1_500_000))
    plain.write({"big.txt": huge, "zcart.py": CART, "a.py": "x = 1\n"})
    plain.git("add", "--all")

    change = staged.read_staged(Git.open(plain.path))

    files = {file.path: file for file in change.files}
    assert change.cut
    assert files["big.txt"].added == 1_500_000
    assert files["big.txt"].hunks == ()
    assert files["zcart.py"].hunks
    assert files["a.py"].hunks


def test_the_key_is_the_tree_git_would_commit_and_writes_nothing(repo: RepoBuilder) -> None:
    repo.write({"src/deep/new.py": "x = 1\n", "cart.py": "y = 1\n"})
    repo.git("add", "--all")
    before = snapshot(repo.path / ".git")

    found = staged.key(Git.open(repo.path))

    assert snapshot(repo.path / ".git") == before
    assert found == (repo.head(), repo.git("write-tree"))


def test_reading_writes_nothing(plain: RepoBuilder) -> None:
    plain.write({"cart.py": CART + "x = 1\n"})
    plain.git("add", "--all")
    before = snapshot(plain.path / ".git")

    staged.read_staged(Git.open(plain.path))

    assert snapshot(plain.path / ".git") == before


def test_the_key_of_a_locked_index_is_read_all_the_same(plain: RepoBuilder) -> None:
    plain.write({"cart.py": "x = 1\n"})
    plain.git("add", "--all")
    (plain.path / ".git" / "index.lock").touch()

    assert staged.key(Git.open(plain.path))[0] == plain.head()


def test_a_colon_in_the_folder_does_not_hide_the_objects(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / 'a:b "c')
    repo.commit({"cart.py": CART})
    repo.write({"x/y.py": "x = 1\n"})
    repo.git("add", "--all")

    assert staged.key(Git.open(repo.path))[1] == repo.git("write-tree")


def test_a_sparse_checkout_stages_only_what_was_touched(plain: RepoBuilder) -> None:
    plain.commit({f"part{n}/file.py": "x = 1\n" for n in range(5)})
    plain.git("sparse-checkout", "init", "--cone", "--sparse-index")
    plain.git("sparse-checkout", "set", "part1")
    plain.write({"part1/file.py": "x = 2\n"})
    plain.git("add", "part1/file.py")
    git = Git.open(plain.path)

    assert [file.path for file in staged.read_staged(git).files] == ["part1/file.py"]
    assert staged.key(git)[1] == plain.git("write-tree")


def test_a_linked_worktree_has_its_own_index(plain: RepoBuilder, tmp_path: Path) -> None:
    plain.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = RepoBuilder(tmp_path / "side", existing=True)
    side.write({"cart.py": "x = 3\n"})
    side.git("add", "--all")

    change = staged.read_staged(Git.open(side.path))

    assert [file.path for file in change.files] == ["cart.py"]
    assert change.branch == "side"
    assert staged.read_staged(Git.open(plain.path)).empty


def test_a_commit_and_a_range_are_read_like_what_is_staged(repo: RepoBuilder) -> None:
    first = repo.head()
    second = repo.commit({"cart.py": CART + "x = 1\n"})
    third = repo.commit({"README.md": "# Shop\n"})
    git = Git.open(repo.path)

    assert [file.path for file in staged.read_commit(git, second).files] == ["cart.py"]
    assert staged.read_commit(git, second[:10]).head == first
    assert len(staged.read_commit(git, first).files) == 4
    assert staged.read_commit(git, first).head is None
    both = staged.read_range(git, first, third)
    assert [file.path for file in both.files] == ["README.md", "cart.py"]
    assert both.tree == repo.git("rev-parse", f"{third}^{{tree}}")


@pytest.mark.parametrize("name", ["--all", "nosuch", "HEAD^{tree}"])
def test_a_name_of_no_commit_is_an_error(plain: RepoBuilder, name: str) -> None:
    with pytest.raises(GitError):
        staged.read_commit(Git.open(plain.path), name)


def test_only_what_leads_out_of_the_repository_may_be_added_to_gits_environment(
    plain: RepoBuilder,
) -> None:
    with pytest.raises(ValueError, match="GIT_SSH"):
        Git.open(plain.path).run("status", aside={"GIT_SSH": "x"})
