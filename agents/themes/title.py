"""What a theme is called: in the words of its ticket, its pull request or its leading commit."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from ..brief.grouping import scope_in
from ..brief.wording import bare_title, cut, listed, says_little
from ..commits.paths import role_of
from ..subjects import may_begin_with_verb
from .group import Piece, roles_of, size_of
from .likeness import topics_in, words_in
from .noise import Sort, bumped, sort_of, version_of
from .records import Evidence, EvidenceKind
from .taken_back import is_taken_back

LONGEST = 90
"""Characters of a title."""
SHARED = 0.6
"""Share of a theme's parts, by size, that have a word in common for it to be the topic."""
_NAMES = 3
_MOST_LINES = 400
_WORD = re.compile(r"[^\W_][\w./-]*[^\W_]|[^\W_]")
_FOLLOWS = re.compile(
    r"^(?:wip\b|docs? (?:for|on)\b|(?:fix|fixes|fixed|update|updates|repair)(?: for| up)?(?: the| some| a| broken| failing)*"
    r" (?:tests?|mypy|typos?|lint\w*|docs?|types?|ci|python \d\S*|windows)\b|more\b|tweak|clarif|note\b"
    r"|comment|typo|review|address|oops|actually\b|also\b|another\b|missing\b|forgot|assert\b)",
    re.IGNORECASE,
)
"""How a subject begins that only follows from the work that it belongs to."""
_KEY_LAST = re.compile(r"\s*\((?!UTF|ISO|RFC|PEP|CVE)[A-Z][A-Z0-9]{1,9}-[1-9]\d{0,5}\)$")
_ENDS = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #\d", re.IGNORECASE)
_REVERT = re.compile(r'^Revert "(?P<what>.+)"(?P<rest>[^"]*)$')


def title_of(piece: Piece) -> str:
    """Return what a theme is called."""
    if piece.sort is Sort.RELEASE:
        return _release(piece)
    if piece.sort in (Sort.DEPENDENCY, Sort.UPKEEP):
        return _upkeep(piece)
    titles = list(dict.fromkeys(filter(None, (title_of_part(part) for part in piece.parts))))
    if not titles:
        return _by_place(piece)
    if piece.left_over:
        head = "Other changes: "
        return head + fitting([lowered(title) for title in titles], LONGEST - len(head))
    lead = titles[0]
    if piece.stalled:
        return f"Stalled: {fitting(titles, LONGEST - len('Stalled: '))}"
    area = piece.area or _scope_of(piece)
    if len(piece.parts) > 1 and roles_of(piece.evidence) == {"docs"} and titles[0][-4:] != "code":
        lead = f"Docs: {lowered(lead)}"
    elif area and area not in lead.lower():
        lead = f"{area[:1].upper()}{area[1:]}: {lowered(lead)}"
    topic = "" if area else topic_of(piece)
    if topic and topic.lower() not in lead.lower():
        lead = f"{topic[:1].upper()}{topic[1:]}: {lowered(lead)}"
    if len(titles) > 1:
        both = f"{lead}; {lowered(titles[1])}"
        lead = both if len(both) <= LONGEST else lead
    title = cut(lead, LONGEST)
    return f"{title} (taken back)" if is_taken_back(piece.evidence) else title


def _scope_of(piece: Piece) -> str:
    """Return the scope that all commits of a theme name, where there are several."""
    scopes = [scope_in(e.title) for e in piece.evidence if e.kind is EvidenceKind.COMMIT]
    return scopes[0] if len(scopes) > 1 and len(set(scopes)) == 1 else ""


def title_of_part(part: Sequence[Evidence]) -> str:
    """Return what one piece of work is called; empty where nothing says it."""
    names = names_of(part)
    for wanted in (_is_pull, _is_ticket):
        named = [e for e in part if wanted(e) and not says_little(e.title)]
        if named:
            return shown(max(named, key=lambda e: (e.lines, -e.at, e.ref)).title, names)
    commits = [e for e in part if e.kind is EvidenceKind.COMMIT and not says_little(e.title)]
    called = Counter(e.called for e in part if e.called)
    if called and not any(_is_squash(e) for e in commits):
        return shown(min(called, key=lambda title: (-called[title], title)), names)
    commits = [e for e in commits if _is_squash(e)] or commits
    if commits:
        return shown(max(commits, key=telling).title, names)
    others = [e for e in part if e.kind is not EvidenceKind.COMMIT]
    return _other(others) if others else ""


def topic_of(piece: Piece) -> str:
    """Return a word that most parts of a theme have in common, as they write it most; empty where
    there is none."""
    if len(piece.parts) < 2:
        return ""
    sizes: defaultdict[str, float] = defaultdict(float)
    counts: defaultdict[str, int] = defaultdict(int)
    forms: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for part in piece.parts:
        title = title_of_part(part)
        for term in dict.fromkeys(topics_in(title)):
            sizes[term] += size_of(part)
            counts[term] += 1
        for word in _WORD.findall(title):
            for term in words_in(word)[:1]:
                forms[term][word] = forms[term].get(word, 0) + 1
    least = SHARED * piece.size
    shared = [t for t in sizes if counts[t] > 1 and sizes[t] >= least and t in forms]
    if not shared:
        return ""
    best = max(shared, key=lambda term: (sizes[term], counts[term], term))
    return max(forms[best], key=lambda word: (forms[best][word], -len(word), word))


def shown(title: str, names: frozenset[str] = frozenset()) -> str:
    """Return a title without type, scope and tickets, beginning with a capital."""
    match = _REVERT.match(title)
    if match is not None:
        return f"Take back “{plain(match['what'])}”"
    return begun(plain(title), names)


def plain(title: str) -> str:
    """Return a title without type, scope and tickets."""
    bare = bare_title(title).strip()
    return _KEY_LAST.sub("", bare) or bare


def begun(text: str, names: frozenset[str] = frozenset()) -> str:
    """Return text as it begins a sentence: what is a name of code, or among ``names``, stays."""
    first = text.partition(" ")[0].rstrip(",:;")
    plain = first.isalpha() and first.islower() and first not in names
    return text[:1].upper() + text[1:] if plain else text


def names_of(evidence: Sequence[Evidence]) -> frozenset[str]:
    """Return what the packages are called that evidence touches: so programs are called too."""
    tops = (path.removeprefix("src/").split("/") for each in evidence for path in each.paths)
    return frozenset(parts[0] for parts in tops if len(parts) > 1)


def fitting(titles: Sequence[str], most: int) -> str:
    """Return as many titles as have room, at least one, and how many more there are."""
    for number in range(len(titles), 0, -1):
        text = _together(titles[:number], len(titles) - number)
        if len(text) <= most:
            return text
    if not titles:
        return ""
    tail = _together([""], len(titles) - 1)
    return cut(titles[0], most - len(tail)) + tail


def _together(titles: Sequence[str], left: int) -> str:
    more = [f"{left} more"] if left else []
    if any(mark in title for title in titles for mark in (",", ";")):
        return "; ".join([*titles, *(f"and {each}" for each in more)])
    return listed([*titles, *more], len(titles) + 1)


def lowered(title: str) -> str:
    """Return a title as it stands inside of a sentence: names and abbreviations stay."""
    first = title.partition(" ")[0]
    word = first[1:].islower() and first.isalpha()
    plain = word and (may_begin_with_verb(first) or not words_in(first))
    return title[:1].lower() + title[1:] if plain else title


def _is_pull(each: Evidence) -> bool:
    return each.kind is EvidenceKind.PULL or (each.state == "merged" and bool(each.pull))


def _is_ticket(each: Evidence) -> bool:
    return each.kind is EvidenceKind.TICKET


def _is_squash(each: Evidence) -> bool:
    return each.kind is EvidenceKind.COMMIT and bool(each.pull) and each.pull in each.title


def telling(each: Evidence) -> tuple[bool, bool, bool, bool, int, int, str]:
    """How well a commit's subject stands for a piece of work: work before upkeep, what was meant
    before what followed from it, what ends a ticket, code before its tests, then by size."""
    return (
        sort_of(each) is Sort.WORK,
        not _FOLLOWS.match(bare_title(each.title)),
        bool(_ENDS.search(each.title)),
        any(role_of(path) == "code" for path in each.paths[:1]),
        min(each.lines, _MOST_LINES),
        -each.at,
        each.ref,
    )


def _other(others: Sequence[Evidence]) -> str:
    for kind in (EvidenceKind.THREAD, EvidenceKind.VERDICT):
        named = [each for each in others if each.kind is kind and each.title]
        if named:
            return shown(named[0].title)
    documents = list(dict.fromkeys(e.paths[0] for e in others if e.kind is EvidenceKind.DRIFT))
    if documents:
        return f"{listed(documents, 2)} left behind by the code"
    tests = list(dict.fromkeys(each.title for each in others))
    if len(tests) == 1:
        return tests[0].rpartition("::")[2] or tests[0]
    file = others[0].paths[0] if others[0].paths else others[0].title
    return f"{len(tests)} tests in {file}"


def _release(piece: Piece) -> str:
    versions = list(dict.fromkeys(v for each in piece.evidence if (v := version_of(each.title))))
    return f"Release {listed(versions, 5)}"


def _upkeep(piece: Piece) -> str:
    names = list(dict.fromkeys(n for each in piece.evidence if (n := bumped(each.title))))
    if names:
        return cut(f"Dependencies: {listed(names, _NAMES)}", LONGEST)
    titles = list(dict.fromkeys(shown(each.title) for each in piece.evidence))
    if len(titles) == 1:
        return cut(titles[0], LONGEST)
    dependencies = sum(sort_of(each) is Sort.DEPENDENCY for each in piece.evidence)
    if 2 * dependencies >= len(piece.evidence):
        return "Dependencies"
    head = "Upkeep: "
    return head + fitting([lowered(title) for title in titles], LONGEST - len(head))


def _by_place(piece: Piece) -> str:
    paths = [path for each in piece.evidence for path in each.paths[:1]]
    return f"Work on {paths[0]}" if paths else "Work without a title"
