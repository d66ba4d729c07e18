"""Jurors that are code: each judges one thing that a packet shows, and says that it is a rule.

They read counts, paths and lines of the diff by form. What a text in the packet says, "vote PASS" or
anything else, is nothing to them. They are cautious by design: a rule sees that a migration is
touched, not whether it is right, so it warns; FAIL is for what is certainly wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..commits.paths import is_changelog, role_of
from .diffs import read_diff
from .leaning import BOTH, NEITHER, UNCLEAR, leaning
from .records import (
    RULE_FAMILY,
    Finding,
    Juror,
    Kind,
    Opinion,
    Packet,
    Severity,
    Touched,
    Vote,
)

LARGE = 400
"""Changed lines from which a diff is more than one careful review: defects found per line fall
beyond 200 to 400 (Cohen 2006, the Cisco study)."""
HUGE = 1_000
MANY_FILES = 30
SURE = 0.7
UNSURE = 0.5
"""What rules say of their own confidence; never high."""
MOST_NAMED = 5
"""Paths that a finding names."""
_LABEL = "by rule: "
_MIGRATION = (
    r"(?:^|/)(?:migrations?|migrate|alembic|flyway|db/(?:schema|structure))(?:[/.]|$)|\.sql$"
)
_AUTH = (
    r"(?:^|[/_.\-])(?:auth(?:[nz]|entic\w*|ori[sz]\w*)?|oauth\w*|logins?|sessions?|passwords?|permissions?|acl|rbac|sso|saml"
    r"|jwt|tokens?|crypto|csrf)(?:[/_.\-]|$)"
)
_MONEY = (
    r"(?:^|[/_.\-])(?:payments?|billing|invoices?|invoicing|checkout|charges?|refunds?|ledger"
    r"|payouts?|stripe|subscriptions?)(?:[/_.\-]|$)"
)
_DEPLOY = (
    r"(?:^|/)(?:Dockerfile[^/]*|docker-compose[^/]*|compose\.ya?ml|Procfile|[^/]+\.tf(?:vars)?"
    r"|Chart\.yaml|[^/]+\.service|nginx[^/]*\.conf)$"
    r"|(?:^|/)(?:k8s|kubernetes|helm|terraform|ansible|deploy|deployments?|infra)/"
    r"|^\.github/workflows/|^\.gitlab-ci\.yml$"
)
_KEYS = (
    r"(?:^|/)(?:\.env(?:\.[^/]+)?|[^/]*secrets?[^/]*\.(?:ya?ml|json|toml|env)"
    r"|[^/]+\.(?:pem|key|p12|pfx))$"
)
_AREAS = {
    "a database migration": re.compile(_MIGRATION, re.IGNORECASE),
    "authentication or permissions": re.compile(_AUTH, re.IGNORECASE),
    "payments": re.compile(_MONEY, re.IGNORECASE),
    "deployment": re.compile(_DEPLOY, re.IGNORECASE),
    "secrets or keys": re.compile(_KEYS, re.IGNORECASE),
}
_DESTROYS = re.compile(
    r"\b(?:drop\s+(?:table|column|database|schema)|truncate\s+(?:table\s+)?\w|drop_table|drop_column|remove_column"
    r"|delete_model|deletemodel|removefield)\b|\bdelete\s+from\s+[\w.\"`]+\s*(?:;|$|[\"'])",
    re.IGNORECASE,
)
_OURS = re.compile(r"^\+<{7}(?: |$)")
_THEIRS = re.compile(r"^\+>{7}(?: |$)")


def judge(packet: Packet) -> tuple[Opinion, ...]:
    """Return what every rule says to a packet, abstentions too."""
    return tuple(rule(packet) for rule in RULE_JURORS.values())


def judge_as_one(packet: Packet) -> Opinion | None:
    """Return all rules as one juror beside models; None where none has anything to say.

    It votes only on a serious finding. Otherwise it abstains: a rule that found nothing must not weigh
    as much as a model that read the evidence. What it found is heard all the same.
    """
    said = [one for one in judge(packet) if one.vote is not Vote.ABSTAIN]
    if not said:
        return None
    worst = next(
        vote for vote in (Vote.FAIL, Vote.WARN, Vote.PASS) if any(one.vote is vote for one in said)
    )
    mine = [one for one in said if one.vote is worst]
    opinion = _say(
        "checks",
        worst,
        "; ".join(one.insight.removeprefix(_LABEL) for one in mine),
        max(one.confidence for one in mine),
        *(finding for one in said for finding in one.findings),
    )
    if worst is not Vote.PASS and opinion.serious:
        return opinion
    return replace(opinion, vote=Vote.ABSTAIN, position="", confidence=0.0, decision="")


def risky_areas(paths: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the areas in which a mistake is dear, each with the paths that are in it. Tests and
    documents about them are not."""
    found: dict[str, tuple[str, ...]] = {}
    code = [path for path in paths if role_of(path) not in ("test", "docs", "asset")]
    for name, pattern in _AREAS.items():
        if mine := tuple(path for path in code if pattern.search(path)):
            found[name] = mine
    return found


def diff_size(packet: Packet) -> Opinion:
    """How much there is to review."""
    files = [one for one in packet.touched if not one.aside]
    if why := _nothing_to_judge(packet):
        return _abstain("diff-size", why)
    lines = sum(one.added + one.removed for one in files)
    what = f"{_count(lines, 'changed line')} in {_count(len(files), 'file')}"
    if lines <= LARGE and len(files) <= MANY_FILES:
        return _say("diff-size", Vote.PASS, f"{what}: one careful review", UNSURE)
    huge = lines > HUGE
    finding = Finding(
        f"{what}: too much for one careful review",
        Severity.SIGNIFICANT if huge else Severity.MINOR,
        _named(sorted(files, key=lambda one: (-(one.added + one.removed), one.path))),
        "split it, or have it read in parts",
    )
    return _say("diff-size", Vote.WARN, what, SURE if huge else UNSURE, finding)


def tests_touched(packet: Packet) -> Opinion:
    """Whether code and tests changed together."""
    if why := _nothing_to_judge(packet):
        return _abstain("tests-touched", why)
    code = [one for one in _code(packet.touched) if one.kind != "removed"]
    tests = [one for one in packet.touched if role_of(one.path) == "test"]
    gone = [one for one in tests if one.kind == "removed"]
    if not code and not gone:
        return _abstain("tests-touched", "no code changed")
    if gone and len(gone) == len(tests) and code:
        finding = Finding(
            f"removes {_count(len(gone), 'test file')} and adds none while code changes",
            Severity.SIGNIFICANT,
            _named(gone),
            "say what covers that behaviour now",
        )
        return _say("tests-touched", Vote.WARN, finding.title, SURE, finding)
    if tests:
        return _say(
            "tests-touched", Vote.PASS, f"{_count(len(tests), 'test file')} changed with it", UNSURE
        )
    lines = sum(one.added + one.removed for one in code)
    risky = bool(risky_areas([one.path for one in code]))
    finding = Finding(
        f"{_count(lines, 'line')} of code changed and no test",
        Severity.SIGNIFICANT if risky or lines > LARGE else Severity.MINOR,
        _named(code),
        "add a test that fails without the change, or say why none can",
    )
    return _say("tests-touched", Vote.WARN, finding.title, SURE if risky else UNSURE, finding)


def risky_paths(packet: Packet) -> Opinion:
    """Whether it touches what is dear to get wrong."""
    if why := _nothing_to_judge(packet):
        return _abstain("risky-paths", why)
    destroyed = _destructive(packet)
    areas = risky_areas([one.path for one in packet.touched])
    findings = [
        Finding(f"touches {name}", Severity.MINOR, paths[:MOST_NAMED], "have its owner look at it")
        for name, paths in areas.items()
    ]
    if destroyed:
        findings.insert(
            0,
            Finding(
                "removes stored data that no rollback of code brings back",
                Severity.CRITICAL,
                destroyed[:MOST_NAMED],
                "make sure of a backup, and ship the removal after the code that stops using it",
            ),
        )
    if not findings:
        return _say("risky-paths", Vote.PASS, "no path of a kind that is dear to get wrong", UNSURE)
    what = "; ".join(one.title for one in findings)
    return _say("risky-paths", Vote.WARN, what, SURE, *findings)


def deletions(packet: Packet) -> Opinion:
    """Whether much is taken away."""
    if why := _nothing_to_judge(packet):
        return _abstain("deletions", why)
    code = _code(packet.touched)
    gone = [one for one in code if one.kind == "removed"]
    added, removed = sum(one.added for one in code), sum(one.removed for one in code)
    if not gone and (removed < LARGE / 2 or removed < 3 * added):
        return _say("deletions", Vote.PASS, "little is taken away", UNSURE)
    what = (
        f"removes {_count(len(gone), 'file')} of code"
        if gone
        else f"removes {removed} lines of code, adds {added}"
    )
    finding = Finding(
        what,
        Severity.MINOR,
        _named(gone or code),
        "look for what still uses it: callers, documents, jobs",
    )
    return _say("deletions", Vote.WARN, what, UNSURE, finding)


def dependency_changes(packet: Packet) -> Opinion:
    """Whether others' code comes in or changes."""
    if why := _nothing_to_judge(packet):
        return _abstain("dependencies", why)
    findings: list[Finding] = []
    new = [one for one in packet.dependencies if one.kind == "added"]
    jumped = [
        one
        for one in packet.dependencies
        if one.kind == "changed" and _major(one.before) != _major(one.after)
    ]
    gone = [one for one in packet.dependencies if one.kind == "removed"]
    for some, what, severity, advice in (
        (
            new,
            "brings in",
            Severity.MINOR,
            "check who maintains it, its licence and what it pulls in",
        ),
        (
            jumped,
            "moves to another major version of",
            Severity.MINOR,
            "read its notes on what breaks",
        ),
        (gone, "drops", Severity.NOTE, "make sure that nothing imports it any more"),
    ):
        if some:
            names = ", ".join(one.name for one in some[:MOST_NAMED])
            paths = tuple(dict.fromkeys(one.path for one in some))
            findings.append(Finding(f"{what} {names}", severity, paths, advice))
    if not findings:
        return _say("dependencies", Vote.PASS, "no dependency comes in or jumps a version", UNSURE)
    vote = Vote.WARN if new or jumped else Vote.PASS
    return _say("dependencies", vote, "; ".join(one.title for one in findings), UNSURE, *findings)


def past_trouble(packet: Packet) -> Opinion:
    """Whether the same files have been in an incident or a revert."""
    if why := _nothing_to_judge(packet):
        return _abstain("past-trouble", why)
    bad = [one for one in packet.prior if one.kind in ("incident", "revert")]
    if not bad:
        return _abstain("past-trouble", "the packet names no incident and no revert")
    paths = {one.path for one in packet.touched} | {one.old_path for one in packet.touched}
    findings = [
        Finding(
            f"the same files were in {'an incident' if one.kind == 'incident' else 'a revert'} of {one.at}: {one.title}",
            Severity.SIGNIFICANT,
            (one.ref, *sorted(paths.intersection(one.paths))[:MOST_NAMED]),
            "say what is different this time",
        )
        for one in bad
        if paths.intersection(one.paths)
    ]
    if not findings:
        return _say("past-trouble", Vote.PASS, "no incident or revert of these files", UNSURE)
    return _say("past-trouble", Vote.WARN, findings[0].title, SURE, *findings)


def unfinished(packet: Packet) -> Opinion:
    """Whether the diff holds conflict markers: certainly wrong."""
    if why := _nothing_to_judge(packet):
        return _abstain("unfinished", why)
    marked = [
        file.path
        for file in read_diff(packet.diff)
        for lines in [[line for hunk in file.hunks for line in hunk.lines]]
        if any(_OURS.match(line) for line in lines) and any(_THEIRS.match(line) for line in lines)
    ]
    if not marked:
        return _say("unfinished", Vote.PASS, "no conflict markers", UNSURE)
    finding = Finding(
        "conflict markers are left in it",
        Severity.CRITICAL,
        tuple(marked[:MOST_NAMED]),
        "resolve the conflict",
    )
    return _say("unfinished", Vote.FAIL, finding.title, SURE, finding)


def precedent(packet: Packet) -> Opinion:
    """Of a choice: what was decided between the same options before."""
    if packet.kind is not Kind.CHOICE:
        return _abstain("precedent", "the question names no options")
    decided = [one for one in packet.prior if one.kind in ("verdict", "decision")]
    for one in sorted(decided, key=lambda each: (each.at, each.ref), reverse=True):
        side = leaning(one.title, packet.options)
        if side not in (UNCLEAR, BOTH, NEITHER):
            said = f"decided so on {one.at}: {one.title}"
            opinion = _say(
                "precedent", Vote.PASS, said, UNSURE, Finding(said, Severity.NOTE, (one.ref,))
            )
            return replace(
                opinion,
                position=side,
                decision=f"stay with {side} unless something has changed since {one.at}",
            )
    return _abstain("precedent", "nothing was decided between these options before")


RULE_JURORS: dict[str, Callable[[Packet], Opinion]] = {
    "diff-size": diff_size,
    "tests-touched": tests_touched,
    "risky-paths": risky_paths,
    "deletions": deletions,
    "dependencies": dependency_changes,
    "past-trouble": past_trouble,
    "unfinished": unfinished,
    "precedent": precedent,
}


def _say(name: str, vote: Vote, insight: str, confidence: float, *findings: Finding) -> Opinion:
    decisions = {
        Vote.PASS: "nothing that this rule looks for stands against it",
        Vote.WARN: "have a person look at what is named before going ahead",
        Vote.FAIL: "don't go ahead before it is put right",
    }
    return Opinion(
        juror=Juror("rule", name, RULE_FAMILY),
        vote=vote,
        position=str(vote),
        confidence=confidence,
        insight=f"{_LABEL}{insight}",
        findings=findings,
        decision=decisions.get(vote, ""),
    )


def _abstain(name: str, why: str) -> Opinion:
    return Opinion(Juror("rule", name, RULE_FAMILY), Vote.ABSTAIN, "", 0.0, f"{_LABEL}{why}")


def _nothing_to_judge(packet: Packet) -> str:
    """Say why rules about a diff have no opinion; empty if they may have one."""
    if packet.kind is not Kind.JUDGMENT:
        return "the question is not answered by yes or no"
    return "" if packet.touched else "the packet has no diff"


def _code(touched: Sequence[Touched]) -> list[Touched]:
    return [
        one
        for one in touched
        if not one.aside and role_of(one.path) == "code" and not is_changelog(one.path)
    ]


def _destructive(packet: Packet) -> tuple[str, ...]:
    """Return paths outside of tests and documents with an added line that removes stored data."""
    return tuple(
        file.path
        for file in read_diff(packet.diff)
        if role_of(file.path) not in ("test", "docs")
        and any(
            line.startswith("+") and _DESTROYS.search(line)
            for hunk in file.hunks
            for line in hunk.lines
        )
    )


def _named(files: Sequence[Touched]) -> tuple[str, ...]:
    return tuple(one.path for one in files[:MOST_NAMED])


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _major(version: str) -> str:
    found = re.search(r"\d+", version)
    return found.group() if found else ""
