"""How well the commit helper reads changes, writes drafts by rule, and checks messages.

    python -m hermes.tests.bench.commits REPO… [--commits 300] [--skip 0] [--held-out 60] [--samples 20]

Of each repository's newest commits (no merges, reverts, bots): real subjects are checked against
their real diffs (false rejects), planted errors in them too (caught), and for the newest ones a
draft by rule is made in the style learnt from the history before them.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...agents.commits.facts import facts_of
from ...agents.commits.form import form_problems
from ...agents.commits.records import Change, Draft, Facts, Problem, Sources, Style, Ticket
from ...agents.commits.staged import read_commit
from ...agents.commits.style import BOT, SQUASH, learn, prefix_of, without_prefix
from ...agents.commits.validate import content_problems, parse, problems
from ...agents.commits.verbs import mood_of
from ...agents.commits.wording import drafts
from ...agents.project_settings import ProjectCommits
from ...ingest.git.command import Git
from ...ingest.git.tickets import tickets
from .planted_errors import HARD, PLANTS, RARE, Garden

PLANTED = 5
"""Kinds of errors that are planted in each subject, drawn anew."""


@dataclass(frozen=True)
class Case:
    """A real commit with all that its message is checked against."""

    repo: str
    sha: str
    subject: str
    change: Change
    facts: Facts
    sources: Sources


@dataclass
class Tally:
    """Numbers that are added up over repositories."""

    checked: int = 0
    refused: list[tuple[Case, list[Problem]]] = field(
        default_factory=list["tuple[Case, list[Problem]]"]
    )
    planted: Counter[str] = field(default_factory=Counter[str])
    missed: Counter[str] = field(default_factory=Counter[str])
    misses: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("repos", nargs="+", type=Path)
    asked.add_argument("--commits", type=int, default=300)
    asked.add_argument("--skip", type=int, default=0)
    asked.add_argument("--held-out", type=int, default=60)
    asked.add_argument("--samples", type=int, default=20)
    asked.add_argument("--seed", type=int, default=7)
    told = asked.parse_args()
    tally = Tally()
    seconds: list[float] = []
    for path in told.repos:
        git = Git.open(path)
        commits = list(_commits(git, told.skip + told.commits))[told.skip :]
        cases = [case for case in (_case(git, *one) for one in commits) if not case.change.empty]
        style = learn(git, ProjectCommits(), rev=commits[-1][0] if told.skip else "HEAD")
        _check(cases, style, tally, random.Random(told.seed))
        _held_out(git, cases[: told.held_out], told.samples, seconds)
    _report(tally, seconds)


def _commits(git: Git, number: int) -> Iterator[tuple[str, str]]:
    printed = git.run(
        *("log", "-z", "--no-merges", f"--max-count={3 * number}", "--encoding=UTF-8"),
        "--format=tformat:%H%x01%an %ae%x01%ce%x01%s",
    )
    left = number
    for record in printed.decode("utf-8", "replace").split("\0"):
        sha, author, committer, subject = (*record.split("\x01"), "", "", "")[:4]
        if not subject or BOT.search(author) or subject.startswith(("Revert ", "Merge ")):
            continue
        if committer == "noreply@github.com":
            subject = SQUASH.sub("", subject)
        yield sha, subject.strip()
        left -= 1
        if not left:
            return


def _case(git: Git, sha: str, subject: str) -> Case:
    change = read_commit(git, sha)
    # What a person's message refers to, a person knows: its ticket is given.
    named = tickets(subject)
    allowed = {word for key in named for word in (key, key.lstrip("#"))}
    allowed |= {f"#{number}" for number in re.findall(r"(?:fix-|issue_|\w#)(\d+)", subject)}
    allowed |= set(re.findall(r"\b(?:CVE|GO)-\d{4}-\d+|(?<=[Ii]ssue )\d+", subject))
    repo = git.folder.parent.name if git.is_bare else git.folder.name
    allowed |= {repo, *re.split(r"[+\-/]", repo)}
    ticket = Ticket(named[0]) if named else None
    return Case(
        repo, sha, subject, change, facts_of(change), Sources(ticket, (), frozenset(allowed))
    )


def _check(
    cases: Sequence[Case],
    style: Style,
    tally: Tally,
    chance: random.Random,
    *,
    plants: bool = True,
) -> None:
    obeyed = _obeyed(cases, style)
    garden = Garden(chance, [case.subject for case in cases])
    for case in cases:
        draft = Draft(case.subject)
        found = content_problems(draft, case.change, case.facts, style, case.sources)
        found += [
            problem
            for problem in form_problems(draft, case.change, style, case.sources)
            if problem.rule in obeyed - {"previous", "ticket_missing", "echo"}
        ]
        tally.checked += 1
        if any(problem.rule not in _FORM for problem in found):
            tally.refused.append((case, found))
        if not plants:
            continue
        standing = problems(draft, case.change, case.facts, style, case.sources)
        before = {(problem.rule, problem.what) for problem in standing}
        drawn = chance.sample(sorted(PLANTS.keys() - RARE), PLANTED)
        for name in [*drawn, *sorted(RARE)]:
            planted = PLANTS[name](case.subject, case, garden)
            if planted is None or planted == case.subject:
                continue
            caught = _caught(name, planted, case, style, before)
            if caught is None:
                continue
            tally.planted[name] += 1
            if not caught:
                tally.missed[name] += 1
                tally.misses.append((name, f"{planted} <- {case.subject} ({case.sha[:8]})"))


_FORM = frozenset(
    {
        "length",
        "form",
        "type",
        "case",
        "mood",
        "period",
        "emoji",
        "previous",
        "wrap",
        "vague",
        "comment",
        "quotes",
    }
)


def _obeyed(cases: Sequence[Case], style: Style) -> frozenset[str]:
    """Rules of form that nine of ten real subjects keep."""
    broken: Counter[str] = Counter()
    for case in cases:
        draft = parse(case.subject, style)
        broken.update({one.rule for one in form_problems(draft, case.change, style, case.sources)})
    return frozenset(rule for rule in _FORM if broken[rule] <= 0.1 * len(cases))


def _caught(
    name: str, text: str, case: Case, style: Style, before: set[tuple[str, str]]
) -> bool | None:
    """Whether a message with an error has a problem that the real one had not."""
    draft = Draft(text.partition("\n\n")[0], text.partition("\n\n")[2])
    sources = case.sources
    if name == "wrong_ticket":
        # The ticket that is known is the real one: what else is allowed only names the project.
        allowed = frozenset(word for word in sources.allowed if not re.search(r"\d", word))
        sources = replace(sources, ticket=sources.ticket or Ticket("#77"), allowed=allowed)
    found = problems(draft, case.change, case.facts, style, sources)
    if name == "over_length" and len(text) <= style.length:
        return None
    if name == "wrong_type" and (
        style.form == "scoped" or any(rule == "form" for rule, _ in before)
    ):
        return None
    return any((one.rule, one.what) not in before for one in found)


def _held_out(git: Git, cases: Sequence[Case], samples: int, seconds: list[float]) -> None:
    if not cases:
        return
    oldest = cases[-1].change.head
    if oldest is None:
        return
    style = learn(git, ProjectCommits(), rev=oldest)
    print(f"\n== {cases[0].repo}: {len(cases)} held-out commits; {'; '.join(style.notes)}")
    agree: Counter[str] = Counter()
    lengths: list[int] = []
    refused: Counter[str] = Counter()
    shown: list[str] = []
    for case in cases:
        start = time.perf_counter()
        change = read_commit(git, case.sha)
        facts = facts_of(change)
        found = drafts(change, facts, style, Sources(None, (), frozenset({case.repo})), 3)
        seconds.append(time.perf_counter() - start)
        if not found:
            agree["none"] += 1
            continue
        first = found[0]
        lengths.append(len(first.subject))
        wrong = problems(first, change, facts, style, Sources(None, (), frozenset({case.repo})))
        refused.update(problem.rule for problem in wrong)
        bare_real = without_prefix(case.subject, style.form)
        bare = without_prefix(first.subject, style.form)
        same_prefix = bool(prefix_of(case.subject, style.form)) == bool(
            prefix_of(first.subject, style.form)
        )
        agree["prefix"] += same_prefix
        agree["case"] += bare[:1].isupper() == bare_real[:1].isupper()
        agree["mood"] += mood_of(bare_real) in (None, style.mood)
        agree["period"] += first.subject.endswith(".") == case.subject.endswith(".")
        agree["length"] += len(first.subject) <= style.length
        agree["main"] += _names_main(first.subject, facts)
        agree["main in the real one"] += _names_main(case.subject, facts)
        agree["word shared"] += bool(_words(bare) & _words(bare_real))
        agree["any of three shares a word"] += any(
            _words(one.subject) & _words(bare_real) for one in found
        )
        real, ours = prefix_of(case.subject, style.form), prefix_of(first.subject, style.form)
        if style.form == "conventional" and real is not None and ours is not None:
            agree["types seen"] += 1
            agree["type"] += real["type"] == ours["type"]
        shown.append(f"  {case.subject[:76]:<76} | {' | '.join(one.subject for one in found[:2])}")
    total = len(cases)
    for name, number in sorted(agree.items()):
        print(f"  {name}: {number}/{agree['types seen'] if name == 'type' else total}")
    lengths.sort()
    print(f"  subject length: median {lengths[len(lengths) // 2]}, longest {lengths[-1]}")
    print(f"  drafts with a problem: {dict(refused)}")
    for line in shown[:samples]:
        print(line)


def _names_main(subject: str, facts: Facts) -> bool:
    lowered = subject.lower()
    parts = [facts.main.lower(), facts.main.rpartition(".")[2].lower()]
    parts.append(facts.main_path.rpartition("/")[2].partition(".")[0].lower())
    return any(part and part in lowered for part in parts)


_COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "from",
        "into",
        "not",
        "when",
        "add",
        "fix",
        "use",
        "update",
        "remove",
    ]
)


def _words(text: str) -> set[str]:
    words = re.findall(r"[a-z0-9]{3,}", text.lower())
    return {word.removesuffix("s") for word in words} - _COMMON


def _report(tally: Tally, seconds: list[float]) -> None:
    print("\n== the validator")
    refused = len(tally.refused)
    print(f"  real subjects refused: {refused}/{tally.checked} = {refused / tally.checked:.1%}")
    for case, found in tally.refused[:100]:
        what = "; ".join(f"{one.rule}: {one.what}" for one in found if one.rule not in _FORM)
        print(f"    {case.repo} {case.sha[:8]} {case.subject[:80]!r}: {what}")
    soft = [name for name in sorted(tally.planted) if name not in HARD]
    shares = {name: 1 - tally.missed[name] / tally.planted[name] for name in tally.planted}
    mean = sum(shares[name] for name in soft) / max(len(soft), 1)
    print(f"  planted errors caught, all kinds alike: {mean:.2%}")
    for name in (*soft, *sorted(HARD & shares.keys())):
        number = tally.planted[name]
        hard = " (hard, counted apart)" if name in HARD else ""
        print(f"    {name}: {number - tally.missed[name]}/{number} {shares[name]:.1%}{hard}")
    for name, text in sorted(tally.misses)[:80]:
        print(f"    missed {name}: {text[:170]!r}")
    if seconds:
        seconds.sort()
        print(
            f"  change read, facts and drafts: median {seconds[len(seconds) // 2] * 1000:.0f} ms,"
            f" p95 {seconds[int(len(seconds) * 0.95)] * 1000:.0f} ms"
        )


if __name__ == "__main__":
    main()
