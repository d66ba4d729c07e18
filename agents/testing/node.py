"""Which Node.js runs a project's JavaScript."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

from .framework import EnvironmentBroken
from .python_places import path_without_ours


def find_node(worktree: Path) -> Path:
    """Return the Node.js that the project asks for, else the one on the PATH.

    ``.nvmrc``, ``.node-version`` and volta's pin in ``package.json`` are looked up in the folders of nvm,
    fnm, nodenv, asdf and volta; nothing is run. Raise EnvironmentBroken, one line: what is missing.
    """
    wanted = _wanted(worktree)
    installed = _installed()
    if wanted is not None:
        fitting = [item for item in installed if item[0][: len(wanted)] == wanted]
        if fitting:
            return max(fitting)[1]
    found = shutil.which("node", path=path_without_ours())
    if found is not None:
        return Path(found)
    if installed:
        return max(installed)[1]
    raise EnvironmentBroken(
        "Node.js is not installed, or not where hermes looks: the PATH, nvm, fnm, volta"
    )


def _wanted(worktree: Path) -> tuple[int, ...] | None:
    for name in (".nvmrc", ".node-version"):
        try:
            text = (worktree / name).read_text("utf-8", "replace")[:200].strip()
        except OSError:
            continue
        if told := re.match(r"v?(\d+(?:\.\d+)*)", text):
            return tuple(map(int, told[1].split(".")))
    try:
        package = json.loads((worktree / "package.json").read_text("utf-8"))
        told = re.match(r"(\d+(?:\.\d+)*)", str(package["volta"]["node"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return tuple(map(int, told[1].split("."))) if told else None


def _installed() -> list[tuple[tuple[int, ...], Path]]:
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    patterns = (
        (Path(os.environ.get("NVM_DIR") or home / ".nvm"), "versions/node/*/bin/node"),
        (Path(os.environ.get("FNM_DIR") or data / "fnm"), "node-versions/*/installation/bin/node"),
        (Path(os.environ.get("NODENV_ROOT") or home / ".nodenv"), "versions/*/bin/node"),
        (Path(os.environ.get("ASDF_DATA_DIR") or home / ".asdf"), "installs/nodejs/*/bin/node"),
        (Path(os.environ.get("VOLTA_HOME") or home / ".volta"), "tools/image/node/*/bin/node"),
    )
    found: list[tuple[tuple[int, ...], Path]] = []
    for root, pattern in patterns:
        for node in root.glob(pattern):
            version = re.search(r"/v?(\d+)\.(\d+)\.(\d+)/", str(node.relative_to(root)))
            if version and os.access(node, os.X_OK):
                found.append((tuple(map(int, version.groups())), node))
    return found
