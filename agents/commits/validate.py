"""What a commit message may not say: checked against the change it is about."""

from __future__ import annotations

import re

from ...ingest.redaction import redact
from .claims import false_claims
from .form import form_problems
from .known import Known
from .mentions import mentions
from .records import Change, Draft, Facts, Problem, Sources, Style

_SCISSORS = re.compile(r"^.{0,3}-{8,} >8 -{8,}")
_TRAILER = re.compile(r"^[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*:? (?=\S)")
_TICKET_TRAILER = re.compile(r"^(?:refs?|fixe?s?|closes?|resolves?|see|part of):? ", re.IGNORECASE)
_KEYED = re.compile(r"^[A-Z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*: \S")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_PREAMBLE = re.compile(
    r"^\W*(?:here(?:'s|\u2019s| is| are)\b|sure\b[,!.]|certainly\b|of course\b|okay\b[,!]|this (?:commit|change|patch|diff|pr"
    r"|pull request)\b|the (?:following|commit message|diff|change)\b|(?:commit )?(?:message|subject|title"
    r"|summary)\s*:|i (?:have|'ve|added|changed|will|would)\b|i've\b|below is\b|based on (?:the|your)\b|as an ai\b"
    r"|in this (?:commit|change)\b|subject line\b|output\s*:|answer\s*:)",
    re.IGNORECASE,
)
_VAGUE_TEXT = """
    a add added and apply bug bugs change changed changes cleanup cleanups code commit do edit edits
    few file files fix fixed fixes general improve improvements in make many minor misc miscellaneous
    modifications modify more other progress several small some stuff the thing things tweak tweaks
    update updated updates updating various wip work
"""
_VAGUE = frozenset(_VAGUE_TEXT.split())
"""Words of which a subject may not consist alone."""
_CHECKED = 20_000
"""Characters of a message whose names are looked up."""
_NAMES = {
    "identifier": "unknown_name",
    "path": "unknown_path",
    "number": "unknown_number",
    "flag": "unknown_flag",
    "ticket": "unknown_ticket",
    "sha": "unknown_commit",
    "address": "unknown_address",
}


def parse(text: str, style: Style) -> Draft:
    """Take a message apart as git would: without its comment lines and what follows scissors.

    The last paragraph is trailers if all of its lines are.
    """
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if _SCISSORS.match(line):
            break
        if not line.startswith(style.comment):
            lines.append(line.rstrip())
    whole = "\n".join(lines).strip("\n")
    subject, _, rest = whole.partition("\n")
    rest = rest.strip("\n")
    head, gap, last = rest.rpartition("\n\n")
    trailers = tuple(last.splitlines())
    if not trailers or not all(_is_trailer(line) for line in trailers):
        return Draft(subject.strip(), rest)
    return Draft(subject.strip(), head.strip("\n") if gap else "", trailers)


def _is_trailer(line: str) -> bool:
    if _KEYED.match(line):
        return True
    return _TICKET_TRAILER.match(line) is not None and any(
        mention.sort in ("ticket", "address") for mention in mentions(line)
    )


def problems(
    draft: Draft, change: Change, facts: Facts, style: Style, sources: Sources
) -> list[Problem]:
    """Return all that is wrong with a message; empty: it may stand."""
    found = content_problems(draft, change, facts, style, sources)
    return found + form_problems(draft, change, style, sources)


def content_problems(
    draft: Draft, change: Change, facts: Facts, style: Style, sources: Sources
) -> list[Problem]:
    """Return what no message may have, in whatever form a repository writes: names that the change
    does not have, secrets, what is no message at all."""
    found = list(_unfit(draft, change, style))
    bare = re.sub(r"^\w+(?:\([^)]*\))?!?: ", "", draft.subject)
    said = set(re.findall(r"[^\s.,!`]+", bare.lower()))
    names = {one.symbol.short.lower() for file in change.files for one in file.symbols}
    if facts.statements and _VAGUE.issuperset(said) and not said & {facts.main.lower(), *names}:
        found.append(Problem("vague", f"{draft.subject!r} does not say what changed"))
    known = Known(change, facts, style, sources)
    told = "\n".join([draft.subject, draft.body, *_checked(draft.trailers)])[:_CHECKED]
    for mention in dict.fromkeys(mentions(told)):
        if not known.has(mention):
            rule = _NAMES[mention.sort]
            what = f"{mention.text!r} is not in the change"
            found.append(Problem(rule, what))
    return found + false_claims(draft, change, facts)


def _checked(trailers: tuple[str, ...]) -> list[str]:
    """Trailers without those that name a person: addresses are checked as form."""
    return [line for line in trailers if "@" not in line]


def _is_scope(opening: str, change: Change) -> bool:
    """``output: …`` in front of a change to ``output.rs`` is no talk about the message."""
    word = opening.partition(":")[0].strip().lower()
    return ":" in opening and any(
        word in re.split(r"[/.]", file.path.lower()) for file in change.files
    )


def _unfit(draft: Draft, change: Change, style: Style) -> list[Problem]:
    found: list[Problem] = []
    subject, text = draft.subject, draft.text
    if not subject.strip():
        return [Problem("empty", "the subject is empty")]
    if _CONTROL.search(text) or "\n" in subject or "\t" in subject:
        found.append(Problem("control", "it has control characters"))
    if (opening := _PREAMBLE.match(subject)) and not _is_scope(opening[0], change):
        found.append(Problem("preamble", f"{subject[:40]!r} talks about the message"))
    if draft.body and re.match(r"^\W*(?:here(?:'s| is)|sure[,!])", draft.body, re.IGNORECASE):
        found.append(Problem("preamble", f"{draft.body[:40]!r} talks about the message"))
    if "```" in text or "~~~" in text:
        found.append(Problem("fence", "it has a code fence"))
    if (
        len(subject) > 2
        and subject[0] == subject[-1]
        and subject[0] in "\"'`"
        and subject.count(subject[0]) == 2
    ):
        found.append(Problem("quotes", "all of the subject is in quotes"))
    if re.match(r"^(?:#{1,6} |\*\*|> )", subject) or re.search(
        r"^#{1,6} \w", draft.body, re.MULTILINE
    ):
        found.append(Problem("heading", "it has a heading, as Markdown has"))
    if any(line.startswith(style.comment) for line in text.splitlines()):
        found.append(Problem("comment", f"a line begins with {style.comment}, git's comment sign"))
    if subject.startswith(("{", "<")) and subject.endswith(("}", ">", "{")):
        found.append(Problem("markup", "the subject is markup, not words"))
    _, secrets = redact(text)
    if secrets:
        found.append(Problem("secret", "it holds what looks like a secret"))
    return found
