"""``hermes brief``: today's brief, or another."""

from __future__ import annotations

from . import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from .output import Output


def declare(name: str, parser: argparse.ArgumentParser) -> None:
    """Declare the options."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Not built yet."""
    return exits.FAILED
