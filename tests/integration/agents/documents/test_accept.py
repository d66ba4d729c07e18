"""Accepting a fix on real repositories: exactly the patch is staged, and nothing runs for it."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from hermes.agents.documents.accept import Refused, stage
from hermes.agents.documents.edits import decode, digest, edits_of
from hermes.agents.documents.worktree import NotWritable, replace_file
from hermes.ingest.git.command import Git
from hermes.memory.drift import Found, Proposal, State
from hermes.memory.errors import HermesError
from hermes.tests.builders.git import RepoBuilder, git_environment

TEXT = b"# Shop\n\nUse `--fast` to be fast.\n\nThe end.\n"
FIXED = TEXT.replace(b"--fast", b"--quick")


@pytest.fixture
def shop(tmp_path: Path) -> RepoBuilder:
    shop = RepoBuilder(tmp_path / "shop")
    shop.config("user.name", "Sam Doe")
    shop.config("user.email", "sam@example.com")
    return shop


def proposal(before: bytes = TEXT, after: bytes = FIXED, path: str = "README.md") -> Proposal:
    old, new = decode(before), decode(after)
    assert old is not None
    assert new is not None
    found = Found(
        document=path,
        thing="flag",
        name="--fast",
        tier="certain",
        reason="the option --fast is --quick since 3f2a9c1",
        lines=(3,),
        texts=("Use `--fast` to be fast.",),
        keys=("k",),
        loose=("l",),
        rank=0,
        digest=digest(before),
        edits=edits_of(old, new),
        by="rule",
    )
    return Proposal(3, "r1", State.OPEN, 1.0, 1.0, "", found)


def git_of(shop: RepoBuilder) -> Git:
    return Git.open(shop.path)


def staged(shop: RepoBuilder) -> bytes:
    return subprocess.run(
        ["git", "cat-file", "blob", ":README.md"],
        cwd=shop.path,
        env=git_environment(),
        capture_output=True,
        check=True,
    ).stdout


def test_exactly_the_patch_is_staged_and_lies_in_the_worktree(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT, "a.py": b"x = 1\n"})
    done = stage(git_of(shop), proposal())
    assert (shop.path / "README.md").read_bytes() == staged(shop) == FIXED
    assert shop.git("status", "--porcelain") == "M  README.md"
    assert done.tree == shop.git("write-tree")
    assert done.head == shop.head()
    assert shop.git("diff", "--cached", "--numstat") == "1\t1\tREADME.md"


def test_what_it_says_takes_it_back_takes_it_back(shop: RepoBuilder) -> None:
    path = "docs/how to.md"
    shop.commit({path: TEXT})
    done = stage(git_of(shop), proposal(path=path))
    subprocess.run(done.undo, shell=True, cwd=shop.path, env=git_environment(), check=True)
    assert (shop.path / path).read_bytes() == TEXT
    assert shop.git("status", "--porcelain") == ""
    stage(git_of(shop), proposal(path=path))
    assert (shop.path / path).read_bytes() == FIXED


def test_the_mode_of_the_file_stays(shop: RepoBuilder) -> None:
    shop.write({"README.md": TEXT})
    (shop.path / "README.md").chmod(0o755)
    shop.commit()
    stage(git_of(shop), proposal())
    assert stat.S_IMODE((shop.path / "README.md").stat().st_mode) == 0o755
    assert shop.git("diff", "--cached", "--summary") == ""


CONTENTS = {
    "windows line ends": b"one\r\n\r\n`--fast`\r\n",
    "a byte order mark": b"\xef\xbb\xbfone\n\n`--fast`\n",
    "no newline at the end": b"one\n\n`--fast`",
    "latin-1": b"caf\xe9 `--fast`\n\xff\n",
    "mixed line ends": b"one\r\ntwo `--fast`\nthree\r\n",
}


@pytest.mark.parametrize("case", CONTENTS)
def test_bytes_that_are_not_meant_stay_as_they_are(shop: RepoBuilder, case: str) -> None:
    before = CONTENTS[case]
    after = before.replace(b"--fast", b"--quick")
    shop.commit({"README.md": before})
    stage(git_of(shop), proposal(before, after))
    assert (shop.path / "README.md").read_bytes() == staged(shop) == after


def test_line_ends_that_git_turned_in_the_worktree_stay_turned(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT})
    shop.config("core.autocrlf", "true")
    (shop.path / "README.md").unlink()
    shop.git("checkout", "--", "README.md")
    assert b"\r\n" in (shop.path / "README.md").read_bytes()
    stage(git_of(shop), proposal())
    assert (shop.path / "README.md").read_bytes() == FIXED.replace(b"\n", b"\r\n")
    assert staged(shop) == FIXED
    assert shop.git("status", "--porcelain") == "M  README.md"


def _refused(shop: RepoBuilder, match: str, given: Proposal | None = None) -> HermesError:
    """Nothing may be changed by what is refused."""
    before = shop.git("status", "--porcelain"), shop.git("ls-files", "--stage")
    with pytest.raises((Refused, NotWritable), match=match) as caught:
        stage(git_of(shop), given or proposal())
    assert (shop.git("status", "--porcelain"), shop.git("ls-files", "--stage")) == before
    assert [name for name in os.listdir(shop.path) if name.endswith(".swp")] == []
    return caught.value


def test_a_dirty_index_is_refused(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT, "a.py": b"x = 1\n"})
    shop.write({"a.py": b"x = 2\n"})
    shop.git("add", "a.py")
    assert "commit it" in _refused(shop, "a.py is staged already").hint


def test_a_document_that_was_changed_in_the_worktree_is_refused(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT})
    shop.write({"README.md": TEXT + b"mine\n"})
    _refused(shop, "README.md has changes that are not committed")
    assert (shop.path / "README.md").read_bytes() == TEXT + b"mine\n"


def test_a_document_that_is_another_at_head_is_refused(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT})
    shop.commit({"README.md": TEXT + b"more\n"})
    assert "scan" in _refused(shop, "README.md has changed since D3 was made").hint


def test_a_document_that_is_gone_is_refused(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT})
    (shop.path / "README.md").unlink()
    _refused(shop, "README.md is not in the worktree any more")
    shop.commit({"a.py": b"x = 1\n"})
    _refused(shop, "README.md is not there any more")


def test_a_link_is_not_followed(shop: RepoBuilder, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(TEXT)
    shop.commit({"README.md": TEXT, "docs/a.md": TEXT})
    (shop.path / "README.md").unlink()
    (shop.path / "README.md").symlink_to(outside)
    _refused(shop, "symbolic link")
    (shop.path / "docs/a.md").unlink()
    (shop.path / "docs").rmdir()
    (shop.path / "docs").symlink_to(tmp_path)
    (tmp_path / "a.md").write_bytes(TEXT)
    _refused(shop, "symbolic link", proposal(path="docs/a.md"))
    assert outside.read_bytes() == (tmp_path / "a.md").read_bytes() == TEXT


def test_a_document_that_is_a_link_for_git_too_is_refused(shop: RepoBuilder) -> None:
    (shop.path / "README.md").symlink_to("docs.md")
    shop.commit({"docs.md": TEXT})
    _refused(shop, "no plain file", proposal(b"docs.md", b"other.md"))


def test_another_repository_inside_this_one_is_left_alone(shop: RepoBuilder) -> None:
    shop.commit({"sub/README.md": TEXT})
    RepoBuilder(shop.path / "sub")
    _refused(shop, "another repository", proposal(path="sub/README.md"))


@pytest.mark.parametrize("path", ["../x.md", "/etc/x.md", ".git/x.md", "a/../../x.md", "a//b.md"])
def test_no_path_leads_out_of_the_worktree(shop: RepoBuilder, path: str) -> None:
    with pytest.raises(NotWritable, match="no path of a document"):
        replace_file(shop.path, path, b"x")


def test_nothing_but_documents_is_changed(shop: RepoBuilder) -> None:
    code = b'def f():\n    """Use --fast."""\n    return "--fast"\n'
    shop.commit({"a.py": code, "run.sh": TEXT})
    _refused(shop, "more of run.sh than a document", proposal(path="run.sh"))
    whole = code.replace(b"--fast", b"--quick")
    _refused(shop, "more of a.py than a document", proposal(code, whole, "a.py"))
    docstring = code.replace(b"--fast", b"--quick", 1)
    stage(git_of(shop), proposal(code, docstring, "a.py"))
    assert (shop.path / "a.py").read_bytes() == docstring


def test_conflicts_are_to_be_resolved_first(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT, "a.py": b"x = 1\n"})
    shop.commit({"a.py": b"x = 2\n"}, branch="side")
    shop.switch("main")
    shop.commit({"a.py": b"x = 3\n"})
    with pytest.raises(AssertionError):
        shop.git("merge", "side")
    _refused(shop, "conflicts to resolve, in a.py")


def test_another_git_at_work_is_let_finish(shop: RepoBuilder) -> None:
    shop.commit({"README.md": TEXT})
    (shop.path / ".git" / "index.lock").touch()
    with pytest.raises(Refused, match="another git command"):
        stage(git_of(shop), proposal())
    assert (shop.path / "README.md").read_bytes() == TEXT
    with pytest.raises(Refused, match="in the middle of a rebase"):
        stage(git_of(shop), proposal(), "rebase")


def test_nothing_of_the_repository_is_run(shop: RepoBuilder, tmp_path: Path) -> None:
    shop.commit({"README.md": TEXT, ".gitattributes": b"*.md filter=evil diff=evil merge=evil\n"})
    ran = tmp_path / "ran"
    program = tmp_path / "evil.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $@" >>"{ran}"\ncat\n')
    program.chmod(0o755)
    for key in (
        *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command"),
        *("diff.evil.textconv", "merge.evil.driver", "core.fsmonitor", "core.editor"),
        *("core.pager", "diff.external", "gpg.program", "core.alternateRefsCommand"),
    ):
        shop.config(key, str(program))
    shop.config("filter.evil.required", "true")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("post-index-change", "pre-commit", "prepare-commit-msg", "reference-transaction"):
        (hooks / hook).symlink_to(program)
        (shop.path / ".git" / "hooks" / hook).parent.mkdir(exist_ok=True)
        (shop.path / ".git" / "hooks" / hook).symlink_to(program)
    shop.config("core.hooksPath", str(hooks))
    stage(git_of(shop), proposal())
    assert (shop.path / "README.md").read_bytes() == FIXED
    assert not ran.exists(), ran.read_text()
    assert staged(shop) == FIXED
    ran.unlink(missing_ok=True)
    subprocess.run(["git", "add", "README.md"], cwd=shop.path, env=git_environment(), check=False)
    assert ran.exists()  # it would have run something
