"""Errors that are planted in real commit subjects, to see whether the validator catches them.

Each kind makes a false message out of a real one and its change, or None where it can't. ``HARD``
kinds name what does stand in the diff, but not as they claim; they are counted apart.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...agents.commits.mentions import Mention, mentions
from ...agents.commits.records import Change, Facts
from ...agents.commits.style import without_prefix


class About(Protocol):
    """What a plant knows of a commit."""

    @property
    def change(self) -> Change:
        """What the commit did."""
        ...

    @property
    def facts(self) -> Facts:
        """What was computed of it."""
        ...


@dataclass(frozen=True)
class Garden:
    """Where what is planted comes from."""

    chance: random.Random
    others: Sequence[str]
    """Subjects of other commits of the same repository."""


Plant = Callable[[str, About, Garden], str | None]

FOREIGN_NAMES = (
    "render_invoice",
    "PaymentGateway",
    "parseLedger",
    "Ledger.settle",
    "flush_quota()",
)
FOREIGN_PATHS = (
    "billing/ledger.py",
    "src/payments/gateway.rs",
    "invoices/render.go",
    "ledger.toml",
)
FOREIGN_FLAGS = ("--settle-now", "--invoice-path", "--no-ledger")
SECRET = "ghp_" + "".join(chr(97 + (7 * i) % 26) if i % 3 else str(i % 10) for i in range(36))
_NUMBER = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)*(?![\w.])")
_FLAG = re.compile(r"(?<![\w\-])--[a-z][a-z0-9\-]+[a-z0-9]")
_FROM_TO = re.compile(r"\bfrom (?P<a>v?\d[\w.]*) to (?P<b>v?\d[\w.]*\w)")
_RENAMED = re.compile(r"^(?P<verb>renames) (?P<a>[\w.\-]+) to (?P<b>[\w.\-]+)$")
_TURNED = re.compile(
    r"(?P<head>\b[Rr]enam\w+ |\b[Rr]eplace )(?P<a>\S+)(?P<mid> to | with | by )(?P<b>\S+)"
)
_ADDED = re.compile(r"^(?:adds) (?P<name>[\w.\-]+)$")
_REMOVED = re.compile(r"^(?:removes) (?:the )?(?P<name>[\w.\-]+)(?: class)?$")


def lines_of(change: Change, signs: str = "+- ") -> str:
    """Return the lines of a change that have one of the signs."""
    return "\n".join(
        line[1:]
        for file in change.files
        for hunk in file.hunks
        for line in hunk.lines
        if line[0] in signs
    )


def _after(words: Sequence[str], before: str) -> Plant:
    return lambda subject, about, garden: f"{subject} {before} {garden.chance.choice(words)}"


def _wrong_number(subject: str, about: About, garden: Garden) -> str | None:
    other = str(garden.chance.randint(4_000, 90_000))
    numbers = list(_NUMBER.finditer(subject))
    if not numbers:
        return f"{subject} after {other} seconds"
    match = garden.chance.choice(numbers)
    return subject[: match.start()] + re.sub(r"\d+$", other, match[0]) + subject[match.end() :]


def _near_number(subject: str, about: About, garden: Garden) -> str | None:
    """A number of the subject that is one more."""
    numbers = list(_NUMBER.finditer(subject))
    if not numbers:
        return None
    match = garden.chance.choice(numbers)
    other = re.sub(r"\d+$", lambda found: str(int(found[0]) + 1), match[0])
    if re.search(rf"(?<![\d.]){re.escape(other)}(?![\d])", lines_of(about.change)):
        return None  # it stands elsewhere: that is the hard kind
    return subject[: match.start()] + other + subject[match.end() :]


def _number_elsewhere(subject: str, about: About, garden: Garden) -> str | None:
    numbers = list(_NUMBER.finditer(subject))
    if not numbers:
        return None
    match = garden.chance.choice(numbers)
    dotted = "." in match[0]
    found: list[str] = _NUMBER.findall(lines_of(about.change))
    there = {one for one in found if ("." in one) == dotted}
    there -= {one.group() for one in numbers}
    if not there:
        return None
    return subject[: match.start()] + garden.chance.choice(sorted(there)) + subject[match.end() :]


def _flag_elsewhere(subject: str, about: About, garden: Garden) -> str | None:
    match = _FLAG.search(subject)
    found: list[str] = _FLAG.findall(lines_of(about.change))
    there = set(found) - set(_FLAG.findall(subject))
    if match is None or not there:
        return None
    return subject[: match.start()] + garden.chance.choice(sorted(there)) + subject[match.end() :]


def _option_only_named(subject: str, about: About, garden: Garden) -> str | None:
    """An option is said to be new that stands in lines that stay."""
    there = set(_FLAG.findall(lines_of(about.change, " "))) - set(
        _FLAG.findall(lines_of(about.change, "+"))
    )
    return f"Add the option {garden.chance.choice(sorted(there))}" if there else None


def _names(text: str) -> list[Mention]:
    return [
        one
        for one in mentions(text)
        if one.sort in ("identifier", "flag", "path") and len(one.text) > 3
    ]


def _foreign_inside(subject: str, about: About, garden: Garden) -> str | None:
    """A name of another commit of the same repository in a real one's place."""
    own = _names(subject)
    if not own:
        return None
    text = (lines_of(about.change) + " ".join(file.path for file in about.change.files)).lower()
    pool = sorted(
        {
            one.text
            for other in garden.others
            for one in _names(other)
            if one.text.strip("`().-").lower() not in text
            and not any(
                len(part) > 3 and part in text for part in re.findall(r"\w+", one.text.lower())
            )
        }
    )
    if not pool:
        return None
    return subject.replace(garden.chance.choice(own).text, garden.chance.choice(pool), 1)


def _renamed(subject: str, about: About, garden: Garden) -> str | None:
    names = [
        one.text for one in mentions(subject) if one.sort == "identifier" and len(one.text) > 4
    ]
    if not names:
        return None
    name = garden.chance.choice(names)
    bare = name.rstrip("()")
    at = garden.chance.randrange(1, len(bare) - 1)
    made = garden.chance.choice(
        (
            bare[:-1] + "_q" + bare[-1:],
            bare[:at] + bare[at + 1 :] if bare[at].isalpha() else bare + "er",
            f"{bare}_all" if "_" in bare else f"{bare}Impl",
            "_".join(reversed(bare.split("_"))) if "_" in bare.strip("_") else f"Base{bare}",
        )
    )
    if made.lower() in lines_of(about.change).lower() or made == bare:
        return None
    return subject.replace(name, made + name[len(bare) :])


def _direction(subject: str, about: About, garden: Garden) -> str | None:
    match = _TURNED.search(subject)
    if match is not None and match["a"].strip("`") != match["b"].strip("`"):
        # Only where the diff has both: else the real subject can't be held to it either.
        text = lines_of(about.change) + "\n".join(
            f"{f.path} {f.old_path}" for f in about.change.files
        )
        if all(match[name].strip("`'\".,") in text for name in "ab"):
            head = subject[: match.start()] + match["head"] + match["b"] + match["mid"] + match["a"]
            return head + subject[match.end() :]
    for statement in about.facts.statements:
        told = _RENAMED.match(statement)
        if told is not None:
            return f"Rename {told['b']} to {told['a']}"
    return None


def _version_order(subject: str, about: About, garden: Garden) -> str | None:
    match = _FROM_TO.search(subject)
    if match is not None and match["a"] != match["b"]:
        return (
            f"{subject[: match.start()]}from {match['b']} to {match['a']}{subject[match.end() :]}"
        )
    for one in about.facts.dependencies:
        if one.before and one.after and re.fullmatch(r"v?[\d.]+\d", one.before):
            return f"Bump {one.name} from {one.after} to {one.before}"
    version = about.facts.version
    return f"Bump the version from {version[1]} to {version[0]}" if version else None


def _wrong_verb(subject: str, about: About, garden: Garden) -> str | None:
    """What came is said to be removed, what went to be added."""
    for statement in about.facts.statements:
        if (told := _ADDED.match(statement)) is not None:
            return f"Remove `{told['name']}`"
        if (told := _REMOVED.match(statement)) is not None:
            return f"Add `{told['name']}`"
    return None


def _wrong_ticket(subject: str, about: About, garden: Garden) -> str | None:
    match = re.search(r"#(\d+)", subject)
    if match is not None:
        other = f"#{int(match[1]) + garden.chance.choice((-2, -1, 1, 2, 10))}"
        return subject[: match.start()] + other + subject[match.end() :]
    number = garden.chance.choice(
        (garden.chance.randint(70_000, 99_999), garden.chance.randint(1, 900))
    )
    return f"{subject} (#{number})"


def _wrong_type(subject: str, about: About, garden: Garden) -> str | None:
    bare = without_prefix(subject, "conventional")
    return f"feet(core): {bare}" if bare != subject else f"feat: {bare}"


PLANTS: dict[str, Plant] = {
    "wrong_number": _wrong_number,
    "near_number": _near_number,
    "wrong_version": lambda subject, about, garden: (
        f"{subject} for v{garden.chance.randint(30, 90)}.{garden.chance.randint(30, 90)}.1"
    ),
    "wrong_version_order": _version_order,
    "wrong_direction": _direction,
    "wrong_verb": _wrong_verb,
    "option_only_named": _option_only_named,
    "foreign_inside": _foreign_inside,
    "foreign_identifier": _after(FOREIGN_NAMES, "in"),
    "foreign_path": _after(FOREIGN_PATHS, "of"),
    "invented_flag": _after(FOREIGN_FLAGS, "with"),
    "invented_variable": _after(("LEDGER_TIMEOUT", "INVOICE_API_URL"), "by"),
    "wrong_ticket": _wrong_ticket,
    "foreign_commit": lambda subject, about, garden: (
        f"{subject} as in {garden.chance.randbytes(5).hex()}a1"
    ),
    "renamed_symbol": _renamed,
    "preamble": lambda subject, about, garden: garden.chance.choice(
        (f"Here is the commit message: {subject}", f"This commit {subject}", f"Sure! {subject}")
    ),
    "fence": lambda subject, about, garden: f"{subject}\n\n```\n{subject}\n```",
    "heading": lambda subject, about, garden: f"{subject}\n\n## Summary\n- {subject}",
    "quotes": lambda subject, about, garden: None if '"' in subject else f'"{subject}"',
    "over_length": lambda subject, about, garden: subject + " and all that was around it" * 4,
    "wrong_type": _wrong_type,
    "secret": lambda subject, about, garden: f"{subject}\n\nUse the token {SECRET}",
    "comment_line": lambda subject, about, garden: f"{subject}\n\n# this line is lost",
    "escape": lambda subject, about, garden: f"{subject} \x1b[31m",
    "vague": lambda subject, about, garden: garden.chance.choice(
        ("Update files", "misc changes", "Fix")
    ),
    "empty": lambda subject, about, garden: " ",
    "number_elsewhere": _number_elsewhere,
    "flag_elsewhere": _flag_elsewhere,
}
HARD = frozenset({"number_elsewhere", "flag_elsewhere"})
RARE = (
    frozenset(
        {"near_number", "wrong_version_order", "wrong_direction", "wrong_verb", "option_only_named"}
        | {"foreign_inside", "renamed_symbol"}
    )
    | HARD
)
"""Kinds that few subjects allow: tried on each of them."""
