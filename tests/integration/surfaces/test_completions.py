"""Completions, sourced by a real bash."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import Run


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hermes se", {"search"}),
        ("hermes ask --a", {"--author", "--all-repos"}),
        ("hermes completions z", {"zsh"}),
        ("hermes config s", {"show", "set"}),
        ("hermes memory reb", {"rebuild"}),
        ("hermes-ambient st", {"status"}),
    ],
)
def test_bash_offers_what_fits(hermes: Run, tmp_path: Path, typed: str, offered: set[str]) -> None:
    script = tmp_path / "hermes.bash"
    script.write_text(hermes("completions", "bash").out)
    words = typed.split()
    ask = f"""
        source {script}
        COMP_WORDS=({typed}) COMP_CWORD={len(words) - 1}
        COMP_LINE='{typed}' COMP_POINT={len(typed)}
        complete -p {words[0]} > spec
        name=$(sed -n 's/.*-F \\([^ ]*\\).*/\\1/p' spec)
        "$name" {words[0]} {words[-1]} {words[-2]}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert {line.strip() for line in done.stdout.split()} == offered
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_knows_the_commands(hermes: Run, shell: str) -> None:
    ran = hermes("completions", shell)
    assert ran.code == 0
    assert "doctor" in ran.out
    assert "Check that everything works" in ran.out or shell == "bash"
    assert "hermes-ambient" in ran.out
