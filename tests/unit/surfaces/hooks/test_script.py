"""The scripts as text: what is in them comes out again, and any change is seen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hermes.ingest.git.worktree_key import KEY_BYTES
from hermes.surfaces.hooks.script import BEFORE, HOOKS, key_of, recognise, script

ROOT = Path(__file__).resolve().parents[4]
PAGE = (ROOT / "docs" / "hooks.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("state", ["/h", "/it's", "/a\nb'c\\", "/\udcff", "/$HOME/`x`/'\\''"])
@pytest.mark.parametrize("chains", [True, False])
@pytest.mark.parametrize("hook", HOOKS)
def test_a_script_says_whose_it_is(hook: str, chains: bool, state: str) -> None:
    ours = recognise(script(hook, state, chains=chains))
    assert ours is not None
    assert (ours.whole, ours.state) == (True, state)


def test_a_script_that_was_changed_by_one_byte_is_seen_to_be() -> None:
    text = script("post-commit", "/h")
    for changed in (text + b"\n", text.replace(b"umask", b"unask"), text.replace(b"/h", b"/i")):
        ours = recognise(changed)
        assert ours is not None
        assert not ours.whole


@pytest.mark.parametrize("text", [b"", b"#!/bin/sh\n", b"\x7fELF", b"# hermes-hook 1 x y\n"])
def test_another_script_is_not_taken_for_ours(text: bytes) -> None:
    assert recognise(text) is None


@pytest.mark.parametrize("hook", HOOKS)
def test_a_script_fits_on_a_page_and_writes_nothing_on_the_screen(hook: str) -> None:
    text = script(hook, "/h").decode()
    assert len(text.splitlines()) < 75
    assert "echo" not in text
    assert not re.search(r"(?<![&<])&(?!&)", text)  # nothing stays behind in the background


def test_the_name_of_a_worktree_never_outgrows_a_file_name() -> None:
    assert key_of("/home/sam/shop") == ":home:sam:shop"
    assert key_of("/") == ""
    long = key_of("/x" * 2_000 + "/shop")
    assert KEY_BYTES - 10 < len(long) <= KEY_BYTES
    assert long.endswith(":x:shop")


def test_the_page_has_every_hook_and_every_state() -> None:
    words = ("installed", "chained", "foreign", "missing", "stale", "not executable")
    for word in (*HOOKS, *words, f"NAME{BEFORE}"):
        assert f"`{word}`" in PAGE
