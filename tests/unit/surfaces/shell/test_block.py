"""The block in a file: in once, out without a trace, and never over a person's own hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.surfaces.shell.block import block, put, state_of, take_out
from hermes.surfaces.shell.script import SHELLS, quoted, script

BRIEF = "/home/sam/.local/state/hermes-ambient/brief"
SCRIPT = script("bash", BRIEF, "/home/sam")
FOLDER = quoted("bash", BRIEF, "/home/sam")
ELSEWHERE = script("bash", "/other/brief", "/home/sam")
OLDER = SCRIPT.replace(b"    local IFS", b"    typeset IFS")

pieces = st.sampled_from(
    [b"", b"\n", b"\r\n", b"\r", b"\\", b"alias x=y", b"\xff\x00", b"# p10k-instant-prompt\n", b"#"]
)
contents = st.none() | st.lists(pieces | st.binary(max_size=5), max_size=8).map(b"".join)


def placed(content: bytes | None, text: bytes = SCRIPT) -> bytes:
    """The content with the block in it."""
    found = put(content, text)
    assert state_of(found, text, FOLDER) == "installed"
    return found


@given(contents)
def test_taking_the_block_out_leaves_every_byte_as_it_was(content: bytes | None) -> None:
    assert take_out(placed(content)) == content


@given(contents)
def test_installing_twice_is_installing_once(content: bytes | None) -> None:
    assert put(placed(content), SCRIPT) == placed(content)


@given(contents)
def test_an_older_block_is_replaced_where_it_stands(content: bytes | None) -> None:
    assert put(placed(content, OLDER), SCRIPT) == placed(content)


@given(contents, st.binary(max_size=9))
def test_what_is_added_behind_the_block_stays(content: bytes | None, added: bytes) -> None:
    left = take_out(placed(content) + added) or b""
    assert left.endswith(added)
    assert left.startswith(content or b"")
    assert left.removeprefix(content or b"").removesuffix(added) in (b"", b"\n")


@given(contents)
def test_a_block_that_someone_changed_is_left_as_it_is(content: bytes | None) -> None:
    changed = placed(content).replace(b"unset -f", b"# unset -f")
    assert state_of(changed, SCRIPT, FOLDER) == "changed"
    assert put(changed, SCRIPT) == changed
    assert take_out(changed) == changed


@given(st.lists(pieces.filter(lambda piece: b"\r" not in piece), max_size=8).map(b"".join))
def test_an_editor_that_changes_all_line_ends_changes_ours_too(content: bytes) -> None:
    theirs = content.replace(b"\n", b"\r\n")
    windows = placed(content).replace(b"\n", b"\r\n")
    assert state_of(windows, SCRIPT, FOLDER) == "installed"
    assert take_out(windows) == theirs


def test_states() -> None:
    assert state_of(b"", SCRIPT, FOLDER) == "missing"
    assert state_of(put(b"", OLDER), SCRIPT, FOLDER) == "older"
    assert state_of(put(b"", ELSEWHERE), SCRIPT, FOLDER) == "elsewhere"
    assert state_of(put(b"", SCRIPT) * 2, SCRIPT, FOLDER) == "changed"
    assert state_of(b"# >>> hermes 1 half of it\n", SCRIPT, FOLDER) == "changed"
    assert state_of(b"x\n  # >>> conda initialize >>>\n", SCRIPT, FOLDER) == "missing"


def test_a_last_line_that_goes_on_does_not_take_ours_in() -> None:
    assert b"export X=\\\n\n# >>> hermes" in put(b"export X=\\\n", SCRIPT)
    assert b"export X=\\\n\n# >>> hermes" in put(b"export X=\\", SCRIPT)


def test_the_block_goes_in_front_of_an_instant_prompt() -> None:
    assert put(b"source ~/.cache/p10k-instant-prompt-sam.zsh\n", SCRIPT).startswith(b"# >>> hermes")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_folder_in_the_home_is_named_by_the_home(shell: str) -> None:
    text = script(shell, BRIEF, "/home/sam")
    assert b"/home/sam" not in text
    assert b"HOME" in quoted(shell, BRIEF, "/home/sam")
    assert quoted(shell, BRIEF, "/home/sa") == f"'{BRIEF}'".encode()
    assert quoted(shell, BRIEF, "/") == f"'{BRIEF}'".encode()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_fits_on_two_screens_and_is_marked(shell: str) -> None:
    lines = block(script(shell, BRIEF, "/home/sam"), "new").decode().splitlines()
    assert len(lines) < 85
    assert max(map(len, lines)) <= 110
    assert lines[0].startswith("# >>> hermes 1 ")
    assert lines[-1] == "# <<< hermes <<<"
