"""Whether a sentence is borne out by the sources it cites (a model can't introduce a fact).

Every fact that can be recognised by rule is looked up in the cited sources: the source's number,
shas, paths, quotations, days, numbers, names of people and of code. What is left, the sentence's
other words, must be the sources' words to a good part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from ..memory.tokens import terms
from .answer_events import GIT
from .claims import Claims, Day, find_claims
from .evidence import Evidence, Source
from .fence import neutral
from .reasons import body_sentences
from .words import overlap, word_list

SUPPORT = 0.7
"""Share of a sentence's terms that its sources must hold between them."""
REASON = 0.7
"""Share of a reason's terms that one sentence of its sources must hold."""
ATTRIBUTE = 0.75
"""The same for a sentence that forgot to cite, to be given its source by us."""

_REASON = re.compile(
    r"\b(?:because|since|so that|due to|in order to|as a result of|the reason (?:is|was|being))\b",
    re.IGNORECASE,
)

_PASSAGE = 4
"""Lines."""

PathAt = Callable[[str, str, str], bool]
"""(repository, sha, path) → whether the path exists at that commit."""
Resolves = Callable[[str, str], bool]
"""(repository, sha) → whether the commit, or the item, is still one that may be cited."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a sentence stands; if not, why, in a few words."""

    supported: bool
    reason: str = ""
    numbers: tuple[int, ...] = ()
    """The sources it cites."""
    support: float = 0.0


def check(
    sentence: str,
    evidence: Evidence,
    *,
    resolves: Resolves,
    path_at: PathAt,
    people: Collection[str] = (),
) -> Verdict:
    """Given a sentence and what was shown, return whether its cited sources bear it out.

    ``people`` are names of authors: one that opens a sentence is a claim, not a capital letter.
    """
    claims = find_claims(sentence)
    if not claims.numbers:
        return Verdict(False, "it cites nothing")
    if len(claims.prose.split()) < 3:
        return Verdict(False, "it is no sentence", claims.numbers)
    cited: list[Source] = []
    for number in claims.numbers:
        source = evidence.get(number)
        if source is None:
            return Verdict(False, f"there is no source {number}", claims.numbers)
        if not resolves(source.ref.repo, source.ref.sha):
            what = "commit " if source.ref.source == GIT else "what was written in "
            return Verdict(False, f"{what}{source.ref.label} is gone", claims.numbers)
        cited.append(source)
    wrong = find_wrong(claims, cited, path_at, people)
    support = word_support(claims.words, cited)
    if wrong:
        return Verdict(False, wrong, claims.numbers, support)
    if support < SUPPORT:
        return Verdict(False, "its words are not the source's", claims.numbers, support)
    if not all(_is_reason(part, cited) for part in _REASON.split(claims.prose)[1:]):
        return Verdict(False, "that reason is not the source's", claims.numbers, support)
    return Verdict(True, "", claims.numbers, support)


def find_wrong(
    claims: Claims, cited: Sequence[Source], path_at: PathAt, people: Collection[str] = ()
) -> str:
    """Given claims and the sources cited for them, return the first that is not there, or ""."""
    text = "\n".join(_everything(source) for source in cited)
    flat, folded = _flat(text), text.casefold()
    for sha in claims.shas:
        if not any(source.ref.sha.startswith(sha) for source in cited) and sha not in folded:
            return f"commit {sha} is not cited"
    for path in claims.paths:
        if path.casefold() not in folded and not any(
            path_at(source.ref.repo, source.ref.sha, path) for source in cited
        ):
            return f"{path} is not there"
    for quote in claims.quotes:
        parts = [_flat(part) for part in re.split(r"\s*(?:…|\.\.\.|\[…\])\s*", quote)]
        if not all(part.strip(" .,;:!?") in flat for part in parts):
            return f"“{quote[:60]}” is not in the source"
    for day in claims.days:
        if not any(_is_day(source, day) for source in cited) and day.text.casefold() not in folded:
            return f"{day.text} is not the source's date"
    for figure in claims.figures:
        if not _has_figure(figure, text, cited):
            return f"{figure} is not in the source"
    for name in claims.names:
        if not _has_name(name, folded):
            return f"{name} is not in the source"
    opening = claims.prose.split(" ", 1)[0].rstrip("'’s,").casefold()
    for person in people:
        if opening in person.casefold().split() and opening not in folded:
            return f"{person} is not in the source"
    return ""


def word_support(words: str, cited: Sequence[Source]) -> float:
    """Return the share of the words' terms that the sources hold, 0..1.

    Of each source one passage of a few lines counts, the best, beside its subject and path: a
    sentence that puts together what stands apart in a long source is not borne out by it.
    """
    named = {term for source in cited for term in terms(f"{source.ref.author} {source.ref.date}")}
    apart = named | _LINKING  # who and when are looked up by themselves
    wanted = {term for term in terms(words) if term not in apart}
    if not wanted:
        return 1.0
    held = set[str]()
    for source in cited:
        held.update(
            wanted.intersection(terms(f"{source.ref.subject} {source.ref.path} {source.ref.said}"))
        )
        held.update(_best_passage(source, wanted))
    return len(held) / len(wanted)


def _best_passage(source: Source, wanted: Collection[str]) -> set[str]:
    """The most of the wanted terms that _PASSAGE lines of a source hold together."""
    lines = [set(terms(line)).intersection(wanted) for line in source.text.splitlines()]
    passages = (set[str]().union(*lines[n : n + _PASSAGE]) for n in range(len(lines)))
    return max(passages, key=len, default=set[str]())


def _is_reason(part: str, cited: Sequence[Source]) -> bool:
    """Whether one sentence of a source says what follows a "because".

    A true deed must not carry a made-up why, and words picked from all over a source make any why.
    """
    wanted = frozenset(terms(part))
    if not wanted:
        return True
    return any(overlap(said, wanted) >= REASON for source in cited for said in _statements(source))


def _statements(source: Source) -> Iterator[str]:
    """A source's subject, and the sentences of its message or, two at a time, the lines of a file."""
    yield source.ref.subject
    if source.ref.path:
        lines = source.text.splitlines()
        yield from (" ".join(lines[n : n + 2]) for n in range(len(lines)))
    else:
        yield from body_sentences(source.text)


def attribute(sentence: str, evidence: Evidence) -> int | None:
    """Given a sentence that cites nothing, return the source whose words it is most of, if any."""
    words = find_claims(sentence).words
    best: tuple[float, int] | None = None
    for source in evidence:
        support = word_support(words, [source])
        if support >= ATTRIBUTE and (best is None or support > best[0]):
            best = (support, source.number)
    return best[1] if best else None


def _everything(source: Source) -> str:
    ref = source.ref
    head = f"{ref.author} {source.email} {ref.date} {ref.path} {ref.subject} {ref.sha} {ref.said}"
    return f"{head}\n{source.text}\n{neutral(source.text)}"


def _flat(text: str) -> str:
    """Fold case, spaces and the markers of diffs and lists, so that wrapped text can be found."""
    lines = (re.sub(r"^\s*[-+*>#]+\s*", "", line) for line in text.casefold().splitlines())
    plain = " ".join(" ".join(lines).split())
    return plain.translate(_PLAIN_QUOTES)


_PLAIN_QUOTES = str.maketrans("’‘“”`", "''\"\"'")


def _is_day(source: Source, day: Day) -> bool:
    known = [datetime.fromtimestamp(source.ref.time, UTC).date()]
    known += [date.fromisoformat(found) for found in _ISO_DAY.findall(source.ref.said)]
    return any(
        day.year in (None, when.year) and day.month == when.month and day.day in (None, when.day)
        for when in known
    )


_ISO_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")


def _has_figure(figure: str, text: str, cited: Sequence[Source]) -> bool:
    plain = figure.lstrip("#v").rstrip("%").replace(",", "")
    if re.search(rf"(?<![\d.]){re.escape(plain)}(?!\d|\.\d)", text.replace(",", "")):
        return True
    if plain in _WORDS and re.search(rf"\b{_WORDS[plain]}\b", text, re.IGNORECASE):
        return True
    return plain == str(len(cited)) and len(cited) > 1  # "two commits [1][2]" counts the sources


def _has_name(name: str, folded: str) -> bool:
    plain = name.casefold().removesuffix("()")
    if plain in folded:
        return True
    return bool(pieces := re.findall(r"\w+", plain)) and all(piece in folded for piece in pieces)


_WORDS = dict(
    zip(
        [str(n) for n in range(2, 13)],
        word_list("two three four five six seven eight nine ten eleven twelve"),
        strict=True,
    )
)
_LINKING = frozenset(
    terms(
        "commit commits author authored change changes changed made make makes because reason due "
        "since also which while more introduced mentioned described according message source stated "
        "explained states explains says order used using become became pull request"
    )
)
