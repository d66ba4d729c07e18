"""The audit: whether memory is healthy, by measures and thresholds, on one screen."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from ...ingest.redaction import redact_all
from ...memory.audit import Measures, Rate, measure, sample
from ...memory.memory import Memory

SAMPLE = 2_000
"""Chunks that are looked through for secrets anew, other ones each day: a second's work. A detector
that has learnt new kinds since finds them in what was taken in before."""
MOST_DUPLICATES = 0.005
"""The night folds every one; a few have come in since it was."""
MOST_NEAR_DUPLICATES = 0.02
"""Two results in a hundred may tell a person nothing new; more is felt in every search."""
MOST_STALE = 0.5
"""With more than half of it done with, memory is an archive: forgetting by date would help."""
MOST_TIMES = 3.0
"""Disk for index and store over what they hold now. Compaction needs twice for a while; past three
times it has not run, or something keeps old versions alive."""
SMALL = 64_000_000
"""Bytes up to which a few old versions of little say nothing."""
STRAY_SHOWN = 3
_KEPT = "audit"
_BATCH = 256_000
"""Bytes that are scanned at once, as the detector likes it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One measure beside what it may be."""

    name: str
    ok: bool
    found: str
    most: str
    """What it may be; empty where there may be none at all."""
    hint: str
    """What to do where it is not."""


@dataclass(frozen=True, slots=True)
class Audit:
    """Measures and what to think of them."""

    measures: Measures
    secrets: Rate
    """Chunks with a secret, of those that were looked at anew."""
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is past its threshold."""
        return all(check.ok for check in self.checks)


def audit(memory: Memory, now: int) -> Audit:
    """Measure memory. Blocking, seconds; it changes nothing."""
    measures = measure(memory, now)
    secrets = find_secrets(sample(memory, SAMPLE, now // 86_400))
    return Audit(measures, secrets, judge(measures, secrets))


def find_secrets(texts: Iterable[str]) -> Rate:
    """Return how many of some texts hold a secret that was not taken out."""
    found = looked = held = 0
    batch: list[bytes] = []
    for text in texts:
        batch.append(text.encode("utf-8", "surrogatepass"))
        held += len(batch[-1])
        looked += 1
        if held >= _BATCH:
            found += sum(count > 0 for count in redact_all(batch)[1])
            batch, held = [], 0
    if batch:
        found += sum(count > 0 for count in redact_all(batch)[1])
    return Rate(found, looked)


def judge(measures: Measures, secrets: Rate) -> tuple[Check, ...]:
    """Return each measure beside what it may be."""
    consolidate = "hermes consolidate folds them"
    disk, stray = measures.disk, measures.stray
    return (
        _rate("duplicates", measures.duplicates, MOST_DUPLICATES, consolidate),
        _rate(
            "near duplicates",
            measures.near_duplicates,
            MOST_NEAR_DUPLICATES,
            "hermes consolidate lets them count for less",
        ),
        _rate(
            "derived",
            measures.derived,
            0.0,
            "no source has brought these chunks: hermes memory rebuild",
        ),
        _rate(
            "orphaned",
            measures.orphaned,
            0.0,
            "their commits left the history; hermes memory check tells whether the next reading"
            " mends that",
        ),
        _rate(
            "stale", measures.stale, MOST_STALE, "hermes forget --before DATE takes old things out"
        ),
        _rate(
            "secrets",
            secrets,
            0.0,
            "hermes memory rebuild reads all again and takes them out; change them where they are"
            " in use",
        ),
        Check(
            "stray files",
            not stray,
            str(len(stray)),
            "",
            f"nothing uses {_listed(stray)} in memory's folder: look, and delete" if stray else "",
        ),
        Check(
            "disk",
            disk.times <= MOST_TIMES or disk.index + disk.store <= SMALL,
            f"{disk.times:.1f} times what is in it",
            f"{MOST_TIMES:.0f} times",
            "hermes consolidate packs it",
        ),
    )


def _rate(name: str, rate: Rate, most: float, hint: str) -> Check:
    return Check(
        name,
        rate.share <= most,
        f"{rate.count:,} of {rate.of:,}",
        f"{100 * most:g} %" if most else "",
        hint,
    )


def _listed(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:STRAY_SHOWN])
    return f"{shown} and {len(names) - STRAY_SHOWN} more" if names[STRAY_SHOWN:] else shown


def line_of(found: Audit) -> str:
    """Return one line on what is past its threshold; empty where nothing is."""
    wrong = [f"{check.name} {check.found}" for check in found.checks if not check.ok]
    return f"memory needs a look: {', '.join(wrong)} (hermes memory audit)" if wrong else ""


def keep_line(memory: Memory, found: Audit) -> None:
    """Keep what the audit line says until the next audit. Raise ReadOnly."""
    kept = {"at": found.measures.at, "line": line_of(found)}
    memory.index.set_setting(_KEPT, json.dumps(kept))


def audit_line(memory: Memory) -> str:
    """Return the line of the last audit that was kept; empty where memory was healthy, or where
    there was none yet."""
    kept = memory.index.setting(_KEPT)
    return str(json.loads(kept)["line"]) if kept else ""
