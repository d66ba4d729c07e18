"""Councils on a machine whose memory does not hold all models, and models that are one under two names."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from hermes.tests.builders.daemon import LIGHT, running, until
from hermes.tests.builders.git import RepoBuilder
from hermes.tests.servers.ollama import OllamaModel, OllamaServer

ROUTER = "hermes3:8b"
HUGE = 10**15
"""Bytes that no machine has."""
ANSWER = {
    "reasons": ["we know it"], "problems": [], "missing": [], "insight": "we know it",
    "position": "Postgres", "decision": "take Postgres", "vote": "PASS", "confidence": 0.7,
}  # fmt: skip


class Small(OllamaServer):
    """A server that holds one model at a time, and knows how many answered at once."""

    def __init__(self, *models: OllamaModel) -> None:
        super().__init__(models=models, answer=self._judge)
        self.at_once = 0
        self.most = 0
        self.asked: list[str] = []

    async def _judge(self, body: dict[str, Any]) -> AsyncIterator[str]:
        model = str(body["model"])
        for other in [name for name in self.loaded if name.removesuffix(":latest") != model]:
            self.evict(other)
        self.asked.append(model)
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.2)  # long enough for the others to come, if they did not wait
        self.at_once -= 1
        yield json.dumps(ANSWER)


def settings(server: OllamaServer, *jurors: str) -> Mapping[str, str]:
    return LIGHT | {
        "HERMES_AMBIENT_MODELS__PROVIDER": "ollama",
        "HERMES_AMBIENT_MODELS__MODEL": ROUTER,
        "HERMES_AMBIENT_OLLAMA__HOST": server.url,
        "HERMES_AMBIENT_COUNCIL__JURORS": json.dumps([f"ollama:{name}" for name in jurors]),
    }


def ask(home: Path, repo: RepoBuilder, chosen: Mapping[str, str], server: Small) -> dict[str, Any]:
    """Hold a council and return it, once the router's model is the one that is in memory."""
    with running(home, chosen) as daemon:
        until(lambda: list(server.loaded), lambda names: ROUTER in names)
        body = {"question": "Postgres or Mongo for the ledger?", "cwd": str(repo.path)}
        found: dict[str, Any] = daemon.stream("POST", "/v1/councils", body)[-1]["council"]
        until(lambda: list(server.loaded), lambda names: ROUTER in names)
        return found


def test_models_that_do_not_fit_together_are_asked_one_by_one_and_make_room_again(
    home: Path, tmp_path: Path
) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"a.py": "x = 1\n"}, "Begin")
    models = [OllamaModel(name, size=HUGE) for name in ("qwen:latest", "gemma:latest", ROUTER)]
    with Small(*models) as server:
        found = ask(home, repo, settings(server, "qwen", "gemma"), server)
        assert list(server.loaded) == [ROUTER]
        given_up = [
            body["model"] for body in server.calls("/api/generate") if body.get("keep_alive") == 0
        ]
    assert found["verdict"]["agreement"]["of"] == 3
    assert server.most == 1
    assert len([one for one in server.loads if one[0] == "qwen:latest"]) == 1  # it has two seats
    assert sorted(given_up) == ["gemma:latest", "qwen:latest"]
    assert [text for text in found["notices"] if "one after another" in text]


def test_one_model_under_two_names_sits_once(home: Path, tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "shop")
    repo.commit({"a.py": "x = 1\n"}, "Begin")
    served = [
        OllamaModel("judge:latest", "qwen2", size=1, digest="d1"),
        OllamaModel("mine:latest", "qwen2", size=1, digest="d1"),
        OllamaModel("gemma:latest", "gemma2", size=1, digest="d2"),
        OllamaModel(ROUTER, size=1),
    ]
    with Small(*served) as server:
        found = ask(home, repo, settings(server, "judge", "mine", "gemma"), server)
    assert set(server.asked) - {ROUTER} == {"judge", "gemma"}
    (absent,) = found["verdict"]["absent"]
    assert (absent["juror"]["model"], absent["why"]) == ("mine", "the same model as ollama:judge")
    assert found["verdict"]["families"] == ["google", "qwen"]  # by what the server tells of `judge`
