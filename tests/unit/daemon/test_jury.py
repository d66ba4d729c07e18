"""Who may judge, and what a person is told of where the question goes."""

from __future__ import annotations

import pytest

from hermes.agents.council.records import Juror
from hermes.daemon.jury import Jury
from hermes.daemon.settings import Settings

GOES = "the question and its evidence, without secrets, go to"
HOSTED = {"base_url": "https://openrouter.ai/api/v1"}


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], []),
        (["ollama:a", "openai:b"], [f"{GOES} openrouter.ai"]),
        (["openai:b", "openai:c"], [f"{GOES} openrouter.ai"]),
        (["command:one"], [f"{GOES} the program `one`"]),
        (["command:one", "command:two"], [f"{GOES} the programs `one` and `two`"]),
        (["command:one", "command:one"], [f"{GOES} the program `one`"]),
        (
            ["command:one", "openai:b", "command:two -p", "command:three"],
            [f"{GOES} openrouter.ai", f"{GOES} the programs `one`, `two -p` and `three`"],
        ),
        (["ollama:a"], []),
    ],
)
def test_one_line_tells_all_hosts_and_one_all_programs(names: list[str], told: list[str]) -> None:
    jury = Jury(Settings.model_validate({"openai": HOSTED}), None)
    jurors = [Juror(*name.split(":", 1)) for name in names]
    assert list(jury.leaving(jurors)) == told
