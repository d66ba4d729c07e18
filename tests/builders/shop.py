"""A small repository with something to find."""

from __future__ import annotations

from pathlib import Path

from .git import ALEX, RepoBuilder


def make_shop(path: Path) -> RepoBuilder:
    """Make it at ``path``: three commits on main, one more on side."""
    shop = RepoBuilder(path)
    shop.commit(
        {"worker/queue.py": "def push(job):\n    jobs.append(job)\n"},
        "Add a retry queue\n\nPayments fail now and then; a queue tries them again.",
    )
    shop.commit({"worker/queue.py": None}, "Drop the retry queue\n\nIt hid real errors.")
    shop.commit(
        {"limits/bucket.py": "RATE = 5\n"}, "Limit requests with a token bucket", author=ALEX
    )
    shop.commit({"side.py": "x = 1\n"}, "Try a queue of another kind", branch="side")
    shop.switch("main")
    return shop
