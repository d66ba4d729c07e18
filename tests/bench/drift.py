"""How well drift in documents is found: ``python -m hermes.tests.bench.drift REPO``.

Mutations: names that documents mention as code and the code defines are renamed or removed in the
code of a clone, each by a real commit; what is found is held against the places that mention them.
Then the tree as it is: everything that is reported there, to be read by a person. Then replay:
commits that changed code and a document, with the document's half hidden.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from hermes.agents.documents import drift
from hermes.agents.documents.code_words import all_words, is_source, without_comments, words_in
from hermes.agents.documents.conventions import is_prose, is_test, tells_of_past
from hermes.agents.documents.documents import load_tree
from hermes.agents.documents.names import COMMON, word_of
from hermes.agents.documents.paths import resolve
from hermes.agents.documents.present import live, live_links
from hermes.agents.documents.records import Document, Drift, Thing
from hermes.agents.documents.scan import scan
from hermes.agents.documents.tree import Tree
from hermes.agents.project_settings import ProjectDocuments
from hermes.ingest import symbols
from hermes.ingest.git.command import Git

PROJECT = ProjectDocuments()
KINDS = (Thing.FLAG, Thing.VARIABLE, Thing.SYMBOL, Thing.PATH, Thing.LINK, Thing.SETTING)


@dataclass(frozen=True)
class Target:
    """A name that can be taken away, and the places that name it."""

    thing: Thing
    name: str
    places: frozenset[tuple[str, int]]


class Clone:
    """A clone that is changed and put back."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.path = folder
        self._call("clone", "--quiet", "--no-hardlinks", str(repository), str(folder), cwd=None)
        self.git = Git.open(folder)
        self.head = self._call("rev-parse", "HEAD")

    def _call(self, *args: str, cwd: Path | None = Path()) -> str:
        command = ["git", "-c", "user.name=Sam", "-c", "user.email=sam@example.com", *args]
        folder = self.path if cwd is not None else None
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return os.fsdecode(done.stdout).strip()

    def commit(self) -> str:
        """Commit all, and return the sha."""
        self._call("add", "--all")
        self._call("commit", "--quiet", "--no-verify", "--allow-empty", "-m", "Change a name")
        return self._call("rev-parse", "HEAD")

    def back(self) -> None:
        """Put everything back."""
        self._call("reset", "--quiet", "--hard", self.head)
        self._call("clean", "-fdq")

    def move(self, old: str, new: str | None) -> None:
        """Rename or remove a file or folder."""
        if new is None:
            self._call("rm", "-rq", "--", old)
        else:
            (self.path / new).parent.mkdir(parents=True, exist_ok=True)
            self._call("mv", "--", old, new)

    def tree_of(self, code: str, documents: str) -> str:
        """Return a commit with the code of one commit and the prose of another."""
        self._call("checkout", "--quiet", "--detach", documents)
        changed = self._call("diff", "--name-only", "--no-renames", "-z", documents, code).split(
            "\0"
        )
        for path in filter(None, changed):
            if is_prose(path):
                continue
            if self._call("ls-tree", code, "--", path):
                self._call("checkout", "--quiet", code, "--", path)
            else:
                self._call("rm", "-q", "--", path)
        made = self.commit()
        self._call("checkout", "--quiet", self.head)
        return made


def targets(tree: Tree, documents: dict[str, Document]) -> dict[Thing, list[Target]]:
    """Return all names that documents mention as code and the code defines, by kind."""
    words = words_in(tree)
    where: dict[str, set[str]] = defaultdict(set)
    for path, held in words.items():
        for word in held:
            where[word].add(path)
    defined: Counter[str] = Counter()
    texts = tree.read(entry.blob for entry in tree.entries.values() if is_source(entry))
    for entry in tree.entries.values():
        if is_source(entry) and not is_test(entry.path) and entry.blob in texts:
            text = texts[entry.blob].decode("utf-8", "replace")
            for symbol in symbols.symbols(entry.path, text) or ():
                if symbol.kind != "module":
                    defined[symbol.short] += 1
    places: dict[tuple[Thing, str], set[tuple[str, int]]] = defaultdict(set)
    for document in documents.values():
        if not is_prose(document.path):
            continue
        for mention in live(document):
            word = word_of(mention)
            own = [path for path in where.get(word, ()) if not is_test(path)]
            quoted = [path for path in where.get(f'"{word}', ()) if not is_test(path)]
            place = (document.path, mention.line)
            if mention.thing in (Thing.FLAG, Thing.VARIABLE) and own:
                if mention.thing is Thing.FLAG or "_" in word:
                    places[mention.thing, word].add(place)
            elif mention.thing is Thing.SYMBOL and defined[word] == 1 and len(word) > 3:
                if word.lower() not in COMMON:
                    places[Thing.SYMBOL, word].add(place)
            elif mention.thing is Thing.SETTING and quoted and len(word) > 3:
                if word.lower() not in COMMON and not defined[word]:
                    places[Thing.SETTING, word].add(place)
            elif mention.thing is Thing.PATH and "/" in mention.name.strip("/"):
                found = resolve(tree, document.path, mention.name)
                if found:
                    places[Thing.PATH, found].add(place)
        for link in live_links(document):
            found = resolve(tree, document.path, link.name) if link.thing is Thing.LINK else None
            if found and "." in found.rpartition("/")[2]:
                places[Thing.LINK, found].add((document.path, link.line))
    found_all: dict[Thing, list[Target]] = {kind: [] for kind in KINDS}
    for (thing, name), many in sorted(places.items()):
        found_all[thing].append(Target(thing, name, frozenset(many)))
    return found_all


def rewrite(clone: Clone, tree: Tree, word: str, new: str | None) -> None:
    """Rename a word in all code, or take out the lines that hold it; comments are left."""
    pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
    if not word.startswith("-"):
        pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    for entry in tree.entries.values():
        if not is_source(entry):
            continue
        file = clone.path / entry.path
        try:
            text = file.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        if not pattern.search(text):
            continue
        code = without_comments(entry.path, text)
        if len(code) != len(text):
            continue
        made: list[str] = []
        at = 0
        for line in text.splitlines(keepends=True):
            if not pattern.search(code[at : at + len(line)]):
                made.append(line)
            elif new is not None:
                kept = list(line)
                for found in reversed(list(pattern.finditer(code[at : at + len(line)]))):
                    kept[found.start() : found.end()] = list(new)
                made.append("".join(kept))
            at += len(line)
        file.write_bytes("".join(made).encode())


def mutate(clone: Clone, tree: Tree, target: Target, rng: random.Random) -> tuple[str, str | None]:
    """Rename or remove what a target names; return the commit and the new name."""
    remove = rng.random() < 0.4
    new: str | None = None
    if target.thing in (Thing.PATH, Thing.LINK):
        if not remove:
            folder, _, name = target.name.rpartition("/")
            stem, dot, end = name.partition(".")
            new = f"{folder}/{stem}_moved{dot}{end}".lstrip("/")
        clone.move(target.name, new)
    else:
        if not remove:
            upper = target.name.isupper()
            new = f"{target.name}_{'OTHER' if upper else 'other'}"
            if target.thing is Thing.FLAG:
                new = f"{target.name}-other"
        rewrite(clone, tree, target.name, new)
    return clone.commit(), new


def mutations(clone: Clone, count: int, seed: int) -> None:
    """Print recall by kind, whether replacements are right, and what was reported besides."""
    rng = random.Random(seed)
    tree = Tree.at(clone.git, clone.head)
    documents = load_tree(tree, PROJECT)
    available = targets(tree, documents)
    chosen: list[Target] = []
    while len(chosen) < count and any(available.values()):
        for kind in KINDS:
            if available[kind] and len(chosen) < count:
                chosen.append(available[kind].pop(rng.randrange(len(available[kind]))))
    hit: Counter[Thing] = Counter()
    total: Counter[Thing] = Counter()
    right: Counter[str] = Counter()
    names: Counter[Thing] = Counter()
    named: Counter[Thing] = Counter()
    besides: list[Drift] = []
    missed: list[str] = []
    times: list[float] = []
    for target in chosen:
        sha, new = mutate(clone, tree, target, rng)
        started = time.perf_counter()
        found = drift.after(clone.git, clone.head, sha, PROJECT)
        times.append(time.perf_counter() - started)
        clone.back()
        at = {(each.document, each.line) for each in found if each.tier != "possible"}
        total[target.thing] += len(target.places)
        hit[target.thing] += len(target.places & at)
        names[target.thing] += 1
        named[target.thing] += bool(target.places & at)
        if lost := target.places - at:
            missed.append(f"{target.thing} {target.name} -> {new}: {sorted(lost)[:2]}")
        for each in found:
            word = target.name.rpartition("/")[2] if "/" in target.name else target.name
            if (each.document, each.line) in target.places:
                if new is not None:
                    right["all"] += 1
                    right["right"] += (
                        each.replacement is not None
                        and new in each.replacement.replace("-", "_") + each.replacement
                    )
            elif word.split(".")[0] not in each.text + each.name + each.reason:
                besides.append(each)
    for kind in KINDS:
        if total[kind]:
            print(
                f"  {kind:9} names {named[kind]}/{names[kind]}"
                f" places {hit[kind]}/{total[kind]} = {hit[kind] / total[kind]:.3f}"
            )
    places = f"{sum(hit.values())}/{sum(total.values())}"
    share = sum(hit.values()) / max(1, sum(total.values()))
    print(f"  mutations {len(chosen)}; places found {places} = {share:.3f};"
          f" names {sum(named.values())}/{len(chosen)}")  # fmt: skip
    print(f"  renames with the right new name: {right['right']}/{right['all']}")
    print(f"  findings besides: {len(besides)}; after(): median {statistics.median(times):.2f} s,"
          f" max {max(times):.2f} s")  # fmt: skip
    for line in missed[:12]:
        print("    missed", line)
    for each in besides[:6]:
        print("    besides", each.tier, f"{each.document}:{each.line}", each.name, each.reason)


def unchanged(clone: Clone) -> None:
    """Print what is reported on the tree as it is."""
    documents = load_tree(Tree.at(clone.git, clone.head), PROJECT)
    started = time.perf_counter()
    found = scan(clone.git, PROJECT)
    print(f"  as it is: {len(found)} findings in {len(documents)} documents,"
          f" {time.perf_counter() - started:.1f} s")  # fmt: skip
    for each in found:
        print(f"    {each.tier} {each.document}:{each.line} {each.thing} {each.name}: {each.reason}"
              f" | {each.text.strip()[:80]}")  # fmt: skip


_NAMED = re.compile(r"`([^`\n]+)`|(?<![\w-])(--[a-z][\w-]+)|\]\(([^)\s#]+)")
_TOKEN = re.compile(r"--[a-z][\w-]+|[A-Za-z_][\w-]{3,}")


def made_wrong(before: Tree, after: Tree, lines: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Return, of the lines of old documents that a commit changed, those that name as code what its
    code had and has not any more: only these can be told by names."""
    was, now = all_words(before), all_words(after)
    lost = {word.lstrip('"') for word in was - now} - {word.lstrip('"') for word in now}
    lost |= {path.rpartition("/")[2].partition(".")[0] for path in before.entries
             if path not in after.entries and not is_prose(path)}  # fmt: skip
    texts: dict[str, list[str]] = {}
    found: set[tuple[str, int]] = set()
    for path, number in lines:
        if path not in texts:
            entry = before.entries.get(path)
            content = before.read([entry.blob]).get(entry.blob, b"") if entry else b""
            texts[path] = content.decode("utf-8", "replace").split("\n")
        line = texts[path][number - 1] if 0 < number <= len(texts[path]) else ""
        named = " ".join(part for parts in _NAMED.findall(line) for part in parts)
        if lost & set(_TOKEN.findall(named)):
            found.add((path, number))
    return found


@dataclass
class Recall:
    """How often what was hidden is among the first five findings."""

    commits: int = 0
    document: int = 0
    line: int = 0

    def add(self, found: list[Drift], documents: set[str], lines: set[tuple[str, int]]) -> None:
        """Count one commit."""
        first = [(each.document, each.line) for each in found][:5]
        top = list(dict.fromkeys(each.document for each in found))[:5]
        self.commits += 1
        self.document += bool(set(top) & documents)
        self.line += bool(set(first) & lines)

    def __str__(self) -> str:
        return (f"{self.commits} commits, document@5 {self.document / max(1, self.commits):.2f},"
                f" line@5 {self.line / max(1, self.commits):.2f}")  # fmt: skip


def replay(clone: Clone, most: int, look: int) -> None:
    """Print recall@5 of the document and of the line, on commits that changed code and prose: of
    all, of all by names alone, and of those that made a line wrong that names can tell."""
    listed = clone.git.run("rev-list", "--no-merges", f"--max-count={look}", clone.head).decode()
    every, sure, tellable = Recall(), Recall(), Recall()
    said: Counter[str] = Counter()
    for sha in listed.split():
        if every.commits >= most:
            break
        shown = clone.git.run("diff-tree", "-r", "--no-commit-id", "--name-only", "-z", sha)
        paths = [os.fsdecode(path) for path in shown.split(b"\0") if path]
        prose = {path for path in paths if is_prose(path) and not tells_of_past(path)}
        code = [path for path in paths if not is_prose(path) and not is_test(path)]
        if not prose or not code or len(paths) > 30:
            continue
        lines = _changed_lines(clone, sha, prose)
        if not lines:
            continue
        parent = f"{sha}~1"
        made = clone.tree_of(sha, parent)
        found = drift.after(clone.git, parent, made, PROJECT)
        named = [each for each in found if each.tier != "possible"]
        wrong = made_wrong(Tree.at(clone.git, parent), Tree.at(clone.git, made), lines)
        every.add(found, prose, lines)
        sure.add(named, prose, lines)
        if wrong:
            tellable.add(named, {path for path, _ in wrong}, wrong)
            if not {(each.document, each.line) for each in named} & wrong:
                print(f"    not told: {sha[:9]} {sorted(wrong)[:2]}")
        for each in found:
            said[f"{each.tier}, {'right' if each.document in prose else 'other'} document"] += 1
    print(f"  replay, all: {every}; by names alone: {sure}")
    print(f"  replay, with a line that names can tell: {tellable}; {dict(said)}", flush=True)


def _changed_lines(clone: Clone, sha: str, prose: set[str]) -> set[tuple[str, int]]:
    lines: set[tuple[str, int]] = set()
    for path in prose:
        hunks = clone.git.run("diff", "-U0", "--no-renames", f"{sha}~1", sha, "--", path)
        text = hunks.decode("utf-8", "replace")
        for start, size in re.findall(r"^@@ -(\d+)(?:,(\d+))? ", text, re.MULTILINE):
            lines |= {(path, n) for n in range(int(start), int(start) + int(size or 1))}
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--mutations", type=int, default=100)
    parser.add_argument("--replay", type=int, default=60)
    parser.add_argument("--look", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", type=Path)
    options = parser.parse_args()
    for repository in options.repositories:
        with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
            clone = Clone(repository.absolute(), Path(folder) / "clone")
            print(repository.name)
            unchanged(clone)
            if options.mutations:
                mutations(clone, options.mutations, options.seed)
            if options.replay:
                replay(clone, options.replay, options.look)


if __name__ == "__main__":
    main()
