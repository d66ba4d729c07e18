"""Many repositories and people: the facts of a brief are there in a moment."""

from __future__ import annotations

import resource
from pathlib import Path

from hermes.tests.builders.git import RepoBuilder
from hermes.tests.builders.mornings import ME, NOW, Morning

REPOSITORIES = 20
COMMITS = 500
"""In the period, of each repository."""
AUTHORS = 200


def fill(builder: RepoBuilder) -> None:
    """Make commits of yesterday by many people, a few of them Sam's."""
    stream: list[bytes] = []
    for number in range(COMMITS):
        who = number % AUTHORS
        ident = b"Sam Doe <sam@example.com>" if who == 0 else b"P%d <p%d@x.org>" % (who, who)
        message = b"feat(part%d): add thing %d (#%d)" % (number % 9, number, number + 1)
        stream.append(
            b"commit refs/heads/main\ncommitter %s %d +0000\n" % (ident, NOW - 60_000 + number)
        )
        stream.append(b"data %d\n%s\n" % (len(message), message))
        body = b"x = %d\n" % number
        stream.append(b"M 100644 inline src/part%d/file%d.py\n" % (number % 9, number % 40))
        stream.append(b"data %d\n%s\n" % (len(body), body))
    builder.fast_import(b"".join(stream))
    builder.git("reset", "--quiet", "--hard")


def test_ten_thousand_commits_of_two_hundred_people_are_told_in_a_moment(tmp_path: Path) -> None:
    morning = Morning(tmp_path / "sam", ME)
    try:
        for number in range(REPOSITORIES):
            fill(morning.add(f"repo{number}"))
        scope = morning.scope()
        before = _cpu()
        from hermes.agents.brief.sources import gather

        found = gather(scope)
        spent = _cpu() - before
    finally:
        morning.close()
    assert found.unreadable == ()
    assert sum(fact.key.startswith("theme:") for fact in found.facts) >= REPOSITORIES
    assert any(fact.key.startswith("main:") for fact in found.facts)
    # Of processor time: what a clock on the wall says is the machine's business of the moment.
    assert spent < 4.0, f"{spent:.1f} s"


def _cpu() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    git = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + git.ru_utime + git.ru_stime
