"""The documents say what the program does."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes.surfaces.cli import settings_pages
from hermes.surfaces.cli.commands import COMMANDS
from hermes.surfaces.cli.exits import BROKEN_PIPE, INTERRUPTED
from hermes.surfaces.cli.pages import with_help

ROOT = Path(__file__).resolve().parents[3]
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def test_the_settings_page_is_the_one_made_from_the_settings() -> None:
    committed = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert committed == settings_pages.document(), "`make docs` writes it again"


def test_the_help_texts_in_the_page_are_the_real_ones() -> None:
    assert with_help(CLI) == CLI, "`make docs` writes them again"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_part_in_the_page(command: str) -> None:
    assert f"\n## hermes {command}\n" in CLI
    assert f"<!-- help: hermes {command} -->" in CLI


@pytest.mark.parametrize("code", [0, 1, 2, 3, 4, INTERRUPTED, BROKEN_PIPE])
def test_every_exit_code_is_in_the_page(code: int) -> None:
    assert f"\n| {code} | " in CLI
