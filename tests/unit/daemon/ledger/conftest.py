"""A ledger of the test's own."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from hermes.daemon.ledger.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Generator[Ledger]:
    """Open a new ledger, and close it afterwards."""
    opened = Ledger.open(tmp_path / "runtime.db")
    yield opened
    opened.close()
