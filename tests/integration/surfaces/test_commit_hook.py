"""The draft in the editor of the real git: shown for exactly what is committed, and for nothing
else; every other way to commit is as it was without hermes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from hermes.agents.commits.message import to_bytes
from hermes.agents.commits.ready import Ready, Worktree, worktrees_of
from hermes.agents.commits.records import Draft
from hermes.agents.commits.staged import key
from hermes.daemon.paths import Paths, locate
from hermes.ingest.git.command import Git
from hermes.surfaces.hooks.installing import install
from hermes.surfaces.hooks.place import find
from hermes.tests.builders.git import RepoBuilder

from .conftest import Terminal

DRAFT = "Count what is in the cart"
EDITOR = f"{sys.executable} -c 'import shutil, sys; shutil.copy(sys.argv[1], \"{{seen}}\")'"


@dataclass
class Desk:
    """A repository with our hooks, and an editor that keeps what it was shown."""

    repo: RepoBuilder
    paths: Paths
    seen: Path

    @property
    def worktree(self) -> Worktree:
        return next(w for w in worktrees_of(Git.open(self.repo.path)))

    @property
    def ready(self) -> Ready:
        return Ready(self.paths.drafts, self.worktree)

    def draft(self, message: str = f"{DRAFT}\n", sign: str = "") -> None:
        """Put a draft for what is staged now where the hook finds it."""
        git = Git.open(self.repo.path)
        head, tree = key(git)
        subject, _, body = message.strip().partition("\n\n")
        content = to_bytes(git, Draft(subject, body), sign)
        signed = sign and f"Signed-off-by: {sign}"
        self.ready.put(content, tree, head, self.worktree.at(), signed)

    def commit(self, *options: str, fails: bool = False, **environment: str) -> str:
        """Commit with the editor; return what it was shown, empty if it was not opened."""
        self.seen.unlink(missing_ok=True)
        editor = {"GIT_EDITOR": EDITOR.format(seen=self.seen)} | environment
        try:
            self.repo.git("commit", *options, environment=editor)
        except AssertionError:
            assert fails
        return self.seen.read_bytes().decode("latin-1") if self.seen.exists() else ""

    def stage(self, content: str = "2\n", name: str = "a.txt") -> None:
        self.repo.write({name: content})
        self.repo.git("add", name)

    @property
    def message(self) -> str:
        return self.repo.git("log", "-1", "--encoding=UTF-8", "--format=%B")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give a repository with one commit and our hooks, and one line staged."""
    paths = locate()
    paths.spool.mkdir(mode=0o700, parents=True)
    repo = RepoBuilder(tmp_path / 'it\'s a "shop" $HOME')
    for name, value in (("user.name", "Sam Doe"), ("user.email", "sam@example.com")):
        repo.config(name, value)
    repo.commit({"a.txt": "1\n", "b.txt": "1\n"}, "One")
    assert install(find(repo.path), paths).work
    found = Desk(repo, paths, tmp_path / "seen")
    found.stage()
    return found


def test_the_editor_opens_with_the_draft_above_what_git_says(desk: Desk) -> None:
    desk.draft(f"{DRAFT}\n\nIt was wrong.\n")
    shown = desk.commit()
    assert shown.startswith(f"{DRAFT}\n\nIt was wrong.\n\n# Please enter the commit message")
    assert desk.message == f"{DRAFT}\n\nIt was wrong."


def test_after_the_commit_the_draft_is_gone(desk: Desk) -> None:
    desk.draft()
    desk.commit()
    assert desk.ready.file.read_bytes() == b""
    desk.repo.write({"b.txt": "2\n"})
    desk.repo.git("add", "b.txt")
    assert not desk.commit(fails=True).startswith(DRAFT)


@pytest.mark.parametrize("how", ["-a", "a path", "staged more", "staged less", "a hook added"])
def test_another_tree_than_the_draft_is_for_gets_none(desk: Desk, how: str) -> None:
    desk.stage("2\n", "b.txt")
    desk.draft()
    options: tuple[str, ...] = ()
    match how:
        case "-a":
            desk.repo.write({"a.txt": "3\n"})
            options = ("-a",)
        case "a path":
            options = ("--", "b.txt")
        case "staged more":
            desk.stage("9\n")
        case "staged less":
            desk.repo.git("reset", "--quiet", "b.txt")
        case _:
            hook = desk.repo.path / ".git" / "hooks" / "pre-commit"
            hook.write_text("#!/bin/sh\necho formatted >a.txt; git add a.txt\n")
            hook.chmod(0o755)
    assert desk.commit(*options, fails=True).startswith("\n# Please enter")


def test_what_is_not_staged_does_not_matter(desk: Desk) -> None:
    desk.draft()
    desk.repo.write({"a.txt": "not yet\n", "new.txt": "new\n"})
    assert desk.commit().startswith(DRAFT)


def test_the_same_tree_by_other_means_is_what_the_draft_is_for(desk: Desk) -> None:
    desk.draft()
    desk.repo.git("reset", "--quiet")
    assert desk.commit("-a").startswith(DRAFT)


def test_another_branch_or_another_parent_gets_none(desk: Desk) -> None:
    desk.draft()
    desk.repo.git("switch", "--quiet", "--create", "side")
    assert desk.commit(fails=True).startswith("\n#")
    desk.repo.git("switch", "--quiet", "main")
    assert desk.ready.file.stat().st_size
    desk.repo.git("commit", "--quiet", "--allow-empty", "-m", "Other")
    desk.repo.git("reset", "--quiet", "--soft", "HEAD~1")
    desk.draft()
    desk.repo.git("commit-tree", "-m", "x", "HEAD^{tree}")
    other = desk.repo.git("commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}")
    desk.repo.git("update-ref", "HEAD", other)
    assert desk.commit(fails=True).startswith("\n#")


@pytest.mark.parametrize("packed", [False, True])
def test_the_first_commit_and_packed_refs_are_understood(desk: Desk, packed: bool) -> None:
    if packed:
        desk.repo.git("pack-refs", "--all")
    else:
        desk.repo.git("checkout", "--quiet", "--orphan", "fresh")
    desk.draft()
    assert desk.commit().startswith(DRAFT)


def test_a_detached_head_is_understood(desk: Desk) -> None:
    desk.repo.git("checkout", "--quiet", "--detach")
    desk.draft()
    assert desk.commit().startswith(DRAFT)


@pytest.mark.parametrize(
    "options",
    [
        ("-m", "My own"),
        ("-F", "mine.txt"),
        ("-t", "mine.txt"),
        ("--amend",),
        ("-c", "HEAD"),
        ("-C", "HEAD"),
        ("--fixup=HEAD",),
        ("--squash=HEAD",),
        ("--no-edit",),
        ("--amend", "--no-edit"),
    ],
    ids=" ".join,
)
def test_a_message_that_comes_from_elsewhere_is_left_alone(
    desk: Desk, options: tuple[str, ...]
) -> None:
    desk.repo.write({"mine.txt": "My own\n"})
    desk.draft()
    assert DRAFT not in desk.commit(*options, fails=True)
    assert DRAFT not in desk.message


def test_a_template_is_left_alone(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "template").write_bytes(b"Why:\r\n\r\nWhat:\r\n")
    desk.repo.config("commit.template", str(tmp_path / "template"))
    desk.draft()
    assert desk.commit(fails=True).startswith("Why:\r\n")


def test_merges_squashes_picks_reverts_and_rebases_are_left_alone(desk: Desk) -> None:
    repo = desk.repo
    repo.git("commit", "--quiet", "-m", "Two")
    repo.git("switch", "--quiet", "--create", "side", "HEAD~1")
    repo.commit({"b.txt": "side\n"}, "Side")
    repo.commit({"c.txt": "side\n"}, "Side again")
    repo.git("switch", "--quiet", "main")
    editor = {"GIT_EDITOR": EDITOR.format(seen=desk.seen)}
    for start, finish in (
        (("merge", "--no-commit", "--no-ff", "side"), ("commit",)),
        (("merge", "--squash", "side"), ("commit",)),
        (("cherry-pick", "--no-commit", "side"), ("commit",)),
        (("revert", "--no-commit", "HEAD"), ("commit",)),
    ):
        before = repo.head()
        repo.git(*start)
        desk.draft()
        desk.seen.unlink(missing_ok=True)
        repo.git(*finish, environment=editor)
        assert DRAFT not in desk.seen.read_text(), start
        assert repo.head() != before
        repo.git("reset", "--quiet", "--hard", before)
    repo.git("switch", "--quiet", "side")
    edit = {"GIT_SEQUENCE_EDITOR": "sed -i -e 1s/pick/edit/"} | editor
    repo.git("rebase", "--quiet", "--interactive", "main", environment=edit)
    desk.stage("split\n", "d.txt")
    desk.draft()
    assert DRAFT not in desk.commit(fails=True)
    repo.git("commit", "--quiet", "-m", "Split")
    repo.git("rebase", "--continue", environment=editor)
    assert DRAFT not in repo.git("log", "--format=%B")


def test_verbose_and_scissors_stay_as_they_are(desk: Desk) -> None:
    desk.draft()
    shown = desk.commit("-v")
    assert shown.startswith(f"{DRAFT}\n\n# Please enter")
    assert "\n# ------------------------ >8 ---" in shown
    assert "\n+2\n" in shown
    assert desk.message == DRAFT
    desk.repo.config("commit.cleanup", "scissors")
    desk.stage("3\n")
    desk.draft("Take #3 of the list\n\n#3 comes first")
    shown = desk.commit()
    assert "\n# ------------------------ >8 ---" in shown
    assert desk.message == "Take #3 of the list\n\n #3 comes first"


@pytest.mark.parametrize(
    ("name", "char"), [("core.commentChar", ";"), ("core.commentChar", "auto")]
)
def test_other_comment_characters_stay_as_they_are(desk: Desk, name: str, char: str) -> None:
    desk.repo.config(name, char)
    desk.draft()
    shown = desk.commit()
    assert shown.startswith(f"{DRAFT}\n\n{';' if char == ';' else '#'} Please enter")
    assert desk.message == DRAFT


@pytest.mark.parametrize("cleanup", ["verbatim", "whitespace", "strip", "default"])
def test_all_ways_to_clean_up_keep_the_draft_first(desk: Desk, cleanup: str) -> None:
    desk.repo.config("commit.cleanup", cleanup)
    desk.draft()
    shown = desk.commit()
    assert shown.startswith(f"{DRAFT}\n")
    kept = shown if cleanup == "verbatim" else shown.strip()
    assert (
        desk.message.strip() == (kept if cleanup in ("verbatim", "whitespace") else DRAFT).strip()
    )


@pytest.mark.parametrize("by_git", [True, False])
def test_a_sign_off_stands_once_whoever_adds_it(desk: Desk, by_git: bool) -> None:
    desk.draft(sign="Sam Doe <sam@example.com>")
    desk.commit(*(["--signoff"] if by_git else []))
    assert desk.message == f"{DRAFT}\n\nSigned-off-by: Sam Doe <sam@example.com>"


def test_the_draft_is_in_the_encoding_of_the_repository(desk: Desk) -> None:
    desk.repo.config("i18n.commitEncoding", "ISO-8859-1")
    desk.draft("Zähle den Wagen\n")
    assert desk.commit().startswith("Zähle den Wagen\n")
    assert desk.message == "Zähle den Wagen"


def test_a_linked_worktree_has_its_own_draft(desk: Desk, tmp_path: Path) -> None:
    desk.draft()
    desk.repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "linked")
    linked = Desk(RepoBuilder(tmp_path / "linked", existing=True), desk.paths, desk.seen)
    linked.stage("linked\n")
    assert not linked.commit(fails=True).startswith(DRAFT)
    git = Git.open(linked.repo.path)
    (worktree,) = (w for w in worktrees_of(git) if w.path == linked.repo.path)
    head, tree = key(git)
    Ready(desk.paths.drafts, worktree).put(b"Linked\n", tree, head, worktree.at())
    assert linked.commit().startswith("Linked\n")
    assert desk.commit().startswith(DRAFT)


def test_a_submodule_has_its_own_draft(desk: Desk, tmp_path: Path) -> None:
    outer = RepoBuilder(tmp_path / "outer")
    allow = ("-c", "protocol.file.allow=always")
    outer.git(*allow, "submodule", "--quiet", "add", str(desk.repo.path), "inner")
    inner = RepoBuilder(outer.path / "inner", existing=True)
    for name, value in (("user.name", "Sam Doe"), ("user.email", "sam@example.com")):
        inner.config(name, value)
    install(find(inner.path), desk.paths)
    sub = Desk(inner, desk.paths, desk.seen)
    sub.stage("inner\n")
    sub.draft()
    assert sub.commit().startswith(DRAFT)


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"\xff\xfe\x00\x01" * 100, b"a\nb\n", b"\n\n\n\n\n", b"9x 1\n", b"-\n" * 5],
    ids=repr,
)
def test_a_broken_file_never_stops_a_commit(desk: Desk, content: bytes) -> None:
    desk.draft()
    desk.ready.file.write_bytes(content)
    desk.ready.marker.parent.mkdir(exist_ok=True)
    desk.ready.marker.write_bytes(content)
    assert desk.commit(fails=True).startswith("\n# Please enter")
    desk.ready.file.unlink()
    desk.ready.file.mkdir()
    assert desk.commit(fails=True).startswith("\n# Please enter")


def test_the_files_are_for_their_owner_alone(desk: Desk) -> None:
    desk.draft()
    assert desk.ready.file.stat().st_mode & 0o777 == 0o600
    assert desk.ready.file.parent.stat().st_mode & 0o777 == 0o700


def test_a_commit_waits_for_a_draft_only_as_long_as_it_is_told(desk: Desk) -> None:
    desk.ready.announce(0)
    assert not desk.ready.marker.exists()
    desk.ready.announce(0.5)
    began = time.monotonic()
    assert desk.commit(fails=True).startswith("\n#")
    assert 0.5 <= time.monotonic() - began < 5
    sleeper = subprocess.Popen(["sleep", "0"])
    sleeper.wait()  # the process that made it is gone: nobody will finish
    desk.ready.marker.write_text(f"50 {sleeper.pid}\n")
    began = time.monotonic()
    assert desk.commit(fails=True).startswith("\n#")
    assert time.monotonic() - began < 4
    desk.ready.announce(5)
    waiting = Terminal(["/usr/bin/env", "git", "commit"], 80, desk.repo.path, GIT_EDITOR="cat")
    desk.draft()
    assert waiting.end() == 0
    assert DRAFT in waiting.shown


def test_on_a_terminal_the_editor_shows_the_draft(desk: Desk) -> None:
    desk.draft()
    editor = f'{shutil.which("sh")} -c \'cat "$1"; read -r line; echo "$line" >>"$1"\' -'
    terminal = Terminal(["/usr/bin/env", "git", "commit"], 80, desk.repo.path, GIT_EDITOR=editor)
    terminal.until("# Changes to be committed")
    assert f"{DRAFT}\r\n\r\n# Please enter" in terminal.shown
    terminal.type("and say why\n")
    assert terminal.end() == 0
    assert desk.message == f"{DRAFT}\n\nand say why"


def test_a_git_that_has_gone_missing_leaves_the_message_alone(desk: Desk, tmp_path: Path) -> None:
    desk.draft()
    hook = desk.repo.path / ".git" / "hooks" / "prepare-commit-msg"
    message = tmp_path / "message"
    message.write_text("\n# Please\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").write_text("#!/bin/sh\nexit 128\n")
    (tmp_path / "bin" / "git").chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", str(hook), str(message)],
        cwd=desk.repo.path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert message.read_text() == "\n# Please\n"
