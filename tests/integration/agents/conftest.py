"""One library for all tests of answers."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from hermes.tests.builders.library import Library, open_library


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Generator[Library]:
    """The shop with its memory; tests only read it."""
    with open_library(tmp_path_factory.mktemp("library")) as library:
        yield library
