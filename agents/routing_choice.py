"""What the router's rules come to."""

from __future__ import annotations

from dataclasses import dataclass

NONE = "none"
"""What is chosen where nobody has anything to do."""


@dataclass(frozen=True, slots=True)
class Choice:
    """An agent, or NONE, and the rule that chose it."""

    agent: str
    why: str
    sure: bool = True
    """Whether a rule of its own applied; else it is what is left where none did."""
