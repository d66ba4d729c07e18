"""How a daemon starts, what keeps it from starting, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hermes import __version__
from hermes.daemon.paths import PathRefused, locate
from hermes.daemon.spawn import StartFailed, start
from hermes.surfaces.client import Client, DaemonAbsent
from hermes.tests.builders.daemon import LIGHT, Daemon, lives, running, until
from hermes.tests.builders.shop import make_shop


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)


def stop_background() -> int:
    """Stop the daemon of this test's home and return its process id."""
    with Client.connect(locate()) as client:
        pid: int = client.call("GET", "/v1/hello")["pid"]
        client.call("POST", "/v1/shutdown")
    until(lambda: lives(pid), lambda living: not living)
    return pid


def test_it_starts_in_the_background_and_belongs_to_nobody(home: Path) -> None:
    start(locate())
    with Client.connect(locate()) as client:
        hello = client.call("GET", "/v1/hello")
    assert (hello["version"], hello["api"], hello["home"]) == (__version__, 1, str(home))
    pid = hello["pid"]
    assert os.getsid(pid) != os.getsid(0)
    assert Path(f"/proc/{pid}/cwd").resolve() == Path("/")
    os.kill(pid, signal.SIGHUP)  # the terminal it came from is closed
    start(locate())
    with Client.connect(locate()) as client:
        assert client.call("GET", "/v1/hello")["pid"] == pid
    assert stop_background() == pid
    assert os.listdir(home / "run") == ["daemon.lock"]


def test_everything_it_makes_is_in_its_home_and_for_its_owner_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.delenv("KF_RULE_CACHE_DIR")
    shop = make_shop(tmp_path / "shop")
    before = os.umask(0)
    try:
        start(locate())
        with Client.connect(locate()) as client:
            repo = client.call("POST", "/v1/repos", {"path": str(shop.path)})["repo"]
            list(client.stream("POST", f"/v1/repos/{repo['id']}/index"))
        assert os.listdir(home / "cache") != []
        assert not (tmp_path / "person").exists()
        found = {path: path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))}
        assert {path: mode for path, mode in found.items() if mode & 0o077} == {}
    finally:
        os.umask(before)
        stop_background()


def test_several_who_start_it_at_once_get_the_same_one() -> None:
    with ThreadPoolExecutor(3) as pool:
        for started in [pool.submit(start, locate(), timeout=60) for _ in range(3)]:
            started.result()
    stop_background()


def test_a_second_one_says_who_is_there_and_goes(home: Path) -> None:
    with running(home) as first:
        second = Daemon(home)
        _, errors = second.process.communicate(timeout=30)
        assert second.said == {"status": "running"}
        assert second.process.returncode == 3
        assert f"process {first.pid}, version {__version__}" in errors.decode()
        assert first.call("GET", "/v1/hello")["pid"] == first.pid


def test_after_a_kill_the_next_one_starts_as_if_nothing_had_been(home: Path) -> None:
    with running(home) as daemon:
        daemon.kill()
    assert {"daemon.json", "daemon.sock"} < set(os.listdir(home / "run"))
    with pytest.raises(DaemonAbsent):
        Client.connect(locate())
    start(locate())
    stop_background()


def test_a_home_with_a_long_path_is_served_all_the_same(tmp_path: Path) -> None:
    home = tmp_path.joinpath(*["a-folder-with-a-rather-long-name"] * 6)
    with running(home) as daemon:
        assert daemon.call("GET", "/v1/hello")["home"] == str(home)


def test_a_socket_that_something_else_serves_is_told_in_one_line(home: Path) -> None:
    (home / "run").mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(home / "run" / "daemon.sock"))
        other.listen()
        with pytest.raises(StartFailed, match=r"daemon\.sock is in use") as refusal:
            start(locate())
    assert refusal.value.code == "address_taken"
    assert refusal.value.hint


def test_wrong_settings_are_told_all_at_once(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("[models]\nnum_ctx = 'many'\ncolour = 1\n")
    with pytest.raises(StartFailed) as refusal:
        start(locate())
    assert refusal.value.code == "settings"
    assert "models.num_ctx" in refusal.value.message
    assert "models.colour" in refusal.value.message


def test_wrong_settings_have_an_exit_code_of_their_own(home: Path) -> None:
    daemon = Daemon(home, {"HERMES_AMBIENT_DAEMON__TRANSPORT": "pigeon"})
    assert daemon.said["code"] == "settings"
    assert daemon.wait() == 2


def test_a_home_that_cannot_be_written_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PathRefused, match="can't use the folder"):
        start(locate({"HERMES_AMBIENT_HOME": str(tmp_path / "file" / "home")}))


def test_a_daemon_that_dies_at_once_is_told_with_its_last_words(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif '--ready-fd' in sys.orig_argv: raise SystemExit('no luck today')\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(StartFailed, match="ended while it was starting.*no luck today"):
        start(locate())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_in_the_foreground_a_signal_ends_it_in_good_order(
    home: Path, number: signal.Signals
) -> None:
    with running(home) as daemon:
        daemon.process.send_signal(number)
        assert daemon.wait() == 0
    assert os.listdir(home / "run") == ["daemon.lock"]
    assert "hermes has stopped" in daemon.log


def test_a_memory_it_cannot_read_does_not_keep_it_from_saying_so(home: Path) -> None:
    (home / "memory").mkdir(parents=True)
    (home / "memory" / "memory.db").write_bytes(b"this is no database, whatever else it is" * 9)
    with running(home) as daemon:
        status = daemon.call("GET", "/v1/status")
        assert any("is damaged" in note for note in status["notes"])
        checks = {check["name"]: check for check in daemon.call("GET", "/v1/doctor")["checks"]}
        assert checks["memory"]["state"] == "fail"
        assert "rebuild" in checks["memory"]["hint"]


def test_idle_it_holds_no_timer_and_takes_no_time(home: Path) -> None:
    with running(home) as daemon:
        until(lambda: daemon.log, lambda log: "memory is open" in log)
        daemon.settle()
        threading.Event().wait(1.0)  # the last word of what ran
        daemon.call("GET", "/v1/hello")
        waits = [switches(daemon.pid), switches(daemon.pid)]
        threading.Event().wait(1.0)
        waits.append(switches(daemon.pid))
    # Uvicorn's own loop would have woken ten times, and asyncio's alone more often.
    assert waits[2] - waits[1] <= 3


def switches(pid: int) -> int:
    """Return how often the process's first thread has gone to sleep of itself."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("voluntary")).split()[1])


def test_the_command_says_its_version() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hermes.daemon", "--version"], capture_output=True, check=True
    )
    assert done.stdout.decode() == f"hermes {__version__}\n"
