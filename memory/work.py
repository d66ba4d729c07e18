"""What agents found out by working: test runs, drafts, drift, briefs, answers made ahead, councils, and
whose code may be run.

One SQLite file beside the memory (``work.db``). The daemon alone writes it; a rebuild of memory
leaves it as it is, since nothing of it could be made again from git.
"""

from __future__ import annotations

from pathlib import Path

from . import answers, briefs, council, drafts, drift, test_runs, trust
from .answers import Answers
from .briefs import Briefs
from .council import Councils
from .council_lessons import Lessons
from .database import Database
from .drafts import Drafts
from .drift import Proposals
from .generations import forget_generations
from .test_runs import Runs
from .trust import Trust

MIGRATIONS = [
    trust.m001_trust,
    test_runs.m002_test_runs,
    drafts.m003_drafts,
    drift.m004_drift,
    briefs.m005_briefs,
    answers.m006_answers,
    council.m007_council,
    council.m008_council_summaries,
]
"""Append only, as for the structured index."""


class Work:
    """The parts of ``work.db``. Calls take milliseconds and belong in a thread."""

    def __init__(self, path: Path) -> None:
        """Open it, made if need be. Raise HermesError as Database does."""
        self.database = Database(path, MIGRATIONS)
        self.trust = Trust(self.database)
        self.runs = Runs(self.database)
        self.drafts = Drafts(self.database)
        self.proposals = Proposals(self.database)
        self.briefs = Briefs(self.database)
        self.answers = Answers(self.database)
        self.councils = Councils(self.database)
        self.lessons = Lessons(self.database)

    def forget(self, repo: str) -> None:
        """Remove everything of one repository."""
        with self.database.writing() as db:
            self.trust.forget(repo)
            self.runs.forget(repo)
            self.drafts.forget(repo)
            self.proposals.forget(repo)
            self.briefs.forget(repo)
            self.answers.forget(repo)
            self.councils.forget(repo)
            # At last: what was removed was counted too.
            forget_generations(db, repo)

    def close(self) -> None:
        """Close the file."""
        self.database.close()
