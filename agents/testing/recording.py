"""Turns what a framework reported into what is kept, without secrets."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ...ingest.git.command import Git
from ...ingest.git.errors import GitError
from ...ingest.redaction import redact, redact_all
from ...memory.test_records import NewRun, Picked, Result, Run, Standing, Why
from .confirm import Settled
from .execution import Execution
from .records import Choice, Failure, Report, State, Tree

MOST_OUTPUT = 8_000
"""Characters of a run's output that are kept."""


@dataclass(frozen=True, slots=True)
class Head:
    """Where the worktree stood."""

    sha: str = ""
    clean: bool = False


def head_of(git: Git) -> Head:
    """Return HEAD, and whether the worktree holds just that; nothing before the first commit."""
    try:
        sha = git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}").decode().strip()
        status = git.run("status", "--porcelain", "-z", "--untracked-files=normal")
    except GitError:
        return Head()
    return Head(sha, not status.strip(b"\0"))


def changed_in(git: Git) -> tuple[str, ...]:
    """Return the paths in which the worktree differs from HEAD, with what is new in it."""
    fields = git.run(
        *("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    ).split(b"\0")
    return tuple(os.fsdecode(field[3:]) for field in fields if len(field) > 3)


def redacted(execution: Execution) -> Execution:
    """Return what was found without secrets: failures, the output, and what is broken."""
    failures = [each.case.failure for each in execution.settled]
    texts = [text for each in failures if each for text in (each.message, each.text)]
    clean = iter(_all_clean(texts))

    def without(failure: Failure | None) -> Failure | None:
        return failure and replace(failure, message=next(clean), text=next(clean))

    settled = tuple(
        replace(each, case=replace(each.case, failure=without(each.case.failure)))
        for each in execution.settled
    )
    report = execution.report
    report = replace(
        report,
        cases=(),
        detail=_clean(report.detail),
        output=_clean(report.output[-MOST_OUTPUT:]),
        collected={file: _clean(error) for file, error in report.collected.items()},
    )
    return replace(execution, settled=settled, report=report)


def new_run(
    repo: str,
    kind: str,
    execution: Execution,
    head: Head,
    job: int,
    tree: Tree,
    gone: Collection[str],
) -> NewRun:
    """Return a redacted execution as it is to be kept."""
    choice, report = execution.choice, execution.report
    run = Run(
        repo=repo,
        at=execution.at,
        seconds=execution.seconds,
        kind=kind,
        framework=execution.framework,
        state=str(report.state),
        detail=report.detail,
        by=choice.by,
        why=choice.why,
        whole=choice.whole,
        head=head.sha,
        clean=head.clean,
        job=job,
        in_place=tree.in_place,
        output=report.output if report.state not in (State.GREEN, State.NOTHING) else "",
    )
    results = {each.case.id: _result(each) for each in execution.settled}
    return NewRun(
        run,
        tuple(results.values()),
        tuple(Picked(pick.target, pick.why) for pick in choice.picks),
        report.collected,
        tuple(gone),
    )


def gone(tree: Tree, choice: Choice, report: Report, standings: Sequence[Standing]) -> list[str]:
    """Of tests whose standing is known, return those that are no more: their file is gone, their
    name is not in it any more, or their whole file was run and they were not there."""
    seen = {case.id for case in report.cases}
    finished = report.state in (State.GREEN, State.RED)
    files = {pick.target for pick in choice.picks if "::" not in pick.target}
    whole_files = files if finished and choice.by not in ("testmon", "asked") else set[str]()
    texts: dict[str, str | None] = {}
    found: list[str] = []
    for standing in standings:
        file, separator, name = standing.test.partition("::")
        if standing.test in seen or not separator:
            continue
        if file not in texts:
            texts[file] = _text(tree, file)
        text = texts[file]
        function = re.match(r"\w*", name.rpartition("::")[2])
        named = function is None or text is None or function[0] in text
        if text is None or not named or file in whole_files:
            found.append(standing.test)
    return found


def _text(tree: Tree, file: str) -> str | None:
    try:
        return (tree.root / file).read_bytes().decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return ""


def _result(each: Settled) -> Result:
    case, failure = each.case, each.case.failure
    why = None
    if failure is not None:
        why = Why(failure.exception, failure.message, failure.path, failure.line, failure.text)
    mark = "passed" if each.flaky else str(case.mark)
    return Result(case.id, mark, case.seconds, why, each.flaky)


def _clean(text: str) -> str:
    return redact(text)[0] if text else ""


def _all_clean(texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    pieces, _ = redact_all([text.encode("utf-8", "replace") for text in texts])
    return [piece.decode("utf-8", "replace") for piece in pieces]
