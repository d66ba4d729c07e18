"""What git ignores, compared with what git itself says."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from hermes.daemon.triggers.ignored import Ignored
from hermes.daemon.triggers.watched import Watched
from hermes.tests.builders.git import RepoBuilder

PATTERNS = [
    *("*.log", "build", "build/", "/build", "/a/b", "a/*", "a/**", "**/c", "a/**/c", "*", "/*"),
    *("!*/", "!a", "!a/", "!/a/b", "!*.py", "!a/b/c", "[ab]", "?", "b/c", "c.py", "*.p[yx]"),
    *("#x", "\\#x", "!", "", "  ", "/", "a/**/", "\\", "*/c", "a b", "\\!a", "**/a/**", "!**/b/"),
]
NAMES = ["a", "b", "c", "build", "x.log", "c.py", "#x", "a b", "!a", "ä.py"]


def rules(repo: RepoBuilder, *exclude: str, own: tuple[Path, ...] = ()) -> Ignored:
    return Ignored.read(Watched("shop", repo.path, repo.path / ".git", exclude), own)


def kept(repo: RepoBuilder, ignored: Ignored) -> set[str]:
    """All files that a walk which enters no ignored folder finds."""
    found: set[str] = set()
    for at, folders, files in os.walk(repo.path):
        start = "" if at == str(repo.path) else os.path.relpath(at, repo.path) + "/"
        folders[:] = [f for f in folders if not ignored.matches(start + f, True)]
        found |= {start + f for f in files if not ignored.matches(start + f, False)}
    return found


def said_by_git(repo: RepoBuilder) -> set[str]:
    listed = repo.git("ls-files", "-z", "--others", "--exclude-standard")
    return {path for path in listed.split("\0") if path}


@pytest.mark.parametrize("seed", range(25))
def test_agrees_with_git_on_any_rules(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    repo = RepoBuilder(tmp_path / "shop")
    for _ in range(40):
        path = repo.path.joinpath(*chance.choices(NAMES, k=chance.randint(1, 4)))
        if not any(p.is_file() for p in (path, *path.parents)) and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
    folders = [repo.path, *(p for p in sorted(repo.path.rglob("*")) if p.is_dir())]
    folders = [p for p in folders if ".git" not in p.parts]
    for folder in chance.sample(folders, k=min(3, len(folders))):
        lines = chance.choices(PATTERNS, k=chance.randint(1, 5))
        (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    exclude = chance.choices(PATTERNS, k=2)
    (repo.path / ".git" / "info" / "exclude").write_text("\n".join(exclude))
    assert kept(repo, rules(repo)) == said_by_git(repo)


def test_the_persons_own_ignore_file_counts(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    (tmp_path / "mine").write_text("*.swp\n")
    repo.config("core.excludesFile", str(tmp_path / "mine"))
    ignored = rules(repo)
    assert ignored.matches("a.swp", False)
    assert not ignored.matches("a.py", False)


def test_hermesignore_settings_and_own_folders_are_on_top(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    repo.write({".gitignore": "!kept\n", ".hermesignore": "kept\nsecret/\n"})
    ignored = rules(repo, "*.big", own=(repo.path / "state", tmp_path / "elsewhere"))
    assert ignored.matches("kept", False)
    assert ignored.matches("a/secret", True)
    assert ignored.matches("a/x.big", False)
    assert ignored.matches("state", True)
    assert not ignored.matches("a/state", True)


def test_a_path_in_an_ignored_folder_is_covered(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    repo.write({".gitignore": "node_modules/\n"})
    ignored = rules(repo)
    assert ignored.covers("web/node_modules/left-pad/index.js")
    assert not ignored.covers("web/index.js")


def test_a_linked_rule_file_is_not_read(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    (tmp_path / "elsewhere").write_text("*\n")
    (repo.path / ".gitignore").symlink_to(tmp_path / "elsewhere")
    assert not rules(repo).matches("a", False)
