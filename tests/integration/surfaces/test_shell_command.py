"""``hermes shell``: into the right file, once, through links, and out again without a trace."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hermes.daemon.paths import Paths
from hermes.surfaces.shell.installing import (
    ShellFileRefused,
    file_of,
    install,
    status,
    text_of,
    uninstall,
)

from .conftest import Run, Terminal

OFFER = """\
from hermes.surfaces.cli.output import Output
from hermes.surfaces.cli.shell import offer
offer(Output(), may_ask=True)
"""


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's home; their shell is bash."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    for name, value in (("HOME", str(folder)), ("SHELL", "/usr/bin/bash")):
        monkeypatch.setenv(name, value)
    for name in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def test_each_shell_has_its_file(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert file_of("bash", home, "linux") == tmp_path / ".bashrc"
    assert file_of("zsh", home) == tmp_path / ".zshrc"
    assert file_of("zsh", home | {"ZDOTDIR": "/z"}) == Path("/z/.zshrc")
    assert file_of("fish", home) == tmp_path / ".config/fish/conf.d/hermes.fish"
    config = home | {"XDG_CONFIG_HOME": "/c"}
    assert file_of("fish", config) == Path("/c/fish/conf.d/hermes.fish")


def test_on_a_mac_bash_is_a_login_shell(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path)}
    assert file_of("bash", home, "darwin") == tmp_path / ".bash_profile"
    (tmp_path / ".profile").write_text("umask 022\n")
    assert file_of("bash", home, "darwin") == tmp_path / ".profile"
    (tmp_path / ".bash_profile").write_text("[ -r ~/.bashrc ] && . ~/.bashrc\n")
    assert file_of("bash", home, "darwin") == tmp_path / ".bashrc"


@pytest.mark.parametrize("before", [None, b"", b"x=1", b"x=1\r\ny=2\r\n", b"alias a=b\n\xff\\\n"])
def test_out_again_leaves_the_file_as_it_was(
    theirs: Path, paths: Paths, before: bytes | None
) -> None:
    file = theirs / ".bashrc"
    if before is not None:
        file.write_bytes(before)
        file.chmod(0o640)
    for _ in range(2):
        assert install("bash", paths, os.environ).state == "installed"
    assert file.read_bytes().count(b">>> hermes") == 1
    if before is not None:
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert uninstall("bash", paths, os.environ).state == "missing"
    assert (file.read_bytes() if file.exists() else None) == before
    assert [each.name for each in theirs.iterdir()] == ([] if before is None else [".bashrc"])


def test_a_link_of_a_dotfile_manager_stays_a_link(theirs: Path, paths: Paths) -> None:
    kept = theirs / "dotfiles" / "bashrc"
    kept.parent.mkdir()
    kept.write_text("x=1\n")
    (theirs / ".bashrc").symlink_to("dotfiles/bashrc")
    install("bash", paths, os.environ)
    assert os.readlink(theirs / ".bashrc") == "dotfiles/bashrc"
    assert "# >>> hermes" in kept.read_text()
    uninstall("bash", paths, os.environ)
    assert kept.read_text() == "x=1\n"


def test_a_file_with_two_names_keeps_both(theirs: Path, paths: Paths) -> None:
    (theirs / ".bashrc").write_text("x=1\n")
    os.link(theirs / ".bashrc", theirs / "other")
    install("bash", paths, os.environ)
    assert "# >>> hermes" in (theirs / "other").read_text()


def test_what_can_not_be_written_is_left_alone_and_said(theirs: Path, paths: Paths) -> None:
    file = theirs / ".bashrc"
    file.write_text("x=1\n")
    file.chmod(0o444)
    with pytest.raises(ShellFileRefused, match="read-only"):
        install("bash", paths, os.environ)
    file.unlink()
    file.symlink_to("nowhere")
    with pytest.raises(ShellFileRefused, match="a link to nowhere, which is not there"):
        install("bash", paths, os.environ)
    file.unlink()
    file.mkdir()
    with pytest.raises(ShellFileRefused, match="no file"):
        install("bash", paths, os.environ)


def test_an_older_block_is_brought_up_to_date(theirs: Path, paths: Paths, hermes: Run) -> None:
    (theirs / ".bashrc").write_text("x=1\n")
    hermes("shell", "install", env={"HERMES_AMBIENT_HOME": str(theirs / "elsewhere")})
    assert status("bash", paths, os.environ).state == "elsewhere"
    done = hermes("shell", "install")
    assert (done.code, status("bash", paths, os.environ).state) == (0, "installed")
    hermes("shell", "uninstall")
    assert (theirs / ".bashrc").read_text() == "x=1\n"


def test_the_command_tells_what_it_did(theirs: Path, hermes: Run) -> None:
    said = [hermes("shell", word).err for word in ("install", "install", "uninstall", "uninstall")]
    assert said[0].startswith("bash prints the brief in the first shell of a day (~/.bashrc)")
    assert said[1].startswith("bash prints already")
    assert said[2:] == [
        "~/.bashrc is as it was before\n",
        "there was nothing of hermes in ~/.bashrc\n",
    ]
    hermes("shell", "install", "fish")
    lines = hermes("shell", "status").out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["bash", "missing"],
        ["zsh", "missing"],
        ["fish", "installed"],
    ]
    found = json.loads(hermes("shell", "status", "fish", "--json").out)
    assert found["shells"][0]["state"] == "installed"


def test_a_block_that_someone_changed_is_not_touched(theirs: Path, hermes: Run) -> None:
    hermes("shell", "install")
    file = theirs / ".bashrc"
    changed = file.read_text().replace("unset -f", "# unset -f")
    file.write_text(changed)
    for action in ("install", "uninstall"):
        done = hermes("shell", action)
        assert (done.code, file.read_text()) == (1, changed)
        assert "someone changed the lines in ~/.bashrc" in done.err


def test_show_prints_what_would_stand_in_a_file(theirs: Path, paths: Paths, hermes: Run) -> None:
    for shell in ("bash", "zsh", "fish"):
        shown = hermes("shell", "show", shell).out.encode()
        assert shown == text_of(shell, paths, os.environ)
    assert not any(theirs.iterdir())


def test_an_unknown_shell_has_to_be_named(theirs: Path, hermes: Run) -> None:
    done = hermes("shell", "install", env={"SHELL": "/bin/tcsh"})
    assert done.code == 2
    assert "$SHELL is /bin/tcsh" in done.err


@pytest.mark.parametrize(("reply", "state"), [("\n", "installed"), ("n\n", "missing")])
def test_the_offer_is_made_once(theirs: Path, paths: Paths, reply: str, state: str) -> None:
    terminal = Terminal([sys.executable, "-c", OFFER], 100, theirs)
    terminal.until("by lines in ~/.bashrc? [Y/n] ")
    terminal.type(reply)
    assert terminal.end() == 0
    assert status("bash", paths, os.environ).state == state
    again = Terminal([sys.executable, "-c", OFFER], 100, theirs)
    assert again.end() == 0
    assert again.shown == ""


def test_without_a_terminal_nothing_is_offered(theirs: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", OFFER], input=b"y\n", capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert not any(theirs.iterdir())


def test_a_block_for_another_home_is_not_taken_over_unasked(theirs: Path, hermes: Run) -> None:
    hermes("shell", "install", env={"HERMES_AMBIENT_HOME": str(theirs / "elsewhere")})
    before = (theirs / ".bashrc").read_bytes()
    subprocess.run([sys.executable, "-c", OFFER], check=True)
    assert (theirs / ".bashrc").read_bytes() == before


def test_the_doctor_says_how_the_shell_stands(theirs: Path, hermes: Run) -> None:
    hermes("shell", "install")
    try:
        checks = json.loads(hermes("doctor", "--json").out)["checks"]
    finally:
        hermes("down")
    (check,) = [each for each in checks if each["name"] == "shell"]
    assert (check["state"], check["detail"]) == (
        "ok",
        "bash prints the brief once a day (~/.bashrc)",
    )
