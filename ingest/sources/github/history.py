"""What became of an issue or a pull request: its states, assignees, reviews and checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ....memory.records import ItemChange
from ..ticket import Person
from .accounts import Naming, account, account_of
from .bundle import Bundle
from .fields import Json, inner, many, moment, number, text, truth
from .talk import is_pending, is_theirs

OPEN, DRAFT, MERGED, CLOSED = "open", "draft", "merged", "closed"

_STATES = {
    "closed": CLOSED,
    "merged": MERGED,
    "reopened": OPEN,
    "convert_to_draft": DRAFT,
    "ready_for_review": OPEN,
}
"""By event, the state after it."""
_VERDICTS = {"APPROVED": "approved by", "CHANGES_REQUESTED": "changes requested by"}
_GOOD = frozenset(("SUCCESS", "NEUTRAL", "SKIPPED"))
_RUNNING = frozenset(("", "PENDING", "EXPECTED", "QUEUED", "IN_PROGRESS", "WAITING", "REQUESTED"))
MOST_CHECKS_NAMED = 5


def state_of(bundle: Bundle) -> str:
    """Return ``open``, ``draft``, ``merged`` or ``closed``."""
    said = text(bundle.data, "state").lower()
    if merged_at(bundle) is not None or truth(bundle.data, "merged") or said == MERGED:
        return MERGED
    if said == CLOSED or (not said and _closed_at(bundle) is not None):
        return CLOSED
    return DRAFT if truth(bundle.data, "draft", "isDraft") else OPEN


def merged_at(bundle: Bundle) -> int | None:
    """Return when a pull request was merged; None for others."""
    at = moment(bundle.data, "merged_at", "mergedAt")
    return at or moment(inner(bundle.data, "pull_request"), "merged_at")


def closed_at(bundle: Bundle) -> int | None:
    """Return when it was merged or closed; None while it is open."""
    if state_of(bundle) in (OPEN, DRAFT):
        return None
    at = merged_at(bundle) or _closed_at(bundle)
    return at or moment(bundle.data, "updated_at", "updatedAt", "created_at", "createdAt")


def _closed_at(bundle: Bundle) -> int | None:
    return moment(bundle.data, "closed_at", "closedAt")


def changes_of(bundle: Bundle, opened: int, name: Naming) -> tuple[ItemChange, ...]:
    """Return what became of its fields, oldest first."""
    events = sorted(bundle.events, key=lambda each: moment(each, "created_at") or 0)
    found = [*_states(bundle, events, opened), *_assignees(bundle, events, opened, name)]
    found += [*_asked(bundle, events, opened, name), *_verdicts(bundle.reviews, name)]
    found += checks_of(bundle)
    return tuple(sorted(found, key=lambda change: change.at))


def _states(bundle: Bundle, events: Iterable[Json], opened: int) -> list[ItemChange]:
    now, ended = state_of(bundle), closed_at(bundle)
    steps: list[tuple[int, str]] = []
    for event in events:
        at, state = moment(event, "created_at"), _STATES.get(text(event, "event"))
        if at is not None and state is not None and at != merged_at(bundle):
            steps.append((at, state))
    if now == MERGED and ended is not None:
        # A merge closes too, and the one is told a moment after the other.
        steps = [step for step in steps if step[0] < ended - 60 and step[1] != MERGED]
        steps.append((ended, MERGED))
    elif ended is not None and not (steps and steps[-1][1] == CLOSED):
        steps.append((ended, CLOSED))
    drafted = next((state for _, state in steps if state in (DRAFT, OPEN)), DRAFT)
    was_ready = any(text(event, "event") == "ready_for_review" for event in events)
    first = DRAFT if (was_ready and drafted == OPEN) or (not steps and now == DRAFT) else OPEN
    found = [ItemChange(opened, "state", first)]
    for at, state in steps:
        if state != found[-1].value:
            found.append(ItemChange(max(at, opened), "state", state))
    return found


def _assignees(
    bundle: Bundle, events: Iterable[Json], opened: int, name: Naming
) -> Iterator[ItemChange]:
    """Yield who had it when: of several at once, who has had it longest."""
    holders: list[str] = []
    told = False
    for event in events:
        what, at = text(event, "event"), moment(event, "created_at")
        if what not in ("assigned", "unassigned") or at is None:
            continue
        who = name(account(event, "assignee"))[0]
        before = holders[:1]
        holders = [each for each in holders if each != who]
        holders += [who] if what == "assigned" else []
        if holders[:1] != before:
            told = True
            yield ItemChange(at, "assignee", holders[0] if holders else "")
    now = assignees_of(bundle, name)
    if now and not told:
        yield ItemChange(opened, "assignee", now[0][0])


def assignees_of(bundle: Bundle, name: Naming) -> list[Person]:
    """Return who is to do it, the first one foremost."""
    listed = [account_of(each) for each in many(bundle.data, "assignees")]
    found = listed or [account(bundle.data, "assignee")]
    return [name(who) for who in found if who.login or who.name]


def asked_of(bundle: Bundle, name: Naming) -> list[Person]:
    """Return those whose reviews are still waited for."""
    found = [account_of(each) for each in many(bundle.data, "requested_reviewers")]
    for each in many(bundle.data, "reviewRequests"):
        found.append(account_of(inner(each, "requestedReviewer") or each))
    return [name(who) for who in found if who.login]


def _asked(
    bundle: Bundle, events: Iterable[Json], opened: int, name: Naming
) -> Iterator[ItemChange]:
    """Yield whose reviews were asked for, and not withdrawn: a person, or a team by its name.

    An export does not tell when: it counts from the beginning.
    """
    asked: dict[str, int] = {}
    for event in events:
        what, at = text(event, "event"), moment(event, "created_at")
        who = name(account(event, "requested_reviewer"))[0]
        who = who or text(inner(event, "requested_team"), "name", "slug")
        if what == "review_requested" and at is not None and who:
            asked[who] = at
        elif what == "review_request_removed":
            asked.pop(who, None)
    for who, _ in asked_of(bundle, name):
        asked.setdefault(who, opened)
    for who, at in asked.items():
        yield ItemChange(at, "reviewer", who)


def _verdicts(reviews: Iterable[Json], name: Naming) -> Iterator[ItemChange]:
    """Yield what reviews came to: ``approved by Kim Noor``, ``changes requested by Kim Noor``."""
    for review in reviews:
        verdict = _VERDICTS.get(text(review, "state").upper())
        at = moment(review, "submitted_at", "submittedAt")
        who = account(review, "user", "author")
        if verdict and at is not None and is_theirs(who) and not is_pending(review):
            yield ItemChange(at, "review", f"{verdict} {name(who)[0] or 'somebody'}")


def checks_of(bundle: Bundle) -> list[ItemChange]:
    """Return how the checks of the head stand: ``passed``, ``running``, ``failed: lint, tests``.

    Of a check that ran several times, the last counts.
    """
    last: dict[tuple[str, int | str], tuple[int, str]] = {}
    for check in bundle.checks:
        names = ("completed_at", "completedAt", "updated_at", "started_at", "startedAt")
        at = moment(check, *names, "created_at", "createdAt") or 0
        what = text(check, "name", "context")
        suite = number(inner(check, "check_suite"), "id") or text(check, "workflowName")
        said = text(check, "conclusion").upper() or text(check, "state", "status").upper()
        if what and at >= last.get((what, suite), (0, ""))[0]:
            last[what, suite] = (at, said)
    if not last:
        return []
    bad = sorted({name for (name, _), (_, said) in last.items() if said not in _GOOD | _RUNNING})
    running = any(said in _RUNNING for _, said in last.values())
    more = f" and {len(bad) - MOST_CHECKS_NAMED} more" if len(bad) > MOST_CHECKS_NAMED else ""
    value = f"failed: {', '.join(bad[:MOST_CHECKS_NAMED])}{more}" if bad else ""
    value = value or ("running" if running else "passed")
    newest = max(at for at, _ in last.values())
    newest = newest or moment(bundle.data, "updated_at", "updatedAt") or 0
    return [ItemChange(newest, "checks", value)]
