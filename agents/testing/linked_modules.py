"""Bring a project's node_modules into a snapshot without copying it.

It is large, and nothing runs without it. A link to the folder as a whole would let tools write
through it into the person's tree (``node_modules/.vite``, ``node_modules/.cache``), and would lead
packages of a workspace (links to ``../packages/x``) back to the worktree. So the folder is a real one, with
a link for each package. Links that are in it already (workspaces, pnpm) are made again as they
are, and lead to the snapshot's own files. What writes into an installed package's own folder
would still reach the original; test tools don't.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

_OWN_CACHES = frozenset({".cache", ".vite", ".vitest", ".vite-temp", ".package-lock.json", ".tmp"})
"""Written at run time: each tree has its own."""


def link_modules(source: str, target: str) -> None:
    """Make the folder ``target`` have what ``source`` has. Raise OSError."""
    if os.path.islink(target) or not os.path.isdir(target):
        with suppress(FileNotFoundError):
            os.unlink(target)
        os.makedirs(target)
    wanted: dict[str, str] = {}
    scopes: list[str] = []
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name in _OWN_CACHES:
                continue
            if entry.is_symlink():
                wanted[entry.name] = os.readlink(entry.path)
            elif entry.name.startswith("@") and entry.is_dir():
                scopes.append(entry.name)
            else:
                wanted[entry.name] = entry.path
    with os.scandir(target) as entries:
        for entry in entries:
            if entry.name in _OWN_CACHES or (entry.name in scopes and not entry.is_symlink()):
                continue
            if entry.is_symlink() and os.readlink(entry.path) == wanted.get(entry.name):
                del wanted[entry.name]
            elif entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
    for name, leads_to in wanted.items():
        os.symlink(leads_to, os.path.join(target, name))
    for name in scopes:
        link_modules(os.path.join(source, name), os.path.join(target, name))
