"""Drafts by rule: what a change is, said as this repository says it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from .mentions import is_name
from .paths import name_of
from .records import Change, Draft, Facts, Sources, Style
from .verbs import in_mood

_TICKET_FORMS = {"prefix": "{key}:", "suffix": "({key})", "trailer": "Refs: {key}", "none": ""}
_TYPES = {
    "feat": ("feat", "feature"),
    "fix": ("fix", "bugfix"),
    "docs": ("docs", "doc", "chore"),
    "test": ("test", "tests", "chore"),
    "refactor": ("refactor", "chore"),
    "build": ("build", "deps", "chore"),
    "ci": ("ci", "build", "chore"),
    "style": ("style", "chore", "refactor"),
    "chore": ("chore", "build"),
    "perf": ("perf", "refactor", "fix"),
}
"""What a kind may be called, best first, where a repository has not all of the types."""
_EMOJI = {
    "feat": ("✨", ":sparkles:"),
    "fix": ("🐛", ":bug:"),
    "docs": ("📝", ":memo:"),
    "test": ("✅", ":white_check_mark:"),
    "refactor": ("♻️", ":recycle:"),
    "build": ("⬆️", ":arrow_up:"),
    "ci": ("👷", ":construction_worker:"),
    "style": ("🎨", ":art:"),
    "chore": ("🔧", ":wrench:"),
    "perf": ("⚡️", ":zap:"),
}
_WORD = re.compile(r"(?<![\w/.\-])(?:--)?[\w.]+(?:-\w+)*(?:\(\))?(?![\w/])")
_FILE = re.compile(
    r"\.(?:md|mdx|rst|txt|toml|ya?ml|json|cfg|ini|pyi?|go|rs|[jt]sx?|rb|c|h|java|png|svg|html|css|lock|sh)\b"
)
_UNRELATED = 4
"""Telling facts from which a body lists them even where bodies are rare."""
_MOST_LINES = 6


def drafts(change: Change, facts: Facts, style: Style, sources: Sources, n: int) -> list[Draft]:
    """Return at most ``n`` drafts that differ in what they stress, best first; none of a change
    that is empty."""
    if change.empty or n < 1:
        return []
    found: dict[str, Draft] = {}
    for statement in _candidates(facts, style):
        subject = _subject(statement, facts, style, sources)
        if subject and subject not in found and subject != style.previous:
            found[subject] = _draft(subject, statement, facts, style, sources)
        if len(found) == n:
            break
    return list(found.values())


def _candidates(facts: Facts, style: Style) -> Iterator[str]:
    """Yield statements that may be a subject: those that say most first, then shorter forms."""
    if style.language != "en":
        name = name_of(facts.main_path) or facts.main
        yield f"{name}: {facts.main}" if facts.main not in ("", name) else name
        yield name
        return
    if facts.version is not None and facts.reason == "the project's version" and style.release:
        new = facts.version[1]
        if "dev" not in new:  # that begins the work on a version, and releases none
            bare = new.lstrip("v") if "v{" in style.release else new
            yield style.release.replace("{version}", bare)
    yield from (_verbed(statement, style) for statement in facts.statements)
    yield from (_shorter(_verbed(statement, style)) for statement in facts.statements)
    if facts.main_path:
        yield f"updates {name_of(facts.main_path)}"


def _verbed(statement: str, style: Style) -> str:
    if statement.startswith("bumps ") and not statement.startswith("bumps the version"):
        return f"{style.bump}s" + statement.removeprefix("bumps")
    return statement


def _shorter(statement: str) -> str:
    """Leave out where it is, then what names are in."""
    short = (
        re.sub(r" (?:in|to|from) \S+$", "", statement) if " from " not in statement else statement
    )
    if short != statement or _FILE.search(statement):
        return short
    return re.sub(r"\b[A-Za-z_]\w*\.(?=[A-Za-z_])", "", statement)


def _subject(statement: str, facts: Facts, style: Style, sources: Sources) -> str:
    """Return a statement as a subject; empty where it is too long for one."""
    if facts.kind == "fix" and style.form == "conventional" and statement.startswith("updates "):
        statement = "corrects" + statement.removeprefix("updates")
    text = in_mood(statement, style.mood)
    if style.language == "en":
        first = text.split(" ", 1)[0]
        if not is_name(first):
            text = (text[:1].upper() if style.upper else text[:1].lower()) + text[1:]
        if style.ticks:
            text = _ticked(text)
    text = _prefix(facts, style) + text
    if style.emoji:
        code = any(example.startswith(":") for example in style.examples)
        text = f"{_EMOJI.get(facts.kind, _EMOJI['chore'])[code]} {text}"
    if style.period:
        text += "."
    if sources.ticket is not None and style.ticket in ("prefix", "suffix"):
        written = _ticket_form(style).replace("{key}", sources.ticket.key)
        if style.ticket == "prefix":
            text = f"{written} {text}"
        else:
            text += written if written.startswith(",") else f" {written}"
    return text if len(text) <= style.length else ""


def _ticked(text: str) -> str:
    """Put names of code into backticks; files and versions stay as they are."""
    if "`" in text:
        return text

    def tick(match: re.Match[str]) -> str:
        word = match[0]
        code = word.startswith("--") or (
            is_name(word) and not re.fullmatch(r"v?\d[\w.]*", word) and not _FILE.search(word)
        )
        return f"`{word}`" if code else word

    return _WORD.sub(tick, text)


def _prefix(facts: Facts, style: Style) -> str:
    if style.form == "scoped":
        return f"{_scope(facts, style) or facts.scope or 'all'}: "
    if style.form != "conventional":
        return ""
    kind = facts.kind
    if facts.dependencies and facts.reason == "dependencies" and style.bump_prefix:
        return style.bump_prefix
    for name in _TYPES.get(kind, (kind,)):
        if not style.types or name in style.types:
            kind = name
            break
    else:
        kind = style.types[0]
    scope = _scope(facts, style) if style.scoped else ""
    return f"{kind}({scope}): " if scope else f"{kind}: "


def _scope(facts: Facts, style: Style) -> str:
    """Return the scope in use that fits; where none is in use, the one that the paths give."""
    parts = [facts.scope, *reversed(re.split(r"[/.]", facts.main_path)[:-1])]
    known = {scope.lower(): scope for scope in style.scopes}
    for part in parts:
        if part and part.lower() in known:
            return known[part.lower()]
    if facts.kind in ("docs", "test", "build", "ci", "chore") or len(facts.scope) > 20:
        return ""
    small = all(scope == scope.lower() for scope in style.scopes)
    return facts.scope.lower() if small else facts.scope


def _ticket_form(style: Style) -> str:
    return style.ticket_form or _TICKET_FORMS[style.ticket]


def _draft(subject: str, statement: str, facts: Facts, style: Style, sources: Sources) -> Draft:
    trailers: list[str] = []
    ticket = sources.ticket
    if ticket is not None and style.ticket == "trailer":
        trailers.append(_ticket_form(style).replace("{key}", ticket.key))
    if style.sign_off:
        trailers.append(f"Signed-off-by: {style.sign_off}")
    why = [f"what: {statement}"]
    if style.form == "conventional":
        why.append(f"type {facts.kind}: {facts.reason}")
    why += [f"style: {note}" for note in style.notes]
    if ticket is not None and style.ticket != "none":
        why.append(f"ticket {ticket.key}: from the {ticket.source or 'branch'}")
    body = _body(statement, facts, style)
    return replace(Draft(subject, body), trailers=tuple(trailers), why=tuple(why))


def _body(statement: str, facts: Facts, style: Style) -> str:
    """List what the subject does not say, where messages have bodies or much else changed."""
    if style.language != "en":
        return ""
    others = [one for one in facts.statements if one != statement and not one.startswith("updates")]
    if len(others) < (1 if style.body else _UNRELATED):
        return ""
    lines = [*others[:_MOST_LINES]]
    if facts.aside and facts.aside != statement:
        lines.append(facts.aside)
    return "\n".join(_bullet(in_mood(line, style.mood), style) for line in lines)


def _bullet(text: str, style: Style) -> str:
    text = text[:1].upper() + text[1:]
    line = "- "
    lines: list[str] = []
    for word in text.split(" "):
        if len(line) + len(word) > style.wrap and line.strip() not in ("", "-"):
            lines.append(line.rstrip())
            line = "  "
        line += word + " "
    return "\n".join([*lines, line.rstrip()])
