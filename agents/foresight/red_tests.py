"""Why a test is red: since when, with what error, what changed before, and what memory says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

from ...ingest.git.errors import GitError
from ...memory.records import Commit
from ...memory.test_records import Colour, Episode, Result, Run, Standing, Summary, Why
from ...memory.test_runs import Runs
from ..brief.wording import counted, cut, listed
from ..evidence import Source
from ..extractive import what_happened
from ..reasons import find_reasons
from ..testing.wording import short
from ..words import question_terms
from .asked import Asked
from .ground import Ground, Told, cites, local_minute, told

FOUND = 50
MOST_TOLD = 3
"""Red tests that are told of in full, where a name means several."""
MOST_LISTED = 8
MOST_BETWEEN = 20
"""Commits between the last pass and the first failure that are looked at."""
_ERROR = 160
_REFERENCE = re.compile(r"^(?P<sha>[0-9a-f]{7,40})(?::(?P<path>.+))?$")


def tell_tests(asked: Asked, ground: Ground) -> Told | None:
    """Return how the test stands that is asked about, or all of them; None if none is known."""
    if ground.work is None:
        return None
    runs = ground.work.runs
    if not asked.subject:
        return _all(runs, ground)
    found = meant(runs, asked.subject, ground.ids)
    if not found:
        return None
    red = [each for each in found if each.mark is Colour.RED] or found
    texts: list[str] = []
    for each in red[:MOST_TOLD]:
        texts += _one(runs, each, ground)
    if len(found) > len(red[:MOST_TOLD]):
        rest = len(found) - len(red[:MOST_TOLD])
        texts.append(f"{counted(rest, 'more test')} of that name: hermes tests --all lists them.")
    return told(texts, question_terms(asked.subject))


def meant(runs: Runs, subject: str, repos: Sequence[str]) -> list[Standing]:
    """Return the tests that a name means: the one with this id, those that end with it, else those
    that hold it; red ones first."""
    found: list[Standing] = []
    for repo in repos:
        exact = runs.standing(repo, subject)
        found += [exact] if exact is not None else runs.find(repo, subject, FOUND)
    whole = [each for each in found if _is_called(each.test, subject)]
    order = {Colour.RED: 0, Colour.UNKNOWN: 1, Colour.GREEN: 2}
    return sorted(whole or found, key=lambda each: (order[each.mark], -each.since, each.test))


def _is_called(test: str, subject: str) -> bool:
    bare = re.sub(r"\[.*\]$", "", test)
    return test == subject or any(
        name == subject or name.endswith((f"::{subject}", f"/{subject}", f".{subject}"))
        for name in (test, bare, test.partition("::")[0])
    )


def _one(runs: Runs, standing: Standing, ground: Ground) -> list[str]:
    history = runs.history(standing.repo, standing.test, FOUND)
    match standing.mark:
        case Colour.RED:
            return _red(runs, standing, history, ground)
        case Colour.GREEN:
            return _green(runs, standing, history, ground)
        case _:
            return [_unknown(standing, history, ground)]


def _red(
    runs: Runs, standing: Standing, history: Sequence[tuple[Run, Result]], ground: Ground
) -> list[str]:
    name = short(standing.test)
    bad = [(run, result) for run, result in history if result.bad and run.at >= standing.since]
    cited = [_run(ground, *each) for each in bad[:1]]
    error = error_of(standing.failure)
    times = f", in {counted(len(bad), 'run')}" if len(bad) > 1 else ""
    texts = [
        f"{name} is red since {local_minute(standing.since)}{times}: {error} {cites(cited)}".rstrip()
        + "."
    ]
    texts += _began(runs, standing, history, ground)
    if standing.note:
        source = _source_of(standing.reference, standing.repo, ground)
        cite = f" {cites([source])}" if source is not None else f" ({standing.reference})"
        texts.append(f"Memory says of it: {standing.note.rstrip('.')}{cite}.")
    texts.append(f"hermes tests why {name} has the whole failure.")
    return texts


def _began(
    runs: Runs, standing: Standing, history: Sequence[tuple[Run, Result]], ground: Ground
) -> list[str]:
    """Tell what changed: the first bad commit where it was found out, else what came between."""
    index = ground.memory.index
    if standing.first_bad:
        commit = index.commit(standing.repo, standing.first_bad)
        if commit is not None:
            return [f"It began with this: {_deed(commit, ground)}"]
        return [f"It began with {standing.first_bad[:10]}, which memory does not hold."]
    if not standing.green_at:
        return ["It has never passed in a run that hermes saw."]
    passed = next((each for each in history if not each[1].bad and each[1].mark == "passed"), None)
    cite = f" {cites([_run(ground, *passed)])}" if passed is not None else ""
    last = f"It last passed on {local_minute(standing.green_at)}{cite}"
    episode = next(iter(runs.episodes(standing.repo, test=standing.test, limit=1)), None)
    between = _between(standing, episode, ground)
    if between is None:
        return [f"{last}."]
    if not between:
        return [f"{last}, on the same commit: what changed since was not committed."]
    likely = _likely(between, standing)
    head = f"{last}; {counted(len(between), 'commit')} came between"
    if len(between) > len(likely):
        head += f", of which {'this touches' if len(likely) == 1 else 'these touch'} what it runs"
    return [f"{head}.", *(f"- {_deed(commit, ground)}" for commit in likely)]


def _between(standing: Standing, episode: Episode | None, ground: Ground) -> list[Commit] | None:
    """Return the commits between the last pass and the first failure, newest first; None where
    that can't be told."""
    git = ground.gits.get(standing.repo)
    if git is None or episode is None or not standing.green_head or not episode.began_head:
        return None
    if standing.green_head == episode.began_head:
        return []
    with suppress(GitError):
        span = f"{standing.green_head}..{episode.began_head}"
        said = git.run("rev-list", f"--max-count={MOST_BETWEEN}", "--no-merges", span, "--")
        return ground.memory.index.commits_for(standing.repo, said.decode().split())
    return None


def _likely(commits: Sequence[Commit], standing: Standing) -> list[Commit]:
    """Return the few commits that touch the failing file or the test's own; else the newest."""
    failing = standing.failure.path if standing.failure is not None else ""
    file = standing.test.partition("::")[0]
    stem = re.sub(r"^tests?_|_tests?$", "", file.rpartition("/")[2].partition(".")[0])
    near = [
        commit
        for commit in commits
        if any(
            change.path in (failing, file)
            or (len(stem) > 3 and stem in change.path.rpartition("/")[2])
            for change in commit.files
        )
    ]
    return list((near or commits)[:MOST_TOLD])


def _green(
    runs: Runs, standing: Standing, history: Sequence[tuple[Run, Result]], ground: Ground
) -> list[str]:
    name = short(standing.test)
    cite = f" {cites([_run(ground, *history[0])])}" if history else ""
    texts = [f"{name} is green: it last passed on {local_minute(standing.last_at)}{cite}."]
    past = next(
        (each for each in runs.episodes(standing.repo, test=standing.test, limit=5) if each.ended),
        None,
    )
    if past is None:
        return [f"{texts[0]} No run that hermes saw failed."]
    error = error_of(Why(past.exception, past.message, past.path, past.line))
    text = f"It was red from {local_minute(past.began)} to {local_minute(past.ended)}: {error}"
    ended = ground.memory.index.commit(standing.repo, past.ended_head) if past.ended_head else None
    if ended is not None:
        text += f"; it passed again at {ended.sha[:10]} {cites([ground.cite(ended)])}"
    return [*texts, f"{text}."]


def _unknown(standing: Standing, history: Sequence[tuple[Run, Result]], ground: Ground) -> str:
    name = short(standing.test)
    cite = f" {cites([_run(ground, *history[0])])}" if history else ""
    if standing.flaky:
        times = counted(standing.flaky_count, "time")
        return (
            f"{name} fails only now and then: {times} it failed and then passed, so it does not"
            f" count as red{cite}."
        )
    why = "it was skipped" if history and history[0][1].mark == "skipped" else "it could not be run"
    return f"How {name} stands is not known: {why} on {local_minute(standing.last_at)}{cite}."


def _all(runs: Runs, ground: Ground) -> Told | None:
    texts: list[str] = []
    for repo in ground.repos:
        summary = runs.summary(repo.id, 0.0)
        if summary.last is None:
            continue
        red = runs.standings(repo.id, (Colour.RED,), 1_000)
        if not red:
            texts.append(_none_red(repo.name, summary, ground))
            continue
        texts.append(f"{counted(len(red), 'test is', 'tests are')} red in {repo.name}.")
        for each in red[:MOST_LISTED]:
            history = runs.history(each.repo, each.test, 1)
            cited = cites(_run(ground, run, result) for run, result in history)
            since = local_minute(each.since)
            line = f"- {short(each.test)} since {since}: {error_of(each.failure)} {cited}"
            texts.append(f"{line.rstrip()}.")
        if len(red) > MOST_LISTED:
            texts.append(f"- {len(red) - MOST_LISTED:,} more: hermes tests --all lists them.")
    return told(texts) if texts else _never_run(ground)


def _never_run(ground: Ground) -> Told:
    names = listed([repo.name for repo in ground.repos], 4) or "any repository"
    nothing = f"No run of the tests of {names} is known: `hermes trust` lets hermes run them."
    return Told(told([nothing]).texts, relevant=False)


def _none_red(name: str, summary: Summary, ground: Ground) -> str:
    assert summary.last is not None
    counts = [f"{summary.green:,} green"]
    counts += [f"{summary.unknown:,} unknown"] if summary.unknown else []
    counts += [f"{summary.flaky:,} flaky"] if summary.flaky else []
    last = summary.last
    source = ground.cite_run(last, last.framework, f"{last.kind}: {last.state}")
    ran = f"the last run was on {local_minute(last.at)} {cites([source])}"
    return f"No test is red in {name}: {listed(counts)}; {ran}."


def error_of(failure: Why | None) -> str:
    """Return in one line why a test failed."""
    if failure is None:
        return "it failed"
    what = ": ".join(part for part in (failure.exception, failure.message) if part)
    where = f" ({failure.path}:{failure.line})" if failure.path else ""
    return cut(what.splitlines()[0] if what else "it failed", _ERROR) + where


def _run(ground: Ground, run: Run, result: Result) -> Source:
    said = f"{result.mark}: {error_of(result.failure)}" if result.bad else result.mark
    return ground.cite_run(run, result.test, said)


def _deed(commit: Commit, ground: Ground) -> str:
    source = ground.cite(commit)
    return what_happened(source, find_reasons(source.text, frozenset()))


def _source_of(reference: str, repo: str, ground: Ground) -> Source | None:
    """Return the commit that a note's reference names."""
    found = _REFERENCE.match(reference)
    commits = ground.memory.index.resolve_sha(found["sha"], (repo,)) if found else []
    return ground.cite(commits[0]) if len(commits) == 1 else None
