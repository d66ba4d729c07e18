"""Where everything is."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

import platformdirs
import pytest

from hermes.daemon.paths import (
    SOCKET_LIMIT,
    PathRefused,
    check_private,
    locate,
    make_private,
)


def test_a_home_of_ones_own_holds_everything() -> None:
    paths = locate({"HERMES_AMBIENT_HOME": "/h", "STATE_DIRECTORY": "/var/lib/hermes-ambient"})
    places = [paths.config_file, paths.memory, paths.log_file, paths.startup_log, paths.lock]
    assert all(place.is_relative_to("/h") for place in [*places, paths.socket, paths.token])


def test_the_folders_are_those_of_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("HERMES_AMBIENT_HOME")
    paths = locate(os.environ)
    assert paths.config_folder == platformdirs.user_config_dir("hermes-ambient")
    assert paths.state_folder == platformdirs.user_state_dir("hermes-ambient")
    assert paths.log_folder == platformdirs.user_log_dir("hermes-ambient")


def test_xdg_is_respected_and_a_relative_value_is_ignored() -> None:
    paths = locate({"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "relative", "HOME": "/home/sam"})
    assert paths.config_folder == "/c/hermes-ambient"
    assert paths.state_folder == "/home/sam/.local/state/hermes-ambient"


def test_systemd_goes_first_when_its_folders_are_ours() -> None:
    paths = locate(
        {
            "HOME": "/home/sam",
            "STATE_DIRECTORY": "/var/lib/other:/var/lib/hermes-ambient",
            "RUNTIME_DIRECTORY": "/run/hermes-ambient",
            "CONFIGURATION_DIRECTORY": "/etc/another-service",
        }
    )
    assert paths.state_folder == "/var/lib/hermes-ambient"
    assert paths.run_folder == "/run/hermes-ambient"
    assert paths.config_folder == "/home/sam/.config/hermes-ambient"


def test_another_home_of_the_same_user_has_a_daemon_of_its_own() -> None:
    own = str(Path(f"~{pwd.getpwuid(os.geteuid()).pw_name}").expanduser())
    sockets = {locate({"HOME": home}).socket_address for home in (own, "/home/a", "/home/b")}
    assert len(sockets) == 3
    assert Path(locate({"HOME": own}).run_folder).name in (
        "hermes-ambient",
        f"hermes-ambient-{os.geteuid()}",
    )


@pytest.mark.parametrize("value", ["here", "./here", "~/here"])
def test_a_relative_home_is_refused(value: str) -> None:
    with pytest.raises(PathRefused, match="not an absolute path"):
        locate({"HERMES_AMBIENT_HOME": value})


def test_a_deep_home_gets_a_socket_that_can_be_bound() -> None:
    deep = "/deep" * 40
    address = locate({"HERMES_AMBIENT_HOME": deep}).socket_address
    assert len(address.encode()) <= SOCKET_LIMIT
    assert address == locate({"HERMES_AMBIENT_HOME": deep}).socket_address
    assert address != locate({"HERMES_AMBIENT_HOME": deep + "er"}).socket_address


def test_a_private_folder_is_made_and_tightened(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    make_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    make_private(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_link_in_place_of_a_private_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(PathRefused, match="not a folder"):
        make_private(tmp_path / "link")
    with pytest.raises(PathRefused, match="can't use the folder"):
        (tmp_path / "file").write_text("")
        make_private(tmp_path / "file" / "below")


def test_a_folder_that_others_may_write_is_not_private(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(PathRefused, match="written by others"):
        check_private(folder)
