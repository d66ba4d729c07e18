"""The council as an agent: holds the council that its subject names, or one on the text it was given."""

from __future__ import annotations

import re
from typing import Any, Protocol

from .contract import Assignment, Context, Done, Hopeless, Outcome
from .council.wish import NoQuestion, NotAJudgment

Fields = dict[str, Any]
MAX_SUMMARY = 200
_SUBJECT = re.compile(r"c(\d{1,18})")


def subject_of(number: int) -> str:
    """Return the subject under which a council is held: two may be held at once."""
    return f"c{number}"


class Chamber(Protocol):
    """Where councils are set up and held."""

    async def open_for(self, question: str, repo: str | None) -> int:
        """Set up a council on a question; return its number. Raise HermesError."""
        ...

    async def hold(self, number: int, job: int, context: Context) -> Fields:
        """Hold a council to its verdict, and return it. Raise HermesError."""
        ...


class CouncilAgent:
    """See the module."""

    name = "council"

    def __init__(self, chamber: Chamber) -> None:
        self._chamber = chamber

    async def handle(self, assignment: Assignment, context: Context) -> Outcome:
        """Hold it. Raise Hopeless where there is nothing to judge."""
        if assignment.subject == "remember":
            report = await context.bulk("minutes")
            return Done("what councils decided is in memory", report)
        named = _SUBJECT.fullmatch(assignment.subject)
        if named is None and not assignment.text.strip():
            raise Hopeless("there is nothing to judge", hint='hermes council "A or B?"')
        if assignment.dry_run:
            return Done("would hold a council")
        if named is not None:
            number = int(named[1])
        else:
            try:
                number = await self._chamber.open_for(assignment.text, assignment.repo)
            except (NoQuestion, NotAJudgment) as error:
                raise Hopeless(error.message, hint=error.hint) from error
        found = await self._chamber.hold(number, assignment.job, context)
        await context.bulk("minutes")
        return Done(found["line"][:MAX_SUMMARY], {"council": number, "answer": found["told"]})
