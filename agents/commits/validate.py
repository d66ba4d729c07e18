"""What a commit message may not say: checked against the change it is about."""

from __future__ import annotations

from .records import Change, Draft, Facts, Problem, Sources, Style


def parse(text: str, style: Style) -> Draft:
    """Take a message apart: a model's, or a person's."""
    raise NotImplementedError


def problems(
    draft: Draft, change: Change, facts: Facts, style: Style, sources: Sources
) -> list[Problem]:
    """Return all that is wrong with a message; empty: it may stand."""
    raise NotImplementedError
