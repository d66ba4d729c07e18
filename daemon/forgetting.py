"""Forgetting, on the daemon's side: what lies around memory, and the proof that nothing is left.

The worker takes out of memory and of the themes what a rule names; then this does the same for
whatever the daemon itself writes. Killed at any point, the rule says how far it came, and the next
daemon goes on there.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..agents.brief import files as brief_files
from ..agents.themes.folder import ThemesFolder
from ..agents.themes.forgetting import without
from ..memory import plain, sifting
from ..memory.forgetting_rules import FORGOTTEN, RuleKind
from ..memory.plain import Plain
from ..memory.withheld import Kept, Stage
from . import scrubbing
from .logs import clean_log
from .needles import Needles, Surroundings
from .paths import Paths
from .proving import Left, Proof
from .scrubbing import Clean, cleaned_cell
from .searching import search_apart
from .wire import Fields

if TYPE_CHECKING:
    from ..memory.memory import Memory
    from ..memory.work import Work
    from .ledger.ledger import Ledger
    from .reaper import Reaper

OnProgress = Callable[[str, int, int], None]
MOST_NEEDLES = 200
"""Forgotten paths, or what was forgotten by how it was called, that are sought for the proof; of a
folder it seeks one for each file."""

logger = logging.getLogger(__name__)


class Forgetting:
    """What the daemon has to do with rules of forgetting. Methods block: they belong in a thread."""

    def __init__(
        self,
        paths: Paths,
        ledger: Ledger,
        work: Work,
        *,
        reaper: Reaper | None = None,
    ) -> None:
        """``reaper`` is told of the processes that are started."""
        self._reaper = reaper
        self._finishing = threading.Lock()
        self._paths = paths
        self._ledger = ledger
        self._work = work

    def finish(
        self, memory: Memory, on_progress: OnProgress = lambda phase, done, total: None
    ) -> Fields:
        """Carry out around memory the rules that are carried out in it, and prove it; return the
        proof. Raise HermesError; the next call goes on."""
        # One at a time: a second request waits, and finds done what the first has done.
        with self._finishing:
            return told(self._finish(memory, on_progress), self._paths)

    def _finish(self, memory: Memory, on_progress: OnProgress) -> Proof:
        proof = Proof()
        rules = [rule for rule in memory.index.withheld.pending() if rule.stage is Stage.AROUND]
        for rule in rules:
            said = plain.read(memory.folder, rule.id)
            clean = partial(self._clean, rule, cleaner(memory, rule, said))
            clean()
            if said is not None:
                _add(proof, self._proved(memory, said, clean, on_progress))
            # Last of all goes what says who was meant. What went with its source may come again.
            if rule.kind is RuleKind.ITEMS:
                memory.index.withheld.remove(rule.id)
            else:
                memory.index.withheld.set_stage(rule.id, Stage.DONE)
            plain.remove(memory.folder, rule.id)
        return proof

    def look(
        self, clean: Clean, gone: Collection[str], before: float | None = None
    ) -> dict[str, int]:
        """Return how much lies around memory of what a rule names, by part."""
        pages = [
            page
            for weeks in (False, True)
            for page in ThemesFolder(self._paths.themes).pages(weeks=weeks)
        ]
        lines = 0
        for log in self._logs():
            text = os.fsdecode(log.read_bytes())
            lines += sum(clean(line) != line for line in text.splitlines())
        return {
            "themes": sum(without(page, gone, clean) != page for page in pages),
            "work": scrubbing.count(self._work.database, clean, before),
            "events": scrubbing.count(self._ledger.database, clean, before),
            "drafts": sum(1 for _ in _holding(self._paths.drafts, clean)),
            "log": lines,
        }

    def sweep(self, memory: Memory) -> int:
        """Take out of what was written since what rules keep out: agents also read working trees
        and git, which still have it. Return how many rows and files that were."""
        sieve = memory.index.withheld.sieve()
        if not sieve:
            return 0
        changed = 0
        for database in (self._work.database, self._ledger.database):
            if scrubbing.count(database, sieve.clean):
                changed += scrubbing.scrub(database, sieve.clean)
        for log in self._logs():
            changed += clean_log(log, sieve.clean)
        return changed + _remove_files(self._paths.drafts, sieve.clean)

    def forget_repo(self, repo: str) -> None:
        """Leave nothing of a repository in what the daemon writes."""
        said = plain.read(self._paths.memory, plain.of_repo(repo)) or Plain(paths=(repo,))
        named = re.compile("|".join(map(re.escape, said.paths)), re.IGNORECASE)

        def clean(text: str) -> str:
            return named.sub(FORGOTTEN, text)

        scrubbing.forget_repo(self._ledger.database, repo)
        for database in (self._work.database, self._ledger.database):
            scrubbing.scrub(database, clean)
        for folder in (self._paths.drafts, self._paths.spool):
            _remove_files(folder, clean)
        for log in self._logs():
            clean_log(log, clean)

    def finish_repo(
        self,
        memory: Memory,
        repo: str,
        on_progress: OnProgress = lambda phase, done, total: None,
    ) -> Fields:
        """Prove that nothing is left of a repository that left memory, and return the proof."""
        said = plain.read(memory.folder, plain.of_repo(repo))
        proof = Proof()
        if said is not None:
            proof = self._proved(memory, said, partial(self.forget_repo, repo), on_progress)
        plain.remove(memory.folder, plain.of_repo(repo))
        return told(proof, self._paths)

    def _clean(self, rule: Kept, clean: Clean) -> None:
        before = float(rule.rule) if rule.kind is RuleKind.BEFORE else None
        self._work.answers.clear()
        with self._work.database.writing() as db:
            db.execute("DELETE FROM brief_made")  # kept whole or not at all
        for database in (self._work.database, self._ledger.database):
            scrubbing.scrub(database, clean, before)
        brief_files.remove(self._paths.brief)
        for folder in (self._paths.drafts, self._paths.spool):
            _remove_files(folder, clean)
        # Copies of working trees, and what frameworks keep of them: made again when wanted.
        shutil.rmtree(self._paths.testing, ignore_errors=True)
        for log in self._logs():
            clean_log(log, clean)

    def _logs(self) -> list[Path]:
        return sorted(self._paths.log_file.parent.glob("*.log*"))

    def _proved(
        self, memory: Memory, said: Plain, clean: Callable[[], object], on_progress: OnProgress
    ) -> Proof:
        """Search; where something is left, it was perhaps written while this was going on: ``clean``
        once more, and search again."""
        proof = self._prove(memory, said, on_progress)
        if not proof.left:
            return proof
        clean()
        return self._prove(memory, said, on_progress)

    def _prove(self, memory: Memory, said: Plain, on_progress: OnProgress) -> Proof:
        sought = said.needles[:MOST_NEEDLES] or _called(memory, said)
        if not sought:
            return Proof()
        needles = Needles(sought)
        known = Surroundings()

        def is_left(text: str) -> bool:
            needles.note(text, known)
            return needles.are_in_text(text)

        rows, left = sifting.find(
            memory.store,
            needles.pattern,
            is_left,
            lambda done, total: on_progress("searching texts", done, total),
        )
        folder = memory.store.folder
        proof = search_apart(
            folders_of(self._paths),
            needles,
            spare=memory.folder / plain.FOLDER,
            known={} if folder is None else {str(folder): known},
            reaper=self._reaper,
            on_progress=lambda done, total: on_progress("searching files", done, total),
        )
        proof.rows += rows
        proof.left |= {Left(place, what) for place, what in left.items()}
        return proof


def _called(memory: Memory, said: Plain) -> list[str]:
    """Return how some of that was called which went with a source or for its age, but for what memory
    says elsewhere too. Memory itself was sifted by source and time, not by words."""
    phrases = said.phrases[:MOST_NEEDLES]
    if not phrases:
        return []
    kept: list[str] = []

    def keep(text: str) -> bool:
        kept.append(text.casefold())
        return False

    sifting.find(memory.store, Needles(phrases).pattern, keep)
    return [phrase for phrase in phrases if not any(phrase.casefold() in text for text in kept)]


def cleaner(memory: Memory, rule: Kept, said: Plain | None) -> Clean:
    """Return what takes out of a text what a rule names, and what was called what is gone."""
    sieve = memory.index.withheld.sieve((rule.id,))
    phrases = said.cleaner() if said is not None else None

    def clean(text: str) -> str:
        text = sieve.clean(text)
        return text if phrases is None else phrases(text)

    return clean


def folders_of(paths: Paths) -> list[Path]:
    """Return every folder in which hermes keeps something, none of them within another."""
    folders = {Path(paths.state_folder), Path(paths.cache_folder), Path(paths.log_folder),
               Path(paths.config_folder), Path(paths.run_folder)}  # fmt: skip
    return sorted(each for each in folders if not folders & set(each.parents))


def told(proof: Proof, paths: Paths) -> Fields:
    """Return a proof as it is reported: what is left with the reason, if there is one."""
    return {
        "files": proof.files,
        "bytes": proof.bytes,
        "rows": proof.rows,
        "left": [
            {"place": place, "what": what, "why": _why(place, what, paths)}
            for place, what in sorted(proof.left)
        ],
        "unsearched": [
            {"place": place, "why": why} for place, why in sorted(proof.unsearched.items())
        ],
    }


def _why(place: str, what: str, paths: Paths) -> str:
    """Say why something may still be there: what is yours is not changed."""
    if place == str(paths.config_file):
        return "your settings say so"
    if place.startswith(str(paths.watch)):
        return "a file of a working tree that is watched is called so"
    if place.startswith(str(paths.testing)):
        return "a copy of a working tree, made for tests: the tree has it"
    if what in ("table repos", "table trust", "table tips", "table values"):
        return "where a repository lies, or what a branch is called"
    if what == "table withheld":
        return "a rule keeps a commit of it out; `hermes forget --list`"
    if place == str(paths.ledger) or place == str(paths.work):
        return "it was written while this was going on; the same command again takes it out"
    return ""


def _add(proof: Proof, more: Proof) -> None:
    proof.files = max(proof.files, more.files)
    proof.bytes = max(proof.bytes, more.bytes)
    proof.rows = max(proof.rows, more.rows)
    proof.left |= more.left
    proof.unsearched |= more.unsearched


def _remove_files(folder: Path, clean: Clean) -> int:
    """Remove the files in which something would have to be cleaned: each is made again, or tells of
    what is known by now. Return how many."""
    holding = list(_holding(folder, clean))
    for path in holding:
        path.unlink(missing_ok=True)
    return len(holding)


def _holding(folder: Path, clean: Clean) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if not path.is_file() or path.is_symlink():
            continue
        with suppress(FileNotFoundError):
            text = os.fsdecode(path.read_bytes())
            if cleaned_cell(text, clean) != text:
                yield path
