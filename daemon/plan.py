"""Turns decisions into work for the queue."""

from __future__ import annotations

from dataclasses import asdict

from ..agents.contract import Lane
from ..agents.events import Event, FilesChanged, Noted, Requested, RunAsked
from ..agents.roster import CARDS
from ..agents.router import Decision, lane_of
from .ledger.records import Spec


def to_specs(event: Event, decision: Decision) -> list[Spec]:
    """Given an event and where it goes, return the work that is to be queued."""
    lane = lane_of(event)
    settles = lane is Lane.REACTIVE and event.kind not in ("run_asked", "requested")
    specs: list[Spec] = []
    for route in decision.routes:
        card = CARDS[route.agent]
        spec = Spec(
            agent=route.agent,
            subject=route.subject,
            repo=event.repo,
            lane=lane,
            quiet=card.quiet if settles else 0.0,
            longest=card.longest if settles else 0.0,
            expires_in=card.expires_in,
        )
        specs.append(_filled(spec, event))
    return specs


def _filled(spec: Spec, event: Event) -> Spec:
    """Return the work with what the event has for it."""
    fields = asdict(spec)
    match event:
        case FilesChanged():
            fields |= {"paths": event.paths, "folders": event.folders, "whole": event.whole}
        case Noted():
            fields |= {"paths": event.paths}
        case Requested():
            fields |= {"text": event.text, "alone": True}
        case RunAsked():
            # What differs in more than its name is asked for by itself.
            own = bool(event.text) or event.dry_run
            fields |= {"text": event.text, "dry_run": event.dry_run, "alone": own}
        case _:
            return spec
    return Spec(**fields)
