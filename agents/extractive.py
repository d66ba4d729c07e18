"""The answer without a model: sentences made by rule from what commits and discussions say.

Each sentence states what was done, by whom and when, and quotes why in the author's own words.
Nothing is phrased that the cited commit does not hold. The same recollection gives the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..memory.council_records import SOURCE as COUNCIL
from ..memory.records import Chunk, Kind, Passage, Recollection
from ..memory.tokens import terms
from .answer_events import GIT, Text, iso_day
from .changes import telling_change
from .decided import what_was_decided
from .deeds import FAMILIES, asked_family, closeness_to, does, essential, holds_versions, is_aside
from .evidence import Evidence, Source
from .leads import is_widened, unknown_names
from .reasons import Reason, find_reasons, shorten, split_message
from .subjects import past_clause
from .words import ASKING, find_marks, overlap, question_terms
from .written import discussed, quoted, reasons_in, who_wrote

MAX_SENTENCES = 6
MAX_COMMITS = 3
MAX_LINKED = 2
"""Things beyond those that are told because one of them leads there."""
WEAK_SHOWN = 3
_LOOKED_AT = 10
"""Commits whose messages are read for reasons."""
_NEWEST_SHOWN = 6
_CLOSE_ENOUGH = 0.55
"""A commit joins the answer when its score is at least this share of the best one's."""
_LINKED_ENOUGH = 0.4
_SECOND_REASON = 0.75
_MERGED = re.compile(r"^Merged? (?:pull request|branch|remote)", re.IGNORECASE)
_BRANCH = re.compile(r"branch '([^']+)'")
_NUMBERED = re.compile(r"\s*\(#\d+\)|\s*\(cherry.picked.*\)$|^\[[\w./-]+\]\s*")
_LITERAL = re.compile(r"#\d|[A-Z][A-Z0-9]*-\d|[0-9a-f]{7,}$")
"""A ticket or a sha: a question that names one asks about its commits alone."""
_FIRST = re.compile(r"^(?:when|who|since when)\b", re.IGNORECASE)
_PULL = re.compile(r"#\d+")


MessageOf = Callable[[str, str], Chunk | None]
"""(repository, sha) → the chunk that holds the commit's message."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A commit that will be told about."""

    message: Source
    change: Chunk | None
    reasons: Sequence[Reason]
    again: Sequence[Source] = ()
    """The same commit on other branches."""


def compose(
    question: str,
    recollection: Recollection,
    message_of: MessageOf,
    evidence: Evidence,
) -> list[Text]:
    """Given what recall found, return 2-6 cited sentences; sources are numbered into ``evidence``."""
    wanted = question_terms(question)
    if not recollection.relevant:
        return compose_weak(question, recollection, message_of, evidence)
    if any("newest" in passage.arms for passage in recollection.passages[:1]):
        return _compose_newest(recollection, wanted, message_of, evidence)
    told = _choose(question, recollection.passages, message_of, evidence)
    sentences: list[Text] = []
    for place, commit in enumerate(told):
        sentences.extend(_tell(commit, wanted, evidence, in_detail=place == 0))
    return sentences[:MAX_SENTENCES]


def compose_weak(
    question: str, recollection: Recollection, message_of: MessageOf, evidence: Evidence
) -> list[Text]:
    """Given a recollection without anything relevant, say so and tell the nearest candidates."""
    wanted = question_terms(question)
    unknown = frozenset(terms(" ".join(unknown_names(recollection.notes))))
    if unknown and not wanted - unknown - _ABOUT:
        return []  # it asks about that ticket alone, and what leads the answer says it is not here
    led = unknown or is_widened(recollection.notes)
    texts = [] if led else [Text("Nothing in memory clearly answers this.")]
    told = _choose(question, recollection.passages, message_of, evidence)
    if told:
        commits = all(commit.message.ref.source == GIT for commit in told)
        nearest = "The nearest commits" if commits else "What comes nearest"
        texts.append(Text(f"{nearest}, which may have nothing to do with it:"))
    for commit in told[:WEAK_SHOWN]:
        line = f"- {what_happened(commit.message, commit.reasons, commit.again)}"
        texts.append(Text(line, find_marks(line, wanted)))
    return texts


def _compose_newest(
    recollection: Recollection,
    wanted: frozenset[str],
    message_of: MessageOf,
    evidence: Evidence,
) -> list[Text]:
    """Given the newest commits, tell them; merges only where there is little else."""
    passages = recollection.passages
    own = [group for group in _grouped(passages) if not _MERGED.match(group[0].chunk.title)]
    commits = all(passage.chunk.source == GIT for passage in passages)
    head = "The newest commits:" if commits else "The newest:"
    texts = [Text(head)] if is_widened(recollection.notes) else []
    for group in (own if len(own) >= MAX_COMMITS else _grouped(passages))[:_NEWEST_SHOWN]:
        chunks = [message_chunk(passage, message_of) or passage.chunk for passage in group]
        first, *again = [evidence.add_chunk(chunk) for chunk in chunks]
        line = what_happened(first, reasons_in(chunks[0], wanted), again)
        texts.append(Text(line, find_marks(line, wanted)))
    return texts


def _choose(
    question: str,
    passages: Sequence[Passage],
    message_of: MessageOf,
    evidence: Evidence,
) -> list[_Told]:
    wanted, family = question_terms(question), asked_family(question)
    pinned = [passage for passage in passages if passage.exact and _LITERAL.match(passage.exact)]
    groups = sorted(
        _grouped(pinned or passages), key=lambda group: -_worth(group[0], question, family)
    )
    ranked: list[tuple[float, list[Passage], Chunk, list[Reason]]] = []
    for group in groups[:_LOOKED_AT]:
        passage = group[0]
        said = discussed(passage, question)
        message = said or message_chunk(passage, message_of) or passage.chunk
        reasons = reasons_in(message, wanted)
        bonus = 0.1 * min(reasons[0].score, 1.5) if reasons else 0.0
        score = _worth(passage, question, family) * (1 + bonus)
        ranked.append((score, group, message, reasons))
    ranked.sort(key=lambda entry: -entry[0])
    best = max((entry[0] for entry in ranked if entry[0] < _EXACT), default=0.0)
    near = [entry for entry in ranked if entry[0] >= _CLOSE_ENOUGH * best][:MAX_COMMITS]
    near += [
        entry
        for entry in ranked
        if entry not in near and entry[1][0].linked_from and entry[0] >= _LINKED_ENOUGH * best
    ][:MAX_LINKED]
    if family == "add" and _FIRST.match(question):
        near.sort(key=lambda entry: entry[1][0].chunk.time)  # the first is the one asked about
    return [
        _Told(
            evidence.add_chunk(message),
            _change(group[0]),
            reasons,
            [evidence.add_chunk(message_chunk(p, message_of) or p.chunk) for p in group[1:]],
        )
        for _, group, message, reasons in near
    ]


_EXACT = 10.0
_THE_DEED = 0.5
_PICKED_WITHIN = 10 * 86_400
"""Seconds between a commit and the same one on another branch."""
_TEST_PATH = re.compile(r"(?<![a-z])tests?(?![a-z])", re.IGNORECASE)
_ABOUT = frozenset(terms("about ticket issue pull request pr"))


def _grouped(passages: Sequence[Passage]) -> list[list[Passage]]:
    """Passages best first; a commit that was picked onto several branches counts once."""
    groups: list[list[Passage]] = []
    for passage in passages:
        same = (group for group in groups if _same_change(group[0].chunk, passage.chunk))
        group = next(same, None)
        if group is None:
            groups.append([passage])
        elif len(group) < MAX_COMMITS:
            group.append(passage)
    return groups


def _same_change(one: Chunk, other: Chunk) -> bool:
    title = _NUMBERED.sub("", one.title).casefold()
    return (
        one.source == other.source == GIT
        and len(title.split()) >= 3
        and title == _NUMBERED.sub("", other.title).casefold()
        and (one.repo, one.author) == (other.repo, other.author)
        and abs(one.time - other.time) <= _PICKED_WITHIN
    )


def tells_deed(question: str, passages: Sequence[Passage]) -> bool:
    """Whether one of the passages is, by its subject, the deed that a question is about."""
    family = asked_family(question)
    topic = _topic(question, family) if family else frozenset[str]()
    return any(
        does(passage.chunk.title, family) == 1.0
        and closeness_to(passage.chunk.title, topic) >= _THE_DEED
        and holds_versions(passage.chunk.title, question)
        for passage in (passages if topic else ())
    )


def _topic(question: str, family: str) -> frozenset[str]:
    return essential(question) - essential(" ".join(FAMILIES[family])) - ASKING


def _worth(passage: Passage, question: str, family: str) -> float:
    """Recall's score, more where the subject tells of the deed asked about, on that very thing."""
    title = passage.chunk.title
    exact = _EXACT if passage.exact else 0.0
    if not family:
        return exact + passage.score
    topic = _topic(question, family)
    on_topic = overlap(" ".join([title, *terms(title)]), topic)
    if not _says(title, question, topic):
        on_topic *= 0.5  # "Proxy" where "proxies" are asked about: perhaps another thing
    close = 0.5 + 0.5 * closeness_to(title, topic)
    fits = 0.6 + 0.4 * on_topic + 0.6 * does(title, family) * on_topic * close
    if is_aside(title, question):
        fits *= 0.7
    if not holds_versions(title, question):
        fits *= 0.7
    return exact + passage.score * fits


def _says(title: str, question: str, topic: frozenset[str]) -> bool:
    """Whether a title has one of the topic's words as the question writes it."""
    asked = {w for w in re.findall(r"\w+", question.casefold()) if essential(w) & topic}
    return not asked.isdisjoint(re.findall(r"\w+", title.casefold()))


def message_chunk(passage: Passage, message_of: MessageOf) -> Chunk | None:
    """Given a passage, return its commit's message."""
    for chunk in (passage.chunk, *passage.also):
        if chunk.kind is Kind.MESSAGE:
            return chunk
    return message_of(passage.chunk.repo, passage.chunk.ref)


def _change(passage: Passage) -> Chunk | None:
    changes = (chunk for chunk in (passage.chunk, *passage.also) if chunk.kind is Kind.CONTEXT)
    return next(changes, None)


def _tell(
    commit: _Told, wanted: frozenset[str], evidence: Evidence, *, in_detail: bool
) -> list[Text]:
    sentences = [what_happened(commit.message, commit.reasons, commit.again)]
    if in_detail and len(commit.reasons) > 1 and commit.reasons[1].score >= _SECOND_REASON:
        quote = shorten(commit.reasons[1].text)
        sentences.append(f"The message adds: {quoted(quote)} [{commit.message.number}].")
    in_tests = commit.change is not None and _TEST_PATH.search(commit.change.path)
    if in_tests and not _TEST_PATH.search(" ".join(wanted)):
        return [Text(sentence, find_marks(sentence, wanted)) for sentence in sentences]
    if in_detail and commit.change is not None and not commit.reasons:
        change = telling_change(commit.change.text, commit.change.path, wanted)
        if change:
            number = evidence.add_chunk(commit.change).number
            did, what = change
            sentences.append(f"In {commit.change.path} it {did}: {quoted(what)} [{number}].")
    return [Text(sentence, find_marks(sentence, wanted)) for sentence in sentences]


def what_happened(source: Source, reasons: Sequence[Reason], again: Sequence[Source] = ()) -> str:
    """Given a commit's message, return one sentence: who did what when, and why if it says so.

    ``again``: the same commit on other branches, cited too.
    """
    if source.ref.source != GIT:
        return _what_was_written(source, reasons)
    subject, _ = split_message(source.text)
    subject = source.ref.subject or subject
    day, author = iso_day(source.ref.time), source.ref.author
    cite = " ".join(f"[{each.number}]" for each in (source, *again)) + "."
    reason = reasons[0] if reasons else None
    quote = quoted(shorten(reason.text)) if reason else ""
    if _MERGED.match(subject):
        pull, branch = _PULL.search(subject), _BRANCH.search(subject)
        what = f"merged branch {branch[1]}" if branch else "merged a branch"
        what = f"merged pull request {pull[0]}" if pull else what
        return f"{author} {what} on {day}{': ' + quote if quote else ''} {cite}"
    clause = past_clause(subject)
    if clause:
        head = f"{author} {clause} on {day}"
        return f"{head}: {quote} {cite}" if quote else f"{head} {cite}"
    subject = quoted(subject.rstrip(". ") if not subject.endswith("..") else subject)
    if quote:
        return f"{author} committed {subject} on {day}, and explained: {quote} {cite}"
    return f"{author} committed {subject} on {day} {cite}"


def tell_taken_back(revert: Source, numbers: Sequence[int]) -> str:
    """Given the message that took back what some sources did, return the sentence that says so."""
    cited = [f"[{number}]" for number in sorted(numbers)]
    what = " and ".join([", ".join(cited[:-1]), cited[-1]] if cited[1:] else cited)
    reasons = find_reasons(revert.text, frozenset())
    why = f": {quoted(shorten(reasons[0].text))}" if reasons else ""
    ref = revert.ref
    return f"{ref.author} took back what {what} did on {ref.date}{why} [{revert.number}]."


def _what_was_written(source: Source, reasons: Sequence[Reason]) -> str:
    """The same of a discussion or a ticket: who began it where and when, and a reason given in it.

    That may be anyone's who took part, so it is the discussion that says it.
    """
    ref = source.ref
    if ref.source == COUNCIL and (decided := what_was_decided(source.text)):
        return f"{decided.rstrip('.')} [{source.number}]."
    said = quoted(shorten(reasons[0].text)) if reasons and reasons[0].text != ref.subject else ""
    head = who_wrote(source)
    return (
        f"{head}, where it says: {said} [{source.number}]."
        if said
        else f"{head} [{source.number}]."
    )
