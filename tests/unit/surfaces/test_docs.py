"""The documents say what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from hermes.daemon.api import endpoints
from hermes.daemon.host import Host, Warm
from hermes.daemon.lock import Holder
from hermes.daemon.paths import locate
from hermes.daemon.settings import load
from hermes.surfaces.cli import settings_pages
from hermes.surfaces.cli.commands import COMMANDS
from hermes.surfaces.cli.exits import BROKEN_PIPE, INTERRUPTED
from hermes.surfaces.cli.pages import with_help

ROOT = Path(__file__).resolve().parents[3]
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
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


def endpoints_here() -> dict[tuple[str, str], set[str]]:
    """What the daemon answers: by method and path the names that a caller may give."""
    paths = locate()
    settings = load(paths.config_file)
    host = Host(paths, settings, Holder(0, "", 0), Warm(paths, settings, None))
    found: dict[tuple[str, str], set[str]] = {}
    for route in endpoints(host).routes:
        assert isinstance(route, APIRoute)
        given = route.dependant.query_params + route.dependant.header_params
        names = {field.alias for field in given}
        for body in route.dependant.body_params:
            model = body.field_info.annotation
            assert isinstance(model, type) and issubclass(model, BaseModel)
            names |= set(model.model_fields)
        for method in route.methods or ():
            found[method, route.path.replace(":path", "")] = names
    return found


def test_the_page_of_the_api_lists_every_endpoint_and_what_it_takes() -> None:
    rows = re.findall(r"^\| (GET|POST|DELETE) \| (\S+) \|(.*)$", API, re.MULTILINE)
    told = {(method, path): set(re.findall(r"`([a-z_-]+)`", rest)) for method, path, rest in rows}
    there = endpoints_here()
    assert told.keys() == there.keys()
    assert {at: names - told[at] for at, names in there.items() if names - told[at]} == {}
