"""What is known of files, and how it is kept."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hermes.daemon.triggers.ignored import Ignored
from hermes.daemon.triggers.snapshot import Folders, Unreadable, compare, load, save, walk


def seen(top: Path, ignored: Ignored | None = None) -> Folders:
    found: Folders = {}
    for folder, names in walk(top, ignored or Ignored(top, [], []), lambda _: None):
        found[folder] = names or {}
    return found


def write(path: Path, text: str, *, age: int = 100) -> None:
    """Write a file that was changed a while ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    then = path.stat().st_mtime_ns - age * 1_000_000_000
    os.utime(path, ns=(then, then))


def test_made_changed_replaced_and_removed_files_differ(tmp_path: Path) -> None:
    for name in ("kept", "changed", "replaced", "a/removed"):
        write(tmp_path / name, "one")
    before = seen(tmp_path)
    write(tmp_path / "changed", "two", age=50)
    times = (tmp_path / "replaced").stat()
    write(tmp_path / "new", "one")
    os.utime(tmp_path / "new", ns=(times.st_mtime_ns, times.st_mtime_ns))
    os.replace(tmp_path / "new", tmp_path / "replaced")
    (tmp_path / "a" / "removed").unlink()
    write(tmp_path / "b" / "made", "one")
    assert set(compare(before, seen(tmp_path))) == {"changed", "replaced", "a/removed", "b/made"}


def test_a_file_written_just_now_counts_as_changed_next_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    assert list(compare(seen(tmp_path), seen(tmp_path))) == ["a"]


def test_ignored_folders_other_repositories_and_pipes_are_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "src" / "a", "")
    write(tmp_path / "out" / "b", "")
    write(tmp_path / "lib" / ".git" / "HEAD", "")
    write(tmp_path / "lib" / "c", "")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "src")
    found = seen(tmp_path, Ignored(tmp_path, ["/out/"], []))
    assert {at: set(names) for at, names in found.items()} == {"": {"link"}, "src": {"a"}}


def test_a_snapshot_is_read_as_it_was_saved_and_is_the_owners_alone(tmp_path: Path) -> None:
    folders = {"": {"a": 1}, "ä/\udc80": {"\udcff": 2**62 - 1}}
    path = tmp_path / "watch" / "shop.snapshot"
    save(path, folders)
    assert load(path) == folders
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_no_snapshot_is_none_and_a_torn_one_is_refused(tmp_path: Path) -> None:
    assert load(tmp_path / "none") is None
    path = tmp_path / "torn"
    save(path, {"": {str(n): n for n in range(1000)}})
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(Unreadable):
        load(path)
