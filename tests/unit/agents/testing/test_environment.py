"""What variables test processes have."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hermes.agents.testing import environment
from hermes.agents.testing.records import Tree

TREE = Tree(Path("/ours/snapshot/work"), Path("/home/sam/work"), Path("/ours/scratch"))


@pytest.mark.parametrize(
    "name",
    [
        *("HERMES_AMBIENT_HOME", "GIT_DIR", "GIT_INDEX_FILE", "PYTEST_ADDOPTS", "COV_CORE_CONFIG"),
        *("PYTHONPATH", "PYTHONHOME", "PYTHONPYCACHEPREFIX", "VIRTUAL_ENV", "CONDA_PREFIX"),
        *("NOTIFY_SOCKET", "LISTEN_FDS", "DISPLAY", "WAYLAND_DISPLAY", "TMPDIR"),
    ],
)
def test_what_is_ours_or_of_whoever_started_us_is_not_passed_on(name: str) -> None:
    assert name not in environment.plain(TREE, {name: "x", "PATH": "/bin"})


@pytest.mark.parametrize(
    "name", ["HOME", "DATABASE_URL", "GIT_CONFIG_GLOBAL", "LANG", "SSH_AUTH_SOCK"]
)
def test_what_is_the_persons_stays(name: str) -> None:
    assert environment.plain(TREE, {name: "x", "PATH": "/bin"})[name] == "x"


def test_the_projects_programs_come_first_and_ours_are_gone() -> None:
    made = environment.for_python(
        TREE,
        Path("/home/sam/work/.venv/bin/python"),
        Path("/home/sam/work/.venv"),
        is_venv=True,
        environ={"PATH": f"{sys.prefix}/bin:/usr/bin"},
    )
    path = made["PATH"].split(":")
    assert path[0] == "/home/sam/work/.venv/bin"
    assert path[-1] == "/usr/bin"
    assert (f"{sys.prefix}/bin" in path) == (sys.prefix == sys.base_prefix)
    assert made["VIRTUAL_ENV"] == "/home/sam/work/.venv"
