"""The hardened git: finds repositories, says what is wrong, runs nothing, fetches nothing."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from hermes.ingest.git.command import Git
from hermes.ingest.git.errors import (
    DubiousOwnership,
    GitError,
    GitMissing,
    NotARepository,
    PathMissing,
    RepositoryUnreadable,
    error_from,
)
from hermes.ingest.git.history import heads, plan
from hermes.ingest.git.log import Log
from hermes.tests.builders.git import RepoBuilder, git_environment


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"worker/queue.py": "retries = 3\n"}, "Add the queue")
    return repo


def test_a_repository_is_found_from_its_top_a_subfolder_a_file_and_its_git_folder(
    shop: RepoBuilder,
) -> None:
    for path in ("", "worker", "worker/queue.py", ".git", ".git/objects"):
        git = Git.open(shop.path / path)
        assert git.common_dir == shop.path / ".git"
        assert git.worktree == shop.path
        assert not git.is_bare


def test_a_bare_repository_has_no_worktree(shop: RepoBuilder, tmp_path: Path) -> None:
    bare = shop.clone(tmp_path / "shop.git", "--bare")
    git = Git.open(bare.path)
    assert (git.common_dir, git.worktree, git.is_bare) == (bare.path, None, True)


def test_all_worktrees_share_one_common_folder(shop: RepoBuilder, tmp_path: Path) -> None:
    shop.git("worktree", "add", "--quiet", str(tmp_path / "second"), "-b", "second")
    git = Git.open(tmp_path / "second")
    assert git.common_dir == shop.path / ".git"
    assert git.worktree == tmp_path / "second"


def test_a_submodule_is_a_repository_of_its_own(shop: RepoBuilder, tmp_path: Path) -> None:
    outer = RepoBuilder(tmp_path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(shop.path), "sub")
    git = Git.open(outer.path / "sub" / "worker")
    assert git.common_dir == outer.path / ".git/modules/sub"
    assert git.worktree == outer.path / "sub"
    assert Git.open(git.common_dir).common_dir == git.common_dir


def test_shallow_partial_and_sha256_repositories_are_told(
    shop: RepoBuilder, tmp_path: Path
) -> None:
    shop.commit({"a": "b\n"}, "Second")
    shop.config("uploadpack.allowFilter", "true")
    assert Git.open(shop.clone(tmp_path / "shallow", "--depth=1").path).is_shallow
    assert Git.open(shop.clone(tmp_path / "partial", "--filter=blob:none").path).is_partial
    assert Git.open(RepoBuilder(tmp_path / "wide", object_format="sha256").path).object_format == (
        "sha256"
    )
    plain = Git.open(shop.path)
    assert (plain.is_shallow, plain.is_partial, plain.object_format) == (False, False, "sha1")


def test_a_path_with_odd_characters_works(tmp_path: Path) -> None:
    odd = RepoBuilder(tmp_path / "a b'c\"d\nlast -e é")
    odd.commit({"x": "y\n"})
    assert Git.open(odd.path).common_dir == odd.path / ".git"


def test_outside_of_a_repository_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="is not in a git repository") as caught:
        Git.open(tmp_path)
    assert caught.value.hint


def test_a_missing_path_says_so(tmp_path: Path) -> None:
    with pytest.raises(PathMissing, match="does not exist"):
        Git.open(tmp_path / "nowhere")


def test_a_repository_of_someone_else_is_refused_with_the_way_out(shop: RepoBuilder) -> None:
    if os.getuid() == 0:
        for folder in (shop.path, shop.path / ".git"):
            os.chown(folder, 12345, 12345)
        with pytest.raises(DubiousOwnership, match="belongs to another user") as caught:
            Git.open(shop.path)
        refused: GitError = caught.value
    else:  # only root can give files away; git has a switch to believe that it was done
        said = subprocess.run(
            ["git", "status"],
            cwd=shop.path,
            env=git_environment() | {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"},
            capture_output=True,
            check=False,
        )
        refused = error_from(said.stderr.decode(), shop.path)
    assert isinstance(refused, DubiousOwnership)
    assert "safe.directory" in refused.hint


def test_a_bare_repository_is_refused_where_the_person_forbids_them(
    shop: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = shop.clone(tmp_path / "shop.git", "--bare")
    config = tmp_path / "gitconfig"
    config.write_text("[safe]\n\tbareRepository = explicit\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    with pytest.raises(RepositoryUnreadable, match="bare repository") as caught:
        Git.open(bare.path)
    assert "safe.bareRepository" in caught.value.hint


def test_without_git_on_the_path_it_says_so(
    shop: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = Git.open(shop.path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitMissing):
        git.run("rev-parse", "HEAD")


def test_variables_of_a_surrounding_git_hook_are_not_followed(
    shop: RepoBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = RepoBuilder(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.abbrev")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "nonsense")
    git = Git.open(shop.path)
    assert git.common_dir == shop.path / ".git"
    assert list(heads(git)) == ["refs/heads/main"]


HOSTILE = {
    "diff.external": "{trap}",
    "diff.odd.command": "{trap}",
    "diff.odd.textconv": "{trap}",
    "diff.odd.cachetextconv": "false",
    "filter.odd.clean": "{trap}",
    "filter.odd.smudge": "{trap}",
    "core.fsmonitor": "{trap}",
    "core.pager": "{trap}",
    "pager.log": "true",
    "core.editor": "{trap}",
    "core.sshCommand": "{trap}",
    "core.askPass": "{trap}",
    "core.alternateRefsCommand": "{trap}",
    "gpg.program": "{trap}",
    "gpg.ssh.program": "{trap}",
    "log.showSignature": "true",
    "core.hooksPath": "{hooks}",
    "alias.log": "!{trap}",
    "credential.helper": "!{trap}",
    "uploadpack.packObjectsHook": "{trap}",
}

TEXT_CHANGING = {
    "color.ui": "always",
    "color.diff": "always",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.context": "0",
    "diff.interHunkContext": "9",
    "diff.algorithm": "patience",
    "diff.renames": "false",
    "diff.orderFile": "order",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "all",
    "diff.relative": "true",
    "diff.suppressBlankEmpty": "true",
    "diff.wsErrorHighlight": "all",
    "log.date": "relative",
    "log.decorate": "full",
    "log.abbrevCommit": "true",
    "log.showRoot": "false",
    "log.follow": "true",
    "log.diffMerges": "first-parent",
    "log.mailmap": "false",
    "core.abbrev": "5",
    "core.quotePath": "true",
    "format.pretty": "oneline",
    "format.notes": "*",
    "i18n.logOutputEncoding": "UTF-16",
    "notes.displayRef": "*",
}


def odd_history(path: Path) -> RepoBuilder:
    """A repository with a rename, a merge, a note, odd spaces and a commit that looks signed."""
    repo = RepoBuilder(path)
    repo.commit({".gitattributes": "*.txt diff=odd filter=none\n", "a.txt": "one\n\ntwo\n" * 9})
    repo.commit({"a.txt": None, "b/c.txt": "one\n\ntwo\n" * 9 + "three \n"}, "Move it")
    repo.commit({"side.txt": "1\n"}, "On the side", branch="side")
    repo.switch("main")
    repo.commit({"b/größe.txt": "1\n"}, "A name that is not ASCII")
    repo.merge("side")
    repo.git(
        "notes",
        "add",
        "-m",
        "a note",
        environment={
            "GIT_COMMITTER_DATE": "1735722000 +0000",
            "GIT_AUTHOR_NAME": "x",
            "GIT_AUTHOR_EMAIL": "x",
            "GIT_COMMITTER_NAME": "x",
            "GIT_COMMITTER_EMAIL": "x",
        },
    )
    unsigned = repo.git("cat-file", "commit", "HEAD")
    head, _, message = unsigned.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aGVsbG8=\n -----END PGP SIGNATURE-----"
    signed = repo.git(
        *("hash-object", "-t", "commit", "-w", "--stdin"),
        stdin=f"{head}\n{signature}\n\n{message}\n".encode(),
    )
    repo.git("update-ref", "refs/heads/main", signed)
    return repo


def read_everything(path: Path) -> list[object]:
    git = Git.open(path)
    todo = plan(git, set(), {})
    return [todo, *Log(git, todo.unread)]


def test_hostile_configuration_runs_nothing(tmp_path: Path) -> None:
    repo = odd_history(tmp_path / "repo")
    before = read_everything(repo.path)
    trap, trace, hooks = tmp_path / "trap", tmp_path / "trace", tmp_path / "hooks"
    trap.write_text(f'#!/bin/sh\necho "$0 $@" >> {trace}\n')
    trap.chmod(0o755)
    hooks.mkdir()
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        (hooks / hook).symlink_to(trap)
        (repo.path / ".git/hooks" / hook).symlink_to(trap)
    for key, value in HOSTILE.items():
        repo.config(key, value.format(trap=trap, hooks=hooks))
    (repo.path / ".git/info/attributes").write_text("* diff=odd filter=odd\n")
    # The trap works: git as it comes falls into it.
    subprocess.run(
        ["git", "log", "-p"], cwd=repo.path, env=git_environment(), capture_output=True, check=False
    )
    assert trace.exists()
    trace.unlink()
    assert read_everything(repo.path) == before
    assert not trace.exists()


def test_configuration_that_changes_gits_text_changes_nothing_here(tmp_path: Path) -> None:
    repo = odd_history(tmp_path / "repo")
    before = read_everything(repo.path)
    for key, value in TEXT_CHANGING.items():
        repo.config(key, value)
    (repo.path / "order").write_text("b/*\n")
    assert read_everything(repo.path) == before


def test_grafts_and_replaced_objects_do_not_rewrite_history(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    first = repo.commit({"a": "1\n"}, "First")
    second = repo.commit({"a": "2\n"}, "Second")
    before = read_everything(repo.path)
    repo.git("replace", second, first)
    (repo.path / ".git/info/grafts").write_text(f"{second}\n")
    assert read_everything(repo.path) == before


def test_a_git_that_fails_is_an_error_with_what_it_said(shop: RepoBuilder) -> None:
    git = Git.open(shop.path)
    with pytest.raises(GitError, match="no-such-file"):
        git.run("cat-file", "blob", "HEAD:no-such-file")
    with pytest.raises(GitError):
        list(git.stream("log", "--no-such-option"))


def test_closing_a_stream_early_ends_git(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.many_commits(3000)
    git = Git.open(repo.path)
    with git.stream("log", "-p") as stream:
        assert next(iter(stream))
    with pytest.raises(ValueError, match="closed"):
        next(iter(stream))
    stream.close()


def test_what_was_made_without_asking_git_learns_its_facts(shop: RepoBuilder) -> None:
    opened = Git.open(shop.path)
    unasked = replace(opened, object_format="", is_shallow=False, is_partial=False)
    assert unasked.with_facts() == opened
    assert opened.with_facts() is opened
