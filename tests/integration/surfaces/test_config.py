"""``hermes config`` on a real file, with a real editor program."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

import pytest

from hermes.surfaces.cli import main

from .conftest import OnTerminal, Ran, Run

COMMENTED = "# mine\n[models]\nmodel = 'small'  # quick\n"


@pytest.fixture
def hermes(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process: the settings model takes half a second to import."""

    def run(*words: str, env: Mapping[str, str] | None = None) -> Ran:
        with monkeypatch.context() as changed:
            for name, value in (env or {}).items():
                changed.setenv(name, value)
            code = main(words)
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture
def file(home: Path) -> Path:
    home.mkdir()
    return home / "config.toml"


def editor(tmp_path: Path, script: str) -> dict[str, str]:
    """Make a program that edits as a person would, and the environment that names it."""
    program = tmp_path / "an editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return {"VISUAL": f"'{program}' -w", "EDITOR": "false"}


def test_set_keeps_comments_and_writes_for_us_alone(file: Path, hermes: Run) -> None:
    file.write_text(COMMENTED)
    ran = hermes("config", "set", "models.num_ctx", "4096")
    assert ran.code == 0
    text = file.read_text()
    assert "# mine" in text
    assert "# quick" in text
    assert "num_ctx = 4096" in text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [entry.name for entry in file.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(
    ("key", "typed", "stored"),
    [
        ("models.model", "hermes3:3b", "hermes3:3b"),
        ("models.model", "8", "8"),
        ("models.connect_timeout", "1.5", 1.5),
        ("models.keep_alive", "-1", -1),
        ("ingest.exclude", "vendor/, *.svg", ["vendor/", "*.svg"]),
        ("ingest.exclude", '["a b"]', ["a b"]),
        ("store.storage_options", '{region = "x"}', {"region": "x"}),
    ],
)
def test_set_takes_what_people_type(hermes: Run, key: str, typed: str, stored: object) -> None:
    ran = hermes("config", "set", "--json", key, typed)
    assert (ran.code, json.loads(ran.out)["value"]) == (0, stored)
    shown = json.loads(hermes("config", "show", "--json").out)["settings"][key]
    assert shown["value"] == stored
    assert shown["from"].startswith("config.toml:")


@pytest.mark.parametrize(
    ("key", "typed"),
    [("models.num_ctx", "lots"), ("daemon.log_level", "loud"), ("ollama.host", "here")],
)
def test_an_invalid_value_is_not_written(file: Path, hermes: Run, key: str, typed: str) -> None:
    file.write_text(COMMENTED)
    ran = hermes("config", "set", key, typed)
    assert ran.code == 2
    assert key in ran.err
    assert file.read_text() == COMMENTED


def test_a_linked_file_stays_a_link(file: Path, hermes: Run, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text(COMMENTED)
    file.symlink_to(real)
    assert hermes("config", "set", "models.model", "x").code == 0
    assert file.is_symlink()
    assert 'model = "x"' in real.read_text()


def test_show_says_where_each_value_comes_from(file: Path, hermes: Run) -> None:
    file.write_text(COMMENTED)
    ran = hermes("config", "show", env={"HERMES_AMBIENT_ASK__PASSAGES": "9"})
    lines = {line.split()[0]: line for line in ran.out.splitlines() if line}
    assert lines["passages"].endswith("# HERMES_AMBIENT_ASK__PASSAGES")
    assert lines["num_ctx"].endswith("# default")
    assert any(line.endswith("# config.toml:3") for line in ran.out.splitlines())


def test_show_keeps_secrets(hermes: Run) -> None:
    secret = {"HERMES_AMBIENT_STORE__STORAGE_OPTIONS": '{"aws_secret_access_key": "hunter2"}'}
    assert "hunter2" not in hermes("config", "show", env=secret).out
    assert "hunter2" not in hermes("config", "show", "--json", env=secret).out


def test_show_of_wrong_settings_names_every_problem(file: Path, hermes: Run) -> None:
    file.write_text("[models]\nnum_ctx = 1\nmodle = 2\n")
    ran = hermes("config", "show")
    assert (ran.code, ran.out) == (2, "")
    assert "config.toml:2: models.num_ctx" in ran.err
    assert "config.toml:3: models.modle" in ran.err


def test_edit_begins_with_the_sample_and_puts_a_valid_file_in_place(
    file: Path, hermes: Run, tmp_path: Path
) -> None:
    env = editor(tmp_path, 'sed -i "s/^#num_ctx.*/num_ctx = 4096/" "$2"')
    assert hermes("config", "edit", env=env).code == 0
    assert "\nnum_ctx = 4096\n" in file.read_text()
    assert "\n#model = " in file.read_text()


def test_edit_keeps_the_old_file_until_the_new_one_is_valid(
    file: Path, hermes: Run, tmp_path: Path
) -> None:
    file.write_text(COMMENTED)
    env = editor(tmp_path, 'printf "[models]\\nnum_ctx = 1\\noops = 2\\n" > "$2"')
    ran = hermes("config", "edit", env=env)
    assert ran.code == 2
    assert "models.num_ctx" in ran.err
    assert "models.oops" in ran.err
    assert file.read_text() == COMMENTED
    assert "oops" in (file.parent / "config.draft.toml").read_text()


def test_edit_goes_back_to_the_editor_when_asked(
    file: Path, on_terminal: OnTerminal, tmp_path: Path
) -> None:
    script = 'if grep -q oops "$2"; then echo "[models]" > "$2"; else echo "oops = 1" > "$2"; fi'
    terminal = on_terminal("config", "edit", **editor(tmp_path, script))
    terminal.until("back to the editor? [Y/n] ")
    terminal.type("\n")
    assert terminal.end() == 0
    assert file.read_text() == "[models]\n"


def test_an_editor_that_fails_changes_nothing(file: Path, hermes: Run, tmp_path: Path) -> None:
    file.write_text(COMMENTED)
    ran = hermes("config", "edit", env=editor(tmp_path, "exit 3"))
    assert ran.code == 1
    assert "ended with 3" in ran.err
    assert file.read_text() == COMMENTED
    assert not (file.parent / "config.draft.toml").exists()


def test_an_editor_that_does_not_exist_is_told(hermes: Run) -> None:
    ran = hermes("config", "edit", env={"VISUAL": "/no/such/editor"})
    assert ran.code == 1
    assert "/no/such/editor" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("key", ["models.model", "num_ctx", "models"])
def test_explain_takes_a_key_a_name_or_a_section(hermes: Run, key: str) -> None:
    ran = hermes("config", "explain", key)
    assert ran.code == 0
    assert "models." in ran.out
    assert "HERMES_AMBIENT_MODELS__" in ran.out


def test_path_is_one_line_for_scripts(file: Path, hermes: Run) -> None:
    assert hermes("config", "path").out == f"{file}{os.linesep}"
