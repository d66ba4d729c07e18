"""A verdict as Markdown, to keep in the repository and to be remembered by."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ...memory.council_records import Council, Outcome, Spoken
from ...memory.errors import HermesError
from .codec import from_json
from .docket import Docket
from .records import Case, Opinion, Probability, State, Verdict, Vote

MOST_SLUG = 50
MOST_HEAD = 10_000
"""Characters in which a report has said whose it is."""
IGNORE = "# Reports of hermes. Remove this file to have git see them.\n*\n"


class ReportRefused(HermesError):
    """A report can't be put where it belongs."""

    code = "report"


@dataclass(frozen=True, slots=True)
class Minutes:
    """One council with all that was said in it."""

    council: Council
    docket: Docket
    case: Case
    verdict: Verdict
    spoken: tuple[Spoken, ...]
    outcome: Outcome | None = None

    @property
    def opinions(self) -> tuple[Opinion, ...]:
        """What was said, by round and seat."""
        return tuple(from_json(Opinion, one.opinion) for one in self.spoken)


def state_words(verdict: Verdict) -> str:
    """Return a state as a person reads it."""
    if verdict.state is State.NEEDS_HUMAN and verdict.vote is Vote.ABSTAIN:
        return "no opinion: a person has to decide"
    return verdict.state.words


def probability_words(probability: Probability | None) -> str:
    """Return e.g. ``81 % (23 outcomes with about this support, of 64)``, or ``uncalibrated``."""
    if probability is None:
        return "uncalibrated"
    about = f" on {probability.topic}" if probability.topic else ""
    return f"{probability.value:.0%} ({probability.near} outcomes with about this support, of {probability.n}{about})"


def to_markdown(minutes: Minutes) -> str:
    """Return the report of a council."""
    council, verdict, packet = minutes.council, minutes.verdict, minutes.docket.packet
    day = datetime.fromtimestamp(council.asked).strftime("%Y-%m-%d %H:%M")
    lines = [f"# {_line(packet.question)}", ""]
    lines.append(
        f"Council {council.id}, {day}, {minutes.docket.mode}, preset {minutes.docket.preset}."
    )
    if packet.target:
        lines.append(f"About {_line(packet.target)}.")
    lines += [
        "",
        f"**{state_words(verdict)}**{f' · {_line(verdict.side)}' if verdict.side not in ('', verdict.state) else ''}",
        "",
    ]
    if verdict.decision:
        lines += [_line(verdict.decision), ""]
    lines += [f"- why: {_line('; '.join(verdict.why))}"]
    agreement = verdict.agreement
    lines.append(
        f"- agreement: {agreement.agreeing} of {agreement.of} ({agreement.share:.0%} of the weight)"
    )
    if verdict.claimed is not None:
        lines.append(f"- claimed confidence: {verdict.claimed.mean:.0%}")
    lines.append(f"- calibrated probability: {probability_words(verdict.probability)}")
    if minutes.outcome is not None:
        note = f": {_line(minutes.outcome.note)}" if minutes.outcome.note else ""
        lines.append(f"- turned out {minutes.outcome.result}{note}")
    lines += ["", "## Who said what", ""]
    for one in minutes.opinions:
        reason = one.insight or next(iter(one.reasons), "")
        again = f", round {one.round}" if one.round > 1 else ""
        position = f" “{_line(one.position)}”" if one.position not in ("", str(one.vote)) else ""
        lines.append(
            f"- {one.juror.seat}{again}: {one.vote}{position}, {one.confidence:.0%} sure. {_line(reason)}".rstrip()
        )
    lines += [f"- {one.juror.seat}: no opinion ({_line(one.why)})" for one in verdict.absent]
    if verdict.dissent:
        lines += ["", "## Dissent", ""]
        for side in verdict.sides:
            if side.label in verdict.dissent:
                lines.append(
                    f"- {_line(side.label)} ({', '.join(side.seats)}): {_line('; '.join(side.reasons))}"
                )
    if verdict.shifts:
        lines += ["", "## Changed minds", ""]
        for shift in verdict.shifts:
            change = f"{shift.side_before or shift.before} → {shift.side_after or shift.after}"
            why = shift.reason or "without a new reason: counts half"
            lines.append(f"- {shift.seat}: {_line(change)}. {_line(why)}")
    if verdict.findings:
        lines += ["", "## Findings", ""]
        for raised in verdict.findings:
            finding = raised.finding
            cited = (
                f" ({_line(', '.join(finding.evidence))})"
                if finding.evidence
                else " (no evidence cited)"
            )
            given_up = " Given up without a new reason." if raised.withdrawn else ""
            lines.append(
                f"- {finding.severity}: {_line(finding.title)}{cited}. {_line(finding.recommendation)}{given_up}".rstrip()
            )
    lines += _listed("Missing evidence", verdict.missing)
    lines += _listed("Left out for length", packet.left_out)
    lines += _listed(
        "Decided or gone wrong before",
        [f"{one.kind}, {one.at}, {one.ref}: {one.title}" for one in packet.prior],
    )
    evidence = [f"{piece.kind} {piece.ref}" for piece in packet.pieces]
    evidence += [f"{one.path} {one.kind} +{one.added} -{one.removed}" for one in packet.touched]
    lines += _listed("Evidence", evidence)
    return "\n".join(lines) + "\n"


def _listed(title: str, texts: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *(f"- {_line(text)}" for text in texts)] if texts else []


def _line(text: str) -> str:
    """Keep a text on its line, and its marks of Markdown without effect."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def slug_of(question: str) -> str:
    """Return a file's name for a question: letters and digits of any language, joined by dashes."""
    plain = unicodedata.normalize("NFKC", question).casefold()
    slug = "-".join(re.findall(r"\w+", plain.replace("_", " ")))
    short = slug[:MOST_SLUG].rpartition("-")[0] if len(slug) > MOST_SLUG else slug
    return short or slug[:MOST_SLUG] or "question"


def write_report(worktree: Path, folder: str, minutes: Minutes) -> Path:
    """Write a report into a folder of a working tree and return where; one that is there already
    of the same council is left as it is. Git does not see the folder unless a person removes the
    .gitignore in it. Nothing that is there is written over, and no link is followed: a repository
    must not lead us elsewhere. Raise ReportRefused."""
    at = worktree
    try:
        parts = Path(folder).parts
        for number, part in enumerate(parts, 1):
            at = at / part
            if at.is_symlink() or (at.exists() and not at.is_dir()):
                raise ReportRefused(f"{at} is no folder", hint="set council.report to another one")
            if not at.exists():
                at.mkdir()
                if number == len(parts):
                    _write(at / ".gitignore", IGNORE)
        day = datetime.fromtimestamp(minutes.council.asked).strftime("%Y-%m-%d")
        name = f"{day}-{slug_of(minutes.council.question)}"
        text = to_markdown(minutes)
        for attempt in range(1, 1_000):
            path = at / (f"{name}.md" if attempt == 1 else f"{name}-{attempt}.md")
            if not os.path.lexists(path):
                _write(path, text)
                return path
            if _head(path) == _head_of(text):
                return path
    except OSError as error:
        raise ReportRefused(f"{at} can't be written: {error.strerror}") from error
    raise ReportRefused(f"there are too many reports called {name} in {at}")


def _head_of(text: str) -> list[str]:
    """Return the lines that tell whose report it is: the question, the number, when it was asked."""
    return text.splitlines()[:3]


def _head(path: Path) -> list[str]:
    """Return the same of a file; nothing of a link, or of what is no file."""
    if path.is_symlink() or not path.is_file():
        return []
    with path.open(encoding="utf-8", errors="replace") as file:
        return _head_of(file.read(MOST_HEAD))


def _write(path: Path, text: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, 0o644), "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
