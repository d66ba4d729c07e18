"""Chooses agents without a model.

It is what the router falls back to, and all it has where no model is wanted.
"""

from __future__ import annotations

from collections.abc import Collection

from .routing_choice import NONE, Choice
from .routing_commits import by_commit
from .routing_facts import Facts
from .routing_messages import by_message
from .routing_requests import by_request


def narrowed(facts: Facts, candidates: tuple[str, ...]) -> tuple[str, ...]:
    """Return the candidates without those that these facts rule out: a message that does not name
    hermes asks it nothing."""
    if facts.kind in ("delivered", "noted") and "hermes" not in facts.says.lower():
        return tuple(name for name in candidates if name != "qa")
    return candidates


def choose(facts: Facts, candidates: Collection[str]) -> Choice:
    """Given facts and the agents to choose from, choose one of them, or NONE.

    A person's request is never dropped: what nobody there can do goes to qa, if it is there.
    """
    match facts.kind:
        case "committed":
            chosen = by_commit(facts)
        case "requested":
            chosen = by_request(facts)
        case "delivered" | "noted":
            chosen = by_message(facts)
        case _:
            chosen = Choice(NONE, "no rule wants more than what must run")
    if chosen.agent == NONE or chosen.agent in candidates:
        return chosen
    why = f"{chosen.why}; that would be for {chosen.agent}, which is not installed"
    if facts.kind == "requested" and "qa" in candidates:
        return Choice("qa", why)
    return Choice(NONE, why)
