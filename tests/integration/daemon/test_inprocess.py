"""The API from a thread of the caller's own process."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from hermes.daemon.inprocess import connect_in_process
from hermes.daemon.paths import locate
from hermes.daemon.settings import SettingsRefused
from hermes.surfaces.client import Client, Refused
from hermes.tests.builders.daemon import LIGHT, running, until
from hermes.tests.builders.shop import make_shop


@pytest.fixture(autouse=True)
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)


def api_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "hermes-api"]


def test_it_answers_from_the_memory_that_a_daemon_made(home: Path, tmp_path: Path) -> None:
    shop = make_shop(tmp_path / "shop")
    with running(home) as daemon:
        daemon.index(shop.path)
    with Client(connect_in_process(locate())) as client:
        assert client.call("GET", "/v1/hello")["home"] == str(home)
        question = {"question": "why was the retry queue dropped?"}
        found = client.call("POST", "/v1/search", question)
        assert found["passages"][0]["chunk"]["title"] == "Drop the retry queue"
        assert list(client.stream("POST", "/v1/ask", question))[-1]["type"] == "done"
        status = client.call("GET", "/v1/status")
        assert (status["running"], status["lanes"], status["triggers"]) == ([], {}, [])
        assert "without the daemon" in status["notes"][0]
        assert {check["state"] for check in client.call("GET", "/v1/doctor")["checks"]} == {"ok"}
        repo = client.call("GET", "/v1/repos")["repos"][0]
        assert (repo["name"], repo["commits"], repo["job"]) == ("shop", 4, None)
        for method, path, body in (
            ("POST", "/v1/repos", {"path": str(shop.path)}),
            ("POST", f"/v1/repos/{repo['id']}/index", None),
            ("DELETE", f"/v1/repos/{repo['id']}", None),
            ("POST", "/v1/memory/rebuild", None),
        ):
            with pytest.raises(Refused, match="the daemon is not running") as refusal:
                client.call(method, path, body)
            assert (refusal.value.status, refusal.value.code) == (503, "no_worker")
    until(api_threads, lambda names: not names)


def test_where_no_memory_can_be_it_says_so() -> None:
    # Nobody, not even root, can make a folder there.
    paths = locate({"HERMES_AMBIENT_HOME": "/proc/hermes"})
    with Client(connect_in_process(paths)) as client:
        with pytest.raises(Refused) as refusal:
            client.call("POST", "/v1/search", {"question": "why"})
        assert refusal.value.status == 503
        assert refusal.value.hint
        assert client.call("GET", "/v1/status")["notes"]
    until(api_threads, lambda names: not names)


def test_wrong_settings_are_told_before_anything_is_started(home: Path) -> None:
    home.mkdir()
    (home / "config.toml").write_text("colour = 1\n")
    with pytest.raises(SettingsRefused, match="colour"):
        connect_in_process(locate())
    assert api_threads() == []
