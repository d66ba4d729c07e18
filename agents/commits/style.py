"""How a repository writes its commit messages, learnt from its history."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...ingest.git.words import decode_text
from ..project_settings import ProjectCommits
from .records import Form, Mood, Place, Style
from .ticket_habit import ticket_in
from .verbs import mood_of

MESSAGES = 200
"""Messages that are learnt from, newest first."""
FEWEST = 5
"""Below that nothing is learnt: careful defaults."""
_READ = 600
"""Commits that are looked at to find them."""
_MESSAGE_LIMIT = 10_000
_OWN_WEIGHT = 3.0
"""Of a message by the person who commits; a colleague's is 1."""
_HALF_LIFE = 100
"""Messages after which one counts half: habits change."""
_EXAMPLES = 8

TYPES = (
    *("feat", "fix", "docs", "test", "refactor", "build", "ci", "style", "chore", "perf"),
    *("revert", "feature", "deps", "tests", "doc", "release", "bugfix", "hotfix", "security"),
)
"""Types of the Conventional Commits convention, and others in use with its form."""

CONVENTIONAL = re.compile(
    rf"(?P<type>{'|'.join(sorted(TYPES, key=len, reverse=True))})"
    r"(?:\((?P<scope>[^()\s][^()]{0,40})\))?(?P<breaking>!)?: (?=\S)",
    re.IGNORECASE,
)
SCOPED = re.compile(r"(?P<scope>[A-Za-z_.][\w./\-]{0,30})(?:, [\w./\-]+)*: (?=\S)")
EMOJI = re.compile(
    r"^\s*(?::[a-z0-9_+\-]{2,30}:|[\u2190-\u2bff\u3030\u303d\U0001f000-\U0001faff]\ufe0f?)\s*"
)
SQUASH = re.compile(r" \(#\d+\)$")
"""What a code host appends when it squashes a pull request."""
BOT = re.compile(
    r"\[bot\]|\bbots?@|dependabot|renovate|pre-commit-ci|github-actions|pyup-bot|greenkeeper"
    r"|snyk-bot|allcontributors|weblate",
    re.IGNORECASE,
)
_REPEATED = re.compile(r"^(?:Revert \"|Merge |fixup! |squash! |amend! |Reapply \")")
_TRAILER = re.compile(r"^(?P<name>[A-Z][A-Za-z]*(?:-[A-Za-z]+)*): \S")
_PERSONAL = re.compile(
    r"^(?:Signed-off-by|Co-authored-by|Reviewed-by|Acked-by|Tested-by|Reported-by|Suggested-by"
    r"|Change-Id|Cc|Helped-by|Approved-by)$",
    re.IGNORECASE,
)
_RELEASE = re.compile(
    r"^(?P<before>(?:[A-Za-z ]{0,24}(?:\(release\): )?)??\bv?)(?P<version>\d+\.\d+(?:\.\d+)?\w*)$"
)
_BUMP = re.compile(r"\b(?P<verb>bump|update|upgrade)s?(?:d|ed)? .*\bto v?\d", re.IGNORECASE)
_ENGLISH = re.compile(
    r"\b(?:a|an|the|of|to|in|for|from|with|and|or|not|on|by|when|as|is|are|be|if|into|instead|use[sd]?"
    r"|add(?:s|ed|ing)?|fix(?:es|ed|ing)?|remov(?:e|es|ed|ing)|updat(?:e|es|ed|ing)|improve[sd]?|make"
    r"|allow|support|handle|test|tests|docs|release|version|bump|change|changes|move|rename|drop"
    r"|document|error|file|more|new|typo|refactor|implement|ensure|avoid|support|clean|create"
    r"|delete|set|show|revert|merge|initial|commit|work|code|better|all|no|up|out)\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"[^\W\d_a-zA-Z]|\b(?:der|die|das|und|den|ein|eine|f\u00fcr|mit|nicht|auf|le|la|les|des|du|une|pour|avec|dans|sur"
    r"|el|los|las|del|una|para|por|con|il|lo|gli|di|che|per|non|het|een|van|voor|met|niet|og|och|att|ett"
    r"|nie|si|que|os|em|ao)\b",
    re.IGNORECASE,
)
"""Letters that English has not, and frequent words of languages written without them."""
_TELLING = 25
"""Different subjects without an English word that are no chance."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the history."""

    subject: str
    body: str
    weight: float
    squashed: bool
    """Made by a code host from a pull request: its number and body are the host's."""
    bot: bool = False


def learn(git: Git, project: ProjectCommits, *, rev: str = "HEAD") -> Style:
    """Learn from the last 200 messages that ``rev`` reaches, without merges, reverts and bots.

    Messages by the person who commits (user.email) weigh more, and newer ones more than older.
    What ``project`` sets outweighs what is learnt. Raise a GitError subclass.
    """
    config = _config(git)
    email = config.get("user.email", "").lower()
    said = _history(git, rev, email)
    learnt = _learnt([one for one in said if not one.bot][:MESSAGES], said)
    sign_off = ""
    if config.get("format.signoff", "").lower() in ("true", "yes", "on", "1") and email:
        sign_off = f"{config.get('user.name', '')} <{config['user.email']}>".strip()
    comment = config.get("core.commentstring") or config.get("core.commentchar") or "#"
    learnt = replace(learnt, sign_off=sign_off, comment="#" if comment == "auto" else comment)
    return overridden(learnt, project)


def overridden(style: Style, project: ProjectCommits) -> Style:
    """Put what ``.hermes.toml`` says over what was learnt."""
    if project.form is not None:
        style = replace(style, form=project.form)
        if project.form == "conventional" and not style.types:
            style = replace(style, types=TYPES[:10], upper=False)
    if project.types:
        style = replace(style, types=project.types)
    if project.scopes:
        style = replace(style, scopes=project.scopes, scoped=True)
    if project.length is not None:
        style = replace(style, length=project.length, usual=min(style.usual, project.length))
    if project.case is not None:
        style = replace(style, upper=project.case == "upper")
    if project.body is not None:
        style = replace(style, body=project.body)
    if project.ticket is not None:
        form = style.ticket_form if style.ticket == project.ticket else _FORMS[project.ticket]
        style = replace(style, ticket=project.ticket, ticket_form=form)
    if project.emoji is not None:
        style = replace(style, emoji=project.emoji)
    return style


_FORMS: dict[Place, str] = {
    "prefix": "{key}:",
    "suffix": "({key})",
    "trailer": "Refs: {key}",
    "none": "",
}


def _config(git: Git) -> dict[str, str]:
    try:
        said = git.run("config", "--list", "-z").decode("utf-8", "replace")
    except GitError:
        return {}
    pairs = (entry.partition("\n") for entry in said.split("\0") if entry)
    return {name.lower(): value if separator else "true" for name, separator, value in pairs}


def _history(git: Git, rev: str, email: str) -> list[Said]:
    """Return the messages that ``rev`` reaches, newest first; none before the first commit."""
    try:
        printed = git.run(
            *("log", "-z", "--no-merges", f"--max-count={_READ}", "--encoding=UTF-8"),
            *("--no-show-signature", "--no-notes", "--no-mailmap", "--no-patch"),
            *("--format=tformat:%ae%x01%an%x01%ce%x01%B", "--end-of-options", rev, "--"),
        )
    except GitError:
        if not git.run("rev-parse", "--revs-only", rev).strip():
            return []
        raise
    found: list[Said] = []
    for record in printed.split(b"\0"):
        fields = decode_text(record[:_MESSAGE_LIMIT]).split("\x01", 3)
        if len(fields) != 4 or not fields[3].strip():
            continue
        author, name, committer, message = fields
        subject, _, body = message.strip().partition("\n")
        subject = subject.strip()
        if _REPEATED.match(subject):
            continue
        squashed = committer == "noreply@github.com" and SQUASH.search(subject) is not None
        weight = 0.5 ** (len(found) / _HALF_LIFE)
        found.append(
            Said(
                subject=SQUASH.sub("", subject) if squashed else subject,
                body="" if squashed else body.strip(),
                weight=weight * (_OWN_WEIGHT if email and author.lower() == email else 1.0),
                squashed=squashed,
                bot=BOT.search(f"{name} {author}") is not None,
            )
        )
    return found


def _learnt(said: Sequence[Said], everything: Sequence[Said]) -> Style:
    previous = everything[0].subject if everything else ""
    examples = tuple(dict.fromkeys(one.subject for one in said))[:_EXAMPLES]
    if len(said) < FEWEST:
        return Style(examples=examples, previous=previous, seen=len(said))
    form, types = _form(said)
    bare = [replace(one, subject=without_prefix(one.subject, form)) for one in said]
    lengths = sorted(len(one.subject) for one in said)
    scopes = Counter(scope for one in said if (scope := _scope(one.subject, form)))
    place, ticket_form = _ticket(said)
    mood = _mood(bare)
    body = _share([one for one in said if not one.squashed], lambda one: _prose(one.body) != "")
    squashed = _share(said, lambda one: one.squashed)
    style = Style(
        form=form,
        types=types,
        scopes=tuple(scope for scope, number in scopes.most_common(40) if number > 1),
        scoped=form != "plain"
        and _share(
            [one for one in said if prefix_of(one.subject, form)],
            lambda one: _scope(one.subject, form) != "",
        )
        >= 0.5,
        upper=_share(
            [one for one in bare if one.subject[:1].isalpha()],
            lambda one: one.subject[0].isupper(),
        )
        >= 0.5,
        imperative=mood == "imperative",
        mood=mood,
        period=_share(said, lambda one: one.subject.endswith(".")) >= 0.5,
        length=min(max(lengths[int(len(lengths) * 0.9)], 50), 100),
        usual=lengths[len(lengths) // 2],
        language=_language(bare),
        emoji=_share(said, lambda one: EMOJI.match(one.subject) is not None) >= 0.5,
        body=body >= 0.5 and squashed < 0.5,
        wrap=_wrap(said),
        ticket=place,
        ticket_form=ticket_form,
        trailers=_trailers(said),
        examples=examples,
        previous=previous,
        seen=len(said),
        ticks=_share(said, lambda one: one.subject.count("`") >= 2) >= 0.15,
        bump=_bump(everything[:MESSAGES]),
        bump_prefix=_bump_prefix(everything[:MESSAGES]) if form == "conventional" else "",
        release=_release(everything),
    )
    return replace(style, notes=_notes(style))


def prefix_of(subject: str, form: Form) -> re.Match[str] | None:
    """Return the type and scope, or the scope, that a subject of that form begins with."""
    pattern = CONVENTIONAL if form == "conventional" else SCOPED
    return None if form == "plain" else pattern.match(subject)


def without_prefix(subject: str, form: Form) -> str:
    """Return a subject without its emoji, its ticket in front, its type and its scope."""
    subject = EMOJI.sub("", subject)
    subject = re.sub(r"^(?:\[?(?:#\d+|[A-Z][A-Z0-9]+-\d+)\]?:? +)", "", subject)
    match = prefix_of(subject, form)
    return subject if match is None else subject[match.end() :]


def _form(said: Sequence[Said]) -> tuple[Form, tuple[str, ...]]:
    matched = [CONVENTIONAL.match(EMOJI.sub("", one.subject)) for one in said]
    used = Counter(match["type"] for match in matched if match is not None)
    if _share(said, lambda one: CONVENTIONAL.match(EMOJI.sub("", one.subject)) is not None) >= 0.5:
        return "conventional", tuple(name for name, _ in used.most_common())
    if _share(said, lambda one: SCOPED.match(one.subject) is not None) >= 0.5:
        return "scoped", ()
    return "plain", ()


def _scope(subject: str, form: Form) -> str:
    match = prefix_of(EMOJI.sub("", subject), form)
    return "" if match is None else (match["scope"] or "")


def _mood(bare: Sequence[Said]) -> Mood:
    weights: dict[Mood, float] = {"imperative": 0.0, "past": 0.0, "third": 0.0}
    for one in bare:
        mood = mood_of(one.subject)
        if mood is not None:
            weights[mood] += one.weight
    return max(weights, key=lambda mood: weights[mood])


def _language(bare: Sequence[Said]) -> str:
    """Tell another language from few subjects only by its own letters and words: nine that all say
    ``Lesson 4`` are of none."""
    alike = {re.sub(r"\W|\d", "", one.subject.lower()): one for one in bare}
    different = list(alike.values())
    if _share(different, lambda one: bool(_ENGLISH.search(one.subject))) >= 0.35:
        return "en"
    foreign = _share(different, lambda one: bool(_FOREIGN.search(one.subject)))
    return "other" if foreign >= 0.2 or len(different) >= _TELLING else "en"


def _ticket(said: Sequence[Said]) -> tuple[Place, str]:
    places: dict[Place, float] = {"prefix": 0.0, "suffix": 0.0, "trailer": 0.0}
    forms: dict[Place, Counter[str]] = {
        "prefix": Counter(),
        "suffix": Counter(),
        "trailer": Counter(),
    }
    total = sum(one.weight for one in said)
    for one in said:
        place, form = ticket_in(one.subject, one.body)
        if place != "none":
            places[place] += one.weight
            forms[place][form] += 1
    place = max(places, key=lambda place: places[place])
    if not total or places[place] < 0.3 * total:
        return "none", ""
    return place, forms[place].most_common(1)[0][0]


def _trailers(said: Sequence[Said]) -> tuple[str, ...]:
    used: Counter[str] = Counter()
    for one in said:
        last = one.body.rpartition("\n\n")[2].splitlines()
        names = {match["name"] for line in last if (match := _TRAILER.match(line))}
        used.update(name for name in names if not _PERSONAL.match(name))
    return tuple(name for name, number in used.most_common() if number >= len(said) * 0.5)


def _prose(body: str) -> str:
    """Return a body without its trailers and lines that only name a ticket."""
    lines = [
        line
        for line in body.splitlines()
        if not _TRAILER.match(line)
        and not re.match(
            r"^(?:\W*(?:refs?|closes?|fix(?:es)?|see)?:? *#\d+\W*)$", line, re.IGNORECASE
        )
    ]
    return "\n".join(lines).strip()


def _wrap(said: Sequence[Said]) -> int:
    widths = sorted(
        max(len(line) for line in one.body.splitlines())
        for one in said
        if len(one.body.splitlines()) > 2 and "```" not in one.body
    )
    if len(widths) < FEWEST:
        return 72
    usual = widths[len(widths) // 2]
    return 72 if usual > 120 else min(max(usual, 60), 100)


def _bump(said: Iterable[Said]) -> str:
    used = Counter(match["verb"].lower() for one in said if (match := _BUMP.search(one.subject)))
    return used.most_common(1)[0][0] if used else "bump"


def _bump_prefix(said: Iterable[Said]) -> str:
    bumps = (CONVENTIONAL.match(one.subject) for one in said if _BUMP.search(one.subject))
    used = Counter(match[0] for match in bumps if match is not None)
    return used.most_common(1)[0][0] if used else ""


def _release(said: Iterable[Said]) -> str:
    used = Counter(
        match["before"] + "{version}"
        for one in said
        if (match := _RELEASE.match(one.subject)) and not _BUMP.search(one.subject)
    )
    return used.most_common(1)[0][0] if used else ""


def _share(said: Sequence[Said], test: Callable[[Said], bool]) -> float:
    total = sum(one.weight for one in said)
    return sum(one.weight for one in said if test(one)) / total if total else 0.0


def _notes(style: Style) -> tuple[str, ...]:
    form = {
        "conventional": f"types {', '.join(style.types[:5])}"
        + (" with a scope" if style.scoped else ""),
        "scoped": "a scope in front",
        "plain": "no type or scope",
    }[style.form]
    mood = {"imperative": "Add …", "past": "Added …", "third": "Adds …"}[style.mood]
    notes = [
        f"learnt from the last {style.seen} messages",
        form,
        f"{'capital' if style.upper else 'small'} first letter, written like “{mood}”",
        f"subjects of {style.usual} characters, nine of ten within {style.length}",
    ]
    if style.language != "en":
        notes.append("not in English: drafts by rule only name what changed")
    if style.ticket != "none":
        notes.append(f"the ticket as {style.ticket}: {style.ticket_form}")
    return tuple(notes)
