"""Which repositories are watched, and what follows once that is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.daemon.host import Warm
from hermes.daemon.ledger.ledger import Ledger
from hermes.daemon.paths import keep_cache, locate
from hermes.daemon.settings import load
from hermes.daemon.triggers.heads import Heads
from hermes.daemon.triggers.watch import Watch
from hermes.daemon.watching import Watching
from hermes.memory.errors import NoSpace
from hermes.tests.builders.daemon import LIGHT


async def test_a_disk_that_is_full_at_the_start_only_delays_what_is_caught_up_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LIGHT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("hermes.daemon.lasting.RETRY_SECONDS", (0.01, 0.01))
    paths = locate()
    keep_cache(paths)
    ledger = Ledger.open(tmp_path / "runtime.db")
    tries: list[bool] = []

    async def catch_up() -> None:
        tries.append(watching.known.is_set())
        if len(tries) < 3:
            raise NoSpace(tmp_path)

    async def accept(event: object, key: str | None) -> int:
        return 0

    warm = Warm(paths, load(paths.config_file), None)
    watch = Watch(accept, Heads(ledger.values), tmp_path / "watch")
    watching = Watching(warm, watch, on_known=catch_up)
    await watching.serve()
    assert tries == [True, True, True]
    warm.close()
    ledger.close()
