"""Where the daemon listens."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes.daemon.listen import AddressTaken, listening
from hermes.daemon.paths import Paths, locate


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("transport", ["auto", "unix"])
def test_the_socket_is_for_its_owner_alone_whatever_the_umask(home: Path, transport: str) -> None:
    before = os.umask(0)
    try:
        with listening(locate(), transport) as door:
            assert mode(home / "run" / "daemon.sock") == 0o600
            assert mode(home / "run") == 0o700
            assert (door.token, door.port) == ("", None)
    finally:
        os.umask(before)
    assert os.listdir(home / "run") == []


def test_on_loopback_the_token_is_for_its_owner_alone(home: Path) -> None:
    with listening(locate(), "loopback") as door:
        token = home / "run" / "token"
        assert mode(token) == 0o600
        assert token.read_text() == f"{door.port} {door.token}\n"
        assert len(door.token) >= 32
        assert door.socket.getsockname()[0] == "127.0.0.1"
        assert os.listdir(home / "run") == ["token"]
    assert os.listdir(home / "run") == []


def test_a_deep_home_gets_a_short_address_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-folder-with-a-rather-long-name"] * 6)
    paths = locate({"HERMES_AMBIENT_HOME": str(deep)})
    with listening(paths, "auto"):
        assert not paths.socket.is_relative_to(deep)
        assert mode(paths.socket) == 0o600
        assert mode(paths.socket.parent) == 0o700
        with socket.socket(socket.AF_UNIX) as caller:
            caller.connect(paths.socket_address)
    assert not paths.socket.exists()


def leave_a_dead_socket(paths: Paths) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(paths.socket_address)


def leave_a_dead_token(paths: Paths) -> None:
    paths.token.write_text("1 abc\n")


@pytest.mark.parametrize("leave", [leave_a_dead_socket, leave_a_dead_token])
@pytest.mark.parametrize("transport", ["unix", "loopback"])
def test_what_a_killed_daemon_left_is_cleared_away(
    home: Path, leave: Callable[[Paths], None], transport: str
) -> None:
    (home / "run").mkdir(parents=True, mode=0o700)
    leave(locate())
    with listening(locate(), transport):
        assert len(os.listdir(home / "run")) == 1


def test_a_socket_that_another_program_serves_is_left_alone(home: Path) -> None:
    (home / "run").mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(home / "run" / "daemon.sock"))
        other.listen()
        with pytest.raises(AddressTaken, match=r"daemon\.sock is in use"):
            listening(locate(), "auto").__enter__()
        assert (home / "run" / "daemon.sock").exists()


def test_a_file_in_the_socket_s_place_is_left_alone(home: Path) -> None:
    (home / "run").mkdir(parents=True, mode=0o700)
    (home / "run" / "daemon.sock").write_text("mine")
    with pytest.raises(AddressTaken):
        listening(locate(), "auto").__enter__()
    assert (home / "run" / "daemon.sock").read_text() == "mine"
