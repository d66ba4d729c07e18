"""The tools of Q&A."""

from __future__ import annotations

from .memory import search_memory, who_knows
from .registry import Toolbox
from .repo import git_blame, git_log, git_show, read_file

TOOLBOX = Toolbox([search_memory, git_show, git_log, git_blame, read_file, who_knows])
MEMORY_ONLY = Toolbox([search_memory, who_knows])
"""For when no repository can be read."""
EMPTY = Toolbox([])
