"""Against loops: work that keeps failing in the same way, or runs too often, is held for a while.

Work that a person asked for is never held.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from ...agents.contract import Lane, NotReady
from .causes import normalise

FAILURES = 3
"""So many identical failures open the breaker."""
FIRST_HOLD = 15 * 60.0
"""Seconds it is held the first time; each further identical failure doubles them."""
LONGEST_HOLD = 6 * 3600.0
RUNS_AN_HOUR = 240
"""Runs of one key in which something was done; more come at `SPACING`."""
SPACING = 60.0
"""Seconds from one run to the next of what runs too often: a loop gets slow, and a busy day's
commits are found a minute later at worst."""
HOUR = 3600.0


def key_of(agent: str, repo: str | None, subject: str) -> str:
    """Return the key of work that counts as the same."""
    return "/".join((agent, repo or "", subject))


def failed(db: sqlite3.Connection, key: str, error: Mapping[str, Any], now: float) -> None:
    """Count a failure; open the breaker at the third identical one in a row.

    What is merely not ready does not count: it comes back by itself and is waited for already.
    """
    code = str(error.get("code", ""))
    if code == NotReady.code:
        return
    cause = f"{code}: {normalise(str(error.get('error', '')))}"
    row = db.execute(
        "SELECT failures, openings FROM breakers WHERE key = ? AND cause = ?", (key, cause)
    ).fetchone()
    failures, openings = row if row else (0, 0)
    failures += 1
    until = now
    if failures >= FAILURES:
        until = now + min(FIRST_HOLD * 2**openings, LONGEST_HOLD)
        openings = min(openings + 1, 30)
    db.execute(
        "INSERT OR REPLACE INTO breakers (key, cause, failures, openings, at, until)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (key, cause, failures, openings, now, until),
    )


def succeeded(db: sqlite3.Connection, key: str) -> None:
    """Close the breaker, and forget what failed before."""
    db.execute("DELETE FROM breakers WHERE key = ?", (key,))


def held_for(db: sqlite3.Connection, key: str, lane: Lane, now: float) -> float:
    """Return for how many more seconds work of this key must wait; 0 if it need not."""
    if lane is Lane.ON_DEMAND:
        return 0.0
    row = db.execute("SELECT at, until FROM breakers WHERE key = ?", (key,)).fetchone()
    if not row:
        return 0.0
    at, until = float(row[0]), float(row[1])
    if at > now:  # the clock was put back: it is held as long as was meant, counted from here
        until -= at - now
        db.execute("UPDATE breakers SET at = ?, until = ? WHERE key = ?", (now, until, key))
    return max(0.0, until - now)


def count_run(db: sqlite3.Connection, key: str, lane: Lane, now: float) -> float:
    """Count a run that is about to start; return 0 if it may, else the seconds until it may."""
    if lane is Lane.ON_DEMAND:
        return 0.0
    # Runs that seem to come from the future were before the clock was put back: let go.
    db.execute("DELETE FROM runs WHERE at <= ? OR at > ?", (now - HOUR, now + 1))
    times = db.execute("SELECT at FROM runs WHERE key = ? ORDER BY at", (key,)).fetchall()
    if len(times) >= RUNS_AN_HOUR:
        hold = min(float(times[-RUNS_AN_HOUR][0]) + HOUR, float(times[-1][0]) + SPACING) - now
        if hold > 0:
            return max(1.0, hold)
    db.execute("INSERT INTO runs (key, at) VALUES (?, ?)", (key, now))
    return 0.0


def forget_run(db: sqlite3.Connection, key: str) -> None:
    """Take back the last run that was counted: it gave way, or there was nothing to do."""
    db.execute(
        "DELETE FROM runs WHERE id ="
        " (SELECT id FROM runs WHERE key = ? ORDER BY at DESC, id DESC LIMIT 1)",
        (key,),
    )


def seen(db: sqlite3.Connection, key: str, digest: str) -> bool:
    """Return whether the work of this key last ended well with just this input."""
    row = db.execute("SELECT digest FROM inputs WHERE key = ?", (key,)).fetchone()
    return row is not None and row[0] == digest


def mark_done(db: sqlite3.Connection, key: str, digest: str) -> None:
    """Remember the input with which the work of this key ended well."""
    db.execute("INSERT OR REPLACE INTO inputs (key, digest) VALUES (?, ?)", (key, digest))
