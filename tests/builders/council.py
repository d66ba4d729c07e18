"""Opinions and cases with the parts that a test does not care about filled in."""

from __future__ import annotations

from hermes.agents.council.records import Finding, Juror, Opinion, Severity, Vote


def juror(model: str = "m", family: str | None = None, perspective: str = "") -> Juror:
    return Juror("ollama", model, model if family is None else family, perspective)


def finding(title: str = "a hole", severity: Severity = Severity.CRITICAL) -> Finding:
    return Finding(title, severity, ("src/a.py",))


def opinion(
    who: str | Juror = "m",
    vote: Vote = Vote.PASS,
    position: str = "",
    confidence: float = 0.6,
    *,
    round: int = 1,
    insight: str = "",
    reasons: tuple[str, ...] = (),
    findings: tuple[Finding, ...] = (),
    decision: str = "",
    missing: tuple[str, ...] = (),
) -> Opinion:
    seat = juror(who) if isinstance(who, str) else who
    return Opinion(
        seat, vote, position, confidence, insight, reasons, findings, decision, missing, round
    )
